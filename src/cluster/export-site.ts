/**
 * The hits of a site on a cluster, and what is recorded besides, as exports take them: all, or what
 * collectors took, which is what their primary lacks.
 */
import { pageFields } from '../model/columns.ts';
import type { ExportedVisit, PropertyValue, StoredHit } from '../model/exported-visit.ts';
import { hitTypeName, propertyTypes, scrollOf, secondsOf } from '../model/hit.ts';
import type { PastCount, PastRecord, PastVital } from '../model/past-hit.ts';
import type { Shards } from '../model/shards.ts';
import { dayMs, hourMs, utcDayName, utcDayOf } from '../model/time.ts';
import { visitTextNames } from '../model/visit-fields.ts';
import { type VitalValues, vitalNames } from '../model/vitals.ts';
import type { Database } from '../store/database.ts';
import { broughtDays } from '../store/day/brought-days.ts';
import { saidByAll } from './all-replicas.ts';
import { rowsFrom, ShipError } from './day-contents.ts';
import { firstOpenDays, openDays, openTables } from './open-partitions.ts';
import { placement } from './placement.ts';
import { recordRows, type StoredTable, storedTables } from './record-tables.ts';
import { namedTexts, orNull } from './run.ts';
import { rulesNode } from './schema.ts';
import { inForce, isOfCollectors, type ShippedDay, shippedTable } from './shipped.ts';
import { sourceOf } from './source.ts';
import { all, any } from './sql.ts';

/** Whose hits are wanted. The primary has those of its own. */
export type Taker = 'collectors' | 'primary';

export interface ClusterExport {
  /** Of the primary. */
  db: Database;
  shards: Shards;
  /** The id of the cluster; null for any. */
  cluster: string | null;
  siteId: number;
  /** UTC milliseconds: whole days, the last not included. */
  from: number;
  to: number;
  /** Undefined for all that there is. */
  of: Taker | undefined;
  /** A condition on rows, whatever rules leave out; undefined for all that counts. */
  who?: string;
  /** How long replicas that disagree may take to have what one of them was sent. */
  agreeMs?: number;
}

/** UTC days that there are hits of, ascending. Rejects as `send` does, and with ShipError. */
export const exportedDays = async (asked: ClusterExport): Promise<number[]> => {
  const { shards, cluster, siteId, from, to } = asked;
  const shipped = await saidByAll(shards[0]!, replica => shippedTable([replica]).days(siteId), agreeing(asked));
  const open = await Promise.all(shards.map(replicas => saidByAll(replicas, anyOpenDays, agreeing(asked))));
  const days = [...shipped.filter(({ hits }) => hits > 0).map(({ day }) => day), ...open.flat()];
  const wanted = [...new Set(days)].filter(day => day * dayMs >= from && day * dayMs < to).sort((a, b) => a - b);
  if (wanted.length > 0) await placement(shards, cluster).shardsBetween(wanted[0]!, wanted.at(-1)!);
  return wanted;
};

/** The days of which a replica has any open rows. */
const anyOpenDays = async (replica: URL): Promise<number[]> => {
  const days = await openDays([[replica]]);
  return openTables.flatMap(table => days[table]).sort((a, b) => a - b);
};

/** Hits of a day that are asked for at once, about: some 25 MB. */
const hitsAtOnce = 25_000;

/** The visits of a UTC day. Rejects as `exportedDays` does, also where some did not come. */
export async function* exportedVisits(asked: ClusterExport, day: number): AsyncGenerator<ExportedVisit> {
  const { shards, siteId, who } = asked;
  const daysOn = async (replica: URL) => (await shippedTable([replica]).days(siteId)).filter(part => part.day === day);
  const shipped = await saidByAll(shards[0]!, daysOn, agreeing(asked));
  // In this order: a day that is shipped in between is read once, and not left out.
  const firstOpen = await firstOpenDays(shards);
  // Rules are the primary's, and leave the same hits out of what it imports.
  const ofCollectors = asked.of === 'collectors';
  const { table, days } = sourceOf(siteId, { shipped, firstOpen }, [day, day], ofCollectors || who !== undefined);
  const { conditions, parts, hasLate } = wantedOf(asked, day, ofCollectors ? shipped : inForce(shipped));
  const where = all([days, ...conditions, who ?? '1']);
  const counts = await countsOf(asked, `${table} where ${where}`, day, who === undefined ? parts : []);
  let came = 0;
  for (const [shard, replicas] of shards.entries()) {
    const ranges = BigInt(Math.ceil(counts[shard]! / hitsAtOnce));
    for (let range = 0n; range < ranges; range++) {
      const [first, end] = [range, range + 1n].map(at => (at << 64n) / ranges) as [bigint, bigint];
      const between = `visitor >= toUInt64(${first}) and visitor <= toUInt64(${end - 1n})`;
      const sql = `select ${columns} from ${table} where ${all([where, between])} order by visitor, visit, id`;
      const rows = await rowsFrom(replicas, sql);
      came += rows.length;
      yield* visitsIn(rows, hasLate);
    }
  }
  const there = sumOf(counts);
  if (came < there) throw new ShipError(`Of ${there} hits of ${utcDayName(day)} only ${came} came: export once more.`);
}

/** One that is away is not asked: it has nothing that the others lack. */
const agreeing = ({ agreeMs }: ClusterExport) => ({
  ...{ agreeMs, mayBeAway: true },
  advice: ' Export once more when all have all, or name only those that have, with --clickhouse.',
});

/**
 * The rows of each shard. Throws ShipError where those of whole days are fewer than were shipped,
 * as on a replica that lost its disk and has not all again.
 */
const countsOf = async (
  asked: ClusterExport,
  rows: string,
  day: number,
  parts: readonly ShippedDay[],
): Promise<number[]> => {
  const ofParts = parts.length === 0 ? 'toUInt64(0)' : `countIf(${any(parts.map(rowsOfPart))})`;
  const sql = `select count(), ${ofParts} from ${rows}`;
  const countsOn = async (replica: URL): Promise<number[]> => (await rowsFrom([replica], sql))[0]!.map(Number);
  const hasAll = (said: number[], earlier: number[]): boolean => said.every((count, i) => count >= earlier[i]!);
  const found = await Promise.all(
    asked.shards.map(replicas => saidByAll(replicas, countsOn, { ...agreeing(asked), hasAll })),
  );
  const [there, wanted] = [sumOf(found.map(([, whole]) => whole!)), sumOf(parts.map(({ hits }) => hits))];
  if (there < wanted)
    throw new ShipError(
      `Only ${there} of the ${wanted} hits that were shipped of ${utcDayName(day)} are there: does a replica not have ` +
        'all again yet, or is a shard missing? Export once more when all are there.',
    );
  return found.map(([all]) => all!);
};

const rowsOfPart = ({ node, revision }: ShippedDay): string => `node = ${node} and revision = ${revision}`;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** Conditions on rows, and the whole days that they leave. */
interface Wanted {
  conditions: readonly string[];
  parts: readonly ShippedDay[];
  /** Whether others of a visit may be missing: rules leave them out. */
  hasLate: boolean;
}

/** What nodes it is about. */
const wantedOf = ({ db, siteId, of }: ClusterExport, day: number, ofDay: readonly ShippedDay[]): Wanted => {
  const parts = ofDay.filter(({ hits }) => hits > 0);
  const hasLate = ofDay.some(({ node }) => node === rulesNode);
  if (of === undefined) return { conditions: [], parts, hasLate };
  if (of === 'primary') return { conditions: ['node = 0'], parts: parts.filter(({ node }) => node === 0), hasLate };
  if (
    broughtDays(db)
      .list()
      .some(note => note.siteId === siteId && note.day === day)
  )
    throw new ShipError(
      `An earlier version brought hits of collectors of ${utcDayName(day)} into this database: start the server once, which settles that.`,
    );
  return { conditions: [], parts: parts.filter(isOfCollectors), hasLate: false };
};

const visitColumns = ['toString(visit)', 'toString(visitor)', 'persistent', 'started', 'duration', 'hits'];
const sizes = ['width', 'height', 'traits'];
const hitColumns = ['at', 'type', 'secondsOnPage', 'scroll', 'amount', 'currency'];
const propertyColumns = ['prop_key', 'prop_type', 'prop_text', 'prop_number'];
const columns = [
  ...[...visitColumns, ...sizes, ...visitTextNames],
  ...[...hitColumns, ...propertyColumns, ...pageFields],
].join(', ');

/** Rows of whole visits, those of one behind each other. */
function* visitsIn(rows: readonly unknown[][], hasLate: boolean): Generator<ExportedVisit> {
  for (let first = 0, end = 0; first < rows.length; first = end) {
    while (end < rows.length && rows[end]![0] === rows[first]![0]) end++;
    yield visitOf(rows.slice(first, end), hasLate);
  }
}

/** Where a visit went on at two collectors, on copies of one directory, they tell its length. */
const visitOf = (rows: readonly unknown[][], hasLate: boolean): ExportedVisit => {
  const told = rows.map(row => row.slice(0, visitColumns.length));
  const [, visitor, persistent] = told[0]!;
  const wanted = Math.max(...told.map(row => Number(row[5])));
  if (rows.length < wanted && !hasLate)
    throw new ShipError(`ClickHouse has ${rows.length} of the ${wanted} hits of a visit.`);
  const [width, height, traits, ...texts] = rows[0]!.slice(visitColumns.length);
  return {
    visitor: BigInt(String(visitor)).toString(16).padStart(16, '0'),
    isPersistent: persistent === 1,
    from: Math.min(...told.map(row => Number(row[3]))),
    to: Math.max(...told.map(row => Number(row[3]) + Number(row[4]))),
    texts: namedTexts(visitTextNames, texts),
    ...{ width: Number(width), height: Number(height), traits: orNull(traits) },
    hits: rows.map(row => hitOf(row.slice(visitColumns.length + sizes.length + visitTextNames.length))),
  };
};

const hitOf = ([at, type, seconds, scroll, amount, currency, ...rest]: unknown[]): StoredHit => {
  const [keys, types, texts, numbers, ...page] = rest as [string[], number[], string[], number[], ...unknown[]];
  const hitType = hitTypeName(Number(type))!;
  return {
    at: Number(at),
    type: hitType,
    page: namedTexts(pageFields, page),
    secondsOnPage: secondsOf(Number(seconds), Number(scroll)),
    scroll: scrollOf(Number(scroll)),
    revenue: hitType === 'revenue' ? { amount: Number(amount), currency: String(currency) } : null,
    properties: keys.map((key, i) => [key, propertyOf(types[i]!, texts[i]!, numbers[i]!)] as const),
  };
};

const propertyOf = (type: number, text: string, number: number): PropertyValue => {
  if (type === propertyTypes.number) return number;
  return type === propertyTypes.boolean ? text === 'true' : text;
};

/** What is recorded besides hits. Rejects as `exportedDays` does. */
export async function* exportedRecords(asked: ClusterExport): AsyncGenerator<PastRecord> {
  const { db, shards, siteId, from, to, of } = asked;
  const first = shards[0]!;
  const span = await recordSpan(asked);
  if (span === null) return;
  const brought = broughtDays(db).epochs;
  for (let day = utcDayOf(Math.max(from, span.from)); day * dayMs < Math.min(to, span.to); day++) {
    const conditions = [`site = ${siteId}`];
    if (of === 'primary') conditions.push('epoch = 0');
    if (of === 'collectors')
      for (const epoch of new Set(['0', ...brought(siteId, day)])) conditions.push(`epoch != toUInt64(${epoch})`);
    const where = conditions.join(' and ');
    for (const hours of await spansOf(first, 'vital_report', day, where)) yield* vitalsIn(first, hours);
    for (const hours of await spansOf(first, 'record_count', day, where)) yield* countsIn(first, hours);
  }
}

/** Rows of records of a day that are asked for at once: of more, those of each hour. */
const recordsAtOnce = 25_000;

/** What to read of a table's day, one after another. */
const spansOf = async (first: Shards[number], table: StoredTable, day: number, where: string): Promise<string[]> => {
  const between = (from: number, to: number): string => recordRows(table, from, to, where);
  const [begin, end] = [day * dayMs, (day + 1) * dayMs];
  const count = Number((await rowsFrom(first, `select count() from ${between(begin, end)}`))[0]![0]);
  if (count === 0) return [];
  const stepMs = count > recordsAtOnce ? hourMs : dayMs;
  return Array.from({ length: dayMs / stepMs }, (_, i) => between(begin + i * stepMs, begin + (i + 1) * stepMs));
};

async function* vitalsIn(first: Shards[number], rows: string): AsyncGenerator<PastVital> {
  const sql = `select at, path, device, ${vitalNames} from ${rows}`;
  for (const [at, path, device, ...values] of await rowsFrom(first, sql))
    yield {
      ...{ record: 'vital', at: Number(at), path: String(path), device: String(device) },
      ...(Object.fromEntries(vitalNames.map((name, i) => [name, values[i]])) as VitalValues),
    };
}

async function* countsIn(first: Shards[number], rows: string): AsyncGenerator<PastCount> {
  const sql = `select kind, at * 1000, name, text, status, sum(count) from ${rows}
    group by kind, at, name, text, status`;
  for (const [kind, at, name, text, status, count] of await rowsFrom(first, sql))
    yield {
      ...{ record: kind as PastCount['record'], at: Number(at), name: String(name), text: String(text) },
      ...{ status: Number(status), count: Number(count) },
    };
}

/** From when to when there are records of a site; null where there are none. */
const recordSpan = async (asked: ClusterExport): Promise<{ from: number; to: number } | null> => {
  const { shards, siteId } = asked;
  const found = storedTables.map(async table => {
    const sql = `select count(), min(at), max(at) from ${table} final where site = ${siteId}`;
    const spanOn = async (replica: URL): Promise<number[]> => (await rowsFrom([replica], sql))[0]!.map(Number);
    const said = await saidByAll(shards[0]!, spanOn, agreeing(asked));
    const [count, ...times] = said as [number, number, number];
    return count === 0 ? [] : times.map(at => (table === 'vital_report' ? at : at * 1000));
  });
  const times = (await Promise.all(found)).flat();
  return times.length === 0 ? null : { from: Math.min(...times), to: Math.max(...times) + 1 };
};
