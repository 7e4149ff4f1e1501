/** What an alert remembers from one judgement to the next. */
import { calmSince, type EpisodeState } from '../model/alerts/episodes.ts';
import { noSilence, type SilenceSoFar } from '../model/alerts/judgement.ts';
import { isRecord } from '../model/record.ts';
import type { AlertState } from '../store/alerts/alerts.ts';

export interface AlertMemory {
  episode: EpisodeState;
  silence: SilenceSoFar;
}

/** The memory of a state that was stored; a fresh one where there is none. */
export const memoryOf = (state: AlertState | null, at: number): AlertMemory => {
  const kept = isRecord(state?.memory) ? (state.memory as Partial<AlertMemory>) : {};
  return { episode: kept.episode ?? calmSince(at), silence: kept.silence ?? noSilence };
};
