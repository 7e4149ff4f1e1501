/**
 * When the server last ran: a file in the data directory that a running server writes each minute.
 * So the next one knows how long nobody was there.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const beatMs = 60_000;

export interface Heartbeat {
  /** When a server before this one last ran, UTC milliseconds; null where that is not known. */
  lastAt: number | null;
  close(): void;
}

export const startHeartbeat = (dataDir: string, now: () => number): Heartbeat => {
  const file = join(dataDir, 'heartbeat');
  const lastAt = read(file);
  const beat = (): void => {
    try {
      writeFileSync(file, `${now()}\n`, { mode: 0o600 });
    } catch {
      // A full disk is told of where hits are refused. At worst, a note about an outage is too
      // long.
    }
  };
  beat();
  const timer = setInterval(beat, beatMs);
  timer.unref();
  return {
    lastAt,
    close() {
      clearInterval(timer);
      beat();
    },
  };
};

const read = (file: string): number | null => {
  try {
    const at = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(at) && at > 0 ? at : null;
  } catch {
    return null; // The first start, or an unreadable file: then nothing is noted.
  }
};
