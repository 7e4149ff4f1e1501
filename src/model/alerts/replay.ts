/** When an alert would have fired, by the same functions that judge live. */
import { startOfDay } from '../calendar.ts';
import { calmSince, type EpisodeState, firesAfter, nextEpisode } from './episodes.ts';
import { type Expectation, expectationOf, fittingExpectation } from './expectation.ts';
import { type BandRule, type Judgement, judgeBand, judgeSilence, noSilence } from './judgement.ts';
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

/** The firings from the slot at place `first` on. */
export const replay = (
  rule: SlotRule,
  slots: Slots,
  first: number,
  local: LocalOf,
  expectations = expectationsIn(rule, slots, local),
): Firing[] => {
  const { from, values } = slots;
  const sums = sumsOf(values);
  const firings: Firing[] = [];
  let silence = noSilence;
  let state: EpisodeState = calmSince(from);
  for (let i = first; i < values.length; i++) {
    const at = from + i * slotMs;
    const expectation = expectations(i);
    let judgement: Judgement;
    if (rule.kind === 'silent') {
      const given = { visits: values[i]!, hoursMax: rule.hours };
      ({ silence, judgement } = judgeSilence(silence, expectation, given, at, local));
    } else {
      const value = sums.between(i + 1 - expectation.windowSlots, i + 1);
      judgement = judgeBand(rule, expectation, value, at + slotMs, local);
    }
    const outs = rule.kind === 'silent' ? firesAfter.once : firesAfter.band;
    const next = nextEpisode(state, judgement, at + slotMs, outs);
    state = next.state;
    if (next.event === 'fired')
      firings.push({ at: at + slotMs, to: null, value: judgement.value, expected: judgement.expected });
    if (next.event === 'ended') firings.at(-1)!.to = at + slotMs;
  }
  return firings;
};
