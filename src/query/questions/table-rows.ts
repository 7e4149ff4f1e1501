/** What a table says of some of its rows, given by their ids. */
import { eventTypes } from '../../model/hit.ts';
import { noTotals } from '../../model/table-metrics.ts';
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import { prepareFilters } from '../scan/filters.ts';
import { groupsByDimension } from './dimension-groups.ts';
import { type GroupsOfDay, type Wanted, wantedKey, wantedOf } from './grouped.ts';
import { sumsBy } from './kept-sums.ts';
import type { QuestionPlan } from './plan.ts';

export const planTableRows = (
  { dimension, types, parts, conversion, ids }: QuestionOf<'tableRows'>,
  context: QueryContext,
): QuestionPlan<GroupsOfDay> => {
  const groups = groupsByDimension(dimension, types ?? eventTypes, context);
  const wanted = wantedInTable(parts, conversion, context);
  const only = Uint32Array.from(ids).sort();
  return {
    sums: sumsBy({ dimension, types: types ?? eventTypes, wanted, conversion, context }, only),
    key: () => `rows ${JSON.stringify([dimension, types, conversion, ids])} ${wantedKey(wanted, context)}`,
    scan: (all, scratch) => groups.scan(all, wanted, scratch, only),
    async merge(partials, pace) {
      const merged = await groups.merge(partials, wanted, pace);
      return {
        visitors: [merged.visitors],
        answer() {
          const totals = merged.totalsAt(Array.from(merged.ids.keys()));
          const byId = new Map(totals.map((of, position) => [merged.ids[position]!, of]));
          return { kind: 'tableRows', rows: ids.map(id => byId.get(id) ?? noTotals) };
        },
      };
    },
  };
};

/** What is wanted of the rows of a table in which the hits that pass a filter convert. */
export const wantedInTable = (
  parts: QuestionOf<'tableRows'>['parts'],
  conversion: QuestionOf<'table'>['conversion'],
  context: QueryContext,
): Wanted => {
  const [converting] = conversion === undefined ? [] : prepareFilters([conversion], context);
  return { ...wantedOf(parts), ...(converting && { converting }) };
};
