/** What an alert remembers, out of the store. */
import { calmSince } from '../model/alerts/episodes.ts';
import { noSilence } from '../model/alerts/judgement.ts';
import type { AlertMemory } from '../model/alerts/replay.ts';
import { isRecord } from '../model/record.ts';
import type { AlertState } from '../store/alerts/alerts.ts';

/** The memory of a state that was stored; a fresh one where there is none. */
export const memoryOf = (state: AlertState | null, at: number): AlertMemory => {
  const kept = isRecord(state?.memory) ? (state.memory as Partial<AlertMemory>) : {};
  return { ...kept, episode: kept.episode ?? calmSince(at), silence: kept.silence ?? noSilence };
};
