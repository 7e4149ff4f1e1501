/**
 * Looks whether closed days have the hits of this collector: of each of its epochs as many as it
 * has, with the same keys, on every replica. Only then it may forget them. Where some are missing,
 * it sends the day again.
 */
import type { Shards } from '../model/shards.ts';
import { dayMs, hourMs, utcDayOf } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { hitIds } from '../store/day/open/newest-rows.ts';
import type { SiteDay } from '../store/day/open/open-days.ts';
import { someRows } from '../store/day/open/some-rows.ts';
import { epochs, type KeyRange } from '../store/epochs.ts';
import { rowsFrom } from './day-contents.ts';
import { collectorsNode } from './schema.ts';
import { type ShippedDay, shippedTable } from './shipped.ts';
import { closedRows } from './source.ts';

export interface Proofs {
  /** Days before today that are there, and those that are not. */
  proved: SiteDay[];
  unproved: SiteDay[];
  /**
   * Of these, the ones that were closed and lack hits, and those that were not, long after they
   * were over, and whose hits are not there to be closed: to be sent again, now and then.
   */
  lacking: SiteDay[];
}

/** The same day is compared again after so long. */
const againMs = 600_000;
/** All of a day has been sent so long after its end, unless it was lost. */
const overForMs = hourMs;
/** Ranges of keys that are counted in one statement. */
const rangesAtOnce = 50;

/**
 * Resolves with what is known of days with rows before today; `now` is in UTC milliseconds. Rejects
 * as `send` does.
 */
export const dayProver = (db: Database) => {
  const [rows, lastHit] = [someRows(db), hitIds(db)];
  /** What was compared of a day, when, and whether all was there. */
  const compared = new Map<string, { of: string; at: number; isThere: boolean }>();
  return async (shards: Shards, siteIds: readonly number[], now: number): Promise<Proofs> => {
    const [names, shipped] = [epochs(db), shippedTable(shards[0]!)];
    const days = rows.openDays().filter(({ siteId, day }) => day < utcDayOf(now) && siteIds.includes(siteId));
    const keys = new Set(days.map(keyOf));
    for (const key of compared.keys()) if (!keys.has(key)) compared.delete(key);
    const found: Proofs = { proved: [], unproved: [], lacking: [] };
    for (const siteId of new Set(days.map(of => of.siteId))) {
      const closed = new Map(
        (await shipped.days(siteId)).filter(({ node }) => node === collectorsNode).map(of => [of.day, of]),
      );
      for (const of of days.filter(one => one.siteId === siteId)) {
        const [there, known] = [closed.get(of.day), compared.get(keyOf(of))];
        const what = `${there?.revision} ${lastHit(of)[1]}`;
        const isKnown = known?.of === what && performance.now() - known.at < againMs;
        const ranges = isKnown ? [] : names.ranges(of);
        const isThere = isKnown ? known.isThere : await isClosed(shards, there, ranges);
        (isThere ? found.proved : found.unproved).push(of);
        if (isKnown) continue;
        const isLost = async (): Promise<boolean> =>
          (of.day + 1) * dayMs + overForMs < now && !(await hasAll(shards, waitingRows(of), ranges));
        if (!isThere && (there !== undefined || (await isLost()))) found.lacking.push(of);
        compared.set(keyOf(of), { of: what, at: performance.now(), isThere });
      }
    }
    return found;
  };
};

const keyOf = ({ siteId, day }: SiteDay): string => `${siteId} ${day}`;

/** Whether a closed day has all hits of some ranges. */
const isClosed = async (shards: Shards, of: ShippedDay | undefined, ranges: readonly KeyRange[]): Promise<boolean> => {
  if (ranges.length === 0 || of === undefined) return ranges.length === 0;
  return hasAll(shards, `hit where site = ${of.siteId} and ${closedRows(of)}`, ranges);
};

/** What is there of a day that was not closed, each key once. */
const waitingRows = ({ siteId, day }: SiteDay): string =>
  `(select distinct key from collected_hit where site = ${siteId} and day = toDate(${day}))`;

const hasAll = async (shards: Shards, rows: string, ranges: readonly KeyRange[]): Promise<boolean> => {
  for (let from = 0; from < ranges.length; from += rangesAtOnce) {
    const some = ranges.slice(from, from + rangesAtOnce);
    const columns = some.flatMap(({ first, last }) => {
      const isIn = `key >= toUInt64(${first}) and key <= toUInt64(${last})`;
      return [`toString(countIf(${isIn}))`, `toString(sumIf(key, ${isIn}))`];
    });
    const sql = `select ${columns.join(', ')} from ${rows}`;
    const sums = new Array<bigint>(columns.length).fill(0n);
    for (const replicas of shards) {
      const answers = await Promise.all(
        replicas.map(async replica => (await rowsFrom([replica], sql))[0]!.map(String)),
      );
      if (answers.some(answer => answer.join(' ') !== answers[0]!.join(' '))) return false;
      for (const [i, sum] of answers[0]!.entries()) sums[i]! += BigInt(sum);
    }
    const isSame = some.every(
      ({ hits, keySum }, i) => sums[2 * i] === BigInt(hits) && BigInt.asUintN(64, sums[2 * i + 1]!) === keySum,
    );
    if (!isSame) return false;
  }
  return true;
};
