/** When an alert would have fired in the last weeks of a site. */
import { calmSince, firesAfter, nextEpisode } from '../../model/alerts/episodes.ts';
import type { AlertRule } from '../../model/alerts/kinds.ts';
import { type Firing, replay } from '../../model/alerts/replay.ts';
import { pastWeeks, slotMs, slotsPerWeek } from '../../model/alerts/slots.ts';
import { localName } from '../../model/calendar.ts';
import { minuteMs } from '../../model/time.ts';
import { answerOf, type QueryStep, type ReadableSite, thenStep } from '../endpoint.ts';
import { described, integer, list, localTime, nullable, number, object, text } from '../schema.ts';
import {
  type ComparedRule,
  type CountedRule,
  hitFiltersOf,
  measureOf,
  slotRuleOf,
  stepsSlice,
  verdictOf,
  withoutUnseen,
} from './measure.ts';
import { dayOf, firstHitSlice, newSources } from './new-sources.ts';

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
        sources: described(list(text), 'Of new sources, their names; the time is that of their day'),
      }),
      firingsMax,
    ),
    'The newest first',
  ),
  from: localTime,
});

export type TriedAnswer = ReturnType<typeof triedJson>;

/** A window of minutes is looked at once for each of its lengths, and no finer than this. */
const coarsestMs = 5 * minuteMs;

interface SeenFiring extends Firing {
  sources?: string[];
}

const triedJson = (firings: readonly SeenFiring[], from: number, { zone }: ReadableSite) => {
  const name = (at: number): string => localName(zone.local(at));
  const data = firings.slice(-firingsMax).reverse();
  return {
    count: firings.length,
    data: data.map(({ at, to, value, expected, sources = [] }) => ({
      ...{ from: name(at), to: to === null ? null : name(to), value, expected, sources },
    })),
    from: name(from),
  };
};

/** Throws ParameterError for filters that the site cannot answer. */
export const tryAlert = (rule: AlertRule, filters: string, view: ReadableSite): QueryStep<TriedAnswer> =>
  rule.kind === 'new-source' ? trySources(rule, filters, view) : tryCounted(rule, filters, view);

const tryCounted = (rule: CountedRule, filters: string, view: ReadableSite): QueryStep<TriedAnswer> => {
  const measure = measureOf(rule, filters, view);
  const slotRule = slotRuleOf(rule);
  const stepMs = slotRule === null ? Math.max(measure.windowMs ?? 0, coarsestMs) : slotMs;
  const spanMs = pastWeeks * slotsPerWeek * slotMs;
  const to = Math.floor(view.now / stepMs) * stepMs;
  const from = to - Math.floor(spanMs / stepMs) * stepMs;
  // What is judged is compared with as much before it, and a window.
  const begin = slotRule === null ? from : from - spanMs - slotsPerWeek * slotMs;
  return {
    slices: [stepsSlice(measure, begin, to, stepMs), firstHitSlice],
    render([answers, first]) {
      const { at: firstAt } = answerOf(first, 'firstHit');
      const counted = measure.values(answers, Math.round((to - begin) / stepMs));
      const { local } = view.zone;
      // What was refused was seen, whatever else was not.
      const values =
        rule.kind === 'refused'
          ? counted
          : withoutUnseen(counted, { from: begin, stepMs, firstAt, notes: view.notes(), local });
      const firings =
        slotRule === null
          ? compared(rule as ComparedRule, { from: begin, values, stepMs })
          : replay(slotRule, { from: begin, values }, (from - begin) / stepMs, local);
      return triedJson(firings, from, view);
    },
  };
};

/** A firing for each day that has new sources. */
const trySources = (
  { params: { visitors } }: AlertRule & { kind: 'new-source' },
  filters: string,
  view: ReadableSite,
): QueryStep<TriedAnswer> => {
  const count = pastWeeks * 7;
  // One day more, which the first is compared with.
  const days = Array.from({ length: count + 2 }, (_, i) => dayOf(view, view.now, count + 1 - i));
  const rule = { filters: hitFiltersOf(filters, view), visitors };
  return thenStep(newSources(rule, days), found => {
    const firings = found.flatMap((sources, i): SeenFiring[] => {
      const { from: at, to } = days[i + 1]!;
      const value = Math.max(...sources.map(source => source.visitors));
      return sources.length === 0
        ? []
        : [{ at, to, value, expected: null, sources: sources.map(source => source.name) }];
    });
    return triedJson(firings, days[1]!.from, view);
  });
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
