/** The headline numbers of a slice. */
import { hitTypes } from '../../model/hit.ts';
import type { Totals } from '../../model/metrics.ts';
import { addMoney, type Money, noMoney } from '../money.ts';
import { countPersistent, type PersistentVisitors } from '../persistent.ts';
import type { Plan, PlanContext } from '../plan.ts';
import { revenueOf } from '../revenue.ts';
import { hitNumbers, type Selection, visitNumbers } from '../selection.ts';
import { tallyVisits } from '../tally.ts';

interface TotalsPartial {
  day: number;
  /** Visitors of hash mode. */
  visitors: number;
  persistent: PersistentVisitors | null;
  visits: number;
  bounces: number;
  visitMs: number;
  hits: number;
  pageviews: number;
  money: Money;
}

export const planTotals = (context: PlanContext): Plan<TotalsPartial> => ({
  key: () => `totals ${context.query.currency} ${JSON.stringify(context.query.minorRates)}`,
  scan(selection) {
    const { day, visits, scratch } = selection;
    const { hits, visitors, persistent } = tallyVisits(selection, scratch.zeros('no codes', visits.length), 1);
    return {
      day: day.day,
      visitors: visitors[0]!,
      persistent,
      visits: visits.length,
      ...wholeVisits(selection),
      hits: hits[0]!,
      pageviews: pageviewsOf(selection),
      money: revenueOf(selection, context),
    };
  },
  answer: partials => ({ kind: 'totals', totals: totalsOf(partials) }),
});

/** Bounce and duration belong to the whole visit, whichever of its hits are selected. */
const wholeVisits = (selection: Selection): { bounces: number; visitMs: number } => {
  const { visits } = selection;
  const pageviews = visitNumbers(selection, 'pageviews');
  const duration = visitNumbers(selection, 'duration');
  let bounces = 0;
  let visitMs = 0;
  for (let i = 0; i < visits.length; i++) {
    bounces += pageviews[i]! <= 1 ? 1 : 0;
    visitMs += duration[i]!;
  }
  return { bounces, visitMs };
};

const pageviewsOf = (selection: Selection): number => {
  const { visits, rows } = selection;
  let pageviews = 0;
  if (rows === null) {
    const ofVisit = visitNumbers(selection, 'pageviews');
    for (let i = 0; i < visits.length; i++) pageviews += ofVisit[i]!;
    return pageviews;
  }
  const types = hitNumbers(selection, 'type');
  for (let place = 0; place < types.length; place++) pageviews += types[place] === hitTypes.pageview ? 1 : 0;
  return pageviews;
};

const totalsOf = (partials: readonly TotalsPartial[]): Totals => {
  const persistent = new Uint32Array(1);
  countPersistent(partials, persistent);
  const money = noMoney();
  for (const partial of partials) addMoney(money, partial.money);
  const sum = (of: (partial: TotalsPartial) => number): number =>
    partials.reduce((total, partial) => total + of(partial), 0);
  const pageviews = sum(partial => partial.pageviews);
  return {
    visitors: persistent[0]! + sum(partial => partial.visitors),
    visits: sum(partial => partial.visits),
    bounces: sum(partial => partial.bounces),
    visitMs: sum(partial => partial.visitMs),
    pageviews,
    events: sum(partial => partial.hits) - pageviews,
    ...money,
  };
};
