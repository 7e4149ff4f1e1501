/** Revenue of the selected hits of a day. */
import { addAmount, type Money, noMoney } from './money.ts';
import type { PlanContext } from './plan.ts';
import { type Selection, selectedHits } from './selection.ts';

export const revenueOf = (selection: Selection, { query, text }: PlanContext): Money => {
  const { day } = selection;
  const sum = noMoney();
  const hits = day.numbers('revenueHit');
  if (hits.length === 0) return sum;
  const selected = selectedHits(selection);
  const amounts = day.numbers('revenueAmount');
  const { codes, dictionary } = day.texts('revenueCurrency');
  for (let row = 0; row < hits.length; row++) {
    if (selected[hits[row]!] === 0) continue;
    addAmount(sum, amounts[row]!, text(dictionary[codes[row]!]!) ?? '', query);
  }
  return sum;
};
