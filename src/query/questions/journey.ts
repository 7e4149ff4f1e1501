/**
 * What came next, or before (docs/definitions.md, "Journeys"). The steps that were opened make a
 * row of levels: the first is what followed the anchor, and each other what followed the step that
 * was opened before it. Days contribute the visits and visitors of each step at each level, so the
 * leading steps are those of the whole window.
 */
import { folderOf, type JourneyStep } from '../../model/journey-steps.ts';
import { gather, rowsBetween } from '../../store/day/gather.ts';
import type { QueryContext } from '../context.ts';
import type { Pace } from '../pace.ts';
import type { JourneyLevel, JourneyRow, QuestionOf } from '../query.ts';
import { type PageFolders, pageFolders } from '../rows/page-folders.ts';
import { type CountsOfDay, sumById, visitorsById } from '../rows/sum-by-id.ts';
import { compareText, type Names, namesAt, textNames, topRows } from '../rows/top-rows.ts';
import { sumBy } from '../scan/lists.ts';
import { markHits, prepareSteps } from '../scan/marks.ts';
import { ofVisits, widenToVisits } from '../scan/select.ts';
import type { Selection } from '../scan/selection.ts';
import { tallyVisitors, tallyVisits } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import { allVisitors, type DailyVisitors, type PersistentVisitors } from '../visitors/daily-visitors.ts';
import { endId, isEventId, pageOrEventId, type StepFinder, stepsOfHits, textOfStep } from './journey-steps.ts';
import type { QuestionPlan } from './plan.ts';

type JourneyQuestion = QuestionOf<'journey'>;

/** Visits and visitors by the id of the step that came next, `endId` included. */
interface LevelPartial extends CountsOfDay {
  /** Of all visits that came so far. */
  total: { visits: number; visitors: number; persistent: PersistentVisitors | null };
}

interface JourneyPartial {
  day: number;
  /** Of the first levels: those that visits of the day came to. */
  levels: LevelPartial[];
}

export const planJourney = (question: JourneyQuestion, context: QueryContext): QuestionPlan<JourneyPartial> => {
  const { limit: _, ...what } = question;
  const key = JSON.stringify(what);
  const { anchor, folder } = question;
  const prepared = anchor === null ? null : prepareSteps([anchor], context);
  const folders = pageFolders(folder, context);
  const find = stepFinder(folder, folders, context);
  return {
    key: () => key,
    scan(selection, scratch) {
      const all = widenToVisits(selection, scratch);
      const marks = prepared && markHits(all, prepared, scratch);
      const levels = scanLevels(all, marks, question, folders, find, scratch);
      return levels.length === 0 ? null : { day: all.day.day, levels };
    },
    async merge(partials, pace) {
      const merged: MergedLevel[] = [];
      for (let level = 0; level <= question.via.length; level++) {
        const days = partials.flatMap(partial => partial.levels[level] ?? []);
        merged.push(await mergeLevel(days, question, context, pace));
      }
      return {
        visitors: merged.flatMap(({ visitors }) => visitors),
        answer: () => ({ kind: 'journey', levels: merged.map(({ answer }) => answer()) }),
      };
    },
  };
};

/** The ids of steps that a question names; undefined for one that no hit has. */
const stepFinder =
  (depth: number, folders: PageFolders, { query, reader }: QueryContext): StepFinder =>
  ({ kind, name }) => {
    if (kind === 'folder') return pageOrEventId(folders.find(name), false);
    if (kind === 'page' && folderOf(name, depth) !== null) return undefined;
    return pageOrEventId(reader.texts.find(query.siteId, name) || undefined, kind === 'event');
  };

const scanLevels = (
  all: Selection,
  marks: Uint32Array | null,
  { direction, via, show }: JourneyQuestion,
  folders: PageFolders,
  find: StepFinder,
  scratch: Scratch,
): LevelPartial[] => {
  const { day, index } = all;
  const steps = stepsOfHits(all, show, folders, scratch);
  const opened = Uint32Array.from(via, step => steps.codeOf(find(step)));
  const count = all.visits().length;
  const lists = Array.from({ length: via.length + 1 }, () => ({
    visits: scratch.take(count),
    codes: scratch.take(count),
  }));
  const ends = new Uint32Array(lists.length);
  const ways = { visits: all.visits(), hitsFrom: index.hitsFrom(), ofHit: steps.ofHit, marks };
  follow(ways, direction === 'after' ? 1 : -1, opened, lists, ends);
  const reached = lists.filter((_, level) => ends[level]! > 0);
  return reached.map(({ visits, codes }, level) => {
    const end = ends[level]!;
    const ones = scratch.take(end).fill(1);
    // Counted as hits are, each visit as one.
    const came = { ...ofVisits(day, index, visits.subarray(0, end), scratch), hitsOf: () => ones };
    const { groups, hits, visitors, persistent } = tallyVisits(came, codes.subarray(0, end), steps.ids, scratch);
    const total = { visits: end, ...tallyVisitors(came) };
    return { ids: gather(steps.ids, groups), columns: [hits, visitors], persistent, total };
  });
};

interface Ways {
  visits: Uint32Array;
  hitsFrom: Uint32Array;
  /** By hit, the code of its step; 0 for none. */
  ofHit: Uint32Array;
  /** By hit, whether it is the anchor; null: visits are followed from their end. */
  marks: Uint32Array | null;
}

/**
 * Lists for each level the visits that come to it, and the code of their next step there, 0 where
 * there is none.
 */
const follow = (
  { visits, hitsFrom, ofHit, marks }: Ways,
  forth: 1 | -1,
  opened: Uint32Array,
  lists: readonly { visits: Uint32Array; codes: Uint32Array }[],
  ends: Uint32Array,
): void => {
  for (let i = 0; i < visits.length; i++) {
    const [first, last] = [hitsFrom[visits[i]!]!, hitsFrom[visits[i]! + 1]! - 1];
    const stop = forth === 1 ? last + 1 : first - 1;
    let hit = forth === 1 ? first - 1 : last + 1;
    let code = 0;
    if (marks !== null) {
      hit = first;
      while (hit <= last && marks[hit] === 0) hit++;
      if (hit > last) continue;
      code = ofHit[hit]!;
    }
    for (let level = 0; level < lists.length; level++) {
      const before = code;
      do hit += forth;
      while (hit !== stop && (ofHit[hit] === 0 || ofHit[hit] === before));
      code = hit === stop ? 0 : ofHit[hit]!;
      const at = ends[level]!++;
      lists[level]!.visits[at] = visits[i]!;
      lists[level]!.codes[at] = code;
      if (code === 0 || code !== opened[level]) break;
    }
  }
};

interface MergedLevel {
  visitors: DailyVisitors[];
  answer(): JourneyLevel;
}

const mergeLevel = async (
  days: readonly LevelPartial[],
  { limit, folder }: JourneyQuestion,
  context: QueryContext,
  pace: Pace,
): Promise<MergedLevel> => {
  const { ids, columns } = await sumById(days, ['count', 'count'], pace);
  const [visits, visitors] = columns as [Uint32Array, Uint32Array];
  const ofSteps = visitorsById(days, ids, visitors);
  if (folder > 0) joinFolders(ids, visits, ofSteps, folder, context);
  const ofAll = allVisitors(days.map(({ total }) => total));
  const all = sumBy(days, ({ total }) => total.visits);
  const hasEnd = ids[0] === endId;
  const end = (): JourneyLevel['end'] => ({
    visits: hasEnd ? visits[0]! : 0,
    visitors: hasEnd ? visitors[0]! : 0,
  });
  return {
    visitors: [ofSteps, ofAll],
    answer() {
      const rows = leading(ids, visits, visitors, { limit, folder }, context);
      const steps = visits.reduce((steps, some) => steps + (some === 0 ? 0 : 1), 0) - (end().visits === 0 ? 0 : 1);
      const shown = sumBy(rows, row => row.visits);
      return {
        visits: all,
        visitors: ofAll.counts[0]!,
        rows,
        end: end(),
        other: { visits: all - end().visits - shown, steps: steps - rows.length },
      };
    },
  };
};

/** Counts all ids of a folder at the position of the first of them. */
const joinFolders = (
  ids: Uint32Array,
  visits: Uint32Array,
  { days, counts: visitors }: DailyVisitors,
  depth: number,
  { text }: QueryContext,
): void => {
  const first = new Map<string, number>();
  for (const [position, id] of ids.entries()) {
    const folder = isEventId(id) || id === endId ? null : folderOf(text(textOfStep(id)) ?? '', depth);
    if (folder === null) continue;
    const to = first.get(folder) ?? position;
    first.set(folder, to);
    if (to === position) continue;
    for (const counts of [visits, visitors]) {
      counts[to]! += counts[position]!;
      counts[position] = 0;
    }
    for (const { positionOf } of days) positionOf[id] = to;
  }
};

/** The steps with most visits, then visitors, then by name; a page before an event of its name. */
const leading = (
  ids: Uint32Array,
  visits: Uint32Array,
  visitors: Uint32Array,
  { limit, folder }: Pick<JourneyQuestion, 'limit' | 'folder'>,
  context: QueryContext,
): JourneyRow[] => {
  const ofKind = (isEvent: boolean): JourneyRow[] => {
    const positions = rowsBetween(0, ids.length).filter(
      position => ids[position] !== endId && isEventId(ids[position]!) === isEvent && visits[position]! > 0,
    );
    const texts = Uint32Array.from(positions, position => textOfStep(ids[position]!));
    const stepAt = (position: number): JourneyStep => stepOf(texts[position]!, isEvent, folder, context);
    const names: Names =
      folder > 0 && !isEvent ? namesAt(position => stepAt(position).name) : textNames(texts, context);
    return topRows(gather(visits, positions), gather(visitors, positions), limit, names).map(({ position }) => ({
      step: stepAt(position),
      visits: visits[positions[position]!]!,
      visitors: visitors[positions[position]!]!,
    }));
  };
  return [...ofKind(false), ...ofKind(true)]
    .sort((a, b) => b.visits - a.visits || b.visitors - a.visitors || compareText(a.step.name, b.step.name))
    .slice(0, limit);
};

const stepOf = (id: number, isEvent: boolean, depth: number, { text }: QueryContext): JourneyStep => {
  const name = text(id) ?? '';
  if (isEvent) return { kind: 'event', name };
  const folder = folderOf(name, depth);
  return folder === null ? { kind: 'page', name } : { kind: 'folder', name: folder };
};
