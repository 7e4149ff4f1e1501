/** Which hits of a day are a step: those that pass all of its filters. */
import type { QueryContext } from '../context.ts';
import type { Filter } from '../query.ts';
import type { Scratch } from '../scratch.ts';
import type { DayFilter } from './filter-rows.ts';
import { prepareFilters } from './filters.ts';
import { selectPassing } from './select.ts';
import type { Selection } from './selection.ts';

export type PreparedStep = readonly DayFilter[];

export const prepareSteps = (steps: readonly Filter[][], context: QueryContext): PreparedStep[] =>
  steps.map(filters => prepareFilters(filters, context));

/** By hit of the day, a bit for each step that it can be, from the lowest on. At most 32. */
export const markHits = ({ day, index }: Selection, steps: readonly PreparedStep[], scratch: Scratch): Uint32Array => {
  const marks = scratch.zeros(day.hits);
  for (const [step, filters] of steps.entries()) {
    scratch.within(inner => {
      const conditions = filters.map(filter => filter(day, index, inner));
      const selected = selectPassing(day, index, conditions, inner);
      if (selected !== undefined) mark(selected.found().rows, 1 << step, marks);
    });
  }
  return marks;
};

/** Null: all rows. */
const mark = (rows: Uint32Array | null, bit: number, marks: Uint32Array): void => {
  if (rows === null) for (let row = 0; row < marks.length; row++) marks[row]! |= bit;
  else for (let i = 0; i < rows.length; i++) marks[rows[i]!]! |= bit;
};
