/**
 * Revenue of a day's hits. Amounts are converted to the site's currency where there is a rate
 * (docs/collecting.md, "Revenue").
 */

import { lazy } from '../../model/remember.ts';
import { firstAtLeast } from '../../store/day/ascending.ts';
import type { Day } from '../../store/day/day.ts';
import type { Numbers } from '../../store/day/packed.ts';
import type { QueryContext } from '../context.ts';
import { hitsFromOf, visitOfHit } from '../scan/day-index.ts';
import type { Selection } from '../scan/selection.ts';

export interface Money {
  /** Minor units of the site's currency. */
  revenue: number;
  /** Minor units by currency, of amounts without a rate. */
  otherRevenue: Record<string, number>;
}

export const noMoney = (): Money => ({ revenue: 0, otherRevenue: {} });

export const addMoney = (sum: Money, more: Money): void => {
  sum.revenue += more.revenue;
  addAmounts(sum.otherRevenue, more.otherRevenue);
};

/** Revenue of all hits of a visit. It loads what it needs of the day at the first call. */
export const revenueByVisit = (day: Day, context: QueryContext): ((visit: number) => Money) => {
  const ofDay = lazy(() => ({ hits: day.numbers('revenueHit'), hitsFrom: hitsFromOf(day), add: adder(day, context) }));
  return visit => {
    const { hits, hitsFrom, add } = ofDay();
    const sum = noMoney();
    const first = firstAtLeast(hits, hitsFrom[visit]!);
    for (let row = first; row < hits.length && hits[row]! < hitsFrom[visit + 1]!; row++) add(sum, row);
    return sum;
  };
};

/** Per selected visit, the revenue of all its hits, selected or not, in the site's currency. */
export const revenueOfVisits = ({ day, index, visits }: Selection, context: QueryContext): Float64Array => {
  const ofDay = new Float64Array(day.visits);
  const hits = day.numbers('revenueHit');
  const add = adder(day, context);
  const hitsFrom = index.hitsFrom();
  for (let row = 0; row < hits.length; row++) {
    const money = noMoney();
    add(money, row);
    ofDay[visitOfHit(hitsFrom, hits[row]!)]! += money.revenue;
  }
  return Float64Array.from(visits(), visit => ofDay[visit]!);
};

/** The hits with revenue, ascending, and each row's amount. */
interface RevenueRows {
  hits: Numbers;
  /** In the site's currency, converted and rounded by itself; undefined where it has no rate. */
  ownAt(row: number): number | undefined;
  /** The other amounts, by their currency. */
  otherAt(row: number): Record<string, number>;
}

export const revenueRows = (day: Day, { query, text }: QueryContext): RevenueRows => {
  const amounts = day.numbers('revenueAmount');
  const { codes, dictionary } = day.texts('revenueCurrency');
  const currencies = Array.from(dictionary, id => text(id) ?? '');
  const rates = currencies.map(currency => (currency === query.currency ? 1 : query.minorRates[currency]));
  return {
    hits: day.numbers('revenueHit'),
    ownAt(row) {
      const rate = rates[codes[row]!];
      return rate === undefined ? undefined : Math.round(amounts[row]! * rate);
    },
    otherAt: row => ({ [currencies[codes[row]!]!]: amounts[row]! }),
  };
};

/** Adds the amount of a revenue row to a sum. */
const adder = (day: Day, context: QueryContext): ((sum: Money, row: number) => void) => {
  const { ownAt, otherAt } = revenueRows(day, context);
  return (sum, row) => {
    const own = ownAt(row);
    if (own === undefined) addAmounts(sum.otherRevenue, otherAt(row));
    else sum.revenue += own;
  };
};

/** Adds amounts by currency. */
export const addAmounts = (sums: Record<string, number>, amounts: Readonly<Record<string, number>>): void => {
  for (const [currency, amount] of Object.entries(amounts)) sums[currency] = (sums[currency] ?? 0) + amount;
};
