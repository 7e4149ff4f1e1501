/**
 * Numbers over time: a picture, and a slider for the keyboard and screen readers. Arrow keys move
 * through the buckets, and each reads out its date and numbers. A drag, a click or Enter chooses a
 * period.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Bucket, bucketOf, formatBucket, formatNumber } from '../format.ts';
import { themeEvent } from '../shell/theme.tsx';
import { drawLines, type Line, type LinesChart } from './lines.ts';

export interface ChartSeries {
  label: string;
  /** Class that gives the colour. */
  look: string;
  values: readonly number[];
  /** The same in the previous period, bucket by bucket. */
  earlier: readonly (number | null)[] | null;
}

export interface TimeChartProps {
  label: string;
  dates: readonly string[];
  series: readonly ChartSeries[];
  /** The last bucket is not over yet. */
  isOpen: boolean;
  /**
   * Called with the first and last bucket that somebody chooses; missing where nothing can be
   * chosen.
   */
  onChoose?: ((first: number, last: number) => void) | undefined;
}

export const TimeChart = ({ label, dates, series, isOpen, onChoose }: TimeChartProps) => {
  const canvas = useRef<HTMLDivElement>(null);
  const chart = useRef<LinesChart | null>(null);
  const choose = useRef(onChoose);
  choose.current = onChoose;
  const [pointed, setPointed] = useState<{ index: number; leftPx: number } | null>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const bucket = bucketOf(dates);
  const themed = useThemeTurn();

  const removeChart = (): void => {
    chart.current?.destroy();
    chart.current = null;
  };
  // Another theme has other colours, so the chart is drawn again.
  useLayoutEffect(() => removeChart, [themed]);
  // In the frame that shows the numbers beside it.
  useLayoutEffect(() => {
    const lines = { dates, bucket, lines: linesOf(series), isOpen };
    if (chart.current?.update(lines)) return;
    removeChart();
    chart.current = drawLines(canvas.current!, lines, {
      onPoint: (index, leftPx) => setPointed(index === null ? null : { index, leftPx }),
      onChoose: (first, last) => choose.current?.(first, last),
    });
  }, [dates, series, bucket, isOpen, themed]);

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
  const numbersAt = series.map(each => `${formatNumber(each.values[at] ?? 0)} ${each.label}`);
  const valueText = dates.length === 0 ? 'No data' : [bucketName(dates, at, bucket, isOpen), ...numbersAt].join(', ');

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
        aria-valuetext={valueText}
        onKeyDown={onKey}
        onFocus={event => event.currentTarget.matches(':focus-visible') && move(at)}
        onBlur={() => chart.current?.point(null)}
      >
        <div ref={canvas} class="chart-canvas" />
      </div>
      {pointed !== null && pointed.index < dates.length && (
        <Readout {...{ dates, series, bucket, isOpen, ...pointed, widthPx: canvas.current?.clientWidth ?? 0 }} />
      )}
    </div>
  );
};

const linesOf = (series: readonly ChartSeries[]): Line[] => [
  ...series.flatMap(({ look, earlier }) =>
    earlier === null ? [] : [{ values: earlier, look: `${look}-earlier`, isEarlier: true, isFilled: false }],
  ),
  ...series.map(({ look, values }, i) => ({ values, look, isEarlier: false, isFilled: i === 0 })),
];

const bucketName = (dates: readonly string[], index: number, bucket: Bucket, isOpen: boolean): string =>
  formatBucket(dates[index]!, bucket) + (isOpen && index === dates.length - 1 ? ', so far' : '');

interface ReadoutProps extends Pick<TimeChartProps, 'dates' | 'series' | 'isOpen'> {
  bucket: Bucket;
  index: number;
  leftPx: number;
  widthPx: number;
}

/** The numbers of the bucket under the pointer. */
const Readout = ({ dates, series, bucket, isOpen, index, leftPx, widthPx }: ReadoutProps) => (
  <div class={leftPx > widthPx / 2 ? 'readout before' : 'readout'} style={{ '--at': `${leftPx}px` }} aria-hidden="true">
    <strong>{bucketName(dates, index, bucket, isOpen)}</strong>
    <table>
      {series.some(each => each.earlier !== null) && (
        <thead>
          <tr>
            <td />
            <td />
            <th scope="col" class="earlier">
              before
            </th>
          </tr>
        </thead>
      )}
      <tbody>
        {series.map(({ label, look, values, earlier }) => (
          <tr key={label}>
            <th scope="row">
              <span class={`swatch ${look}`} />
              {label}
            </th>
            <td>{formatNumber(values[index] ?? 0)}</td>
            {earlier !== null && <td class="earlier">{earlier[index] == null ? '' : formatNumber(earlier[index])}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

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
