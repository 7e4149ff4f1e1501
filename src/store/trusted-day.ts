/**
 * The day by which old days are deleted. A clock may be wrong by years, and what it deletes is
 * gone. So a clock that leaps, forward or back, is believed only when it has stayed there for a
 * week of the server's running; until then less is deleted, and never more. Kept in a file of the
 * data directory, so that neither a wait nor a doubt ends with a restart.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { utcDayName, utcDayOf } from '../model/time.ts';
import type { Database } from './database.ts';
import { newestHitAt } from './read/database-stats.ts';

/** More is a leap. A server may have slept for that long. */
const leapDays = 7;
/** So often is a clock that leapt looked at before it is believed: hourly, for a week. */
export const doubtedLooks = 7 * 24;

/** UTC days: what the clock says, and by what old days are deleted. */
export interface ClockLeap {
  clock: number;
  day: number;
}

export interface TrustedDay {
  /** Looks at the clock, once an hour: the UTC day to go by. */
  look(): number;
  /** Null while the clock is believed. */
  leap(): ClockLeap | null;
}

/** Without a file, the newest hit that there is says the day. */
export const trustedDay = ({
  dataDir,
  db,
  now,
  log,
}: {
  dataDir: string;
  db: Database;
  now: () => number;
  log: Log;
}): TrustedDay => {
  const file = join(dataDir, 'trusted-day');
  let { day, looks } = read(file) ?? { day: utcDayOf(newestHitAt(db) ?? now()), looks: 0 };
  let kept = '';
  let leap: ClockLeap | null = null;
  let isFirst = true;
  const tell = (clock: number): void => {
    if (leap === null) log('clock-leapt', { clock: utcDayName(clock), deletesAsOf: utcDayName(Math.min(clock, day)) });
  };
  return {
    look() {
      const clock = utcDayOf(now());
      const isDoubted = Math.abs(clock - day) > leapDays && looks < doubtedLooks;
      if (isDoubted) {
        tell(clock);
        leap = { clock, day: Math.min(clock, day) };
        // Whoever starts again and again has not waited.
        if (!isFirst) looks++;
      } else {
        if (leap !== null) log('clock-believed', { clock: utcDayName(clock) });
        [day, looks, leap] = [clock, 0, null];
      }
      isFirst = false;
      const text = `${day} ${looks}\n`;
      if (text !== kept && keep(file, text)) kept = text;
      return Math.min(clock, day);
    },
    leap: () => leap,
  };
};

const read = (file: string): { day: number; looks: number } | null => {
  try {
    const [, day, looks] = /^(\d{1,6}) (\d{1,3})\n$/.exec(readFileSync(file, 'utf8')) ?? [];
    return day === undefined ? null : { day: Number(day), looks: Number(looks) };
  } catch {
    return null; // The first start, or an unreadable file: then hits say it.
  }
};

/** Says whether it is kept. What was there stays whole: hits may already tell the wrong day. */
const keep = (file: string, text: string): boolean => {
  try {
    writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    return true;
  } catch {
    return false; // A full disk is told of where hits are refused.
  }
};
