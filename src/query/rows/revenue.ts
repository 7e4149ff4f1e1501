/** Revenue of the selected hits of a day. */
import { firstAtLeast } from '../../store/day/ascending.ts';
import type { Day } from '../../store/day/day.ts';
import { lazy } from '../remember.ts';
import type { PlanContext } from '../reports/plan.ts';
import { hitsFromOf } from '../scan/day-index.ts';
import type { Selection } from '../scan/selection.ts';
import { addAmount, type Money, noMoney } from './money.ts';

export const revenueOf = (selection: Selection, context: PlanContext): Money => {
  const { day } = selection;
  const sum = noMoney();
  const isSelected = selects(selection);
  const hits = day.numbers('revenueHit');
  const add = adder(day, context);
  for (let row = 0; row < hits.length; row++) if (isSelected(hits[row]!)) add(sum, row);
  return sum;
};

/** Whether a hit is selected, for hits asked in ascending order. */
const selects = (selection: Selection): ((hit: number) => boolean) => {
  const { day, index, visits, hits, wholeVisits } = selection;
  if (hits === day.hits) return () => true;
  return wholeVisits ? inVisits(index.hitsFrom(), visits) : inRows(selection.places().rows!);
};

/** Revenue of all hits of a visit. What it needs of the day is loaded when it is first asked. */
export const revenueByVisit = (day: Day, context: PlanContext): ((visit: number) => Money) => {
  const ofDay = lazy(() => ({ hits: day.numbers('revenueHit'), hitsFrom: hitsFromOf(day), add: adder(day, context) }));
  return visit => {
    const { hits, hitsFrom, add } = ofDay();
    const sum = noMoney();
    const first = firstAtLeast(hits, hitsFrom[visit]!);
    for (let row = first; row < hits.length && hits[row]! < hitsFrom[visit + 1]!; row++) add(sum, row);
    return sum;
  };
};

/** Adds the amount of a day's revenue row to a sum. */
export const adder = (day: Day, { query, text }: PlanContext): ((sum: Money, row: number) => void) => {
  const amounts = day.numbers('revenueAmount');
  const { codes, dictionary } = day.texts('revenueCurrency');
  const names = Array.from(dictionary, id => text(id) ?? '');
  return (sum, row) => addAmount(sum, amounts[row]!, names[codes[row]!]!, query);
};

/** Whether a hit is among ascending rows, for hits asked in ascending order. */
const inRows = (rows: Uint32Array): ((hit: number) => boolean) => {
  let place = 0;
  return hit => {
    while (place < rows.length && rows[place]! < hit) place++;
    return rows[place] === hit;
  };
};

/** Whether a hit belongs to one of ascending visits, for hits asked in ascending order. */
const inVisits = (hitsFrom: Uint32Array, visits: Uint32Array): ((hit: number) => boolean) => {
  let i = 0;
  return hit => {
    while (i < visits.length && hitsFrom[visits[i]! + 1]! <= hit) i++;
    return i < visits.length && hitsFrom[visits[i]!]! <= hit;
  };
};
