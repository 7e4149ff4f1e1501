/** When an alert would have fired, by the same functions that judge live. */
import { startOfDay } from '../calendar.ts';
import { calmSince, type EpisodeEvent, type EpisodeState, firesAfter, nextEpisode } from './episodes.ts';
import { type Expectation, expectationOf, fittingExpectation } from './expectation.ts';
import { type BandRule, type Judgement, judgeBand, judgeSilence, noSilence, type SilenceSoFar } from './judgement.ts';
import { type LocalOf, type Slots, slotMs, slotsPerHour, slotsPerWeek, sumsOf } from './slots.ts';

export interface Firing {
  /** UTC milliseconds; `to` is null where it goes on. */
  at: number;
  to: number | null;
  value: number;
  expected: number | null;
}

/** What is judged slot by slot. */
export type SlotRule =
  | ({ kind: 'band' /** Null: what fits the site. */; windowHours: number | null } & BandRule)
  | { kind: 'silent'; hours: number };

/** A window and six weeks before what is judged. */
export const pastSlots = 7 * slotsPerWeek;

/** What is expected on a local day, from what came before it. */
export const expectationFor = (rule: SlotRule, past: Slots, local: LocalOf): Expectation => {
  if (rule.kind === 'silent') return expectationOf(past, slotsPerHour, local);
  return rule.windowHours === null
    ? fittingExpectation(past, rule.direction, local)
    : expectationOf(past, rule.windowHours * slotsPerHour, local);
};

/** By the place of a slot, what is expected on its local day, from what came before that. */
export type Expectations = (place: number) => Expectation;

export const expectationsIn = (rule: SlotRule, { from, values }: Slots, local: LocalOf): Expectations => {
  const byDay = new Map<number, Expectation>();
  return place => {
    const day = startOfDay(local(from + place * slotMs));
    let found = byDay.get(day);
    if (found === undefined) {
      const begin = Math.max(0, place - pastSlots);
      const past = { from: from + begin * slotMs, values: Array.prototype.slice.call(values, begin, place) };
      found = expectationFor(rule, past, local);
      byDay.set(day, found);
    }
    return found;
  };
};

/** What an alert remembers from one judgement to the next. */
export interface AlertMemory {
  episode: EpisodeState;
  silence: SilenceSoFar;
  /** The sources of a local day that were looked at. */
  sources?: { day: number; keys: readonly string[] };
}

export interface JudgedSlot {
  memory: AlertMemory;
  judgement: Judgement;
  event: EpisodeEvent | null;
  /** Its end, which is when it is told. */
  at: number;
}

/** Gives what judges the slot at a place, after those before it. */
export const slotJudge = (rule: SlotRule, { from, values }: Slots, local: LocalOf) => {
  const sums = sumsOf(values);
  return (before: AlertMemory, expectation: Expectation, place: number): JudgedSlot => {
    const begin = from + place * slotMs;
    const at = begin + slotMs;
    let { silence } = before;
    let judgement: Judgement;
    if (rule.kind === 'silent') {
      const given = { visits: values[place]!, hoursMax: rule.hours };
      ({ silence, judgement } = judgeSilence(silence, expectation, given, begin, local));
    } else {
      const value = sums.between(place + 1 - expectation.windowSlots, place + 1);
      judgement = judgeBand(rule, expectation, value, at, local);
    }
    const outs = rule.kind === 'silent' ? firesAfter.once : firesAfter.band;
    const { state: episode, event } = nextEpisode(before.episode, judgement, at, outs);
    return { memory: { ...before, episode, silence }, judgement, event, at };
  };
};

/** The firings from the slot at place `first` on. */
export const replay = (
  rule: SlotRule,
  slots: Slots,
  first: number,
  local: LocalOf,
  expectations = expectationsIn(rule, slots, local),
): Firing[] => {
  const judge = slotJudge(rule, slots, local);
  const firings: Firing[] = [];
  let memory: AlertMemory = { episode: calmSince(slots.from), silence: noSilence };
  for (let i = first; i < slots.values.length; i++) {
    const judged = judge(memory, expectations(i), i);
    const { event, at, judgement } = judged;
    memory = judged.memory;
    if (event === 'fired') firings.push({ at, to: null, value: judgement.value, expected: judgement.expected });
    if (event === 'ended') firings.at(-1)!.to = at;
  }
  return firings;
};
