/**
 * Web vitals: how fast pages are for their visitors, rated by the thresholds, by page or device.
 */

import { useState } from 'preact/hooks';
import type { Figure } from '../../../model/figures.ts';
import { breakdownLimitMax } from '../../../model/limits.ts';
import { type VitalName, vitalNames, vitals } from '../../../model/vitals.ts';
import { useAddress } from '../address.tsx';
import type { VitalFigures, VitalGroupAnswer, Vitals } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { Controls } from '../controls/controls.tsx';
import { formatNumber, formatPercent } from '../format.ts';
import { valueLabel } from '../names.ts';
import { sortHead } from '../parts/heads.tsx';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { chosenTab, Tabs } from '../parts/tabs.tsx';
import { Explain } from '../parts/tips.tsx';
import { askedSearch, withOnly } from '../question.ts';
import { type FigureKey, rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { formatVital, ratingOf, vitalMeaning } from './rating.ts';

const fields = ['path', 'device'] as const;
type Field = (typeof fields)[number];

export const VitalsPage = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const by = chosenTab(search, '_by', fields);
  const asked = askedSearch(search, fields);
  asked.set('by', by);
  asked.set('limit', String(breakdownLimitMax));
  const answer = useAnswer(askSite(site, 'ext/vitals', asked), by);
  return (
    <>
      <Controls fields={fields} />
      <Answered answer={answer} waiting={<SkeletonRows count={12} />}>
        {({ all, data }) => (all.reports === 0 ? <NoVitals /> : <Reports all={all} by={by} groups={data} />)}
      </Answered>
    </>
  );
};

const NoVitals = () => (
  <Empty drawing="page">
    <p>{t('vitals.none')}</p>
    <p class="hint">{rich('vitals.none.note', { attribute: <code>data-vitals="false"</code> })}</p>
  </Empty>
);

interface ReportsProps {
  all: VitalGroupAnswer;
  by: Field;
  groups: Vitals['data'];
}

const Reports = ({ all, by, groups }: ReportsProps) => (
  <>
    <dl class="vitals sheet">
      {vitalNames.map(name => (
        <Vital key={name} name={name} figures={all[name]} />
      ))}
    </dl>
    <section class="panel" aria-label={t('vitals.groups')}>
      <header class="panel-head">
        <h2>{t('vitals.head', { count: all.reports })}</h2>
        <Tabs
          label={t('vitals.groupBy')}
          choice="_by"
          current={by}
          tabs={fields.map(name => ({ name, label: t(`field.${name}`) }))}
        />
      </header>
      <GroupTable by={by} groups={groups} />
    </section>
  </>
);

const Vital = ({ name, figures }: { name: VitalName; figures: VitalFigures | null }) => (
  <div class="vital" data-vital={name}>
    <dt>
      <Explain tip={vitalMeaning(name)}>{name.toUpperCase()}</Explain> <span class="hint">{vitals[name].meaning}</span>
    </dt>
    {figures === null ? (
      <dd class="hint">{t('vitals.notReported')}</dd>
    ) : (
      <dd>
        <span class="figure-value">{formatVital(name, figures.p75)}</span>{' '}
        <Explain tip={t('vital.p75.meaning')}>
          <span class={`rating ${ratingOf(name, figures.p75)}`}>
            {t(`vitals.rating.${ratingOf(name, figures.p75)}`)}
          </span>
        </Explain>
        <Shares figures={figures} />
        <span class="hint">{t('vitals.reports', { count: figures.reports })}</span>
      </dd>
    )}
  </div>
);

const shares = [
  { key: 'good', rating: 'good' },
  { key: 'needsImprovement', rating: 'middling' },
  { key: 'poor', rating: 'poor' },
] as const;

/** How many reports were good, middling and poor, as a bar of three parts. */
const Shares = ({ figures }: { figures: VitalFigures }) => (
  <span class="shares" role="img" aria-label={sharesText(figures)} data-tip={sharesText(figures)}>
    {shares.map(({ key, rating }) => (
      <span key={key} class={`share-part ${rating}`} style={{ width: `${figures[key]}%` }} />
    ))}
  </span>
);

const sharesText = (figures: VitalFigures): string =>
  t('vitals.shares', {
    good: formatPercent(figures.good),
    middling: formatPercent(figures.needsImprovement),
    poor: formatPercent(figures.poor),
  });

/** How many rows are drawn at first. */
const rowsShown = 25;

const sorts = ['reports', ...vitalNames] as const;

/** A percentile of fewer reports says little. */
const reportsMin = 10;

/** Groups without the figure, or with few reports of it, come last, whichever the order. */
const sorted = (groups: Vitals['data'], sort: (typeof sorts)[number], isDescending: boolean): Vitals['data'] => {
  const figureOf = (group: VitalGroupAnswer): number => {
    if (sort === 'reports') return group.reports;
    const { reports = 0, p75 = Number.NaN } = group[sort] ?? {};
    return reports < reportsMin ? Number.NaN : p75;
  };
  const direction = isDescending ? -1 : 1;
  return groups.toSorted((a, b) => {
    const [first, second] = [figureOf(a), figureOf(b)];
    if (Number.isNaN(first) || Number.isNaN(second)) return Number(Number.isNaN(first)) - Number(Number.isNaN(second));
    return direction * (first - second);
  });
};

type Group = Vitals['data'][number];

const GroupTable = ({ by, groups }: Omit<ReportsProps, 'all'>) => {
  const { search, href } = useAddress();
  const [isWhole, setWhole] = useState(false);
  const sort = chosenTab(search, '_sort', sorts);
  const rows = sorted(groups, sort, search.get('_dir') !== 'asc');
  const headOf = (name: (typeof sorts)[number], figure: FigureKey | Figure) => ({
    ...{
      name,
      ...sortHead(search, { class: 'number', figure, sort: name, sortDefault: sorts[0], isSorted: sort === name }),
    },
  });
  const columns: TableColumn<Group>[] = [
    {
      ...{ name: 'name', head: t(`field.${by}`), isName: true },
      cell: ({ name }) => (
        <a class="cut" title={valueLabel(by, name)} href={href(withOnly(search, by, name))}>
          {valueLabel(by, name)}
        </a>
      ),
    },
    ...vitalNames.map(name => ({
      ...headOf(name, { label: name.toUpperCase(), meaning: vitalMeaning(name) }),
      cell: (group: Group) => <Cell name={name} figures={group[name]} />,
    })),
    { ...headOf('reports', 'vital.reports'), cell: ({ reports }) => formatNumber(reports) },
  ];
  return (
    <div class="table-scroll">
      <Table
        class="table vital-table"
        columns={columns}
        rows={rows.slice(0, isWhole ? rows.length : rowsShown)}
        keyOf={({ name }) => name}
      />
      {sort !== 'reports' && <p class="hint">{t('vitals.few', { least: reportsMin })}</p>}
      {!isWhole && groups.length > rowsShown && (
        <button type="button" class="button" onClick={() => setWhole(true)}>
          {t('common.allRows', { count: groups.length })}
        </button>
      )}
    </div>
  );
};

const Cell = ({ name, figures }: { name: VitalName; figures: VitalFigures | null }) => {
  if (figures === null) return <span class="soft">–</span>;
  const rating = ratingOf(name, figures.p75);
  return (
    <span class={`vital-cell ${figures.reports < reportsMin ? 'few' : rating}`}>
      {formatVital(name, figures.p75)}
      <span class="unseen"> {t(`vitals.rating.${rating}`)}</span>
      <Shares figures={figures} />
    </span>
  );
};
