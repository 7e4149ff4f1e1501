/**
 * Numbers over time: a picture, and a slider for the keyboard and screen readers. Arrow keys move
 * through the buckets, and each reads out its date and numbers. A drag, a click or Enter chooses a
 * period.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Bucket, bucketOf, formatBucket, formatNumber, formatShort } from '../format.ts';
import { Change } from '../parts/change.tsx';
import { themeEvent } from '../shell/theme.tsx';
import { t } from '../texts/text.ts';
import { drawLines, type Line, type LinesChart, type Scale } from './lines.ts';

export interface ChartSeries {
  label: string;
  /** Class that gives the colour. */
  look: string;
  /** Null where nothing is known. */
  values: readonly (number | null)[];
  /** The same in the window compared with, bucket by bucket. */
  earlier?: Earlier | null;
  /** A value in words; by default a plain number. */
  text?: (value: number | null) => string;
}

/** For each bucket what it is compared with; null where that is nothing. */
export interface Earlier {
  dates: readonly (string | null)[];
  values: readonly (number | null)[];
  changes: readonly (number | null)[];
  /** Less is better. */
  isInverted: boolean;
  /** Neither is. */
  isNeutral: boolean;
}

export interface TimeChartProps {
  label: string;
  dates: readonly string[];
  /** What each date is the beginning of; by default what their distance says. */
  bucket?: Bucket;
  series: readonly ChartSeries[];
  /** The last bucket is not over yet. */
  isOpen: boolean;
  scale?: Scale;
  /** Texts of notes by bucket. */
  notes?: ReadonlyMap<number, readonly string[]>;
  /**
   * Called with the first and last bucket that somebody chooses; missing where nothing can be
   * chosen.
   */
  onChoose?: ((first: number, last: number) => void) | undefined;
}

const wholeSteps = Array.from({ length: 12 }, (_, i) => [1, 2, 5].map(step => step * 10 ** i)).flat();
const plainScale: Scale = { text: formatShort, steps: wholeSteps };
const noNotes: ReadonlyMap<number, readonly string[]> = new Map();

export const TimeChart = (props: TimeChartProps) => {
  const { label, dates, series, isOpen, onChoose, scale = plainScale, notes = noNotes } = props;
  const { bucket = bucketOf(dates) } = props;
  const canvas = useRef<HTMLDivElement>(null);
  const chart = useRef<LinesChart | null>(null);
  const choose = useRef(onChoose);
  choose.current = onChoose;
  const [pointed, setPointed] = useState<{ index: number; leftPx: number } | null>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const themed = useThemeTurn();

  const removeChart = (): void => {
    chart.current?.destroy();
    chart.current = null;
  };
  // Another theme has other colours, so the chart is drawn again.
  useLayoutEffect(() => removeChart, [themed]);
  // In the frame that shows the numbers beside it.
  useLayoutEffect(() => {
    const lines = { dates, bucket, lines: linesOf(series), isOpen, scale, marked: [...notes.keys()] };
    if (chart.current?.update(lines)) return;
    removeChart();
    chart.current = drawLines(canvas.current!, lines, {
      onPoint: (index, leftPx) => setPointed(index === null ? null : { index, leftPx }),
      onChoose: (first, last) => choose.current?.(first, last),
    });
  }, [dates, series, bucket, isOpen, scale, notes, themed]);

  const at = Math.min(focused ?? dates.length - 1, dates.length - 1);
  const move = (to: number): void => {
    const index = Math.min(Math.max(to, 0), dates.length - 1);
    setFocused(index);
    chart.current?.point(index);
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: dates.length - 1 };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      move(to);
    }
    if (event.key === 'Enter') onChoose?.(at, at);
  };
  const shown = { dates, series, bucket, isOpen, notes };
  return (
    <div class="time-chart">
      <div
        class="chart-focus"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(dates.length - 1, 0)}
        aria-valuenow={Math.max(at, 0)}
        aria-valuetext={dates.length === 0 ? t('chart.empty') : spoken(shown, at)}
        onKeyDown={onKey}
        onFocus={event => event.currentTarget.matches(':focus-visible') && move(at)}
        onBlur={() => chart.current?.point(null)}
      >
        <div ref={canvas} class="chart-canvas" />
      </div>
      {pointed !== null && pointed.index < dates.length && (
        <Readout {...shown} {...pointed} widthPx={canvas.current?.clientWidth ?? 0} />
      )}
    </div>
  );
};

const linesOf = (series: readonly ChartSeries[]): Line[] => [
  ...series.flatMap(({ earlier }) =>
    earlier == null ? [] : [{ values: earlier.values, look: 'earlier', isEarlier: true, isFilled: false }],
  ),
  ...series.map(({ look, values }, i) => ({ values, look, isEarlier: false, isFilled: i === 0 })),
];

interface Shown extends Pick<TimeChartProps, 'dates' | 'series' | 'isOpen'> {
  bucket: Bucket;
  notes: ReadonlyMap<number, readonly string[]>;
}

const bucketName = ({ dates, bucket, isOpen }: Shown, index: number): string => {
  const name = formatBucket(dates[index]!, bucket);
  return isOpen && index === dates.length - 1 ? t('chart.soFar', { time: name }) : name;
};

const textOf = ({ text }: ChartSeries, value: number | null | undefined): string =>
  text === undefined ? formatNumber(value ?? 0) : text(value ?? null);

/** A bucket as a screen reader says it. */
const spoken = (shown: Shown, index: number): string =>
  [
    bucketName(shown, index),
    ...shown.series.flatMap(each => {
      const { dates = [], values = [] } = each.earlier ?? {};
      const before = dates[index];
      const now = `${textOf(each, each.values[index])} ${each.label}`;
      return before == null ? [now] : [now, `${formatBucket(before, shown.bucket)}: ${textOf(each, values[index])}`];
    }),
    ...(shown.notes.get(index) ?? []),
  ].join(', ');

interface ReadoutProps extends Shown {
  index: number;
  leftPx: number;
  widthPx: number;
}

/** The numbers of the bucket under the pointer. */
const Readout = ({ index, leftPx, widthPx, ...shown }: ReadoutProps) => {
  const { series, notes } = shown;
  const [first] = series;
  const isCompared = first?.earlier != null;
  return (
    <div
      class={leftPx > widthPx / 2 ? 'readout before' : 'readout'}
      style={{ '--at': `${leftPx}px` }}
      aria-hidden="true"
    >
      <strong>{isCompared ? first.label : bucketName(shown, index)}</strong>
      <table>
        <tbody>
          {isCompared ? (
            <ComparedRows shown={shown} series={first} earlier={first.earlier!} index={index} />
          ) : (
            series.map(each => (
              <tr key={each.label}>
                <th scope="row">
                  <span class={`swatch ${each.look}`} />
                  {each.label}
                </th>
                <td>{textOf(each, each.values[index])}</td>
              </tr>
            ))
          )}
        </tbody>
      </table>
      {notes.get(index)?.map(text => (
        <p key={text} class="readout-note">
          {text}
        </p>
      ))}
    </div>
  );
};

interface ComparedRowsProps {
  shown: Shown;
  series: ChartSeries;
  earlier: Earlier;
  index: number;
}

/** Both dates with their values, and the change from one to the other. */
const ComparedRows = ({ shown, series, earlier, index }: ComparedRowsProps) => {
  const before = earlier.dates[index] ?? null;
  return (
    <>
      <tr>
        <th scope="row">
          <span class={`swatch ${series.look}`} />
          {bucketName(shown, index)}
        </th>
        <td class="current">{textOf(series, series.values[index])}</td>
        <td class="change-cell">
          <Change delta={earlier.changes[index] ?? null} inverted={earlier.isInverted} isNeutral={earlier.isNeutral} />
        </td>
      </tr>
      {before !== null && (
        <tr class="earlier">
          <th scope="row">
            <span class="swatch dashed" />
            {formatBucket(before, shown.bucket)}
          </th>
          <td>{textOf(series, earlier.values[index])}</td>
          <td />
        </tr>
      )}
    </>
  );
};

/** Goes up with each change of the theme. */
const useThemeTurn = (): number => {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const next = (): void => setTurn(last => last + 1);
    system.addEventListener('change', next);
    addEventListener(themeEvent, next);
    return () => {
      system.removeEventListener('change', next);
      removeEventListener(themeEvent, next);
    };
  }, []);
  return turn;
};
