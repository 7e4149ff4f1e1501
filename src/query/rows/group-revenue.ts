/** Revenue of the selected hits of each group. */
import type { QueryContext } from '../context.ts';
import type { Scratch } from '../scratch.ts';
import { type Grouped, groupsOfRows, noGroup } from './grouping.ts';
import { addAmounts, revenueRows } from './revenue.ts';

export interface RevenueOfGroups {
  /** Minor units of the site's currency. */
  sums: Float64Array;
  /** By group: minor units by currency, of amounts without a rate, where there are any. */
  others: Map<number, Record<string, number>>;
}

export const revenueOfGroups = (grouped: Grouped, context: QueryContext, scratch: Scratch): RevenueOfGroups => {
  const { hits, ownAt, otherAt } = revenueRows(grouped.selection.day, context);
  const sums = new Float64Array(grouped.grouping.ids.length);
  const others: RevenueOfGroups['others'] = new Map();
  scratch.within(inner => {
    const rows = inner.take(hits.length);
    rows.set(hits);
    const groups = groupsOfRows(grouped, rows, inner);
    for (let row = 0; row < groups.length; row++) {
      const group = groups[row]!;
      if (group === noGroup) continue;
      const own = ownAt(row);
      if (own === undefined) {
        const ofGroup = others.get(group) ?? {};
        addAmounts(ofGroup, otherAt(row));
        others.set(group, ofGroup);
      } else sums[group]! += own;
    }
  });
  return { sums, others };
};
