/** The hits that came last, newest first, with what the live list shows of them. */
import { columns } from '../../model/columns.ts';
import { type HitType, hitTypeName } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { lookUp } from '../../store/day/look-up.ts';
import type { QueryContext } from '../context.ts';
import { type LatestHit, type LatestHitText, latestHitTexts, type QuestionOf } from '../query.ts';
import { compareText, nthLargest } from '../rows/top-rows.ts';
import { textsAt, visitIds } from '../rows/visit-row.ts';
import { visitOfHit } from '../scan/day-index.ts';
import { sumBy } from '../scan/lists.ts';
import { hitTimes, type Selection } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

/** A hit and its row in the day: hits of one visit may come in one millisecond. */
interface PlacedHit {
  hit: LatestHit;
  row: number;
}

interface LatestHitsPartial {
  day: number;
  hits: PlacedHit[];
}

export const planLatestHits = (
  { limit }: QuestionOf<'latestHits'>,
  context: QueryContext,
): QuestionPlan<LatestHitsPartial> => ({
  key: null,
  needs: (day, partials) =>
    sumBy(
      partials.filter(newer => newer.day > day),
      ({ hits }) => hits.length,
    ) < limit,
  scan: (selection, scratch) => ({
    day: selection.day.day,
    hits: newestFirst(readHits(selection, lastPositions(selection, limit, scratch), context)).slice(0, limit),
  }),
  merge: withoutVisitors(partials => ({
    kind: 'latestHits',
    hits: newestFirst(partials.flatMap(({ hits }) => hits))
      .slice(0, limit)
      .map(({ hit }) => hit),
  })),
});

const newestFirst = (hits: PlacedHit[]): PlacedHit[] =>
  hits.sort((a, b) => b.hit.at - a.hit.at || compareText(a.hit.visit, b.hit.visit) || b.row - a.row);

/** When the last hits came, by the rows of at least `limit` of them. */
const lastPositions = (selection: Selection, limit: number, scratch: Scratch): { row: number; time: number }[] => {
  const times = hitTimes(selection, scratch);
  const least = times.length > limit ? nthLargest(Float64Array.from(times), limit) : 0;
  const { rows } = selection.found();
  const last: { row: number; time: number }[] = [];
  for (let i = 0; i < times.length; i++) {
    if (times[i]! >= least) last.push({ row: rows === null ? i : rows[i]!, time: times[i]! });
  }
  return last;
};

const readHits = (
  { day, index }: Selection,
  last: readonly { row: number; time: number }[],
  context: QueryContext,
): PlacedHit[] => {
  const hitsFrom = index.hitsFrom();
  const { id, visitor } = visitIds(day);
  const type = lookUp(day.keptNumbers('type'));
  const texts = latestHitTexts.map(name => ({ name, of: columns[name].table, at: textsAt(day, name, context) }));
  return last.map(({ row, time }) => {
    const visit = visitOfHit(hitsFrom, row);
    const found = texts.map(({ name, of, at }) => [name, at(of === 'hit' ? row : visit)]);
    const { identified, ...others } = Object.fromEntries(found) as Record<LatestHitText, string | null>;
    return {
      row,
      hit: {
        at: day.day * dayMs + time,
        type: hitTypeName(type(row)) as HitType,
        ...others,
        visit: id(visit),
        visitor: visitor(visit),
        identified,
      },
    };
  });
};
