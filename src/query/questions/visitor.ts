/** What is known of one visitor: sums over its visits, and what pages said of it. */
import { type Identity, mergedIdentity } from '../../model/traits.ts';
import type { Day } from '../../store/day/day.ts';
import { lookUpIds } from '../../store/day/look-up.ts';
import type { QueryContext } from '../context.ts';
import type { AnswerOf, QuestionOf } from '../query.ts';
import { addMoney, type Money, noMoney } from '../rows/revenue.ts';
import { visitRows } from '../rows/visit-row.ts';
import { sumBy } from '../scan/lists.ts';
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
    ([from, to]) => [firstOf(hashes, hash, from, to), firstOf(hashes, hash + 1n, from, to)] as const,
  );
  if (found.every(([from, to]) => from === to)) return null;
  return visit => found.some(([from, to]) => from <= visit && visit < to);
};

/** The first place between two where an ascending list has this or more; else the second. */
const firstOf = (ascending: BigUint64Array, least: bigint, from: number, to: number): number => {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
};

const partialOf = (day: Day, rows: readonly number[], context: QueryContext): VisitorPartial => {
  const rowOf = visitRows(day, context);
  const traitsOf = lookUpIds(day, 'traits');
  const visits = rows.map(row => ({ ...rowOf(row), traits: context.text(traitsOf(row)) }));
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
  const identity = partials
    .flatMap(({ identities }) => identities)
    .reduce<Identity | null>((before, later) => (before === null ? later : mergedIdentity(before.traits, later)), null);
  return {
    visits: sumBy(partials, ({ visits }) => visits),
    pageviews: sumBy(partials, ({ pageviews }) => pageviews),
    events: sumBy(partials, ({ events }) => events),
    ...money,
    firstAt: partials.length === 0 ? null : Math.min(...partials.map(({ firstAt }) => firstAt)),
    lastAt: partials.length === 0 ? null : Math.max(...partials.map(({ lastAt }) => lastAt)),
    identity,
  };
};
