/**
 * Health: how every arriving hit ended, by reason and over time. What other tools drop silently has
 * a number here.
 */

import { useMemo } from 'preact/hooks';
import { type Outcome, outcomes as outcomeRows } from '../../../model/outcomes.ts';
import { useAddress } from '../address.tsx';
import type { Outcomes } from '../answers.ts';
import { useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import type { ChartSeries } from '../chart/readout.tsx';
import { TimeChart } from '../chart/time-chart.tsx';
import { Controls } from '../controls/controls.tsx';
import { useSuspects } from '../crawlers/suspects.tsx';
import { formatNumber, formatShare } from '../format.ts';
import { numberHead } from '../parts/heads.tsx';
import { OtherTextsNote } from '../parts/other-texts.tsx';
import { Spark } from '../parts/spark.tsx';
import { Answered, Empty, SkeletonRows } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { askedSearch, withChoice } from '../question.ts';
import { rich, t } from '../texts/text.ts';
import { useAnswer } from '../use-answer.ts';
import { OtherHosts } from './other-hosts.tsx';
import { Servers } from './servers.tsx';

/** Outcomes are counted before anything is known of a hit, so there is nothing to filter by. */
const fields: readonly string[] = [];

export const HealthPage = () => {
  const { search } = useAddress();
  const { site } = useSite();
  const asked = askedSearch(search, fields);
  const answer = useAnswer(askSite(site, 'ext/outcomes', asked));
  // Outcomes leave out buckets without hits; the series has them all.
  const series = useAnswer(askSite(site, 'series', asked));
  const dates = useMemo(() => series.data?.data.map(point => point.date) ?? [], [series.data]);
  return (
    <>
      <Controls fields={fields} />
      <Answered answer={{ ...answer, pending: answer.pending || series.pending }} waiting={<SkeletonRows count={10} />}>
        {outcomes =>
          outcomes.totals.length === 0 ? (
            <Empty drawing="page">
              <p>{t('health.none')}</p>
            </Empty>
          ) : (
            <Endings outcomes={outcomes} dates={dates} />
          )
        }
      </Answered>
      <OtherHosts />
      <Servers />
    </>
  );
};

interface EndingsProps {
  outcomes: Outcomes;
  /** Of all buckets. */
  dates: readonly string[];
}

const Endings = ({ outcomes: { totals, data, otherTexts }, dates }: EndingsProps) => {
  const { search } = useAddress();
  const arrived = totals.reduce((sum, { hits }) => sum + hits, 0);
  const recorded = totals.find(row => row.outcome === 'recorded')?.hits ?? 0;
  const chosen = totals.find(row => row.outcome === search.get('_outcome'))?.outcome ?? totals[0]!.outcome;
  const counts = useMemo(() => countsByOutcome(data, dates), [data, dates]);
  const columns: TableColumn<Outcomes['totals'][number]>[] = [
    {
      ...{ name: 'meaning', head: t('health.meaning'), isName: true },
      cell: ({ outcome }) => <OutcomeName outcome={outcome} isChosen={outcome === chosen} />,
    },
    {
      ...{ name: 'outcome', head: t('health.outcome'), class: 'phone-minor' },
      cell: ({ outcome }) => <code>{outcome}</code>,
    },
    {
      ...{ name: 'course', head: t('health.overTime'), class: 'phone-minor' },
      cell: ({ outcome }) => <Spark values={counts.get(outcome) ?? []} />,
    },
    { ...{ name: 'hits', ...numberHead('outcomes.hits') }, cell: ({ hits }) => formatNumber(hits) },
    { ...{ name: 'share', ...numberHead('outcomes.share') }, cell: ({ hits }) => formatShare(hits, arrived) },
  ];
  return (
    <>
      <p class="lead">
        {rich('health.arrived', {
          strong: inner => <strong>{inner}</strong>,
          count: arrived,
          recorded,
          share: formatShare(recorded, arrived),
        })}
      </p>
      <OtherTextsNote otherTexts={otherTexts} />
      <LeftOutNote />
      <OutcomeChart outcome={chosen} counts={counts.get(chosen) ?? []} dates={dates} />
      <div class="table-scroll sheet">
        <Table
          class="table outcomes"
          columns={columns}
          rows={totals}
          keyOf={({ outcome }) => outcome}
          rowOf={({ outcome }) => ({ class: outcome === chosen ? 'chosen' : undefined })}
        />
      </div>
    </>
  );
};

/** How many visits the site leaves out of its numbers. */
const LeftOutNote = () => {
  const rows = useSuspects(fields).data?.data.filter(({ leftOut }) => leftOut) ?? [];
  if (rows.length === 0) return null;
  const visits = rows.reduce((sum, row) => sum + row.visits, 0);
  return (
    <p class="hint">
      {rich('health.leftOut', {
        strong: inner => <strong>{inner}</strong>,
        count: visits,
        reasons: rows.map(({ reason }) => t(`suspect.${reason}`)).join(', '),
      })}
    </p>
  );
};

const countsByOutcome = (data: Outcomes['data'], dates: readonly string[]): Map<Outcome, number[]> => {
  const places = new Map(dates.map((date, i) => [date, i]));
  const counts = new Map<Outcome, number[]>();
  for (const { date, outcome, hits } of data) {
    const place = places.get(date);
    if (place === undefined) continue;
    const of = counts.get(outcome) ?? dates.map(() => 0);
    of[place]! += hits;
    counts.set(outcome, of);
  }
  return counts;
};

/** Recorded, ignored or rejected: the first word of the answer's header. */
const endingOf = (outcome: Outcome) => outcomeRows[outcome].header.split(';')[0] as 'recorded' | 'ignored' | 'rejected';

const OutcomeName = ({ outcome, isChosen }: { outcome: Outcome; isChosen: boolean }) => {
  const { search, href } = useAddress();
  return (
    <>
      <a href={href(withChoice(search, '_outcome', outcome))} aria-current={isChosen ? 'true' : undefined}>
        {t(`outcome.${outcome}`)}
      </a>{' '}
      {outcome !== 'recorded' && (
        <span class={`kind ${endingOf(outcome)}`}>{t(`health.ending.${endingOf(outcome)}`)}</span>
      )}
    </>
  );
};

interface OutcomeChartProps {
  outcome: Outcome;
  counts: readonly number[];
  dates: readonly string[];
}

const OutcomeChart = ({ outcome, counts, dates }: OutcomeChartProps) => {
  const label = t(`outcome.${outcome}`);
  const line = useMemo<ChartSeries>(() => ({ label, values: counts }), [label, counts]);
  return (
    <section class="trend panel outcome" aria-label={t('health.overTime')}>
      <h2>{label}</h2>
      <TimeChart label={t('health.chart', { outcome: label })} dates={dates} series={line} />
    </section>
  );
};
