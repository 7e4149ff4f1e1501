/** The panel of a rollup's sites, most visitors first. A click shows the site by itself. */

import { useAddress } from '../address.tsx';
import type { MemberRow } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { knownValue, metricText } from '../metric-text.ts';
import { Change } from '../parts/change.tsx';
import { numberHead } from '../parts/heads.tsx';
import { Answered, SkeletonRows } from '../parts/states.tsx';
import { BarName, mostOf, Table, type TableColumn } from '../parts/table.tsx';
import { askedSearch, carriedSearch } from '../question.ts';
import { sitePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { chosenComparison } from './choices.ts';

const metrics = ['visitors', 'visits', 'pageviews', 'bounceRate', 'revenue'] as const;
/** Left out where there is little room. */
const minors: readonly string[] = ['visits', 'pageviews', 'bounceRate', 'revenue'];

export const SitesPanel = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const asked = askedSearch(search);
  asked.set('compare', chosenComparison(search));
  const answer = useAnswer(askSite(site, 'ext/members', asked));
  return (
    <>
      <header class="panel-head">
        <h2>{t('sites.title')}</h2>
      </header>
      <div class="panel-body">
        <Answered answer={answer} waiting={<SkeletonRows count={1} />}>
          {({ data, currency }) => <SiteRows rows={data} currency={currency} />}
        </Answered>
      </div>
    </>
  );
};

const SiteRows = ({ rows, currency }: { rows: readonly MemberRow[]; currency: string }) => {
  const { search } = useAddress();
  const { me } = useApp();
  const most = mostOf(rows.map(row => row.visitors));
  // A public page tells of the sites, and leads to none of them.
  const pathOf = ({ id, name }: MemberRow): string | undefined =>
    me?.sites.some(site => site.id === id) ? sitePath(name) + carriedSearch(search) : undefined;
  const columns: TableColumn<MemberRow>[] = [
    {
      name: 'name',
      head: t('rollups.site'),
      class: 'row-name',
      cell: row => (
        <BarName part={(row.visitors ?? 0) / most} href={pathOf(row)}>
          {row.name}
        </BarName>
      ),
    },
    ...metrics.map(metric => ({
      ...{ name: metric, ...numberHead(`metric.${metric}`, minors.includes(metric) ? 'phone-minor' : undefined) },
      cell: (row: MemberRow) => metricText(metric, knownValue(metric, row), currency),
    })),
    {
      ...{ name: 'change', ...numberHead('rollups.change') },
      cell: ({ delta }) => <Change delta={delta?.visitors} />,
    },
  ];
  return <Table class="rows" {...{ columns, rows }} keyOf={({ id }) => id} />;
};
