/**
 * What is told of an address by a database that an operator may replace while the server runs. A
 * file that is missing or broken must not cost a hit: nothing is told, or what the file before
 * told.
 */
import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { type Log, reasonOf } from '../log.ts';

export interface WatchedLookupOptions<T> {
  /** The operator's database; null for the one that ships, which is not watched. */
  file: string | null;
  open: (file: string | null) => Promise<(address: string) => T>;
  /** What is told of an address that is not known. */
  nothing: T;
  log: Log;
  /** Of the log, when the database cannot be used. */
  event: string;
  /** How often the file is looked at for a change. */
  checkMs: number;
}

/** Reads the database before it resolves, so that no hit misses it. Never rejects. */
export const openWatched = async <T>(options: WatchedLookupOptions<T>) => {
  const { file, open, nothing, log, event, checkMs } = options;
  let lookup = (_: string): T => nothing;
  const load = async (): Promise<void> => {
    try {
      lookup = await open(file);
    } catch (error) {
      // The one before it stays in use, and the next change is tried.
      log(event, { file: file ?? 'shipped', reason: reasonOf(error) });
    }
  };
  const reload = ({ mtimeMs }: Stats): void => {
    // Without a file there is no time either: the one before it stays in use.
    if (mtimeMs > 0) void load();
  };
  // Watched before it is read, so that no change in between is missed.
  if (file !== null) watchFile(file, { persistent: false, interval: checkMs }, reload);
  await load();
  return {
    /** What is told of a canonical address. Never throws. */
    of(address: string): T {
      try {
        return lookup(address);
      } catch {
        // A record that does not decode, or no address.
        return nothing;
      }
    },
    /** Stops watching the file. */
    close(): void {
      if (file !== null) unwatchFile(file, reload);
    },
  };
};
