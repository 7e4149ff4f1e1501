/**
 * The server whose copy a data directory was restored from, as its place was then. While the place
 * is still so, that server is gone, and the one on the restored directory goes on in its stead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Predecessor {
  /** Of its thread, and UTC milliseconds when it said last that it writes there (owner.ts). */
  process: string;
  at: number;
  /** The newest point then. */
  newest: string;
}

const fileOf = (dataDir: string): string => join(dataDir, 'backup.restored');

export const notePredecessor = (dataDir: string, predecessor: Predecessor): void =>
  writeFileSync(fileOf(dataDir), JSON.stringify(predecessor), { mode: 0o600 });

/** Null where nothing was restored, or a power cut halved the note: the place is another's then. */
export const readPredecessor = (dataDir: string): Predecessor | null => {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as Predecessor;
  } catch {
    return null;
  }
};
