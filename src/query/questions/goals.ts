/** How often goals were reached: all of them in one question, over one selection of hits. */
import { noTotals } from '../../model/table-metrics.ts';
import type { QueryContext } from '../context.ts';
import type { Filter, GoalCounts, QuestionOf } from '../query.ts';
import { oneGroup } from '../rows/grouping.ts';
import { prepareFilters } from '../scan/filters.ts';
import { narrowToPassing } from '../scan/select.ts';
import { addUp, type GroupsOfDay, type MergedGroups, mergeGroups, scanGroups, type Wanted } from './grouped.ts';
import { nameByTime, unpackTimes } from './kept-sums.ts';
import type { QuestionPlan } from './plan.ts';

interface GoalsPartial {
  day: number;
  /** As one group each: all hits, and those that reach each goal; null where none does. */
  groups: (GroupsOfDay | null)[];
}

const ofAll: Wanted = { sums: ['visitors'], medians: [] };
const ofGoal: Wanted = { sums: ['visitors', 'visits', 'revenue'], medians: [] };
const wantedAt = (place: number): Wanted => (place === 0 ? ofAll : ofGoal);

export const planGoals = ({ goals }: QuestionOf<'goals'>, context: QueryContext): QuestionPlan<GoalsPartial> => {
  const conditions = goals.map((goal): Filter => ({ anyOf: goal.conditions, negated: false }));
  const prepared = prepareFilters(conditions, context);
  const { currency, minorRates } = context.query;
  const ofEach = async <Of>(
    partials: readonly GoalsPartial[],
    work: (days: GroupsOfDay[], wanted: Wanted) => Promise<Of>,
  ): Promise<Of[]> => {
    const done: Of[] = [];
    for (let place = 0; place <= goals.length; place++) {
      const days = partials.flatMap(({ groups }) => groups[place] ?? []);
      done.push(await work(days, wantedAt(place)));
    }
    return done;
  };
  return {
    sums: {
      names: filters => [[], ...conditions.map(condition => [condition])].map(of => nameByTime([...of, ...filters])),
      read(rows, day, room) {
        const found = rows.map((row, place) => unpackTimes(row, [], { sums: wantedAt(place).sums, context, room }));
        return found.includes(null) ? null : { day, groups: found.map(of => of && { day, ...of }) };
      },
      addUp: async (days, pace) => ({
        day: days[0]!.day,
        groups: await ofEach(days, (some, { sums }) => addUp(some, sums, pace)),
      }),
    },
    key: () => `goals ${JSON.stringify([goals.map(goal => goal.conditions), currency, minorRates])}`,
    scan(selection, scratch) {
      const { day, index } = selection;
      const ofGoals = prepared.map(filter =>
        scratch.within(inner => {
          const reaching = narrowToPassing(selection, filter(day, index, inner), inner);
          return reaching === undefined ? null : scanGroups(reaching, oneGroup, ofGoal, context, inner, true);
        }),
      );
      const all = scanGroups(selection, oneGroup, ofAll, context, scratch, true);
      return { day: day.day, groups: [all, ...ofGoals] };
    },
    async merge(partials, pace) {
      const [all, ...ofGoals] = await ofEach(partials, (days, wanted) => mergeGroups(days, wanted, pace));
      return {
        visitors: [all!, ...ofGoals].map(({ visitors }) => visitors),
        answer: () => ({
          kind: 'goals',
          goals: goals.map(({ ofVisits }, i) => countsOf(ofGoals[i]!, ofVisits)),
          visitors: all!.visitors.counts[0] ?? 0,
        }),
      };
    },
  };
};

const countsOf = ({ ids, hits, totalsAt }: MergedGroups, ofVisits: boolean): GoalCounts => {
  const [{ visits, visitors, revenue, otherRevenue } = noTotals] = ids.length === 0 ? [] : totalsAt([0]);
  return { conversions: ofVisits ? visits : (hits[0] ?? 0), visits, visitors, revenue, otherRevenue };
};
