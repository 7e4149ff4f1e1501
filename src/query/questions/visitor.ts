/** What is known of one visitor: sums over its visits, and what pages said of it. */
import { type Identity, identityOf } from '../../model/traits.ts';
import type { Day } from '../../store/day/day.ts';
import type { QueryContext } from '../context.ts';
import type { AnswerOf, QuestionOf } from '../query.ts';
import { addMoney, type Money, noMoney } from '../rows/revenue.ts';
import { textsAt, visitRows } from '../rows/visit-row.ts';
import { firstWhere, sumBy } from '../scan/lists.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

interface VisitorPartial {
  day: number;
  /** UTC milliseconds: when the first of the visits began, and the last one ended. */
  firstAt: number;
  lastAt: number;
  visits: number;
  pageviews: number;
  events: number;
  money: Money;
  /** What was said in each visit that said something, in their order. */
  identities: Identity[];
}

export const planVisitor = (
  { visitor }: QuestionOf<'visitor'>,
  context: QueryContext,
): QuestionPlan<VisitorPartial> => ({
  key: null,
  scan({ day, visits }) {
    const isOf = rowsOfVisitor(day, BigInt(`0x${visitor}`));
    const rows = isOf === null ? [] : Array.from(visits().filter(isOf));
    return rows.length === 0 ? null : partialOf(day, rows, context);
  },
  merge: withoutVisitors(partials => ({ kind: 'visitor', ...answerFrom(partials) })),
});

/** Whether a visit is the visitor's; null where the day has none. */
const rowsOfVisitor = (day: Day, hash: bigint): ((visit: number) => boolean) | null => {
  const hashes = day.hashes();
  // Visits of each identity mode are in the order of hashes.
  const runs = [
    [0, day.hashVisits],
    [day.hashVisits, day.visits],
  ] as const;
  const found = runs.map(
    ([from, to]) =>
      [
        firstWhere(from, to, visit => hashes[visit]! >= hash),
        firstWhere(from, to, visit => hashes[visit]! > hash),
      ] as const,
  );
  if (found.every(([from, to]) => from === to)) return null;
  return visit => found.some(([from, to]) => from <= visit && visit < to);
};

const partialOf = (day: Day, rows: readonly number[], context: QueryContext): VisitorPartial => {
  const rowOf = visitRows(day, context);
  const traitsOf = textsAt(day, 'traits', context);
  const visits = rows.map(row => ({ ...rowOf(row), traits: traitsOf(row) }));
  visits.sort((a, b) => a.started - b.started);
  const money = noMoney();
  for (const visit of visits) addMoney(money, visit);
  return {
    day: day.day,
    firstAt: visits[0]!.started,
    lastAt: Math.max(...visits.map(({ ended }) => ended)),
    visits: visits.length,
    pageviews: sumBy(visits, visit => visit.pageviews),
    events: sumBy(visits, visit => visit.events),
    money,
    identities: visits.flatMap(({ identified, traits }) =>
      traits === null ? [] : [{ name: identified ?? '', traits }],
    ),
  };
};

const answerFrom = (partials: readonly VisitorPartial[]): Omit<AnswerOf<'visitor'>, 'kind'> => {
  const money = noMoney();
  for (const partial of partials) addMoney(money, partial.money);
  return {
    visits: sumBy(partials, ({ visits }) => visits),
    pageviews: sumBy(partials, ({ pageviews }) => pageviews),
    events: sumBy(partials, ({ events }) => events),
    ...money,
    firstAt: partials.length === 0 ? null : Math.min(...partials.map(({ firstAt }) => firstAt)),
    lastAt: partials.length === 0 ? null : Math.max(...partials.map(({ lastAt }) => lastAt)),
    identity: identityOf(partials.flatMap(({ identities }) => identities)),
  };
};
