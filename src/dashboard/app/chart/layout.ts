/** Where everything of a chart lies, in pixels from its upper left corner. Knows no component. */
import { formatTick, type ShownBucket, wallMs } from '../format.ts';
import { t } from '../texts/text.ts';

export interface Plotted {
  dates: readonly string[];
  bucket: ShownBucket;
  /** Null where nothing is known. */
  values: readonly (number | null)[];
  /** The same in the window compared with; null for none. */
  earlier: readonly (number | null)[] | null;
  /** The last bucket is not over yet. */
  isOpen: boolean;
  scale: Scale;
  /** There are flags above the plot. */
  hasFlags?: boolean;
}

/** The vertical axis. */
export interface Scale {
  /** A value as the axis has it. */
  text: (value: number) => string;
  /** What may lie between two lines of the grid, ascending. */
  steps: readonly number[];
}

export interface Size {
  widthPx: number;
  heightPx: number;
}

export interface Tick {
  at: number;
  text: string;
}

export interface Layout {
  /** Of the plot, which is what lies between the axes. */
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** The middle of a bucket. */
  x: (index: number) => number;
  y: (value: number) => number;
  columns: Tick[];
  rows: Tick[];
  /** Saturdays and Sundays of days, from and to, those that follow each other as one. */
  weekends: [from: number, to: number][];
  /** Paths of SVG. `line` ends with the last bucket that is over; `open` leads on from there. */
  line: string;
  open: string;
  area: string;
  earlier: string;
  earlierArea: string;
  /** A single value, which makes no line. */
  dot: ChartPoint | undefined;
}

export type ChartPoint = readonly [x: number, y: number];

const topPx = 12;
/** A flag is 24 px high. */
const flagsPx = 36;
const axisHeightPx = 36;
const tickWidthPx = 76;
const rowHeightMinPx = 36;
/** Of a figure in 12 px, at the widest. */
const characterPx = 7.4;
const gapPx = 12;
/** The highest line of the grid lies above the highest point. */
const headroom = 1.03;

export const layoutOf = (plotted: Plotted, { widthPx, heightPx }: Size): Layout => {
  const { dates, values, earlier, isOpen, scale, hasFlags = false } = plotted;
  const [top, bottom] = [hasFlags ? flagsPx : topPx, heightPx - axisHeightPx];
  const { least, most, at } = rowsOf([...values, ...(earlier ?? [])], scale, bottom - top);
  const texts = at.map(scale.text);
  const left = Math.ceil(Math.max(...texts.map(text => text.length)) * characterPx) + gapPx;
  const right = Math.max(widthPx, left + 1);
  const x = (index: number): number => left + (index * (right - left)) / Math.max(dates.length - 1, 1);
  const y = (value: number): number => bottom - ((value - least) * (bottom - top)) / (most - least);
  const placed = (line: readonly (number | null)[]): ChartPoint[] =>
    line.flatMap((value, i) => (value === null ? [] : [[x(i), y(value)] as const]));

  const all = placed(values);
  const before = placed(earlier ?? []);
  const isCut = isOpen && values.at(-1) != null && all.length > 1;
  const pieces = curveOf(all);
  const under = (points: readonly ChartPoint[]): string =>
    points.length < 2
      ? ''
      : `${pathOf(points[0]!, curveOf(points))}L${point(points.at(-1)![0], y(0))}L${point(points[0]![0], y(0))}Z`;
  return {
    ...{ left, top, right, bottom, x, y },
    columns: columnsOf(plotted, right - left, widthPx).map(i => ({ at: x(i), text: columnText(plotted, i) })),
    rows: at.map((value, i) => ({ at: y(value), text: texts[i]! })),
    weekends: plotted.bucket === 'day' ? weekendsOf(dates, x, right) : [],
    line: isCut ? pathOf(all[0]!, pieces.slice(0, -1)) : pathOf(all[0], pieces),
    open: isCut ? pathOf(all.at(-2), pieces.slice(-1)) : '',
    area: under(all),
    earlier: pathOf(before[0], curveOf(before)),
    earlierArea: under(before),
    dot: all.length === 1 ? all[0] : undefined,
  };
};

const round = (px: number): number => Math.round(px * 10) / 10;
const point = (x: number, y: number): string => `${round(x)} ${round(y)}`;

const pathOf = (from: ChartPoint | undefined, pieces: readonly string[]): string =>
  from === undefined || pieces.length === 0 ? '' : `M${point(...from)}${pieces.join('')}`;

/**
 * The pieces of a curve from point to point, over what is unknown. It never overshoots a point:
 * monotone cubic interpolation (Fritsch and Carlson, SIAM J. Numer. Anal. 17, 1980), with the
 * slopes of Fritsch and Butland.
 */
const curveOf = (points: readonly ChartPoint[]): string[] => {
  const widths = points.slice(1).map(([x], i) => x - points[i]![0]);
  const rises = points.slice(1).map(([, y], i) => (y - points[i]![1]) / widths[i]!);
  const slopes = points.map((_, i) => {
    const [before, after] = [rises[i - 1], rises[i]];
    if (before === undefined || after === undefined) return before ?? after ?? 0;
    if (before * after <= 0) return 0;
    const [a, b] = [widths[i - 1]!, widths[i]!];
    return (3 * (a + b)) / ((2 * b + a) / before + (b + 2 * a) / after);
  });
  return widths.map((width, i) => {
    const [[x0, y0], [x1, y1]] = [points[i]!, points[i + 1]!];
    const third = width / 3;
    const first = point(x0 + third, y0 + slopes[i]! * third);
    return `C${first} ${point(x1 - third, y1 - slopes[i + 1]! * third)} ${point(x1, y1)}`;
  });
};

/** The values that get a line of the grid; the first and the last are the edges of the plot. */
const rowsOf = (values: readonly (number | null)[], { steps }: Scale, heightPx: number) => {
  const known = values.filter(value => value !== null);
  // Refunds may be more than what was paid.
  const least = Math.min(0, ...known) * headroom;
  const most = Math.max(4 * steps[0]!, Math.max(0, ...known) * headroom);
  const edges = (step: number) => [Math.floor(least / step), Math.ceil(most / step)] as const;
  const step =
    steps.find(each => {
      const [first, last] = edges(each);
      return heightPx / (last - first) >= rowHeightMinPx;
    }) ?? most - least;
  const [first, last] = edges(step);
  return {
    least: first * step,
    most: last * step,
    // Plus zero, since the first may be -0.
    at: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step + 0),
  };
};

/** Too many would be a pattern of their own. */
const weekendDaysMax = 100;

const weekendsOf = (dates: readonly string[], x: (index: number) => number, right: number): [number, number][] => {
  if (dates.length < 2 || dates.length > weekendDaysMax) return [];
  const half = (x(1) - x(0)) / 2;
  return dates.flatMap((date, i): [number, number][] => {
    const day = new Date(wallMs(date)).getUTCDay();
    if (day === 0 && i > 0) return [];
    if (day !== 6 && day !== 0) return [];
    const last = day === 6 && i < dates.length - 1 ? i + 1 : i;
    return [[Math.max(x(i) - half, x(0)), Math.min(x(last) + half, right)]];
  });
};

/** The bucket that is not over has a name. */
const columnText = ({ dates, bucket, isOpen }: Plotted, index: number): string =>
  isOpen && dates.length > 1 && index === dates.length - 1
    ? t(bucket === 'day' ? 'chart.today' : 'chart.now')
    : formatTick(dates[index]!, bucket);

const columnSteps = [1, 2, 3, 4, 6, 7, 8, 12, 14, 24, 28, 48, 90, 180, 365];

/**
 * Buckets with a label, as many as there is room for: the last one, and evenly spaced ones before
 * it. Those of hours are at even times of the day, also where clocks change.
 */
const columnsOf = ({ dates, bucket }: Plotted, plotPx: number, widthPx: number): number[] => {
  const { length } = dates;
  const room = Math.max(Math.floor(widthPx / tickWidthPx), 2);
  const bucketPx = plotPx / Math.max(length - 1, 1);
  const step = columnSteps.find(each => length / each <= room) ?? length;
  const isEven = (i: number): boolean =>
    bucket === 'hour' && 24 % step === 0
      ? Number(dates[i]!.slice(11, 13)) % step === 0 && dates[i] !== dates[i - 1]
      : (length - 1 - i) % step === 0;
  return Array.from({ length }, (_, i) => i).filter(
    i => i === length - 1 || (isEven(i) && (length - 1 - i) * bucketPx > tickWidthPx),
  );
};
