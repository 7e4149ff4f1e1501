/**
 * What the judging of an alert keeps in memory: its slots of the last days, and what is expected of
 * the local day. Both are asked anew when the day changes.
 */
import { firesAfter, nextEpisode } from '../model/alerts/episodes.ts';
import type { Expectation } from '../model/alerts/expectation.ts';
import { type Judgement, judgeBand, judgeSilence } from '../model/alerts/judgement.ts';
import { expectationFor, pastSlots, type SlotRule } from '../model/alerts/replay.ts';
import { type LocalOf, type Slots, slotMs, sumsOf } from '../model/alerts/slots.ts';
import { startOfDay } from '../model/calendar.ts';
import type { AlertMemory } from './memory.ts';

export interface Watch {
  /** Changes with the alert. */
  name: string;
  day: number;
  expectation: Expectation;
  /** Long enough for the window. */
  slots: { from: number; values: number[] };
}

/** From when on an alert has to ask, to judge up to `to`. */
export const asksFrom = (watch: Watch | undefined, name: string, to: number, local: LocalOf): number => {
  if (watch === undefined || watch.name !== name || watch.day !== startOfDay(local(to - slotMs)))
    return to - pastSlots * slotMs;
  return watch.slots.from + watch.slots.values.length * slotMs;
};

/** The watch with the slots that were asked. */
export const watched = (
  watch: Watch | undefined,
  { name, rule, slots, to, local }: { name: string; rule: SlotRule; slots: Slots; to: number; local: LocalOf },
): Watch => {
  const day = startOfDay(local(to - slotMs));
  const isNew = watch === undefined || slots.values.length >= pastSlots;
  const values = [...(isNew ? [] : watch.slots.values), ...Array.from(slots.values)];
  const from = isNew ? slots.from : watch.slots.from;
  const expectation = isNew ? expectationFor(rule, slots, local) : watch.expectation;
  const kept = values.slice(-(expectation.windowSlots + 4));
  return { name, day, expectation, slots: { from: from + (values.length - kept.length) * slotMs, values: kept } };
};

/** Judges the slots from `from` on, one after the other; the last event of them is told. */
export const judgeSlots = (
  rule: SlotRule,
  { expectation, slots }: Watch,
  memory: AlertMemory,
  from: number,
  local: LocalOf,
): {
  memory: AlertMemory;
  judgement: Judgement | null;
  events: { event: 'fired' | 'reminder' | 'ended'; judgement: Judgement; at: number }[];
} => {
  const sums = sumsOf(slots.values);
  const events: ReturnType<typeof judgeSlots>['events'] = [];
  let { episode, silence } = memory;
  let judgement: Judgement | null = null;
  for (let i = Math.max(0, Math.round((from - slots.from) / slotMs)); i < slots.values.length; i++) {
    const at = slots.from + i * slotMs;
    if (rule.kind === 'silent')
      ({ silence, judgement } = judgeSilence(
        silence,
        expectation,
        { visits: slots.values[i]!, hoursMax: rule.hours },
        at,
        local,
      ));
    else {
      const value = sums.between(i + 1 - expectation.windowSlots, i + 1);
      judgement = judgeBand(rule, expectation, value, at + slotMs, local);
    }
    const outs = rule.kind === 'silent' ? firesAfter.once : firesAfter.band;
    const next = nextEpisode(episode, judgement, at + slotMs, outs);
    episode = next.state;
    if (next.event !== null) events.push({ event: next.event, judgement, at: at + slotMs });
  }
  return { memory: { episode, silence }, judgement, events };
};
