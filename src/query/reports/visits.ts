/**
 * Visits as rows, in a total order: by the sort value, then by id ascending. Each day gives only the visits that could be among
 * the rows asked for, and texts are looked up for the rows alone.
 */
import { hitTypes, lastHitCode } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { gatherDoubles } from '../../store/day/gather.ts';
import type { Question, VisitCursor, VisitRow, VisitSort } from '../query.ts';
import { noMoney } from '../rows/money.ts';
import { adder } from '../rows/revenue.ts';
import { compareText, nthLargest } from '../rows/top-rows.ts';
import { visitIds, visitRows } from '../rows/visit-row.ts';
import { prepareSearch, type Search } from '../rows/visit-search.ts';
import { visitOfHit } from '../scan/day-index.ts';
import { isOne, rowsPassing } from '../scan/filter-rows.ts';
import { concat } from '../scan/lists.ts';
import { visitNumbers } from '../scan/selected-values.ts';
import type { Selection } from '../scan/selection.ts';
import { type Plan, type PlanContext, withoutVisitors } from './plan.ts';

type VisitsAsk = Extract<Question, { kind: 'visits' }>;

/** The visits of a day that may be among the rows. */
interface VisitsPartial {
  day: number;
  visits: Uint32Array;
  /** Greater comes first: the sort values, or their negatives where the order is ascending. */
  scores: Float64Array;
  /** The visits as rows; null for a sealed day, of which those that are wanted in the end can still be read then. */
  rows: VisitRow[] | null;
}

/** What the candidates of one day are read from, by their place among them. */
interface RowSource {
  id(place: number): string;
  /** Takes memory for as long as what it returns is held. */
  rows(): (place: number) => VisitRow;
}

interface Candidate {
  from: RowSource;
  place: number;
  score: number;
  id: string;
}

export const planVisits = (question: VisitsAsk, context: PlanContext): Plan<VisitsPartial> => {
  const search = question.search === '' ? null : prepareSearch(question.search, context);
  return {
    key: null,
    scan: selection => scanVisits(selection, question, search, context),
    merge: withoutVisitors(partials => {
      const least = leastOf(concat(partials.map(({ scores }) => scores)), question.limit + 1);
      const candidates = partials.flatMap(partial => {
        const places = placesAtLeast(partial.scores, least);
        const from = places.length === 0 ? null : sourceOf(partial, context);
        if (from === null) return [];
        return places.map((place): Candidate => ({ from, place, score: partial.scores[place]!, id: from.id(place) }));
      });
      candidates.sort((a, b) => b.score - a.score || compareText(a.id, b.id));
      return {
        kind: 'visits',
        rows: rowsOf(candidates.slice(0, question.limit)),
        more: candidates.length > question.limit,
      };
    }),
  };
};

/** Null for a day that went in the meantime. */
const sourceOf = ({ day, visits, rows }: VisitsPartial, context: PlanContext): RowSource | null => {
  if (rows !== null) return { id: place => rows[place]!.id, rows: () => place => rows[place]! };
  const of = context.reader.day(context.query.siteId, day);
  if (of === undefined) return null;
  const { id } = visitIds(of);
  return {
    id: place => id(visits[place]!),
    rows() {
      const row = visitRows(of, context);
      return place => row(visits[place]!);
    },
  };
};

/** Read one day after the other, since what a day's rows are read from takes memory. */
const rowsOf = (chosen: readonly Candidate[]): VisitRow[] => {
  const rows = new Array<VisitRow>(chosen.length);
  for (const source of new Set(chosen.map(({ from }) => from))) {
    const row = source.rows();
    chosen.forEach(({ from, place }, i) => {
      if (from === source) rows[i] = row(place);
    });
  }
  return rows;
};

/** The least of the `wanted` highest scores; lower ones need no look. */
const leastOf = (scores: Float64Array, wanted: number): number =>
  scores.length > wanted ? nthLargest(scores, wanted) : Number.NEGATIVE_INFINITY;

const placesAtLeast = (scores: Float64Array, least: number): number[] => {
  const places: number[] = [];
  for (let place = 0; place < scores.length; place++) if (scores[place]! >= least) places.push(place);
  return places;
};

/** At least the `limit` + 1 first of the day's visits, if it has so many. */
const scanVisits = (
  selection: Selection,
  question: VisitsAsk,
  search: Search | null,
  context: PlanContext,
): VisitsPartial => {
  const { day, visits, hashVisits } = selection;
  const scores = scoresOf(selection, question, context);
  const passing = passingVisits(selection, scores, question, search);
  const wanted = question.limit + 1;
  const least = leastOf(gatherDoubles(scores, passing), wanted);
  let [tiedInHash, tiedInCookie] = [0, 0];
  // Of visits with the least score the first by id are enough. Visits of each identity mode are in the order of their ids.
  const chosen = passing.filter(i => {
    if (scores[i] !== least) return scores[i]! > least;
    return (i < hashVisits ? tiedInHash++ : tiedInCookie++) < wanted;
  });
  const ofChosen = chosen.map(i => visits[i]!);
  return {
    day: day.day,
    visits: ofChosen,
    scores: gatherDoubles(scores, chosen),
    rows: day.sealed ? null : Array.from(ofChosen, visitRows(day, context)),
  };
};

/** Per selected visit, its sort value, or the negative of it in ascending order, so that greater is always first. */
const scoresOf = (selection: Selection, { sort, descending }: VisitsAsk, context: PlanContext): Float64Array => {
  const scores = sortValues(selection, sort, context);
  if (!descending) for (let i = 0; i < scores.length; i++) scores[i] = -scores[i]!;
  return scores;
};

const sortValues = (selection: Selection, sort: VisitSort, context: PlanContext): Float64Array => {
  if (sort === 'revenue') return revenueOfVisits(selection, context);
  const values = new Float64Array(visitNumbers(selection, sort === 'events' ? 'hits' : sort));
  if (sort === 'events') subtract(values, visitNumbers(selection, 'pageviews'));
  if (sort === 'started') for (let i = 0; i < values.length; i++) values[i]! += selection.day.day * dayMs;
  return values;
};

const subtract = (from: Float64Array, values: Uint32Array): void => {
  for (let i = 0; i < from.length; i++) from[i]! -= values[i]!;
};

/** Of all hits of each selected visit, whether they are selected or not. */
const revenueOfVisits = ({ day, index, visits }: Selection, context: PlanContext): Float64Array => {
  const ofDay = new Float64Array(day.visits);
  const hits = day.numbers('revenueHit');
  const add = adder(day, context);
  const hitsFrom = index.hitsFrom();
  for (let row = 0; row < hits.length; row++) {
    const money = noMoney();
    add(money, row);
    ofDay[visitOfHit(hitsFrom, hits[row]!)]! += money.revenue;
  }
  return Float64Array.from(visits, visit => ofDay[visit]!);
};

/** Places among the selected visits of those that pass the chips and the search and come after the cursor, ascending. */
const passingVisits = (
  selection: Selection,
  scores: Float64Array,
  question: VisitsAsk,
  search: Search | null,
): Uint32Array => {
  const { scratch, visits } = selection;
  const flags = scratch.take('visit flags', visits.length).fill(1);
  if (question.bounced) keepBounced(selection, flags);
  if (question.returning) keepReturning(selection, flags);
  if (question.paid) keepWithHit(selection, flags, [hitTypes.revenue]);
  if (question.converted) keepWithHit(selection, flags, [hitTypes.custom, hitTypes.revenue]);
  if (question.after !== null) keepAfter(selection, flags, scores, question.after, question.descending);
  if (search !== null) search(selection, flags);
  const passing = scratch.take('candidate places', visits.length);
  return passing.subarray(0, rowsPassing(flags, isOne, passing));
};

const keepBounced = (selection: Selection, flags: Uint32Array): void => {
  const pageviews = visitNumbers(selection, 'pageviews');
  for (let i = 0; i < flags.length; i++) flags[i]! &= pageviews[i]! <= 1 ? 1 : 0;
};

/** Not the visitor's first visit: of the day in hash mode, ever in cookie mode. */
const keepReturning = (selection: Selection, flags: Uint32Array): void => {
  const newVisitor = visitNumbers(selection, 'newVisitor');
  const seenBefore = visitNumbers(selection, 'seenBefore');
  for (let i = 0; i < flags.length; i++) flags[i]! &= (newVisitor[i]! ^ 1) | seenBefore[i]!;
};

/** Visits with a hit of one of the types, selected or not. */
const keepWithHit = (
  { day, index, visits, scratch }: Selection,
  flags: Uint32Array,
  wanted: readonly number[],
): void => {
  const types = scratch.column(day, 'type');
  const isWanted = Uint8Array.from({ length: 1 + lastHitCode }, (_, type) => (wanted.includes(type) ? 1 : 0));
  const hitsFrom = index.hitsFrom();
  for (let i = 0; i < flags.length; i++) {
    if (flags[i] === 0) continue;
    const to = hitsFrom[visits[i]! + 1]!;
    let has = 0;
    for (let hit = hitsFrom[visits[i]!]!; hit < to; hit++) has |= isWanted[types[hit]!]!;
    flags[i] = has;
  }
};

/** Visits that come after the one that a reader has seen last. */
const keepAfter = (
  { day, visits }: Selection,
  flags: Uint32Array,
  scores: Float64Array,
  { value, id }: VisitCursor,
  descending: boolean,
): void => {
  const ids = visitIds(day);
  const seen = descending ? value : -value;
  for (let i = 0; i < flags.length; i++) {
    const score = scores[i]!;
    if (score > seen || (score === seen && compareText(ids.id(visits[i]!), id) <= 0)) flags[i] = 0;
  }
};
