/** Judges the alerts of one site that are due, with one question for all of them. */

import {
  type ComparedRule,
  type Measure,
  measureOf,
  slotRuleOf,
  stepsSlice,
  stepValues,
  verdictOf,
  withoutUnseen,
} from '../api/alerts/measure.ts';
import { ask, type Run } from '../api/ask.ts';
import { answerOf, noTime, type ReadableSite } from '../api/endpoint.ts';
import { explain } from '../api/explain.ts';
import { type EpisodeEvent, firesAfter, nextEpisode } from '../model/alerts/episodes.ts';
import type { Contributor } from '../model/alerts/event.ts';
import type { Judgement } from '../model/alerts/judgement.ts';
import type { AlertMemory } from '../model/alerts/replay.ts';
import { slotMs } from '../model/alerts/slots.ts';
import { localName } from '../model/calendar.ts';
import { minuteMs } from '../model/time.ts';
import type { Slice } from '../query/query.ts';
import type { Alert, AlertState } from '../store/alerts/alerts.ts';
import { memoryOf } from './memory.ts';
import { asksFrom, judgeSlots, type Watch, watched } from './watch.ts';

export interface TimeSpan {
  from: number;
  to: number;
}

/** What is known of a site while its alerts are judged. */
export interface Watched {
  view: ReadableSite;
  run: Run;
  /** By id of the alert; kept from one turn to the next. */
  watches: Map<number, Watch>;
  /** When no server ran before this one; null where it was not long. */
  down: TimeSpan | null;
}

export interface JudgedAlert {
  alert: Alert;
  state: AlertState;
  /** What is to be told, in its order. */
  events: { event: EpisodeEvent; judgement: Judgement; window: TimeSpan }[];
}

/** Hits of a moment are there so much later. */
const settledMs = minuteMs;
/** After an outage, what is older is not judged any more. */
const lateMs = 24 * 60 * minuteMs;

interface Due {
  alert: Alert;
  measure: Measure;
  /** The end of what is judged. */
  to: number;
  slice: Slice;
  judge(values: Float64Array, firstAt: number | null): JudgedAlert;
}

const overlaps = (down: TimeSpan | null, from: number, to: number): boolean =>
  down !== null && from < down.to && to > down.from;

/** The alerts that have something new to judge. Those that the site cannot answer are left out. */
const dueOf = (alert: Alert, known: Watched): Due | undefined => {
  const measure = measureOf(alert.rule, alert.filters, known.view);
  const to = Math.floor((known.view.now - settledMs) / measure.stepMs) * measure.stepMs;
  if (to <= (alert.state?.evaluatedAt ?? 0)) return undefined;
  return slotRuleOf(alert.rule) === null ? comparedDue(alert, measure, to, known) : slotsDue(alert, measure, to, known);
};

const slotsDue = (alert: Alert, measure: Measure, to: number, { view, watches, down }: Watched): Due => {
  const rule = slotRuleOf(alert.rule)!;
  const { local } = view.zone;
  const name = JSON.stringify([alert.rule, alert.filters, view.site.timezone]);
  const before = watches.get(alert.id);
  const from = Math.min(asksFrom(before, name, to, local), to - slotMs);
  return {
    ...{ alert, measure, to, slice: stepsSlice(measure, from, to, slotMs) },
    judge(values, firstAt) {
      const notes = view.notes();
      const seen = withoutUnseen(values, { from, stepMs: slotMs, firstAt, notes, local }).map((value, i) => {
        const at = from + i * slotMs;
        return overlaps(down, at, at + slotMs) ? Number.NaN : value;
      });
      const watch = watched(before, { name, rule, slots: { from, values: seen }, to, local });
      watches.set(alert.id, watch);
      const since = Math.max(alert.state?.evaluatedAt ?? to - slotMs, to - lateMs);
      const judged = judgeSlots(rule, watch, memoryOf(alert.state, to), since, local);
      const windowMs = rule.kind === 'silent' ? slotMs : watch.expectation.windowSlots * slotMs;
      const events = judged.events.map(({ event, judgement, at }) => ({
        ...{ event, judgement, window: { from: at - windowMs, to: at } },
      }));
      return { alert, state: stateOf(alert, judged.memory, judged.judgement, to, events), events };
    },
  };
};

const comparedDue = (alert: Alert, measure: Measure, to: number, { down }: Watched): Due => {
  const windowMs = measure.windowMs!;
  const from = to - windowMs;
  return {
    ...{ alert, measure, to, slice: stepsSlice(measure, from, to, windowMs) },
    judge([given = Number.NaN]) {
      const rule = alert.rule as ComparedRule;
      const value = overlaps(down, from, to) && rule.kind === 'threshold' ? Number.NaN : given;
      const verdict = verdictOf(rule, value);
      const judgement: Judgement = { verdict, value, expected: null, low: null, high: null };
      const before = memoryOf(alert.state, to);
      const { state, event } = nextEpisode(before.episode, judgement, to, firesAfter.once);
      // A goal is told each time that it was reached.
      const told: EpisodeEvent | null = rule.kind === 'goal' ? (verdict === 'out' ? 'fired' : null) : event;
      const memory = rule.kind === 'goal' ? before : { ...before, episode: state };
      const events = told === null ? [] : [{ event: told, judgement, window: { from, to } }];
      return { alert, state: stateOf(alert, memory, judgement, to, events), events };
    },
  };
};

const stateOf = (
  { state }: Alert,
  memory: AlertMemory,
  judgement: Judgement | null,
  evaluatedAt: number,
  events: JudgedAlert['events'],
): AlertState => {
  const fired = events.findLast(({ event }) => event === 'fired');
  const { value = Number.NaN, expected = null, low = null, high = null } = judgement ?? {};
  return {
    ...{ state: memory.episode.state, since: memory.episode.since, evaluatedAt, memory },
    ...{ value: Number.isNaN(value) ? null : value, expected, low, high },
    firedAt: fired?.window.to ?? state?.firedAt ?? null,
  };
};

/** Rejects with a QueryError. An alert that cannot be asked is told of by `onFailed`. */
export const evaluateSite = async (
  alerts: readonly Alert[],
  known: Watched,
  onFailed: (alert: Alert, error: unknown) => void,
): Promise<JudgedAlert[]> => {
  const due = alerts.flatMap(alert => {
    try {
      return dueOf(alert, known) ?? [];
    } catch (error) {
      onFailed(alert, error);
      return [];
    }
  });
  if (due.length === 0) return [];
  const first: Slice = { ...noTime, filters: [], questions: [{ kind: 'firstHit' }] };
  const report = await known.run([first, ...due.map(({ slice }) => slice)]);
  const { at: firstAt } = answerOf(report[0], 'firstHit');
  return due.map(({ judge }, i) => judge(stepValues(report[i + 1]), firstAt));
};

const contributorsMax = 3;
interface Explained {
  data: { dimension: string; overlapping: boolean; rose: ExplainedRow[]; fell: ExplainedRow[] }[];
}
interface ExplainedRow {
  name: string;
  value: number;
  previous: number;
  beyondChance: boolean | null;
}

/** The values that changed most on those days against a week before, beyond chance. */
export const contributorsOf = async (
  { rule, filters }: Alert,
  { view, run }: Watched,
  { from, to }: TimeSpan,
): Promise<Contributor[]> => {
  if (!['spike', 'drop', 'errors'].includes(rule.kind)) return [];
  const name = (at: number): string => localName(view.zone.local(at)).slice(0, 10);
  const search = new URLSearchParams(filters);
  const metric = 'metric' in rule.params && rule.params.metric !== 'visits' ? rule.params.metric : 'visits';
  search.set('metric', rule.kind === 'errors' ? 'events' : metric);
  search.set('from', name(from));
  search.set('to', name(to - 1));
  search.set('compare', 'previous-weekday');
  const { data } = (await ask(explain.plan(search, view), run)) as Explained;
  return data
    .flatMap(({ dimension, rose, fell }) =>
      (rule.kind === 'drop' ? fell : rose)
        .filter(({ beyondChance }) => beyondChance === true)
        .map(({ name, value, previous }) => ({ dimension, name, value, previous })),
    )
    .sort((a, b) => Math.abs(b.value - b.previous) - Math.abs(a.value - a.previous))
    .slice(0, contributorsMax);
};
