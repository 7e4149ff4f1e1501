/** The panel of a rollup's sites, most visitors first. A click shows the site by itself. */

import { useAddress } from '../address.tsx';
import type { MemberRow } from '../answers.ts';
import { useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { metricText } from '../metric-text.ts';
import { Change } from '../parts/change.tsx';
import { NumberHead } from '../parts/heads.tsx';
import { Answered, SkeletonRows } from '../parts/states.tsx';
import { askedSearch, carriedSearch } from '../question.ts';
import { sitePath } from '../routes.ts';
import { t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { chosenComparison } from './choices.ts';

const columns = ['visitors', 'visits', 'pageviews', 'bounceRate', 'revenue'] as const;
/** Left out where there is little room. */
const minors: readonly string[] = ['visits', 'pageviews', 'bounceRate', 'revenue'];
const classOf = (name: string): string | undefined => (minors.includes(name) ? 'phone-minor' : undefined);

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
  const most = Math.max(...rows.map(row => row.visitors ?? 0), 1);
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">{t('rollups.site')}</th>
          {columns.map(name => (
            <NumberHead key={name} figure={`metric.${name}`} class={classOf(name)} />
          ))}
          <NumberHead figure="rollups.change" />
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <SiteRow key={row.id} {...{ row, most, currency }} />
        ))}
      </tbody>
    </table>
  );
};

const SiteRow = ({ row, most, currency }: { row: MemberRow; most: number; currency: string }) => {
  const { search } = useAddress();
  const { me } = useApp();
  const { name, visitors, delta } = row;
  // A public page tells of the sites, and leads to none of them.
  const isOwn = me?.sites.some(({ id }) => id === row.id) === true;
  return (
    <tr>
      <td class="row-name">
        <span class="row-bar" style={{ width: `${((visitors ?? 0) / most) * 100}%` }} />
        {isOwn ? (
          <a class="row-link" href={sitePath(name) + carriedSearch(search)}>
            {name}
          </a>
        ) : (
          <span class="row-link">{name}</span>
        )}
      </td>
      {columns.map(metric => (
        <td key={metric} class={['number', classOf(metric)].filter(Boolean).join(' ')}>
          {metricText(metric, row.visits === 0 && metric === 'bounceRate' ? null : row[metric], currency)}
        </td>
      ))}
      <td class="number">
        <Change delta={delta?.visitors} />
      </td>
    </tr>
  );
};
