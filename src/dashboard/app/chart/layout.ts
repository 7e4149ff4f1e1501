/** Where everything of a chart lies, in pixels from its upper left corner. Knows no component. */
import { formatTick, type ShownBucket } from '../format.ts';

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
  /** Paths of SVG. `line` ends with the last bucket that is over; `open` leads on from there. */
  line: string;
  open: string;
  area: string;
  earlier: string;
  /** A single value, which makes no line. */
  dot: ChartPoint | undefined;
}

export type ChartPoint = readonly [x: number, y: number];

const topPx = 12;
const axisHeightPx = 36;
const tickWidthPx = 76;
const rowHeightMinPx = 36;
/** Of a figure in 12 px, at the widest. */
const characterPx = 7.4;
const gapPx = 12;
/** What lies above the highest point, as a part of it. */
const headroom = 1.05;

export const layoutOf = (plotted: Plotted, { widthPx, heightPx }: Size): Layout => {
  const { dates, values, earlier, isOpen, scale } = plotted;
  const [top, bottom] = [topPx, heightPx - axisHeightPx];
  const { least, most, at } = rowsOf([...values, ...(earlier ?? [])], scale, bottom - top);
  const texts = at.map(scale.text);
  const left = Math.ceil(Math.max(...texts.map(text => text.length)) * characterPx) + gapPx;
  const right = Math.max(widthPx, left + 1);
  const x = (index: number): number => left + (index * (right - left)) / Math.max(dates.length - 1, 1);
  const y = (value: number): number => bottom - ((value - least) * (bottom - top)) / (most - least);
  const placed = (line: readonly (number | null)[]): ChartPoint[] =>
    line.flatMap((value, i) => (value === null ? [] : [[x(i), y(value)] as const]));

  const all = placed(values);
  const isCut = isOpen && values.at(-1) != null && all.length > 1;
  return {
    ...{ left, top, right, bottom, x, y },
    columns: columnsOf(plotted, right - left, widthPx).map(i => ({
      at: x(i),
      text: formatTick(dates[i]!, plotted.bucket),
    })),
    rows: at.map((value, i) => ({ at: y(value), text: texts[i]! })),
    line: pathOf(isCut ? all.slice(0, -1) : all),
    open: isCut ? pathOf(all.slice(-2)) : '',
    area: all.length < 2 ? '' : `${pathOf(all)}V${round(y(0))}H${round(all[0]![0])}Z`,
    earlier: pathOf(placed(earlier ?? [])),
    dot: all.length === 1 ? all[0] : undefined,
  };
};

/** Straight from point to point, over what is unknown. Nothing for a point alone. */
const pathOf = (points: readonly ChartPoint[]): string =>
  points.length < 2 ? '' : `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join('L')}`;

const round = (px: number): number => Math.round(px * 10) / 10;

/** The values that get a line of the grid, and those at the edges of the plot. */
const rowsOf = (values: readonly (number | null)[], { steps }: Scale, heightPx: number) => {
  const known = values.filter(value => value !== null);
  // Refunds may be more than what was paid.
  const least = Math.min(0, ...known) * headroom;
  const most = Math.max(4 * steps[0]!, ...known) * headroom;
  const step = steps.find(each => (each * heightPx) / (most - least) >= rowHeightMinPx) ?? most - least;
  const first = Math.ceil(least / step);
  return {
    least,
    most,
    // Plus zero, since the first may be -0.
    at: Array.from({ length: Math.floor(most / step) - first + 1 }, (_, i) => (first + i) * step + 0),
  };
};

const columnSteps = [1, 2, 3, 4, 6, 7, 8, 12, 14, 24, 28, 48, 90, 180, 365];

/** Buckets with a label: evenly spaced, as many as there is room for, none of them cut. */
const columnsOf = ({ dates: { length } }: Plotted, plotPx: number, widthPx: number): number[] => {
  const room = Math.max(Math.floor(widthPx / tickWidthPx), 2);
  const bucketPx = plotPx / Math.max(length - 1, 1);
  const step = columnSteps.find(each => length / each <= room) ?? length;
  return Array.from({ length: Math.ceil(length / step) }, (_, i) => i * step).filter(
    i => length === 1 || (length - 1 - i) * bucketPx > tickWidthPx / 2 - gapPx,
  );
};
