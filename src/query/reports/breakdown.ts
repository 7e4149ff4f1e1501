/** Visitors and hits per value of a dimension. `event` has custom and outbound events only. */
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import { topRows } from '../rows/top-rows.ts';
import { groupsByDimension } from './dimension-groups.ts';
import { type GroupsOfDay, mergeGroups, scanGroups } from './grouped.ts';
import type { QuestionPlan } from './plan.ts';

const nothingMore = { sums: [], medians: [] };

export const planBreakdown = (
  { dimension, limit }: QuestionOf<'breakdown'>,
  context: QueryContext,
): QuestionPlan<GroupsOfDay> => {
  const groups = groupsByDimension(dimension, ['custom', 'outbound'], context);
  return {
    key: () => `breakdown ${dimension}`,
    scan(all, scratch) {
      const found = groups.of(all, scratch);
      return found && scanGroups(found.selection, found.grouping, nothingMore, context, scratch, groups.keepsNull);
    },
    async merge(partials, pace) {
      const { ids, hits, visitors, daily } = await mergeGroups(partials, nothingMore, pace);
      return {
        visitors: [daily],
        answer: () => ({
          kind: 'breakdown',
          rows: topRows(visitors, hits, limit, groups.names(ids)).map(({ position, name }) => ({
            name,
            value: visitors[position]!,
            events: hits[position]!,
          })),
        }),
      };
    },
  };
};
