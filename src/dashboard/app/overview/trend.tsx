/**
 * The chosen metric over time, with what it is compared with behind it; as a chart, or all metrics
 * as a table.
 */

import { useCallback, useMemo, useState } from 'preact/hooks';
import { delta } from '../../../model/metrics.ts';
import { useAddress } from '../address.tsx';
import type { MetricPoint, MetricSeries, NoteList, NoteView } from '../answers.ts';
import { shownMetrics, useApp, useSite } from '../app-context.ts';
import { askSite } from '../ask.ts';
import { bucketName, lastDay, pairsOf } from '../chart/buckets.ts';
import type { ChartSeries, Earlier } from '../chart/readout.tsx';
import { TimeChart } from '../chart/time-chart.tsx';
import { periodDays } from '../controls/period.ts';
import { localDate } from '../format.ts';
import { isInverted, isNeutral, knownValue, metricSteps, metricText, metricTick } from '../metric-text.ts';
import { metricLabel } from '../names.ts';
import { Icon } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Popover } from '../parts/popover.tsx';
import { Answered } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
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
export const useSeries = (): [suited: readonly Interval[], answer: AnswerState<MetricSeries>] => {
  const { search } = useAddress();
  const state = useSite();
  const { now } = useApp();
  const { site } = state;
  const suited = intervalsOf(periodDays(periodOf(search), localDate(now(), site.timezone)));
  const asked = askedSearch(search);
  asked.set('metrics', shownMetrics(state, figureNames).join(','));
  asked.set('compare', chosenComparison(search));
  const interval = chosenInterval(search, suited);
  if (interval !== null) asked.set('interval', interval);
  return [suited, useAnswer(askSite(site, 'ext/series', asked))];
};

interface TrendProps {
  answer: AnswerState<MetricSeries>;
  suited: readonly Interval[];
  comparedWith: string;
}

export const Trend = ({ answer, suited, comparedWith }: TrendProps) => {
  const { search } = useAddress();
  const state = useSite();
  const name = chosenMetric(search, shownMetrics(state, figureNames));
  const notes = useNotes();
  /** The day that a new note is for; null while none is written. */
  const [noteDay, setNoteDay] = useState<string | null>(null);
  const isTable = search.get('_view') === 'table';
  return (
    <section
      class={name === 'revenue' ? 'trend of-money' : 'trend'}
      aria-label={t('overview.trend')}
      aria-busy={answer.pending}
    >
      <div class="trend-head">
        <Legend
          name={name}
          earlier={!isTable && answer.data?.previous?.some(isKnown) ? comparedWith : null}
          imported={answer.data?.imported}
        />
        <NotesButton answer={notes} day={noteDay} setDay={setNoteDay} />
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
          isTable ? (
            <TrendTable {...series} />
          ) : (
            <TrendChart series={series} notes={notes.data?.data} name={name} onNote={setNoteDay} />
          )
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
    <nav class="segmented intervals" aria-label={t('overview.interval')}>
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

interface NotesButtonProps {
  answer: AnswerState<NoteList>;
  /** Of a new note; null while the list is closed. */
  day: string | null;
  setDay: (day: string | null) => void;
}

/** Opens the list of notes. Strangers have no use for it where there is none. */
const NotesButton = ({ answer: { data, retry }, day, setDay }: NotesButtonProps) => {
  const { client, now } = useApp();
  const { site, rights } = useSite();
  const setOpen = useCallback(
    (isOpen: boolean) => setDay(isOpen ? localDate(now(), site.timezone) : null),
    [setDay, now, site],
  );
  const notes = data?.data ?? [];
  if (!rights.has('notes') && notes.length === 0) return null;
  const changed = (): void => {
    client.forget();
    retry();
  };
  return (
    <Popover
      isOpen={day !== null}
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
      <NotesPanel notes={notes} day={day ?? ''} onChanged={changed} />
    </Popover>
  );
};

interface TrendChartProps {
  series: MetricSeries;
  notes: readonly NoteView[] | undefined;
  name: FigureName;
  onNote: (day: string) => void;
}

const TrendChart = ({ series, notes, name, onNote }: TrendChartProps) => {
  const { data, interval, previous = null } = series;
  const { search, ask } = useAddress();
  const { site, rights } = useSite();
  const { now } = useApp();
  const today = localDate(now(), site.timezone);
  const dates = useMemo(() => data.map(dateOf), [data]);
  const line = useMemo<ChartSeries>(
    () => ({
      label: metricLabel(name),
      values: data.map(point => knownValue(name, point)),
      earlier: previous === null ? null : earlierOf(name, data, previous, interval),
      text: value => metricText(name, value, site.currency),
    }),
    [data, previous, interval, name, site.currency],
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
      scale={scale}
      notes={useMarks(useNotesByBucket(notes, dates), data)}
      onChoose={spansOneDay ? undefined : choose}
      onNote={!rights.has('notes') ? undefined : index => onNote(dates[index]!.slice(0, 10))}
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

const dateOf = ({ date }: MetricPoint): string => date;

const isKnown = ({ visits, events }: MetricPoint): boolean => (visits ?? 0) + (events ?? 0) > 0;

/** Nothing is drawn before anything had been recorded. */
const earlierOf = (
  name: FigureName,
  data: readonly MetricPoint[],
  previous: readonly MetricPoint[],
  interval: Interval,
): Earlier => {
  const first = previous.findIndex(isKnown);
  const pairs = pairsOf(data.map(dateOf), previous.map(dateOf), interval);
  const before = pairs.map(place => (first < 0 || place < first ? undefined : previous[place]));
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

const TrendTable = ({ data, interval }: MetricSeries) => {
  const state = useSite();
  const { site } = state;
  const figures = shownMetrics(state, figureNames);
  const dates = data.map(dateOf);
  const columns: TableColumn<{ point: MetricPoint; name: string }>[] = [
    { name: 'time', head: t('overview.time'), isName: true, cell: ({ name }) => name },
    ...figures.map(name => ({
      name,
      head: metricLabel(name),
      class: 'number',
      cell: ({ point }: { point: MetricPoint }) => metricText(name, knownValue(name, point), site.currency),
    })),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="trend-table" tabIndex={0} aria-label={t('overview.trendTable')}>
      <Table
        columns={columns}
        rows={data.map((point, i) => ({ point, name: bucketName(dates, i, interval) }))}
        keyOf={(_, i) => i}
      />
    </section>
  );
};

const earlier = (a: string, b: string): string => (a < b ? a : b);
