/**
 * From judgements to messages: one when something begins, one when it ends, and never a flood.
 */
import { dayMs } from '../time.ts';
import type { Judgement } from './judgement.ts';

export interface EpisodeState {
  state: 'calm' | 'firing' | 'blind';
  /** Since when, UTC milliseconds. */
  since: number;
  /** Judgements in a row that count towards the other state. */
  streak: number;
  /** The newest episodes' beginnings that were told, within a day. */
  told: readonly number[];
  /** Whether the beginning of this episode was told, and that it goes on. */
  isTold: boolean;
  isReminded: boolean;
  episode: number;
}

export type EpisodeEvent = 'fired' | 'reminder' | 'ended';

export const calmSince = (at: number): EpisodeState => ({
  ...{ state: 'calm', since: at, streak: 0, told: [], isTold: false, isReminded: false, episode: 0 },
});

/** A band has to be left twice in a row, and silence or a number is told at once. */
export const firesAfter = { band: 2, once: 1 } as const;
const endsAfter = 3;
const toldPerDayMax = 2;

/** The newest beginnings that were told within a day, and whether one more may be. */
export const toldWithin = ({ told }: EpisodeState, at: number): { told: readonly number[]; mayTell: boolean } => {
  const newest = told.filter(one => one > at - dayMs);
  return { told: newest, mayTell: newest.length < toldPerDayMax };
};

/** What a judgement at a moment makes of the state, and what is told of it; null: nothing. */
export const nextEpisode = (
  before: EpisodeState,
  { verdict }: Pick<Judgement, 'verdict'>,
  at: number,
  outs: number,
): { state: EpisodeState; event: EpisodeEvent | null } => {
  if (before.state === 'firing') return whileFiring(before, verdict, at);
  if (verdict === 'blind') {
    const since = before.state === 'blind' ? before.since : at;
    return { state: { ...before, state: 'blind', since, streak: 0 }, event: null };
  }
  const calm: EpisodeState = before.state === 'calm' ? before : { ...before, state: 'calm', since: at };
  const streak = verdict === 'out' ? calm.streak + 1 : 0;
  if (streak < outs) return { state: { ...calm, streak }, event: null };
  const { told, mayTell: isTold } = toldWithin(calm, at);
  const state: EpisodeState = {
    ...{ state: 'firing', since: at, streak: 0, told: isTold ? [...told, at] : told },
    ...{ isTold, isReminded: false, episode: calm.episode + 1 },
  };
  return { state, event: isTold ? 'fired' : null };
};

const whileFiring = (
  before: EpisodeState,
  verdict: Judgement['verdict'],
  at: number,
): { state: EpisodeState; event: EpisodeEvent | null } => {
  const streak = verdict === 'in' ? before.streak + 1 : verdict === 'blind' ? before.streak : 0;
  if (streak >= endsAfter) {
    const state: EpisodeState = { ...before, state: 'calm', since: at, streak: 0 };
    return { state, event: before.isTold ? 'ended' : null };
  }
  if (before.isTold && !before.isReminded && at - before.since >= dayMs)
    return { state: { ...before, streak, isReminded: true }, event: 'reminder' };
  return { state: { ...before, streak }, event: null };
};
