/**
 * The chosen metric over time, with what it is compared with behind it; as a chart, or all metrics
 * as a table.
 */

import { useMemo, useState } from 'preact/hooks';
import { delta } from '../../../model/metrics.ts';
import { useAddress } from '../address.tsx';
import type { MetricPoint, MetricSeries, NoteList, NoteView } from '../answers.ts';
import { shownMetrics, useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import type { ChartSeries, Earlier } from '../chart/readout.tsx';
import { TimeChart } from '../chart/time-chart.tsx';
import { periodDays } from '../controls/period.ts';
import { formatBucket, localDate, wallDate, wallMs } from '../format.ts';
import { isInverted, isNeutral, knownValue, metricSteps, metricText, metricTick } from '../metric-text.ts';
import { metricLabel } from '../names.ts';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Popover } from '../parts/popover.tsx';
import { Answered } from '../parts/states.tsx';
import { Toggle } from '../parts/toggle.tsx';
import { askedSearch, periodOf, withChoice, withPeriod } from '../question.ts';
import { t } from '../texts/text.ts';
import { type AnswerState, useAnswer } from '../use-answer.ts';
import {
  chosenComparison,
  chosenInterval,
  chosenMetric,
  type FigureName,
  figureNames,
  type Interval,
  intervalsOf,
} from './choices.ts';
import { useNotes, useNotesByBucket } from './notes.ts';

const NotesPanel = lazy(async () => (await import('../overlays.ts')).NotesPanel);

/** All metrics at once, so that another one is drawn without a question. */
const useSeries = (suited: readonly Interval[]): AnswerState<MetricSeries> => {
  const { search } = useAddress();
  const state = useSite();
  const { site } = state;
  const asked = askedSearch(search);
  asked.set('metrics', shownMetrics(state, figureNames).join(','));
  asked.set('compare', chosenComparison(search));
  const interval = chosenInterval(search, suited);
  if (interval !== null) asked.set('interval', interval);
  return useAnswer(askSite(site, 'ext/series', asked));
};

export const Trend = ({ comparedWith }: { comparedWith: string }) => {
  const { search } = useAddress();
  const state = useSite();
  const { site } = state;
  const { now } = useApp();
  const name = chosenMetric(search, shownMetrics(state, figureNames));
  const suited = intervalsOf(periodDays(periodOf(search), localDate(now(), site.timezone)));
  const answer = useSeries(suited);
  const notes = useNotes();
  const isTable = search.get('_view') === 'table';
  return (
    <section class="trend" aria-label={t('overview.trend')} aria-busy={answer.pending}>
      <div class="trend-head">
        <Legend
          name={name}
          earlier={!isTable && answer.data?.previous?.some(isKnown) ? comparedWith : null}
          imported={answer.data?.imported}
        />
        <NotesButton answer={notes} />
        <Intervals suited={suited} current={answer.data?.interval ?? null} />
        <Toggle
          class="icon-button"
          isOn={isTable}
          next={withChoice(search, '_view', isTable ? null : 'table')}
          label={t('overview.asTable')}
          tip={t('overview.asTable')}
        >
          <Icon name="table" />
        </Toggle>
      </div>
      <Answered answer={answer} waiting={<div class="chart-waiting" />}>
        {series =>
          isTable ? <TrendTable {...series} /> : <TrendChart series={series} notes={notes.data?.data} name={name} />
        }
      </Answered>
    </section>
  );
};

interface LegendProps {
  name: FigureName;
  /** What is drawn behind, in words; null for nothing. */
  earlier: string | null;
  imported: MetricSeries['imported'];
}

const Legend = ({ name, earlier, imported }: LegendProps) => (
  <div class="legend">
    <span class="legend-item">
      <span class="swatch metric" />
      {metricLabel(name)}
    </span>
    {earlier !== null && (
      <span class="legend-item quiet">
        <span class="swatch dashed" />
        {earlier}
      </span>
    )}
    {imported !== undefined && <span class="legend-item quiet">{t(`overview.imported.${imported}`)}</span>}
  </div>
);

const Intervals = ({ suited, current }: { suited: readonly Interval[]; current: Interval | null }) => {
  const { search, href } = useAddress();
  // What the API chose is always among them.
  const shown = current === null || suited.includes(current) ? suited : [current, ...suited];
  if (shown.length < 2) return null;
  return (
    <nav class="tabs intervals" aria-label={t('overview.interval')}>
      {shown.map(name => (
        <a
          key={name}
          href={href(withChoice(search, '_interval', name))}
          aria-current={name === current ? 'true' : undefined}
        >
          {t(`overview.interval.${name}`)}
        </a>
      ))}
    </nav>
  );
};

/** Opens the list of notes. Strangers have no use for it where there is none. */
const NotesButton = ({ answer: { data, retry } }: { answer: AnswerState<NoteList> }) => {
  const { client } = useApp();
  const { own } = useSite();
  const [isOpen, setOpen] = useState(false);
  const notes = data?.data ?? [];
  if (own === null && notes.length === 0) return null;
  const changed = (): void => {
    client.forget();
    retry();
  };
  return (
    <Popover
      isOpen={isOpen}
      setOpen={setOpen}
      label={t('note.list')}
      align="end"
      buttonClass="button quiet notes-button"
      button={
        <>
          <Icon name="note" />
          {notes.length === 0 ? t('note.add') : t('note.count', { count: notes.length })}
        </>
      }
    >
      <NotesPanel notes={notes} onChanged={changed} />
    </Popover>
  );
};

interface TrendChartProps {
  series: MetricSeries;
  notes: readonly NoteView[] | undefined;
  name: FigureName;
}

const TrendChart = ({ series, notes, name }: TrendChartProps) => {
  const { data, interval, previous = null } = series;
  const { search, ask } = useAddress();
  const { site } = useSite();
  const { now } = useApp();
  const today = localDate(now(), site.timezone);
  const dates = useMemo(() => data.map(point => point.date), [data]);
  const line = useMemo<ChartSeries>(
    () => ({
      label: metricLabel(name),
      values: data.map(point => knownValue(name, point)),
      earlier: previous === null ? null : earlierOf(name, data, previous),
      text: value => metricText(name, value, site.currency),
    }),
    [data, previous, name, site.currency],
  );
  const scale = useMemo(
    () => ({ text: (value: number) => metricTick(name, value, site.currency), steps: metricSteps(name) }),
    [name, site.currency],
  );
  const choose = (from: number, to: number): void => {
    const last = lastDay(dates[to]!, interval);
    ask(withPeriod(search, { from: dates[from]!.slice(0, 10), to: earlier(last, today) }));
  };
  const spansOneDay = dates[0]?.slice(0, 10) === dates.at(-1)?.slice(0, 10);
  return (
    <TimeChart
      label={t('overview.overTime', { metric: metricLabel(name) })}
      dates={dates}
      bucket={interval}
      series={line}
      isOpen={isOpenBucket(dates.at(-1), interval, today)}
      scale={scale}
      notes={useMarks(useNotesByBucket(notes, dates), data)}
      onChoose={spansOneDay ? undefined : choose}
    />
  );
};

/** Notes, and where numbers are imported: a mark at the first and the last of such buckets. */
const useMarks = (
  notes: ReadonlyMap<number, readonly string[]>,
  data: readonly MetricPoint[],
): ReadonlyMap<number, readonly string[]> =>
  useMemo(() => {
    const [first, last] = [data.findIndex(isImported), data.findLastIndex(isImported)];
    const marks = new Map(notes);
    for (const bucket of new Set([first, last]))
      if (bucket >= 0) marks.set(bucket, [...(marks.get(bucket) ?? []), t('overview.imported.point')]);
    return marks;
  }, [notes, data]);

const isImported = ({ imported }: MetricPoint): boolean => imported === true;

const isKnown = ({ visits, events }: MetricPoint): boolean => (visits ?? 0) + (events ?? 0) > 0;

/** Nothing is drawn before anything had been recorded. */
const earlierOf = (name: FigureName, data: readonly MetricPoint[], previous: readonly MetricPoint[]): Earlier => {
  const first = previous.findIndex(isKnown);
  const before = data.map((_, i) => (first < 0 || i < first ? undefined : previous[i]));
  const values = before.map(point => (point === undefined ? null : knownValue(name, point)));
  return {
    dates: before.map(point => point?.date ?? null),
    values,
    changes: data.map((point, i) => {
      const now = knownValue(name, point);
      return now === null ? null : delta(now, values[i]!);
    }),
    isInverted: isInverted(name),
    isNeutral: isNeutral(name),
  };
};

const earlier = (a: string, b: string): string => (a < b ? a : b);

/** The last day of a bucket. */
const lastDay = (local: string, interval: Interval): string => {
  const [year, month] = local.split('-').map(Number) as [number, number];
  if (interval === 'month') return wallDate(Date.UTC(year, month, 0));
  return interval === 'week' ? wallDate(wallMs(local.slice(0, 10)) + 6 * dayMs) : local.slice(0, 10);
};

const dayMs = 86_400_000;

/** One that contains today; a series of hours ends with the current one. */
const isOpenBucket = (last: string | undefined, interval: Interval, today: string): boolean =>
  last !== undefined && last.slice(0, 10) <= today && lastDay(last, interval) >= today;

const TrendTable = ({ data, interval }: MetricSeries) => {
  const state = useSite();
  const { site } = state;
  const figures = shownMetrics(state, figureNames);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="trend-table" tabIndex={0} aria-label={t('overview.trendTable')}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('overview.time')}</th>
            {figures.map(name => (
              <th key={name} scope="col" class="number">
                {metricLabel(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.map(point => (
            <tr key={point.date}>
              <th scope="row">{formatBucket(point.date, interval)}</th>
              {figures.map(name => (
                <td key={name} class="number">
                  {metricText(name, knownValue(name, point), site.currency)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
