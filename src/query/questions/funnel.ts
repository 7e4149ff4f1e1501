/**
 * Who goes through some steps in their order, within a visit or a visitor's day
 * (docs/definitions.md, "Funnels"). Each step is served by the first hit after the one that served
 * the step before. So one look at the hits in their order is enough.
 */
import type { QueryContext } from '../context.ts';
import type { FunnelScope, QuestionOf } from '../query.ts';
import { nthLargest } from '../rows/top-rows.ts';
import { addAt, concat } from '../scan/lists.ts';
import { markHits, prepareSteps } from '../scan/marks.ts';
import { widenToVisitors, widenToVisits } from '../scan/select.ts';
import { type Selection, visitNumbers } from '../scan/selection.ts';
import { persistentOf } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import { firstOfVisitor, type PersistentVisitors } from '../visitors/daily-visitors.ts';
import type { QuestionPlan } from './plan.ts';

interface FunnelPartial {
  day: number;
  /** At 0 all selected visits, at n those with the hit that served step n, counted from 1. */
  visits: Uint32Array;
  /** The same of visitors. */
  visitors: Uint32Array;
  /** Grouped by number of the step, 0 for all. */
  persistent: PersistentVisitors | null;
  /** By step but the last, the milliseconds from its hit to that of the next, in any order. */
  spans: Uint32Array[];
}

export const planFunnel = (
  { steps, scope }: QuestionOf<'funnel'>,
  context: QueryContext,
): QuestionPlan<FunnelPartial> => {
  const prepared = prepareSteps(steps, context);
  const key = `funnel ${JSON.stringify([scope, steps])}`;
  return {
    key: () => key,
    scan(selection, scratch) {
      const all = scope === 'visit' ? widenToVisits(selection, scratch) : widenToVisitors(selection, scratch);
      const marks = markHits(all, prepared, scratch);
      const walked = walk(all, marks, steps.length, scope, scratch);
      walked.visits[0] = selection.visits().length;
      return {
        day: all.day.day,
        visits: walked.visits,
        ...visitorsOf(all, walked.reached, steps.length, scratch),
        spans: walked.spans,
      };
    },
    merge(partials) {
      const [visits, counts] = [new Uint32Array(steps.length + 1), new Uint32Array(steps.length + 1)];
      for (const partial of partials) {
        addAt(visits, partial.visits, 0);
        addAt(counts, partial.visitors, 0);
      }
      const positionOf = counts.map((_, step) => step);
      const visitors = { days: partials.map(({ persistent }) => ({ persistent, positionOf })), counts };
      return {
        visitors: [visitors],
        answer: () => ({
          kind: 'funnel',
          visits: Array.from(visits),
          visitors: Array.from(counts),
          medianMs: steps.slice(1).map((_, step) => medianOf(partials.map(({ spans }) => spans[step]!))),
        }),
      };
    },
  };
};

/** Null where there is none. */
const medianOf = (lists: readonly Uint32Array[]): number | null => {
  const values = concat(lists);
  const { length } = values;
  if (length === 0) return null;
  return (nthLargest(values, (length >> 1) + 1) + nthLargest(values, ((length - 1) >> 1) + 1)) / 2;
};

interface Walked {
  visits: Uint32Array;
  /** Per visit, how many steps were served when it ended. */
  reached: Uint8Array;
  spans: Uint32Array[];
}

const walk = (all: Selection, marks: Uint32Array, steps: number, scope: FunnelScope, scratch: Scratch): Walked => {
  const { index } = all;
  const count = all.visits().length;
  const [visits, reached] = [new Uint32Array(steps + 1), scratch.bytes(count)];
  const spans = Array.from({ length: steps - 1 }, () => scratch.take(count));
  const ends = new Uint32Array(steps - 1);
  walkVisits(
    { visits: all.visits(), visitors: all.visitors(), isOfVisit: scope === 'visit', hitsFrom: index.hitsFrom() },
    { marks, started: visitNumbers(all, 'started', scratch), sinceStart: index.numbers('time') },
    { visits, reached, spans, ends },
  );
  return { visits, reached, spans: spans.map((list, step) => list.slice(0, ends[step]!)) };
};

const walkVisits = (
  {
    visits,
    visitors,
    isOfVisit,
    hitsFrom,
  }: { visits: Uint32Array; visitors: Uint32Array; isOfVisit: boolean; hitsFrom: Uint32Array },
  { marks, started, sinceStart }: { marks: Uint32Array; started: Uint32Array; sinceStart: Uint32Array },
  to: Walked & { ends: Uint32Array },
): void => {
  let step = 0;
  let servedAt = 0;
  let visitor = 0;
  for (let i = 0; i < visits.length; i++) {
    if (isOfVisit || visitors[i] !== visitor) step = 0;
    visitor = visitors[i]!;
    const end = hitsFrom[visits[i]! + 1]!;
    for (let hit = hitsFrom[visits[i]!]!; hit < end; hit++) {
      if (((marks[hit]! >>> step) & 1) === 0) continue;
      const at = started[i]! + sinceStart[hit]!;
      if (step > 0) to.spans[step - 1]![to.ends[step - 1]!++] = at - servedAt;
      servedAt = at;
      to.visits[++step]!++;
    }
    to.reached[i] = step;
  }
};

/** Counts a visitor at each step up to the furthest. */
const visitorsOf = (
  all: Selection,
  reached: Uint8Array,
  steps: number,
  scratch: Scratch,
): Pick<FunnelPartial, 'visitors' | 'persistent'> => {
  const [visitors, hashVisits] = [all.visitors(), all.hashVisits()];
  const counts = new Uint32Array(steps + 1);
  const list = scratch.take((visitors.length - hashVisits) * (steps + 1));
  let count = 0;
  for (let i = 0; i < visitors.length; ) {
    const first = i;
    let most = 0;
    for (; i < visitors.length && visitors[i] === visitors[first]; i++) most = Math.max(most, reached[i]!);
    for (let step = 0; step <= most; step++) {
      counts[step]!++;
      if (first >= hashVisits) list[count++] = step === 0 ? firstOfVisitor : step;
    }
  }
  return { visitors: counts, persistent: persistentOf(all, list, count) };
};
