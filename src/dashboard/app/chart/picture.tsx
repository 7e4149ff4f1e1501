/** The picture of a chart. Its colours are the style sheet's, so they follow the theme. */
import { useMemo } from 'preact/hooks';
import type { Layout } from './layout.ts';
import type { ChartSelection, PlotHandlers } from './use-pointer.ts';

export interface PictureProps {
  layout: Layout;
  /** Buckets with a mark below them are its keys. */
  notes: ReadonlyMap<number, unknown>;
  /** The bucket that is read at the moment. */
  pointed: number | null;
  /** Lines that are marked at that bucket; the last is in front. */
  values: readonly (readonly (number | null)[] | undefined)[];
  selection: ChartSelection | null;
  handlers: PlotHandlers;
}

export const Picture = ({ layout, notes, pointed, values, selection, handlers }: PictureProps) => {
  // Not drawn again with each move of the pointer.
  const still = useMemo(() => <Still layout={layout} marked={[...notes.keys()]} />, [layout, notes]);
  const { left, right, top, bottom, x } = layout;
  const tall = { y: top, height: bottom - top };
  return (
    <svg class="chart-picture" aria-hidden="true">
      {still}
      {pointed !== null && (
        <Pointed layout={layout} index={pointed} values={values.map(line => line?.[pointed] ?? null)} />
      )}
      {selection !== null && (
        <rect class="chart-selection" x={x(selection.first)} width={x(selection.last) - x(selection.first)} {...tall} />
      )}
      <rect class="chart-plot" x={left} width={right - left} {...tall} {...handlers} />
    </svg>
  );
};

const Still = ({ layout, marked }: { layout: Layout; marked: readonly number[] }) => {
  const { left, right, top, bottom, x, rows, columns, weekends, dot } = layout;
  const last = columns.length > 1 ? columns.at(-1) : undefined;
  return (
    <>
      {weekends.map(([from, to]) => (
        <rect key={from} class="chart-weekend" x={from} y={top} width={to - from} height={bottom - top} />
      ))}
      {rows.map(({ at, text }) => (
        <g key={at}>
          <path class="chart-grid" d={`M${left} ${Math.round(at) + 0.5}H${right}`} />
          <text y={at}>{text}</text>
        </g>
      ))}
      {columns.map(column => (
        <text
          key={column.at}
          class={column === last ? 'chart-column last' : 'chart-column'}
          x={column.at}
          y={bottom + columnTextPx}
        >
          {column.text}
        </text>
      ))}
      <path class="chart-area earlier" d={layout.earlierArea} />
      <path class="chart-line earlier" d={layout.earlier} />
      <path class="chart-area" d={layout.area} />
      <path class="chart-line" d={layout.line} />
      <path class="chart-line open" d={layout.open} />
      {dot !== undefined && <circle class="chart-dot" cx={dot[0]} cy={dot[1]} r={dotRadius} />}
      {marked.map(index => (
        <g key={index} class="chart-mark">
          <path d={`M${x(index)} ${top}V${bottom}`} />
        </g>
      ))}
    </>
  );
};

const dotRadius = 4;
/** Between the plot and the middle of the texts below it. */
const columnTextPx = 17;

interface PointedProps {
  layout: Layout;
  index: number;
  values: readonly (number | null)[];
}

/** A line up and down, and a ring on each line that it meets. */
const Pointed = ({ layout, index, values }: PointedProps) => {
  const x = layout.x(index);
  return (
    <g class="chart-pointed">
      <path d={`M${Math.round(x) + 0.5} ${layout.top}V${layout.bottom}`} />
      {values.map((value, i) => value !== null && <circle key={i} cx={x} cy={layout.y(value)} r={dotRadius} />)}
    </g>
  );
};
