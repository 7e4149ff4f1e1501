/** How often goals were reached: all of them in one question, over one selection of hits. */
import type { Room } from '../../store/day/day-sums.ts';
import type { QueryContext } from '../context.ts';
import type { GoalCounts, QuestionOf } from '../query.ts';
import { addMoney, type Money, noMoney, revenueOf } from '../rows/revenue.ts';
import type { LevelCondition } from '../scan/filter-rows.ts';
import { prepareFilters } from '../scan/filters.ts';
import { sumBy } from '../scan/lists.ts';
import { narrowToPassing } from '../scan/select.ts';
import type { Selection } from '../scan/selection.ts';
import { tallyVisitors } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import { allVisitors, type PersistentVisitors } from '../visitors/daily-visitors.ts';
import { nameByTime, unpackTimes } from './kept-sums.ts';
import type { QuestionPlan } from './plan.ts';

interface Visitors {
  visitors: number;
  persistent: PersistentVisitors | null;
}

interface Reached extends Visitors {
  hits: number;
  visits: number;
  money: Money;
}

interface GoalsPartial {
  day: number;
  everybody: Visitors;
  /** By the position of the goal. */
  goals: Reached[];
}

const nothing: Reached = { hits: 0, visits: 0, visitors: 0, persistent: null, money: noMoney() };

export const planGoals = ({ goals }: QuestionOf<'goals'>, context: QueryContext): QuestionPlan<GoalsPartial> => {
  const prepared = goals.flatMap(({ conditions }) => prepareFilters([{ anyOf: conditions, negated: false }], context));
  const { currency, minorRates } = context.query;
  return {
    sums: {
      names: filters => [
        nameByTime(filters),
        ...goals.map(({ conditions }) => nameByTime([{ anyOf: conditions, negated: false }, ...filters])),
      ],
      read(rows, day, room) {
        const found = rows.map(row => reachedIn(row, context, room));
        const [everybody, ...ofGoals] = found;
        return found.includes(null) ? null : { day, everybody: everybody!, goals: ofGoals as Reached[] };
      },
      addUp: async days => ({
        day: days[0]!.day,
        everybody: { visitors: sumBy(days, ({ everybody }) => everybody.visitors), persistent: null },
        goals: goals.map((_, i) => addUp(days.map(of => of.goals[i]!))),
      }),
    },
    key: () => `goals ${JSON.stringify([goals.map(({ conditions }) => conditions), currency, minorRates])}`,
    scan: (selection, scratch) => ({
      day: selection.day.day,
      everybody: tallyVisitors(selection),
      goals: prepared.map(filter =>
        scratch.within(inner => reached(selection, filter(selection.day, selection.index, inner), context, inner)),
      ),
    }),
    merge(partials) {
      const everybody = allVisitors(partials.map(({ everybody }) => everybody));
      const ofGoals = goals.map((_, i) => partials.map(partial => partial.goals[i]!));
      const visitors = ofGoals.map(allVisitors);
      return {
        visitors: [everybody, ...visitors],
        answer: () => ({
          kind: 'goals',
          goals: goals.map(({ ofVisits }, i) => countsOf(ofGoals[i]!, visitors[i]!.counts[0]!, ofVisits)),
          visitors: everybody.counts[0]!,
        }),
      };
    },
  };
};

/** What a sum by time says of the whole day. */
const reachedIn = (row: Uint8Array, context: QueryContext, room: Room): Reached | null => {
  const sums = ['visitors', 'visits', 'revenue'] as const;
  const found = unpackTimes(row, [], { sums, context, room });
  if (found === null) return null;
  const [hits = 0, visitors = 0, visits = 0, revenue = 0] = found.columns.map(column => column[0] ?? 0);
  return {
    hits,
    visitors,
    visits,
    persistent: null,
    money: { revenue, otherRevenue: found.otherRevenue[0]?.[1] ?? {} },
  };
};

const reached = (selection: Selection, condition: LevelCondition, context: QueryContext, scratch: Scratch): Reached => {
  const found = narrowToPassing(selection, condition, scratch);
  if (found === undefined) return nothing;
  return {
    hits: found.hits,
    visits: found.visits().length,
    ...tallyVisitors(found),
    money: revenueOf(found, context),
  };
};

const countsOf = (days: readonly Reached[], visitors: number, ofVisits: boolean): GoalCounts => {
  const { hits, visits, money } = addUp(days);
  return { conversions: ofVisits ? visits : hits, visits, visitors, ...money };
};

/** Without what visitors of several days have in common. */
const addUp = (days: readonly Reached[]): Reached => {
  const money = noMoney();
  for (const day of days) addMoney(money, day.money);
  const [hits, visits, visitors] = (['hits', 'visits', 'visitors'] as const).map(name => sumBy(days, of => of[name]));
  return { hits: hits!, visits: visits!, visitors: visitors!, persistent: null, money };
};
