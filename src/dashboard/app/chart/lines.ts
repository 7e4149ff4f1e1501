/**
 * A line chart on a canvas: uPlot, set up as the dashboard needs it. Knows no component. Colours
 * come from the style sheet, through elements of the page, so that they follow the theme.
 */
import uPlot from 'uplot';
import { type Bucket, formatShort, formatTick } from '../format.ts';

export interface Line {
  values: readonly (number | null)[];
  /** Class of the line, whose `color` it gets. */
  look: string;
  /** The previous period: behind, dashed. */
  isEarlier: boolean;
  isFilled: boolean;
}

interface Stroke extends Line {
  isOpen?: boolean;
}

export interface Lines {
  dates: readonly string[];
  bucket: Bucket;
  lines: readonly Line[];
  /** The last bucket is not over yet: the line to it is dotted. */
  isOpen: boolean;
}

export interface LinesListener {
  /** Called with the bucket under the pointer and its place in the chart; null for none. */
  onPoint: (index: number | null, leftPx: number) => void;
  /** Called with the first and last bucket of a drag, or twice with a clicked one. */
  onChoose: (first: number, last: number) => void;
}

export interface LinesChart {
  /**
   * Draws other numbers. False, and nothing is done, if they need a new chart: their number or look
   * differs.
   */
  update(lines: Lines): boolean;
  /** Points at a bucket, as the mouse would. */
  point(index: number | null): void;
  destroy(): void;
}

const chartHeightPx = 260;
const tickWidthPx = 76;
const clickPx = 4;

export const drawLines = (root: HTMLElement, lines: Lines, listener: LinesListener): LinesChart => {
  const strokes = strokesOf(lines);
  const looks = looksOf(strokes, lines.dates);
  const shown = { dates: lines.dates, bucket: lines.bucket };
  const options = optionsOf(shown, strokes, readColours(root, strokes), getComputedStyle(root).fontFamily, listener);
  const plot = new uPlot({ ...options, width: Math.max(root.clientWidth, 1) }, dataOf(strokes, lines.dates), root);

  let pressedAt = 0;
  let isTouched = false;
  /** The bucket that a finger has read: the next tap on it chooses it. */
  let read: number | null = null;
  plot.over.addEventListener('pointerdown', event => {
    isTouched = event.pointerType === 'touch';
  });
  plot.over.addEventListener('mousedown', event => {
    pressedAt = event.clientX;
  });
  plot.over.addEventListener('click', event => {
    const index = plot.cursor.idx;
    if (Math.abs(event.clientX - pressedAt) >= clickPx || index === null || index === undefined) return;
    if (!isTouched || read === index) listener.onChoose(index, index);
    read = index;
  });
  // It also runs once at the beginning, when the chart is drawn already.
  const resize = new ResizeObserver(() => {
    const width = Math.max(root.clientWidth, 1);
    if (width !== plot.width) plot.setSize({ width, height: chartHeightPx });
  });
  resize.observe(root);

  return {
    update(next) {
      const nextStrokes = strokesOf(next);
      if (looksOf(nextStrokes, next.dates) !== looks) return false;
      read = null;
      Object.assign(shown, { dates: next.dates, bucket: next.bucket });
      plot.setData(dataOf(nextStrokes, next.dates));
      return true;
    },
    point(index) {
      if (index === null) plot.setCursor({ left: -10, top: -10 });
      else plot.setCursor({ left: plot.valToPos(index, 'x'), top: 10 });
    },
    destroy() {
      resize.disconnect();
      plot.destroy();
    },
  };
};

/** The set-up of a chart. It reads `shown` whenever it draws, so that the numbers can change. */
const optionsOf = (
  shown: Pick<Lines, 'dates' | 'bucket'>,
  strokes: readonly Stroke[],
  colour: (name: string) => string,
  fontFamily: string,
  { onPoint, onChoose }: LinesListener,
): Omit<uPlot.Options, 'width'> => {
  const axis = { stroke: colour('axis'), font: `12px ${fontFamily}`, ticks: { show: false } };
  return {
    height: chartHeightPx,
    padding: [12, 24, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      // The line is always on a bucket, never between two.
      move: (u, left, top) => (left < 0 ? [left, top] : [u.valToPos(u.posToIdx(left), 'x'), top]),
      points: { size: 8, width: 2, fill: () => colour('ground') },
      // Because of `move`, uPlot takes every click for a drag and would swallow it. The code below
      // tells them apart.
      drag: { x: true, y: false, setScale: false, dist: clickPx, click: () => {} },
    },
    select: { show: true, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: false, range: () => [0, Math.max(shown.dates.length - 1, 1)] },
      y: { range: (_, __, most) => [0, Math.max(most, 4) * 1.05] },
    },
    axes: [
      {
        ...axis,
        size: 36,
        gap: 10,
        grid: { show: false },
        splits: u => ticks(shown.dates.length, u.width),
        values: (_, at) => at.map(i => (shown.dates[i] === undefined ? '' : formatTick(shown.dates[i], shown.bucket))),
      },
      {
        ...axis,
        size: 44,
        gap: 8,
        grid: { stroke: colour('grid'), width: 1 },
        space: 36,
        incrs: wholeSteps,
        values: (_, at) => at.map(formatShort),
      },
    ],
    series: [{}, ...strokes.map(stroke => seriesOf(stroke, colour, shown.dates.length))],
    hooks: {
      setCursor: [
        u => {
          const index = u.cursor.idx ?? null;
          onPoint(index, index === null ? 0 : u.valToPos(index, 'x') + u.over.offsetLeft);
        },
      ],
      setSelect: [
        u => {
          const { left, width } = u.select;
          if (width < clickPx) return;
          onChoose(u.posToIdx(left), u.posToIdx(left + width));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
};

/** Steps between the lines of the grid: whole numbers, because people and pages are. */
const wholeSteps = Array.from({ length: 12 }, (_, i) => [1, 2, 5].map(step => step * 10 ** i)).flat();

const strokesOf = ({ lines, dates, isOpen }: Lines): readonly Stroke[] =>
  isOpen && dates.length > 1 ? lines.flatMap(withOpenEnd) : lines;

const dataOf = (strokes: readonly Stroke[], dates: readonly string[]): uPlot.AlignedData => [
  dates.map((_, i) => i),
  ...strokes.map(({ values }) => [...values]),
];

/** Equal for charts that differ only in numbers and dates. */
const looksOf = (strokes: readonly Stroke[], dates: readonly string[]): string =>
  JSON.stringify([isDot(dates.length), ...strokes.map(({ values, ...look }) => look)]);

/** A single bucket makes no line. */
const isDot = (length: number): boolean => length === 1;

/** One line through the finished buckets, and one from the last of them to the open one. */
const withOpenEnd = (line: Line): Stroke[] => {
  if (line.isEarlier) return [line];
  const open = line.values.length - 1;
  return [
    { ...line, values: line.values.map((value, i) => (i < open ? value : null)) },
    { ...line, values: line.values.map((value, i) => (i < open - 1 ? null : value)), isOpen: true },
  ];
};

/** uPlot takes dashes in device pixels. */
const dashed = (...lengthsPx: number[]) => ({ dash: lengthsPx.map(length => length * devicePixelRatio) });

const seriesOf = (
  { look, isEarlier, isFilled, isOpen = false }: Stroke,
  colour: (look: string) => string,
  length: number,
): uPlot.Series => ({
  stroke: colour(look),
  width: isEarlier ? 1.5 : 2,
  ...(isEarlier ? dashed(4, 4) : isOpen ? dashed(2, 3) : {}),
  ...(isFilled ? { fill: colour(fillOf(look)) } : {}),
  points: { show: isDot(length), size: 8 },
});

/** Buckets that get a label: evenly spaced, as many as there is room for. */
const ticks = (length: number, width: number): number[] => {
  const room = Math.max(Math.floor(width / tickWidthPx), 2);
  const step = [1, 2, 3, 4, 6, 7, 8, 12, 14, 24, 28, 48, 90, 180, 365].find(each => length / each <= room) ?? length;
  return Array.from({ length: Math.ceil(length / step) }, (_, i) => i * step);
};

/**
 * The colours of each line, of the area below it, and of the frame, as the style sheet gives them
 * for the current theme. All elements go into the page before the first is read, so that the
 * browser computes styles once.
 */
const readColours = (root: HTMLElement, strokes: readonly Stroke[]): ((look: string) => string) => {
  const looks = strokes.flatMap(({ look, isFilled }) => (isFilled ? [look, fillOf(look)] : [look]));
  const probes = ['axis', 'grid', 'ground', ...looks].map(look => {
    const probe = document.createElement('span');
    probe.className = `chart-colour ${look}`;
    return { look, probe };
  });
  root.append(...probes.map(({ probe }) => probe));
  const colours = new Map(probes.map(({ look, probe }) => [look, getComputedStyle(probe).color]));
  for (const { probe } of probes) probe.remove();
  return look => colours.get(look)!;
};

const fillOf = (look: string): string => `${look}-fill`;
