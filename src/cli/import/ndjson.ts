/**
 * A line of NDJSON, with a Hit without `s`:
 *
 *     {"at":"2026-10-01T12:00:00.000Z","ip":"203.0.113.9","ua":"…","hit":{…}}
 */
import { dayExists } from '../../model/calendar.ts';
import { isRecord } from '../../model/record.ts';

export interface ReplayedHit {
  /** UTC milliseconds. */
  at: number;
  /** As it was written. */
  address: string;
  userAgent: string;
  /** A Hit as POST /e takes it, but for its `s`. */
  hit: Record<string, unknown>;
}

/** Null when the text is not such a line. Never throws. */
export const parseNdjson = (text: string): ReplayedHit | null => {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return null; // Not JSON is one of the ways not to be such a line.
  }
  if (!isRecord(line)) return null;
  const { at: written, ip, ua, hit } = line;
  const at = instantOf(written);
  if (at === null || typeof ip !== 'string' || !isRecord(hit)) return null;
  if (ua !== undefined && typeof ua !== 'string') return null;
  return { at, address: ip, userAgent: ua ?? '', hit };
};

const isoTime = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Null for anything but ISO 8601 with a zone, since 1970, on a day that exists. */
const instantOf = (written: unknown): number | null => {
  if (typeof written !== 'string') return null;
  const [, year, month, day] = isoTime.exec(written) ?? [];
  if (!dayExists(Number(year), Number(month), Number(day))) return null;
  const at = Math.floor(Date.parse(written));
  return at >= 0 ? at : null;
};
