/**
 * A line of NDJSON, with a Hit without `s`:
 *
 *     {"at":"2026-10-01T12:00:00.000Z","ip":"203.0.113.9","ua":"…","hit":{…}}
 *
 * In place of address and user agent it may say what they would tell: `visitor`, an id of the
 * visitor, and texts of the visit by their names (model/visit-fields.ts), such as `country`.
 */

import { clip } from '../collect/text.ts';
import { timeOf } from '../compat/export-rows.ts';
import type { Told } from '../model/past-hit.ts';
import { isRecord, recordIn } from '../model/record.ts';
import { type VisitTextName, visitTextNames } from '../model/visit-fields.ts';

export interface ReplayedHit {
  /** UTC milliseconds. */
  at: number;
  /** As it was written. */
  address: string;
  userAgent: string;
  /** A Hit as POST /e takes it, but for its `s`. */
  hit: Record<string, unknown>;
  told: Told;
}

/** Null when the text is not such a line. Never throws. */
export const parseNdjson = (text: string): ReplayedHit | null => {
  const line = recordIn(text);
  if (line === null) return null;
  const { at: written, ip, ua, hit, visitor } = line;
  const at = instantOf(written);
  if (at === null || !isRecord(hit)) return null;
  if (typeof ip !== 'string' && (ip !== undefined || typeof visitor !== 'string' || visitor === '')) return null;
  if (ua !== undefined && typeof ua !== 'string') return null;
  return { at, address: ip ?? '', userAgent: ua ?? '', hit, told: toldIn(line) };
};

const toldIn = (line: Record<string, unknown>): Told => {
  const { visitor } = line;
  let texts: NonNullable<Told['texts']> | undefined;
  for (const key in line) {
    if (!textNames.has(key)) continue;
    const name = key as VisitTextName;
    const text = line[name];
    texts ??= {};
    texts[name] = typeof text === 'string' && text !== '' ? clip(text, toldCharsMax) : null;
  }
  return {
    ...(typeof visitor === 'string' && visitor !== '' && { visitor, lasts: true }),
    ...(texts !== undefined && { texts }),
  };
};

const textNames: ReadonlySet<string> = new Set(visitTextNames);

/** As long as the longest name of a campaign that a page's address has room for. */
const toldCharsMax = 2000;

const zone = /T.*(?:Z|[+-]\d{2}:\d{2})$/;

/** Null for anything but ISO 8601 with a zone, since 1970, on a day that exists. */
const instantOf = (written: unknown): number | null =>
  typeof written === 'string' && zone.test(written) ? timeOf(written) : null;
