/**
 * Brings days from a cluster into the primary's database, for rules: the inverse of ship-days.ts. A
 * day comes whole, with the rows of all nodes that have it, and with what this machine has of it.
 */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { dayMs, utcDayName, utcDayOf } from '../model/time.ts';
import type { QueryContext } from '../query/context.ts';
import type { Database } from '../store/database.ts';
import { broughtDays, type Sources } from '../store/day/brought-days.ts';
import type { Day } from '../store/day/day.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { dayVersions } from '../store/day/day-versions.ts';
import { type Part, partHitsMaxDefault, partsFor, partsMax, partsOf } from '../store/day/part.ts';
import { encoded } from '../store/day/seal.ts';
import { unitedDays } from '../store/day/united-days.ts';
import { giveTexts, keepVisitors, returningVisitors } from '../store/imports/write-import.ts';
import { records } from '../store/read/records.ts';
import { runSteps } from '../store/run-steps.ts';
import { bytesFromShard, statementMs } from './client.ts';
import type { Cluster } from './cluster.ts';
import { rowsFrom } from './day-contents.ts';
import { rowsOfNode, writeDay } from './day-rows.ts';
import { rowBinary } from './row-binary.ts';
import { lastRowOf } from './row-binary-reader.ts';
import { type RowsOfDay, rowsOfDay } from './rows-to-day.ts';
import { columnList } from './schema.ts';
import { checkSite } from './ship-days.ts';
import type { ShippedDay } from './shipped.ts';
import { all, any } from './sql.ts';

/** A day that came. */
export interface ArrivedDay {
  site: Site;
  day: number;
  hits: number;
}

/** A day cannot be brought; the message says why. */
export class BringError extends Error {}

export interface Bringing {
  db: Database;
  shards: Shards;
  cluster: Pick<Cluster, 'shipped'>;
  /** The number of this machine on the cluster. */
  node: number;
  now: () => number;
  partHitsMax?: number;
}

/**
 * Brings the days that nodes have closed and that are not here, of some sites; or only those that
 * `isWanted`. What is interrupted is gone on with by the next call. Throws BringError,
 * OtherSiteError before anything is changed, and what the cluster throws. Only while lockImports is
 * held.
 */
export async function* bringDays(
  bringing: Bringing,
  sites: readonly Site[],
  isWanted: (site: Site, day: number) => boolean = () => true,
): AsyncGenerator<ArrivedDay> {
  const { cluster, now } = bringing;
  const there = new Map<number, ShippedDay[]>();
  for (const site of sites) {
    const parts = (await cluster.shipped(site.id)).filter(({ hits }) => hits > 0);
    for (const { version } of parts) checkSite(site, version);
    there.set(site.id, parts);
  }
  const today = utcDayOf(now());
  for (const site of sites) {
    const plan = planner(bringing, site.id);
    const parts = there.get(site.id)!.filter(({ day }) => day < today && isWanted(site, day));
    const days = [...new Set(parts.map(({ day }) => day))].sort((a, b) => a - b);
    for (const day of days) {
      const planned = plan(
        day,
        parts.filter(part => part.day === day),
      );
      if (planned === null) continue;
      yield { site, day, hits: await bringDay(bringing, site, day, planned) };
    }
  }
}

interface Plan {
  /** What comes from the cluster. */
  parts: readonly ShippedDay[];
  /** Whether what this machine has of the day stays. */
  withOwn: boolean;
  sources: Sources;
}

/** What is to be done for a day; null where all of it is here. */
const planner = (
  { db, node }: Bringing,
  siteId: number,
): ((day: number, parts: readonly ShippedDay[]) => Plan | null) => {
  const brought = broughtDays(db);
  const versions = dayVersions(db);
  return (day, parts) => {
    const known = brought.find(siteId, day);
    const here = versions(siteId, day, day).get(day);
    const isHere = (part: ShippedDay): boolean =>
      known?.sources[part.node] === part.version ||
      (part.node === node && here !== undefined && (known === undefined || known.withOwn || known.isChanged));
    const missing = parts.filter(part => !isHere(part));
    if (missing.length === 0) return null;
    const problem = (text: string) => new BringError(`${utcDayName(day)} ${text}`);
    if (known?.isChanged) throw problem('was changed here since it was brought, and on ClickHouse too.');
    const changed = missing.some(part => known?.sources[part.node] !== undefined);
    if (known?.withOwn && changed)
      throw problem('changed on ClickHouse since it was brought: bring it to an empty directory.');
    if (here?.state === 'open') throw problem('is not sealed here yet: run daybook seal first.');
    const isAnew =
      here === undefined || (known !== undefined && !known.withOwn) || missing.some(part => part.node === node);
    const from = isAnew ? parts : missing;
    const sources = Object.fromEntries(from.map(part => [part.node, part.version]));
    return { parts: from, withOwn: !isAnew, sources: { ...(isAnew ? {} : known?.sources), ...sources } };
  };
};

const bringDay = async (bringing: Bringing, site: Site, day: number, plan: Plan): Promise<number> => {
  const { db, shards, now, partHitsMax = partHitsMaxDefault } = bringing;
  const siteDay = { siteId: site.id, day };
  const rows = rowsThere(shards, site.id, day, plan.parts);
  const own = plan.withOwn ? ownRows(bringing, site, day) : null;
  const counts = await rows.counts();
  const found = counts.reduce((sum, count) => sum + count, 0);
  const shipped = plan.parts.reduce((sum, { hits }) => sum + hits, 0);
  if (found !== shipped)
    throw new BringError(
      `ClickHouse has ${found} of the ${shipped} hits that were shipped of ${utcDayName(day)}: is a shard missing?`,
    );
  const bringer = broughtDays(db).begin(siteDay);
  const returning = returningVisitors(db, site.id);
  let came = 0;
  for (const part of partsOf(partsFor(found + (own?.hits ?? 0), partHitsMax))) {
    const read = rowsOfDay();
    await rows.read(part, counts, read);
    came += read.hits();
    own?.read(part, read);
    const textIds = new Uint32Array(1 + read.texts().length);
    const texts = { text: (number: number) => read.texts()[number - 1]!, textCount: read.texts().length };
    await runSteps(giveTexts(db, site.id, texts, textIds));
    const made = read.day(site.id, { day, part }, textIds.subarray(1));
    await runSteps(bringer.write(encoded(made)));
    await runSteps(keepVisitors(returning, made));
  }
  if (came !== found)
    throw new BringError(`Of ${found} hits of ${utcDayName(day)} on ClickHouse ${came} came: try again.`);
  bringer.finish(now(), plan);
  return found;
};

/** Rows that are fetched at once, about: 50 MB of usual ones. */
const fetchedRows = 100_000;

interface RowsThere {
  /** Hits by the first byte of their visitor. */
  counts(): Promise<number[]>;
  /** Adds the rows of the visitors of a part. */
  read(part: Part, counts: readonly number[], to: RowsOfDay): Promise<void>;
}

const rowsThere = (shards: Shards, siteId: number, day: number, parts: readonly ShippedDay[]): RowsThere => {
  const those = any(parts.map(({ node, revision }) => `node = ${node} and revision = ${revision}`));
  const where = all([`site = ${siteId} and day = toDate(${day})`, those]);
  const fetch = async (replicas: readonly URL[], first: number, last: number, to: RowsOfDay): Promise<void> => {
    const range = `visitor >= ${atByte(first)} and visitor <= ${atByte(last + 1) - 1n}`;
    let after = '';
    while (true) {
      const sql = `select ${columnList} from hit where ${all([where, range, ...(after === '' ? [] : [after])])}
        order by visitor, id, visit limit ${fetchedRows} format RowBinary`;
      const rows = await bytesFromShard(replicas, { sql, timeoutMs: statementMs });
      const before = to.hits();
      to.add(rows);
      if (to.hits() - before < fetchedRows) return;
      const [visitor, id, visit] = lastRowOf(rows, ['visitor', 'id', 'visit']).map(value => `toUInt64(${value})`);
      after = `visitor > ${visitor} or (visitor = ${visitor} and (id > ${id} or (id = ${id} and visit > ${visit})))`;
    }
  };
  return {
    async counts() {
      const sql = `select bitShiftRight(visitor, 56) as first, count() from hit where ${where} group by first`;
      const counts = new Array<number>(partsMax).fill(0);
      for (const replicas of shards)
        for (const [first, hits] of await rowsFrom(replicas, sql)) counts[Number(first)]! += Number(hits);
      return counts;
    },
    async read({ number, of }, counts, to) {
      const [begin, end] = [(partsMax * number) / of, (partsMax * (number + 1)) / of];
      for (let first = begin, last = begin; first < end; first = ++last) {
        let hits = counts[first]!;
        while (last + 1 < end && hits + counts[last + 1]! <= fetchedRows) hits += counts[++last]!;
        if (hits > 0) for (const replicas of shards) await fetch(replicas, first, last, to);
      }
    },
  };
};

const atByte = (byte: number): bigint => BigInt(byte) << 56n;

interface OwnRows {
  hits: number;
  read(part: Part, to: RowsOfDay): void;
}

/** So many bytes of rows of the own day at once. */
const ownBytes = 16 * 1024 * 1024;

/** What this machine has of a day, but for what imports brought. */
const ownRows = ({ db, node }: Bringing, { id: siteId, currency }: Site, day: number): OwnRows => {
  const reader = dayReader(db, 0);
  const query = { siteId, currency, minorRates: {}, slices: [] };
  const context: QueryContext = {
    ...{ query, reader: unitedDays(reader), records: records(db) },
    text: id => reader.texts.text(siteId, id),
  };
  const outline = reader
    .outline(siteId, day * dayMs, (day + 1) * dayMs)
    .filter(({ part }) => part.importId === undefined);
  const days = (): Day[] => outline.flatMap(of => reader.day(siteId, of));
  return {
    hits: days().reduce((sum, { hits }) => sum + hits, 0),
    read({ number, of }, to) {
      const [kept, others] = [{ writer: rowBinary() }, { writer: rowBinary() }];
      const isIn = (visitor: bigint): boolean => (visitor * BigInt(of)) >> 64n === BigInt(number);
      const rowsOf = (first: number) => rowsOfNode(day, { node, revision: 0 }, visit => first + visit);
      let visits = 0;
      for (const part of days()) {
        for (const { writer } of writeDay(part, context, rowsOf(visits), visitor => (isIn(visitor) ? kept : others)))
          if (writer.size() > ownBytes) {
            const rows = writer.take();
            if (writer === kept.writer) to.add(rows);
          }
        visits += part.visits;
      }
      to.add(kept.writer.take());
    },
  };
};
