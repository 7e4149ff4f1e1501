/**
 * A line of NDJSON, with a Hit without `s`:
 *
 *     {"at":"2026-10-01T12:00:00.000Z","ip":"203.0.113.9","ua":"…","hit":{…}}
 *
 * In place of address and user agent it may say what they would tell: `visitor`, an id of the
 * visitor, and texts of the visit by their names (model/visit-fields.ts), such as `country`. Beside
 * the visitor an export writes `proof` that the site made its id (model/visitor-proof.ts). A line
 * with `record` is what was recorded besides hits (model/past-hit.ts).
 */

import { timeOf } from '../compat/import-rows.ts';
import { clip } from '../model/clip.ts';
import { urlCharsMax } from '../model/limits.ts';
import { outcomes } from '../model/outcomes.ts';
import { countMax, type PastCount, type PastRecord, type PastVital, type Told } from '../model/past-hit.ts';
import { isRecord, recordIn } from '../model/record.ts';
import { textBounds, textKindNames } from '../model/text-kinds.ts';
import { type VisitTextName, visitTextNames } from '../model/visit-fields.ts';
import { type VitalValues, vitalNames, vitals } from '../model/vitals.ts';

export interface ReplayedHit {
  /** UTC milliseconds. */
  at: number;
  /** As it was written. */
  address: string;
  userAgent: string;
  /** A Hit as POST /e takes it, but for its `s`. */
  hit: Record<string, unknown>;
  told: Told;
  isCounted: boolean;
}

/** Null when the text is not such a line. Never throws. */
export const parseNdjson = (text: string): ReplayedHit | PastRecord | null => {
  const line = recordIn(text);
  if (line === null) return null;
  const { at: written, ip, ua, hit, visitor, counted } = line;
  const at = instantOf(written);
  if (at === null) return null;
  if (line.record !== undefined) return line.record === 'vital' ? vitalIn(line, at) : countIn(line, at);
  if (!isRecord(hit)) return null;
  if (typeof ip !== 'string' && (ip !== undefined || typeof visitor !== 'string' || visitor === '')) return null;
  if (ua !== undefined && typeof ua !== 'string') return null;
  return { at, address: ip ?? '', userAgent: ua ?? '', hit, told: toldIn(line), isCounted: counted === true };
};

/** Texts are as long as the collector keeps them. */
const textIn = (value: unknown): string | null => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? clip(value, urlCharsMax) : null;
};

const vitalIn = (line: Record<string, unknown>, at: number): PastVital | null => {
  const [path, device] = [textIn(line.path), textIn(line.device)];
  const values = vitalNames.map(name => [name, line[name] ?? null] as const);
  const isRight = values.every(
    ([name, value]) => value === null || (typeof value === 'number' && value >= 0 && value <= vitals[name].max),
  );
  if (path === null || device === null || !isRight) return null;
  return { record: 'vital', at, path, device, ...(Object.fromEntries(values) as VitalValues) };
};

const statusMax = 999;

const countIn = (line: Record<string, unknown>, at: number): PastCount | null => {
  const { record, status = 0, count } = line;
  const [name, text] = [textIn(line.name), textIn(line.text)];
  const isCount = Number.isInteger(count) && (count as number) > 0 && (count as number) <= countMax;
  const isStatus = Number.isInteger(status) && (status as number) >= 0 && (status as number) <= statusMax;
  if (name === null || text === null || !isCount || !isStatus) return null;
  const of = { at, name, text, status: status as number, count: count as number };
  if (record === 'crawl') return name === '' ? null : { record, ...of };
  if (record === 'outcome') return Object.hasOwn(outcomes, name) ? { record, ...of } : null;
  if (record !== 'other_text') return null;
  const isKnown = textKindNames.some(kind => kind === name) && textBounds.some(bound => bound === text);
  return isKnown ? { record, ...of } : null;
};

const toldIn = (line: Record<string, unknown>): Told => {
  const { visitor, proof } = line;
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
    ...(typeof proof === 'string' && { proof }),
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
