/**
 * The server whose copy a data directory was restored from, as its place was then. While the place
 * is still so, that server is gone, and the one on the restored directory goes on in its stead.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Null where nothing was restored. */
export const readPredecessor = (dataDir: string): Predecessor | null => {
  const file = fileOf(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Predecessor) : null;
};
