/** A sum of a day as it is kept (query/questions/kept-sums.ts): both of its rows. */

import { levelOf } from '../../model/dimensions.ts';
import { eventTypes } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { isDerived } from '../../store/day/derived.ts';
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import { bucketsOfDay } from '../scan/day-buckets.ts';
import { sumBy } from '../scan/lists.ts';
import { groupsByDimension } from './dimension-groups.ts';
import { addUp, type GroupsOfDay, scanGroups } from './grouped.ts';
import { keptParts, packGroups } from './kept-sums.ts';
import { groupsByTime } from './metric-series.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

interface SummedPart extends GroupsOfDay {
  /** How many a scan would read of the column that the groups are values of. */
  values: number;
}

const wanted = { sums: keptParts, medians: [] };

export const planDaySum = (question: QuestionOf<'daySum'>, context: QueryContext): QuestionPlan<SummedPart> => {
  const { by, part } = question;
  const groups = 'edges' in by ? null : groupsByDimension(by.dimension, by.types ?? eventTypes, context);
  return {
    key: null,
    scan(selection, scratch) {
      const { day } = selection;
      const found =
        'edges' in by
          ? scanGroups(selection, groupsByTime(bucketsAt(by.edges, day.day)), wanted, context, scratch, true)
          : groups!.scan(selection, wanted, scratch);
      const isOfHits = 'edges' in by || levelOf(by.dimension) === 'hit' || isDerived(by.dimension);
      return found && { ...found, values: isOfHits ? day.hits : day.visits };
    },
    merge: withoutVisitors(async (partials, pace) => {
      if (partials.some(({ persistent }) => persistent !== null)) return { kind: 'daySum', rows: [] };
      const sums = await addUp(partials, keptParts, pace);
      const rows = packGroups(sums);
      const most = bytesMax(
        sumBy(partials, ({ values }) => values),
        sums.ids.length,
        part,
      );
      return { kind: 'daySum', rows: rows.map(row => (row.length <= most ? row : null)) };
    }),
  };
};

const bucketsAt = (edges: readonly number[], day: number) =>
  bucketsOfDay([0, ...edges.map(edge => day * dayMs + edge), Number.MAX_SAFE_INTEGER], day);

/** A few groups are kept of any day. */
const bytesAtLeast = 64;

/**
 * A sum larger than a part of what a scan would read is not worth keeping: of the column's values,
 * each as wide as their number needs, and beside each of them whose it is, in some 8 bits.
 */
const bytesMax = (values: number, groups: number, part: number): number =>
  Math.max(bytesAtLeast, (part * values * (8 + Math.log2(groups + 1))) / 8);
