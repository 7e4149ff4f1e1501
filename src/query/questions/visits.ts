/**
 * Visits as text, in a total order: by the sort value, then by id ascending. Each day contributes
 * only the visits that could be shown, and only those are written.
 */
import { dayMs, utcDayOf } from '../../model/time.ts';
import { gatherDoubles } from '../../store/day/gather.ts';
import type { DayPart, Part } from '../../store/day/part.ts';
import type { QueryContext } from '../context.ts';
import { giveWay, type Pace } from '../pace.ts';
import type { QuestionOf, VisitCursor, VisitSort } from '../query.ts';
import { revenueOfVisits } from '../rows/revenue.ts';
import { compareText, nthLargest } from '../rows/top-rows.ts';
import { visitPieces, visitWriter } from '../rows/visit-csv-json.ts';
import { type StoredVisit, storedVisits, visitIds, visitRowOf } from '../rows/visit-row.ts';
import { prepareSearch, type Search } from '../rows/visit-search.ts';
import { isOne, rowsPassing } from '../scan/filter-rows.ts';
import { concat, flagged, sumBy } from '../scan/lists.ts';
import { markHits, type PreparedStep, prepareSteps } from '../scan/marks.ts';
import { isOfType, narrow, selectAll, selectEvents } from '../scan/select.ts';
import { type Selection, visitNumbers } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

type VisitsQuestion = QuestionOf<'visits'>;

/** What tells which visits are shown. */
interface Chooser {
  question: VisitsQuestion;
  search: Search | null;
  steps: PreparedStep[];
}

/** The visits of a day, or of a part of it, that may be shown. */
interface VisitsPartial extends DayPart {
  visits: Uint32Array;
  /** Greater comes first: the sort values, or their negatives where the order is ascending. */
  scores: Float64Array;
  /** Null for a sealed day, whose visits can still be read when it is clear which are shown. */
  stored: StoredVisit[] | null;
}

/** What the candidates of one day are read from, by their position among them. */
interface Source {
  id(position: number): string;
  /** Takes memory for as long as what it returns is held. */
  texts(): (position: number) => string;
}

interface Candidate {
  from: Source;
  position: number;
  score: number;
  id: string;
}

export const planVisits = (question: VisitsQuestion, context: QueryContext): QuestionPlan<VisitsPartial> => {
  const { limit, descending, form } = question;
  const chooser: Chooser = {
    question,
    search: question.search === '' ? null : prepareSearch(question.search, context),
    steps: prepareSteps(question.steps ?? [], context),
  };
  const write = visitWriter(form, context.query.currency);
  const writeStored = (visit: StoredVisit): string => write(visitRowOf(visit, context));
  return {
    key: null,
    ...(question.sort === 'started' ? daysInOrder(question) : {}),
    scan(selection, scratch) {
      const { day } = selection;
      const { visits, scores } = chooseVisits(selection, chooser, context, scratch);
      const read = storedVisits(day, context);
      const stored = day.sealed ? null : Array.from(visits, read);
      return { day: day.day, part: day.part, visits, scores, stored };
    },
    merge: withoutVisitors(async (partials, pace) => {
      const candidates = leadingOf(partials, limit + 1).flatMap(({ partial, positions }) => {
        const from = positions.length === 0 ? null : sourceOf(partial, context, writeStored);
        if (from === null) return [];
        return positions.map(
          (position): Candidate => ({ from, position, score: partial.scores[position]!, id: from.id(position) }),
        );
      });
      candidates.sort((a, b) => b.score - a.score || compareText(a.id, b.id));
      const chosen = candidates.slice(0, limit);
      const last = candidates.length > limit ? chosen.at(-1) : undefined;
      return {
        kind: 'visits',
        pieces: visitPieces(await textsInOrder(chosen, pace), form),
        next: last === undefined ? null : { value: descending ? last.score : -last.score, id: last.id },
      };
    }),
  };
};

/**
 * Where visits are sorted by their start, those of one day come before those of another, as no
 * visit crosses midnight: days that come after a full page, or before the cursor, hold none of its
 * visits.
 */
const daysInOrder = ({
  descending,
  limit,
  after,
}: VisitsQuestion): Pick<QuestionPlan<VisitsPartial>, 'needs' | 'oldestFirst'> => {
  const isBefore = (day: number, other: number): boolean => (descending ? day > other : day < other);
  const firstDay = after === null ? null : utcDayOf(after.value);
  return {
    oldestFirst: !descending,
    needs(day, partials) {
      if (firstDay !== null && isBefore(day, firstDay)) return false;
      const before = partials.filter(partial => isBefore(partial.day, day));
      return sumBy(before, ({ visits }) => visits.length) <= limit;
    },
  };
};

/** Null for a day that was removed in the meantime. */
const sourceOf = (
  { day, part, visits, stored }: VisitsPartial,
  context: QueryContext,
  write: (visit: StoredVisit) => string,
): Source | null => {
  if (stored !== null)
    return { id: position => stored[position]!.id, texts: () => position => write(stored[position]!) };
  const [of] = context.reader.day(context.query.siteId, { day, part });
  if (of === undefined) return null;
  const { id } = visitIds(of);
  return {
    id: position => id(visits[position]!),
    texts() {
      const read = storedVisits(of, context);
      return position => write(read(visits[position]!));
    },
  };
};

/** To write so many visits takes some milliseconds. */
const visitsAtOnce = 100;

/** Reads day by day, since what a day's visits are read from takes memory. */
const textsInOrder = async (chosen: readonly Candidate[], pace: Pace): Promise<string[]> => {
  const texts = new Array<string>(chosen.length);
  let written = 0;
  for (const source of new Set(chosen.map(({ from }) => from))) {
    const text = source.texts();
    for (const [i, { from, position }] of chosen.entries()) {
      if (from !== source) continue;
      texts[i] = text(position);
      if (++written % visitsAtOnce === 0) await giveWay(pace);
    }
  }
  return texts;
};

/** The least of the `wanted` highest scores. Lower ones need no look. */
const leastOf = (scores: Float64Array, wanted: number): number =>
  scores.length > wanted ? nthLargest(scores, wanted) : Number.NEGATIVE_INFINITY;

/**
 * The positions of at least the first `wanted` visits. Most visits may have the same score, such as
 * no revenue. Of those the first by id are enough, and an id begins with its day and its visitor.
 */
const leadingOf = (
  partials: readonly VisitsPartial[],
  wanted: number,
): { partial: VisitsPartial; positions: number[] }[] => {
  const least = leastOf(concat(partials.map(({ scores }) => scores)), wanted);
  let tied = 0;
  let tiedBefore = 0;
  let before: VisitsPartial | undefined;
  return [...partials]
    .sort((a, b) => compareText(`${a.day}-`, `${b.day}-`) || beginOf(a.part) - beginOf(b.part))
    .map(partial => {
      // The ids of several sites lie among each other.
      if (partial.day !== before?.day || partial.part.site === undefined) tiedBefore = tied;
      before = partial;
      const isEnough = tiedBefore >= wanted;
      const positions: number[] = [];
      partial.scores.forEach((score, position) => {
        if (score === least) tied++;
        if (score > least || (score === least && !isEnough)) positions.push(position);
      });
      return { partial, positions };
    });
};

/** Where a part begins among all hashes. */
const beginOf = ({ number, of }: Part): number => number / of;

/** The first `limit` + 1 of the day's visits, and perhaps others. */
const chooseVisits = (
  selection: Selection,
  chooser: Chooser,
  context: QueryContext,
  scratch: Scratch,
): Pick<VisitsPartial, 'visits' | 'scores'> => {
  const [visits, hashVisits] = [selection.visits(), selection.hashVisits()];
  const { question } = chooser;
  const scores = scoresOf(selection, question, context, scratch);
  const passing = passingVisits(selection, scores, chooser, scratch);
  const wanted = question.limit + 1;
  const least = leastOf(gatherDoubles(scores, passing), wanted);
  let [tiedInHash, tiedInCookie] = [0, 0];
  // Of visits with the least score the first by id are enough. Those of each identity mode are in
  // the order of their ids.
  const chosen = passing.filter(i => {
    if (scores[i] !== least) return scores[i]! > least;
    return (i < hashVisits ? tiedInHash++ : tiedInCookie++) < wanted;
  });
  return { visits: chosen.map(i => visits[i]!), scores: gatherDoubles(scores, chosen) };
};

/** Per selected visit, its sort value, or the negative of it where the order is ascending. */
const scoresOf = (
  selection: Selection,
  { sort, descending }: VisitsQuestion,
  context: QueryContext,
  scratch: Scratch,
): Float64Array => {
  const scores = sortValues(selection, sort, context, scratch);
  if (!descending) for (let i = 0; i < scores.length; i++) scores[i] = -scores[i]!;
  return scores;
};

const sortValues = (selection: Selection, sort: VisitSort, context: QueryContext, scratch: Scratch): Float64Array => {
  if (sort === 'revenue') return revenueOfVisits(selection, context);
  const values = new Float64Array(visitNumbers(selection, sort === 'events' ? 'hits' : sort, scratch));
  if (sort === 'events') subtract(values, visitNumbers(selection, 'pageviews', scratch));
  if (sort === 'started') for (let i = 0; i < values.length; i++) values[i]! += selection.day.day * dayMs;
  return values;
};

const subtract = (from: Float64Array, values: Uint32Array): void => {
  for (let i = 0; i < from.length; i++) from[i]! -= values[i]!;
};

/**
 * Which selected visits pass the chips and the search and come after the cursor, as ascending
 * positions among the selected ones.
 */
const passingVisits = (
  selection: Selection,
  scores: Float64Array,
  { question, search, steps }: Chooser,
  scratch: Scratch,
): Uint32Array => {
  const flags = scratch.take(scores.length).fill(1);
  if (question.bounced) keepBounced(selection, flags, scratch);
  if (question.returning) keepReturning(selection, flags, scratch);
  const { day, index } = selection;
  const ofDay = selectAll(day, index, scratch);
  const withRevenue = (): Selection | undefined => narrow(ofDay, [isOfType(day, ['revenue'])], scratch);
  if (question.paid) keepWithHits(selection, flags, withRevenue(), scratch);
  if (question.converted) keepWithHits(selection, flags, selectEvents(ofDay, scratch, ['custom', 'revenue']), scratch);
  if (steps.length > 0) keepThrough(selection, flags, markHits(ofDay, steps, scratch), steps.length);
  if (question.after !== null) keepAfter(selection, flags, scores, question.after, question.descending);
  if (search !== null) search(selection, flags, scratch);
  const passing = scratch.take(scores.length);
  return passing.subarray(0, rowsPassing(flags, isOne, passing));
};

const keepBounced = (selection: Selection, flags: Uint32Array, scratch: Scratch): void => {
  const pageviews = visitNumbers(selection, 'pageviews', scratch);
  for (let i = 0; i < flags.length; i++) flags[i]! &= pageviews[i]! <= 1 ? 1 : 0;
};

/** Not the visitor's first visit: of the day in hash mode, ever in cookie mode. */
const keepReturning = (selection: Selection, flags: Uint32Array, scratch: Scratch): void => {
  const newVisitor = visitNumbers(selection, 'newVisitor', scratch);
  const seenBefore = visitNumbers(selection, 'seenBefore', scratch);
  for (let i = 0; i < flags.length; i++) flags[i]! &= (newVisitor[i]! ^ 1) | seenBefore[i]!;
};

/** Visits that have some hits of the day, selected or not. */
const keepWithHits = (
  selection: Selection,
  flags: Uint32Array,
  hits: Selection | undefined,
  scratch: Scratch,
): void => {
  const hasHit = flagged(hits?.visits() ?? new Uint32Array(0), scratch.bytes(selection.day.visits));
  const visits = selection.visits();
  for (let i = 0; i < flags.length; i++) flags[i]! &= hasHit[visits[i]!]!;
};

/** Visits that go through so many steps, given which steps each hit of the day can be. */
const keepThrough = ({ index, visits }: Selection, flags: Uint32Array, marks: Uint32Array, steps: number): void => {
  const hitsFrom = index.hitsFrom();
  for (const [i, visit] of visits().entries()) {
    let step = 0;
    for (let hit = hitsFrom[visit]!; hit < hitsFrom[visit + 1]!; hit++) step += (marks[hit]! >>> step) & 1;
    if (step < steps) flags[i] = 0;
  }
};

/** Visits that come after the last one that a reader has seen. */
const keepAfter = (
  selection: Selection,
  flags: Uint32Array,
  scores: Float64Array,
  { value, id }: VisitCursor,
  descending: boolean,
): void => {
  const { day } = selection;
  const visits = selection.visits();
  const ids = visitIds(day);
  const seen = descending ? value : -value;
  for (let i = 0; i < flags.length; i++) {
    const score = scores[i]!;
    if (score > seen || (score === seen && compareText(ids.id(visits[i]!), id) <= 0)) flags[i] = 0;
  }
};
