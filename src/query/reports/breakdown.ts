/** Visitors and hits per value of a dimension. `event` has custom and outbound events only. */
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import { topRows } from '../rows/top-rows.ts';
import { groupsByDimension } from './dimension-groups.ts';
import { type GroupsOfDay, wantedOf } from './grouped.ts';
import type { QuestionPlan } from './plan.ts';

const wanted = wantedOf(['visitors']);

export const planBreakdown = (
  { dimension, limit }: QuestionOf<'breakdown'>,
  context: QueryContext,
): QuestionPlan<GroupsOfDay> => {
  const groups = groupsByDimension(dimension, ['custom', 'outbound'], context);
  return {
    key: () => `breakdown ${JSON.stringify(dimension)}`,
    scan: (all, scratch) => groups.scan(all, wanted, scratch),
    async merge(partials, pace) {
      const { hits, visitors, daily, names } = await groups.merge(partials, wanted, pace);
      return {
        visitors: [daily],
        answer: () => ({
          kind: 'breakdown',
          rows: topRows(visitors, hits, limit, names).map(({ position, name }) => ({
            name,
            value: visitors[position]!,
            events: hits[position]!,
          })),
        }),
      };
    },
  };
};
