/** Judges the alerts of one site that are due, with one question for all of them. */

import {
  type ComparedRule,
  type CountedRule,
  crawlErrorFilters,
  hitFiltersOf,
  type Measure,
  measureOf,
  slotRuleOf,
  stepsSlice,
  verdictOf,
  withoutUnseen,
} from '../api/alerts/measure.ts';
import {
  dayOf,
  firstHitSlice,
  newSources,
  type Source,
  sourceKey,
  sourcesIn,
  sourcesSlice,
} from '../api/alerts/new-sources.ts';
import { ask, askAll, type Run } from '../api/ask.ts';
import { answerOf, noTime, type QueryStep, type ReadableSite, thenStep } from '../api/endpoint.ts';
import { explain } from '../api/explain.ts';
import { type EpisodeEvent, firesAfter, nextEpisode, toldWithin } from '../model/alerts/episodes.ts';
import type { Contributor } from '../model/alerts/event.ts';
import type { Judgement } from '../model/alerts/judgement.ts';
import type { AlertRule } from '../model/alerts/kinds.ts';
import type { AlertMemory } from '../model/alerts/replay.ts';
import { slotMs } from '../model/alerts/slots.ts';
import { localName } from '../model/calendar.ts';
import { refusedOutcomes } from '../model/outcomes.ts';
import { dayMs, minuteMs } from '../model/time.ts';
import type { Answer, Question } from '../query/query.ts';
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
  /** What is to be told, in its order; what made it where that is known already. */
  events: { event: EpisodeEvent; judgement: Judgement; window: TimeSpan; contributors?: Contributor[] }[];
}

/** Hits of a moment are there so much later. */
const settledMs = minuteMs;
/** After an outage, what is older is not judged any more. */
const lateMs = dayMs;

type Asked = QueryStep<JudgedAlert>;

const overlaps = (down: TimeSpan | null, from: number, to: number): boolean =>
  down !== null && from < down.to && to > down.from;

/** Undefined where there is nothing new to judge. Throws what the site cannot answer. */
const askedFor = (alert: Alert, known: Watched): Asked | undefined => {
  const { rule, filters } = alert;
  const measure = rule.kind === 'new-source' ? null : measureOf(rule, filters, known.view);
  const stepMs = measure?.stepMs ?? slotMs;
  const to = Math.floor((known.view.now - settledMs) / stepMs) * stepMs;
  if (to <= (alert.state?.evaluatedAt ?? 0)) return undefined;
  if (measure === null) return askSources(alert, to, known);
  return slotRuleOf(rule as CountedRule) === null
    ? askCompared(alert, measure, to, known)
    : askSlots(alert, measure, to, known);
};

const askSlots = (alert: Alert, measure: Measure, to: number, { view, watches, down }: Watched): Asked => {
  const rule = slotRuleOf(alert.rule as CountedRule)!;
  const { local } = view.zone;
  const name = JSON.stringify([alert.rule, alert.filters, view.site.timezone]);
  const before = watches.get(alert.id);
  const from = Math.min(asksFrom(before, name, to, local), to - slotMs);
  return {
    slices: [stepsSlice(measure, from, to, slotMs), firstHitSlice],
    render([answers, first]) {
      const { at: firstAt } = answerOf(first, 'firstHit');
      const values = measure.values(answers, Math.round((to - from) / slotMs));
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

const fixed = (verdict: Judgement['verdict'], value: number): Judgement => ({
  ...{ verdict, value, expected: null, low: null, high: null },
});

const askCompared = (alert: Alert, measure: Measure, to: number, { down }: Watched): Asked => {
  const windowMs = measure.windowMs!;
  const from = to - windowMs;
  return {
    slices: [stepsSlice(measure, from, to, windowMs)],
    render([answers]) {
      const [given = Number.NaN] = measure.values(answers, 1);
      const rule = alert.rule as ComparedRule;
      const value = overlaps(down, from, to) && rule.kind === 'threshold' ? Number.NaN : given;
      const judgement = fixed(verdictOf(rule, value), value);
      const before = memoryOf(alert.state, to);
      const { state, event } = nextEpisode(before.episode, judgement, to, firesAfter.once);
      // A goal is told each time that it was reached.
      const told: EpisodeEvent | null = rule.kind === 'goal' ? (judgement.verdict === 'out' ? 'fired' : null) : event;
      const memory = rule.kind === 'goal' ? before : { ...before, episode: state };
      const events = told === null ? [] : [{ event: told, judgement, window: { from, to } }];
      return { alert, state: stateOf(alert, memory, judgement, to, events), events };
    },
  };
};

/** So many are named in a message. */
const sourcesMax = 10;

/** A source is looked at once a day. One that is new while nothing may be told waits. */
const askSources = (alert: Alert, to: number, { view }: Watched): Asked => {
  const { visitors } = (alert.rule as AlertRule & { kind: 'new-source' }).params;
  const rule = { filters: hitFiltersOf(alert.filters, view), visitors };
  const before = memoryOf(alert.state, to);
  const today = { from: dayOf(view, to - 1).from, to };
  const { day, keys: looked } = before.sources ?? { day: null, keys: [] };
  const checked = day === today.from ? looked : [];
  const judged = (found: readonly Source[], now: readonly string[]): JudgedAlert => {
    const { told, mayTell } = toldWithin(before.episode, to);
    const sources = mayTell ? found : [];
    const waiting = mayTell ? [] : found.map(sourceKey);
    const keys = [...checked, ...now.filter(key => !waiting.includes(key))];
    const judgement = fixed(sources.length === 0 ? 'in' : 'out', sources[0]?.visitors ?? 0);
    const contributors = sources.slice(0, sourcesMax).map(({ dimension, name, visitors: value }) => ({
      ...{ dimension, name, value, previous: 0 },
    }));
    const events: JudgedAlert['events'] =
      sources.length === 0 ? [] : [{ event: 'fired', judgement, window: today, contributors }];
    const episode = { ...before.episode, told: events.length === 0 ? told : [...told, to] };
    const memory = { ...before, episode, sources: { day: today.from, keys } };
    return { alert, state: stateOf(alert, memory, judgement, to, events), events };
  };
  return {
    slices: [sourcesSlice(rule.filters, today)],
    render([answers]) {
      const fresh = sourcesIn(answers, visitors).filter(source => !checked.includes(sourceKey(source)));
      if (fresh.length === 0) return judged([], []);
      const keys = fresh.map(sourceKey);
      return thenStep(newSources(rule, [dayOf(view, to - 1, 1), today]), ([found = []]) =>
        judged(
          found.filter(source => keys.includes(sourceKey(source))),
          keys,
        ),
      );
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

/** Judges them together. An alert that cannot be asked is told of by `onFailed`. */
export const evaluateSite = async (
  alerts: readonly Alert[],
  known: Watched,
  onFailed: (alert: Alert, error: unknown) => void,
): Promise<JudgedAlert[]> => {
  const due = alerts.flatMap(alert => {
    try {
      const asked = askedFor(alert, known);
      return asked === undefined ? [] : [{ alert, asked }];
    } catch (error) {
      onFailed(alert, error);
      return [];
    }
  });
  const judged: JudgedAlert[] = [];
  const plans = due.map(
    ({ asked }) =>
      (): Asked =>
        asked,
  );
  for await (const settled of askAll(plans, known.run))
    for (const one of settled) {
      if ('error' in one) onFailed(due[one.position]!.alert, one.error);
      else judged.push(one.body);
    }
  return judged;
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

/** How the hits of a window ended that were refused. */
const refusedIn = ({ from, to }: TimeSpan): RecordsAsked => ({
  question: { kind: 'outcomes', bounds: [from, to] },
  rows: answers =>
    answerOf(answers, 'outcomes')
      .counts.filter(({ outcome }) => refusedOutcomes.includes(outcome))
      .map(({ outcome, hits }) => ({ dimension: 'outcome', name: outcome, value: hits })),
});

/** The pages that crawlers were not given. */
const crawlErrorsIn = (filters: string, { from, to }: TimeSpan): RecordsAsked => ({
  question: { kind: 'crawls', bounds: [from, to], by: 'path', filters: crawlErrorFilters(filters), limit: pathsMax },
  rows: answers =>
    answerOf(answers, 'crawls').groups.map(({ name, crawls }) => ({ dimension: 'path', name, value: crawls })),
});
const pathsMax = 1000;

/** A question about what is recorded besides hits, and the rows that answer it. */
interface RecordsAsked {
  question: Question;
  rows(answers: Answer[]): Pick<Contributor, 'dimension' | 'name' | 'value'>[];
}

/** What rose most against a week before. */
const roseMost = async ({ run }: Watched, inWindow: (window: TimeSpan) => RecordsAsked, { from, to }: TimeSpan) => {
  const [now, before] = [inWindow({ from, to }), inWindow({ from: from - weekMs, to: to - weekMs })];
  const questions = [now.question, before.question];
  const [answers = []] = await run([{ ...noTime, filters: [], questions }]);
  const previous = new Map(before.rows(answers.slice(1)).map(({ name, value }) => [name, value]));
  return now
    .rows(answers)
    .map((row): Contributor => ({ ...row, previous: previous.get(row.name) ?? 0 }))
    .sort((a, b) => b.value - b.previous - (a.value - a.previous))
    .slice(0, contributorsMax);
};
const weekMs = 7 * dayMs;

/**
 * The values that changed most on those days against a week before, beyond chance; of refused hits
 * and errors of crawlers what rose most.
 */
export const contributorsOf = async (
  { rule, filters }: Alert,
  known: Watched,
  { from, to }: TimeSpan,
): Promise<Contributor[]> => {
  if (rule.kind === 'refused') return roseMost(known, refusedIn, { from, to });
  if (rule.kind === 'errors' && rule.params.of === 'crawls')
    return roseMost(known, window => crawlErrorsIn(filters, window), { from, to });
  const { view, run } = known;
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
