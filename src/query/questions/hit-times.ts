/** When the site's first hit came, and the last one of a slice. */
import { dayMs } from '../../model/time.ts';
import { largest } from '../../store/day/packed.ts';
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import { hitTimes } from '../scan/selection.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

export const planFirstHit = (_: QuestionOf<'firstHit'>, { query, reader }: QueryContext): QuestionPlan => ({
  key: null,
  merge: withoutVisitors(() => ({ kind: 'firstHit', at: reader.firstAt(query.siteId) })),
});

interface LastHitPartial {
  day: number;
  /** UTC milliseconds. */
  at: number;
}

export const planLastHit = (): QuestionPlan<LastHitPartial> => ({
  key: () => 'last hit',
  needs: (day, partials) => !partials.some(newer => newer.day > day),
  scan: (selection, scratch) => ({
    day: selection.day.day,
    at: selection.day.day * dayMs + largest(hitTimes(selection, scratch)),
  }),
  merge: withoutVisitors(partials => ({
    kind: 'lastHit',
    at: partials.length === 0 ? null : Math.max(...partials.map(({ at }) => at)),
  })),
});
