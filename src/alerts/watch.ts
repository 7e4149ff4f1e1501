/**
 * What the judging of an alert keeps in memory: its slots of the last days, and what is expected of
 * the local day. Both are asked anew when the day changes.
 */
import type { EpisodeEvent } from '../model/alerts/episodes.ts';
import type { Expectation } from '../model/alerts/expectation.ts';
import type { Judgement } from '../model/alerts/judgement.ts';
import { type AlertMemory, expectationFor, pastSlots, type SlotRule, slotJudge } from '../model/alerts/replay.ts';
import { type LocalOf, type Slots, slotMs } from '../model/alerts/slots.ts';
import { startOfDay } from '../model/calendar.ts';

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

/** Judges the slots from `from` on, one after the other. */
export const judgeSlots = (
  rule: SlotRule,
  { expectation, slots }: Watch,
  before: AlertMemory,
  from: number,
  local: LocalOf,
): {
  memory: AlertMemory;
  judgement: Judgement | null;
  events: { event: EpisodeEvent; judgement: Judgement; at: number }[];
} => {
  const judge = slotJudge(rule, slots, local);
  const events: ReturnType<typeof judgeSlots>['events'] = [];
  let memory = before;
  let judgement: Judgement | null = null;
  for (let i = Math.max(0, Math.round((from - slots.from) / slotMs)); i < slots.values.length; i++) {
    const judged = judge(memory, expectation, i);
    ({ memory, judgement } = judged);
    const { event, at } = judged;
    if (event !== null) events.push({ event, judgement: judged.judgement, at });
  }
  return { memory, judgement, events };
};
