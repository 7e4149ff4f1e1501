/**
 * What counts of a hit, or of a visit, as flags. The loops do not branch on what the processor
 * could not predict (as in scan/tally.ts).
 */
import type { DayFilter } from '../scan/filter-rows.ts';
import { flagged } from '../scan/lists.ts';
import { selectAll, selectEvents, selectPassing } from '../scan/select.ts';
import { hitNumbers, type Selection, visitNumbers } from '../scan/selection.ts';
import { bounceFlag, pageviewFlag } from '../scan/tally.ts';
import { viewFlags } from '../scan/view-flags.ts';
import type { Scratch } from '../scratch.ts';

/** Of three flags. */
export const flagCombinations = 8;

/** Of a visit: all of its hits count, selected or not. */
export const [isBounce, isConverted, withView] = [1, 1 << 1, 1 << 2];

/** Of the hit at each position, what `viewFlags` says. */
export const viewFlagsAt = ({ index, found }: Selection, scratch: Scratch): Uint8Array => {
  const ofDay = viewFlags(index, scratch);
  const { rows } = found();
  return rows === null ? ofDay : gatherFlags(ofDay, rows, scratch.bytes(rows.length));
};

/** Of the hit at each position, `isView` or nothing. */
export const pageviewFlagsAt = (selection: Selection, scratch: Scratch): Uint8Array =>
  flagPageviews(hitNumbers(selection, 'type', scratch), scratch.bytes(selection.hits));

const flagPageviews = (types: Uint32Array, flags: Uint8Array): Uint8Array => {
  for (let i = 0; i < flags.length; i++) flags[i] = pageviewFlag(types[i]!);
  return flags;
};

const gatherFlags = (flags: Uint8Array, rows: Uint32Array, to: Uint8Array): Uint8Array => {
  for (let i = 0; i < rows.length; i++) to[i] = flags[rows[i]!]!;
  return to;
};

/**
 * Of each selected visit. One converts by a named custom or revenue event, where nothing else is
 * said; null: whether it does is not asked.
 */
export const visitFlags = (
  selection: Selection,
  conversion: { converting: DayFilter | undefined } | null,
  scratch: Scratch,
): Uint8Array => {
  const flags = flagBounces(visitNumbers(selection, 'pageviews', scratch), scratch);
  if (conversion === null) return flags;
  const { day, index, visits } = selection;
  const { converting } = conversion;
  scratch.within(inner => {
    const converted =
      converting === undefined
        ? index.keep('conversions', () => flagConverted(selection, undefined, new Uint8Array(day.visits), inner))
        : flagConverted(selection, converting, inner.bytes(day.visits), inner);
    addConverted(visits(), converted, flags);
  });
  return flags;
};

/** By visit of the day, whether it converts. */
const flagConverted = (
  { day, index }: Selection,
  converting: DayFilter | undefined,
  flags: Uint8Array,
  scratch: Scratch,
): Uint8Array =>
  scratch.within(inner => {
    const hits =
      converting === undefined
        ? selectEvents(selectAll(day, index, inner), inner, ['custom', 'revenue'])
        : selectPassing(day, index, [converting(day, index, inner)], inner);
    return flagged(hits?.visits() ?? new Uint32Array(0), flags);
  });

// Flags are shifted to their places: V8 takes names of another place for unknown numbers.

const flagBounces = (pageviews: Uint32Array, scratch: Scratch): Uint8Array => {
  const flags = scratch.bytes(pageviews.length);
  for (let i = 0; i < flags.length; i++) flags[i] = bounceFlag(pageviews[i]!) | ((-pageviews[i]! >>> 31) << 2);
  return flags;
};

const addConverted = (visits: Uint32Array, converted: Uint8Array, flags: Uint8Array): void => {
  for (let i = 0; i < visits.length; i++) flags[i]! |= converted[visits[i]!]! << 1;
};
