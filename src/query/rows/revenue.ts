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
  for (const [currency, amount] of Object.entries(more.otherRevenue)) addOther(sum, amount, currency);
};

/** Revenue of the selected hits. */
export const revenueOf = (selection: Selection, context: QueryContext): Money => {
  const { day } = selection;
  const sum = noMoney();
  const hits = day.numbers('revenueHit');
  const add = adder(day, context);
  const isSelected = selects(selection);
  for (let row = 0; row < hits.length; row++) if (isSelected(hits[row]!)) add(sum, row);
  return sum;
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

/** An amount of the site's currency, where `currency` is null, or of one without a rate. */
interface Amount {
  amount: number;
  currency: string | null;
}

/** The hits with revenue, ascending, and each row's amount, converted and rounded by itself. */
export const revenueRows = (
  day: Day,
  { query, text }: QueryContext,
): { hits: Numbers; amountAt: (row: number) => Amount } => {
  const amounts = day.numbers('revenueAmount');
  const { codes, dictionary } = day.texts('revenueCurrency');
  const currencies = Array.from(dictionary, id => text(id) ?? '');
  const rates = currencies.map(currency => (currency === query.currency ? 1 : query.minorRates[currency]));
  const amountAt = (row: number): Amount => {
    const rate = rates[codes[row]!];
    if (rate !== undefined) return { amount: Math.round(amounts[row]! * rate), currency: null };
    return { amount: amounts[row]!, currency: currencies[codes[row]!]! };
  };
  return { hits: day.numbers('revenueHit'), amountAt };
};

/** Adds the amount of a revenue row to a sum. */
const adder = (day: Day, context: QueryContext): ((sum: Money, row: number) => void) => {
  const { amountAt } = revenueRows(day, context);
  return (sum, row) => {
    const { amount, currency } = amountAt(row);
    if (currency === null) sum.revenue += amount;
    else addOther(sum, amount, currency);
  };
};

const addOther = ({ otherRevenue }: Money, amount: number, currency: string): void => {
  otherRevenue[currency] = (otherRevenue[currency] ?? 0) + amount;
};

/** Whether a hit is selected. Ask in ascending order: to walk along takes less than to search. */
const selects = ({ day, index, hits, visits, found, wholeVisits }: Selection): ((hit: number) => boolean) => {
  if (hits === day.hits) return () => true;
  return wholeVisits ? inVisits(index.hitsFrom(), visits()) : inRows(found().rows!);
};

/** Whether a hit is among ascending rows. */
const inRows = (rows: Uint32Array): ((hit: number) => boolean) => {
  let i = 0;
  return hit => {
    while (i < rows.length && rows[i]! < hit) i++;
    return rows[i] === hit;
  };
};

/** Whether a hit belongs to one of ascending visits. */
const inVisits = (hitsFrom: Uint32Array, visits: Uint32Array): ((hit: number) => boolean) => {
  let i = 0;
  return hit => {
    while (i < visits.length && hitsFrom[visits[i]! + 1]! <= hit) i++;
    return i < visits.length && hitsFrom[visits[i]!]! <= hit;
  };
};
