/**
 * Visits as rows, in a total order: by the sort value, then by id ascending. Each day gives only the visits that could be among
 * the rows asked for, and texts are looked up for the rows alone.
 */
import { hitTypes } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { visitOfHit } from '../day-index.ts';
import { addAmount, noMoney } from '../money.ts';
import type { Plan, PlanContext } from '../plan.ts';
import type { Ask, VisitCursor, VisitRow, VisitSort } from '../query.ts';
import { compareText, nthLargest } from '../rank.ts';
import { searchVisits } from '../search.ts';
import { type Selection, visitNumbers } from '../selection.ts';
import { readVisit, visitId } from '../visit-row.ts';

type VisitsAsk = Extract<Ask, { kind: 'visits' }>;

/** A visit that may be among the rows. */
interface Candidate {
  /** Greater comes first: the sort value, or its negative where the order is ascending. */
  score: number;
  id: string;
  read(): VisitRow;
}

interface VisitsPartial {
  day: number;
  candidates: Candidate[];
}

export const planVisits = (ask: VisitsAsk, context: PlanContext): Plan<VisitsPartial> => ({
  key: () => null,
  scan: selection => ({ day: selection.day.day, candidates: candidatesOf(selection, ask, context) }),
  answer(partials) {
    const all = partials.flatMap(partial => partial.candidates);
    const scores = Float64Array.from(all, ({ score }) => score);
    const least = all.length > ask.limit ? nthLargest(scores, ask.limit + 1) : Number.NEGATIVE_INFINITY;
    const rows = all
      .filter(({ score }) => score >= least)
      .sort((a, b) => b.score - a.score || compareText(a.id, b.id))
      .slice(0, ask.limit)
      .map(candidate => candidate.read());
    return { kind: 'visits', rows, more: all.length > ask.limit };
  },
});

/** At least the `limit` + 1 first of the day's visits, if it has so many. */
const candidatesOf = (selection: Selection, ask: VisitsAsk, context: PlanContext): Candidate[] => {
  const { day, index, visits, hashVisits } = selection;
  const scores = scoresOf(selection, ask, context);
  const passing = passingVisits(selection, scores, ask, context);
  const wanted = ask.limit + 1;
  const least =
    passing.length > wanted
      ? nthLargest(
          Float64Array.from(passing, i => scores[i]!),
          wanted,
        )
      : Number.NEGATIVE_INFINITY;
  // Of visits with the same score the first by id are enough. Visits of each identity mode are in the order of their ids.
  const tied = passing.filter(i => scores[i] === least);
  const chosen = [
    ...passing.filter(i => scores[i]! > least),
    ...tied.filter(i => i < hashVisits).slice(0, wanted),
    ...tied.filter(i => i >= hashVisits).slice(0, wanted),
  ];
  return chosen.map(i => {
    const visit = visits[i]!;
    return { score: scores[i]!, id: visitId(day, visit), read: () => readVisit(day, index, visit, context) };
  });
};

/** Per selected visit. */
const scoresOf = (selection: Selection, { sort, descending }: VisitsAsk, context: PlanContext): Float64Array => {
  const values = sortValues(selection, sort, context);
  return descending ? values : values.map(value => -value);
};

const sortValues = (selection: Selection, sort: VisitSort, context: PlanContext): Float64Array => {
  const { day, visits } = selection;
  if (sort === 'revenue') {
    const revenue = revenueOfVisits(selection, context);
    return Float64Array.from(visits, visit => revenue[visit]!);
  }
  if (sort === 'events') {
    const hits = visitNumbers(selection, 'hits');
    const pageviews = visitNumbers(selection, 'pageviews');
    return Float64Array.from(hits, (count, i) => count - pageviews[i]!);
  }
  const midnight = sort === 'started' ? day.day * dayMs : 0;
  return new Float64Array(visitNumbers(selection, sort)).map(value => midnight + value);
};

/** By visit of the day. */
const revenueOfVisits = ({ day, index }: Selection, { query, text }: PlanContext): Float64Array => {
  const revenue = new Float64Array(day.visits);
  const hits = day.numbers('revenueHit');
  const amounts = day.numbers('revenueAmount');
  const { codes, dictionary } = day.texts('revenueCurrency');
  for (let row = 0; row < hits.length; row++) {
    const money = noMoney();
    addAmount(money, amounts[row]!, text(dictionary[codes[row]!]!) ?? '', query);
    revenue[visitOfHit(index, hits[row]!)]! += money.revenue;
  }
  return revenue;
};

/** Places among the selected visits of those that pass the chips and the search and come after the cursor, ascending. */
const passingVisits = (
  selection: Selection,
  scores: Float64Array,
  ask: VisitsAsk,
  context: PlanContext,
): Uint32Array => {
  const { visits } = selection;
  const tests = [
    ask.bounced && bouncedTest(selection),
    ask.returning && returningTest(selection),
    ask.paid && typeTest(selection, [hitTypes.revenue]),
    ask.converted && typeTest(selection, [hitTypes.custom, hitTypes.revenue]),
    ask.after !== null && cursorTest(selection, scores, ask.after, ask.descending),
    ask.search !== '' && searchVisits(selection, ask.search, context),
  ].filter(test => test !== false);
  let passing = visits.map((_, i) => i);
  for (const test of tests) passing = passing.filter(test);
  return passing;
};

/** Whether a selected visit, given by its place, passes. */
export type VisitTest = (i: number) => boolean;

const bouncedTest = (selection: Selection): VisitTest => {
  const pageviews = visitNumbers(selection, 'pageviews');
  return i => pageviews[i]! <= 1;
};

/** Not the visitor's first visit: of the day in hash mode, ever in cookie mode. */
const returningTest = ({ day, visits }: Selection): VisitTest => {
  const newVisitor = day.numbers('newVisitor');
  const seenBefore = day.numbers('seenBefore');
  return i => newVisitor[visits[i]!] === 0 || seenBefore[visits[i]!] === 1;
};

/** The visit has a hit of one of the types, selected or not. */
const typeTest = ({ day, index, visits }: Selection, wanted: readonly number[]): VisitTest => {
  const types = day.numbers('type');
  return i => {
    const to = index.hitsFrom[visits[i]! + 1]!;
    for (let hit = index.hitsFrom[visits[i]!]!; hit < to; hit++) if (wanted.includes(types[hit]!)) return true;
    return false;
  };
};

/** The visit comes after the one that a reader has seen last. Ids are compared as what they are made of. */
const cursorTest = (
  { day, visits }: Selection,
  scores: Float64Array,
  after: VisitCursor,
  descending: boolean,
): VisitTest => {
  const seen = descending ? after.value : -after.value;
  return i => scores[i]! < seen || (scores[i] === seen && compareText(visitId(day, visits[i]!), after.id) > 0);
};
