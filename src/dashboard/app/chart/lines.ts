/**
 * A line chart on a canvas: uPlot, set up as the dashboard needs it. Knows no component. Colours
 * come from the style sheet, through elements of the page, so that they follow the theme.
 */
import uPlot from 'uplot';
import { type Bucket, formatTick } from '../format.ts';

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
  scale: Scale;
  /** Buckets with a mark below them. */
  marked: readonly number[];
}

/** The vertical axis. */
export interface Scale {
  /** A value as the axis has it. */
  text: (value: number) => string;
  /** What may lie between two lines of the grid. */
  steps: readonly number[];
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
  const shown: Shown = { ...lines };
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
      Object.assign(shown, next);
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

type Shown = Omit<Lines, 'lines' | 'isOpen'>;

/** The set-up of a chart. It reads `shown` whenever it draws, so that the numbers can change. */
const optionsOf = (
  shown: Shown,
  strokes: readonly Stroke[],
  colour: (name: string) => string,
  fontFamily: string,
  listener: LinesListener,
): Omit<uPlot.Options, 'width'> => {
  const font = `12px ${fontFamily}`;
  const axis = { font, ticks: { show: false } };
  return {
    height: chartHeightPx,
    padding: [12, edgePx, 0, 0],
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
      // Refunds may be more than what was paid.
      y: {
        range: (_, least, most) => [
          Math.min(least ?? 0, 0) * 1.05,
          Math.max(most ?? 0, 4 * shown.scale.steps[0]!) * 1.05,
        ],
      },
    },
    axes: [
      {
        ...axis,
        stroke: colour('axis'),
        size: 36,
        gap: 10,
        grid: { show: false },
        splits: u => ticks(shown.dates.length, u),
        values: (_, at) => at.map(i => (shown.dates[i] === undefined ? '' : formatTick(shown.dates[i], shown.bucket))),
      },
      {
        ...axis,
        // Room for the widest number. They are drawn below, flush with what is above the chart.
        stroke: 'transparent',
        size: (u, texts) => widthOf(u, font, texts ?? []) + 12,
        grid: { stroke: colour('grid'), width: 1 },
        space: 36,
        incrs: () => [...shown.scale.steps],
        values: (_, at) => at.map(shown.scale.text),
      },
    ],
    series: [{}, ...strokes.map(stroke => seriesOf(stroke, colour, shown.dates.length))],
    hooks: hooksOf(shown, font, colour, listener),
  };
};

/** What is drawn besides the lines, and what is told of the pointer. */
const hooksOf = (
  shown: Shown,
  font: string,
  colour: (name: string) => string,
  { onPoint, onChoose }: LinesListener,
): uPlot.Hooks.Arrays => ({
  drawAxes: [u => drawNumbers(u, font, colour('axis'), shown.scale.text)],
  draw: [u => drawMarks(u, shown.marked, colour('mark'))],
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
});

/** What lies beyond the last bucket, so that its point is whole. */
const edgePx = 6;

/** In pixels of the page. The canvas has a font, but not always this one yet. */
const widthOf = (u: uPlot, font: string, texts: readonly string[]): number => {
  u.ctx.save();
  u.ctx.font = font;
  const width = Math.max(0, ...texts.map(text => u.ctx.measureText(text).width));
  u.ctx.restore();
  return Math.ceil(width);
};

/** The numbers of the vertical axis, from the left edge. The canvas counts device pixels. */
const drawNumbers = (u: uPlot, font: string, colour: string, text: Scale['text']): void => {
  const { ctx } = u;
  const { _splits: splits = [] } = u.axes[1] as { _splits?: (number | null)[] };
  ctx.save();
  ctx.scale(devicePixelRatio, devicePixelRatio);
  Object.assign(ctx, { font, fillStyle: colour, textAlign: 'left', textBaseline: 'middle' });
  for (const at of splits) if (at !== null) ctx.fillText(text(at), 0, u.valToPos(at, 'y') + topOf(u));
  ctx.restore();
};

/** A dot on the lower edge for each bucket that something is noted of. */
const drawMarks = (u: uPlot, marked: readonly number[], colour: string): void => {
  const { ctx } = u;
  ctx.save();
  ctx.scale(devicePixelRatio, devicePixelRatio);
  Object.assign(ctx, { fillStyle: colour, strokeStyle: colour, lineWidth: 1 });
  const bottom = topOf(u) + u.bbox.height / devicePixelRatio;
  for (const index of marked) {
    const x = u.valToPos(index, 'x') + u.bbox.left / devicePixelRatio;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(x, topOf(u));
    ctx.lineTo(x, bottom);
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(x, bottom, 4, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.restore();
};

const topOf = (u: uPlot): number => u.bbox.top / devicePixelRatio;

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
  spanGaps: true,
});

/** Buckets that get a label: evenly spaced, as many as there is room for, and none that would be cut. */
const ticks = (length: number, { width, bbox }: uPlot): number[] => {
  const room = Math.max(Math.floor(width / tickWidthPx), 2);
  const stepPx = bbox.width / devicePixelRatio / Math.max(length - 1, 1);
  const step = [1, 2, 3, 4, 6, 7, 8, 12, 14, 24, 28, 48, 90, 180, 365].find(each => length / each <= room) ?? length;
  return Array.from({ length: Math.ceil(length / step) }, (_, i) => i * step).filter(
    i => length === 1 || (length - 1 - i) * stepPx > tickWidthPx / 2 - 2 * edgePx,
  );
};

/**
 * The colours of each line, of the area below it, and of the frame, as the style sheet gives them
 * for the current theme. All elements go into the page before the first is read, so that the
 * browser computes styles once.
 */
const readColours = (root: HTMLElement, strokes: readonly Stroke[]): ((look: string) => string) => {
  const looks = strokes.flatMap(({ look, isFilled }) => (isFilled ? [look, fillOf(look)] : [look]));
  const probes = ['axis', 'grid', 'ground', 'mark', ...looks].map(look => {
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
