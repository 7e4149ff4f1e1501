/** Amounts of several currencies, brought to the site's where there is a rate (docs/collecting.md, "Revenue"). */
import type { Query } from '../query.ts';

export interface Money {
  /** Minor units of the site's currency. */
  revenue: number;
  /** Minor units by currency, of amounts without a rate. */
  otherRevenue: Record<string, number>;
}

export const noMoney = (): Money => ({ revenue: 0, otherRevenue: {} });

/** Adds one amount, converted by itself and rounded to a whole minor unit. */
export const addAmount = (
  sum: Money,
  amount: number,
  currency: string,
  to: Pick<Query, 'currency' | 'minorRates'>,
): void => {
  const rate = currency === to.currency ? 1 : to.minorRates[currency];
  if (rate !== undefined) sum.revenue += Math.round(amount * rate);
  else sum.otherRevenue[currency] = (sum.otherRevenue[currency] ?? 0) + amount;
};

export const addMoney = (sum: Money, more: Money): void => {
  sum.revenue += more.revenue;
  for (const [currency, amount] of Object.entries(more.otherRevenue)) {
    sum.otherRevenue[currency] = (sum.otherRevenue[currency] ?? 0) + amount;
  }
};
