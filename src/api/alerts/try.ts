/** When an alert would have fired in the last weeks of a site. */
import { calmSince, firesAfter, nextEpisode } from '../../model/alerts/episodes.ts';
import type { AlertRule } from '../../model/alerts/kinds.ts';
import { type Firing, replay } from '../../model/alerts/replay.ts';
import { pastWeeks, slotMs, slotsPerWeek } from '../../model/alerts/slots.ts';
import { localName } from '../../model/calendar.ts';
import { minuteMs } from '../../model/time.ts';
import { answerOf, noTime, type QueryStep, type ReadableSite } from '../endpoint.ts';
import { described, integer, list, localTime, nullable, number, object } from '../schema.ts';
import {
  type ComparedRule,
  measureOf,
  slotRuleOf,
  stepsSlice,
  stepValues,
  verdictOf,
  withoutUnseen,
} from './measure.ts';

const firingsMax = 50;

export const triedSchema = object({
  count: described(integer, 'How often it would have fired in the last six weeks'),
  data: described(
    list(
      object({
        from: localTime,
        to: described(nullable(localTime), 'Null where it goes on'),
        value: described(number, 'When it fired'),
        expected: described(nullable(number), 'The usual; null for a fixed number'),
      }),
      firingsMax,
    ),
    'The newest first',
  ),
  from: localTime,
});

/** A window of minutes is looked at once for each of its lengths, and no finer than this. */
const coarsestMs = 5 * minuteMs;

/** Throws ParameterError for filters that the site cannot answer. */
export const tryAlert = (rule: AlertRule, filters: string, view: ReadableSite): QueryStep<object> => {
  const measure = measureOf(rule, filters, view);
  const slotRule = slotRuleOf(rule);
  const stepMs = slotRule === null ? Math.max(measure.windowMs ?? 0, coarsestMs) : slotMs;
  const spanMs = pastWeeks * slotsPerWeek * slotMs;
  const to = Math.floor(view.now / stepMs) * stepMs;
  const from = to - Math.floor(spanMs / stepMs) * stepMs;
  // What is judged is compared with as much before it, and a window.
  const begin = slotRule === null ? from : from - spanMs - slotsPerWeek * slotMs;
  const known = { ...noTime, filters: [], questions: [{ kind: 'firstHit' as const }] };
  return {
    slices: [stepsSlice(measure, begin, to, stepMs), known],
    render([answers, first]) {
      const { at: firstAt } = answerOf(first, 'firstHit');
      const values = withoutUnseen(stepValues(answers), {
        ...{ from: begin, stepMs, firstAt, notes: view.notes(), local: view.zone.local },
      });
      const firings =
        slotRule === null
          ? compared(rule as ComparedRule, { from: begin, values, stepMs })
          : replay(slotRule, { from: begin, values }, (from - begin) / stepMs, view.zone.local);
      const name = (at: number): string => localName(view.zone.local(at));
      const data = firings.slice(-firingsMax).reverse();
      return {
        count: firings.length,
        data: data.map(({ at, to, ...rest }) => ({ from: name(at), to: to === null ? null : name(to), ...rest })),
        from: name(from),
      };
    },
  };
};

interface Steps {
  from: number;
  values: Float64Array;
  stepMs: number;
}

/** A goal fires each time; a number when it is passed, until it is back three times. */
const compared = (rule: ComparedRule, { from, values, stepMs }: Steps): Firing[] => {
  const firings: Firing[] = [];
  let state = calmSince(from);
  for (const [i, value] of values.entries()) {
    const at = from + (i + 1) * stepMs;
    const verdict = verdictOf(rule, value);
    if (rule.kind === 'goal') {
      if (verdict === 'out') firings.push({ at, to: at, value, expected: null });
      continue;
    }
    const next = nextEpisode(state, { verdict }, at, firesAfter.once);
    state = next.state;
    if (next.event === 'fired') firings.push({ at, to: null, value, expected: null });
    if (next.event === 'ended') firings.at(-1)!.to = at;
  }
  return firings;
};
