/** What the selected hits of a day add up to, looked at as one group. */
import type { QueryContext } from '../context.ts';
import { type Money, revenueOf } from '../rows/revenue.ts';
import { sumOf } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { hitNumbers, type Selection, visitNumbers } from '../scan/selection.ts';
import { bounceFlag, pageviewFlag, tallyVisitors } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import type { PersistentVisitors } from '../visitors/daily-visitors.ts';

/** What a day's selected hits add up to. */
export interface TotalsOfDay {
  day: number;
  visitors: number;
  persistent: PersistentVisitors | null;
  hits: number;
  visits: number;
  bounces: number;
  visitMs: number;
  pageviews: number;
  events: number;
  money: Money;
}

/** Names what a contribution depends on. */
export const totalsKey = ({ query }: QueryContext): string =>
  `totals ${query.currency} ${JSON.stringify(query.minorRates)}`;

export const scanTotals = (selection: Selection, context: QueryContext, scratch: Scratch): TotalsOfDay => {
  const pageviews = pageviewsOf(selection, scratch);
  return {
    day: selection.day.day,
    ...tallyVisitors(selection),
    hits: selection.hits,
    visits: selection.visits().length,
    bounces: bouncesOf(visitNumbers(selection, 'pageviews', scratch)),
    visitMs: sumOf(visitNumbers(selection, 'duration', scratch)),
    pageviews,
    events: eventsOf(selection, pageviews, scratch),
    money: revenueOf(selection, context),
  };
};

/** A visit is a bounce for all of its pageviews, selected or not. */
const bouncesOf = (pageviews: Uint32Array): number => {
  let bounces = 0;
  for (let i = 0; i < pageviews.length; i++) bounces += bounceFlag(pageviews[i]!);
  return bounces;
};

const pageviewsOf = (selection: Selection, scratch: Scratch): number =>
  selection.wholeVisits
    ? sumOf(visitNumbers(selection, 'pageviews', scratch))
    : countPageviews(hitNumbers(selection, 'type', scratch));

const countPageviews = (types: Uint32Array): number => {
  let pageviews = 0;
  for (let i = 0; i < types.length; i++) pageviews += pageviewFlag(types[i]!);
  return pageviews;
};

/** Hits of type custom, outbound or revenue that have a name. Nearly all of them do. */
const eventsOf = (selection: Selection, pageviews: number, scratch: Scratch): number =>
  selection.index.isEachNamed() ? selection.hits - pageviews : (selectEvents(selection, scratch)?.hits ?? 0);
