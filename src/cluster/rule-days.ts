/**
 * Makes days of collectors as rules leave them. What collectors sent stays as it is. Where a rule
 * matches some of it, the shards make another day of its rows, of a node of its own, and `shipped`
 * says of which days and by which rules: it counts as long as these are the days that count. So a
 * rule that is undone, or a day that is closed again, needs no hit but those that are there.
 */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { utcDayName } from '../model/time.ts';
import type { Filter } from '../query/query.ts';
import type { Database } from '../store/database.ts';
import { type Rule, rules } from '../store/removal-rules.ts';
import { sendToShard, statementMs } from './client.ts';
import { conditionOf } from './conditions.ts';
import { type DayContent, longSql, rowsFrom, ShipError, settleDay } from './day-contents.ts';
import { insertRows } from './ruled-rows.ts';
import { dayStates, rulesNode } from './schema.ts';
import {
  type DayNote,
  isOfCollectors,
  nameOfRule,
  revisionAt,
  ruledText,
  type ShippedDay,
  shippedTable,
} from './shipped.ts';
import { type RowSource, rowsOfDays } from './source.ts';
import { all, any, not } from './sql.ts';

type RuledSite = Pick<Site, 'id' | 'uuid'>;

export interface DayRuler {
  /**
   * Makes the days of sites that rules leave otherwise by now, and yields them. What fails is
   * thrown once all other sites are done. `now`: UTC milliseconds.
   */
  rule(sites: readonly RuledSite[], now: number): AsyncGenerator<number>;
  /**
   * Makes what rules leave of a day that collectors have in some revisions; resolves with what is
   * to be noted then, null where no rule touches it.
   */
  leave(site: RuledSite, day: number, parts: readonly ShippedDay[], now: number): Promise<DayNote | null>;
}

/** Days that are looked at in one statement. */
const daysAtOnce = 100;

/** Everything rejects as `send` does, and with ShipError. */
export const dayRuler = (db: Database, shards: Shards): DayRuler => {
  const { ofSite } = rules(db);
  const shipped = shippedTable(shards[0]!);
  const touching = touchingFinder(shards);
  /** Sites without rules, of which no day is as rules leave it. */
  const done = new Set<number>();

  /** Without a rule, the days of collectors count. */
  const makeDay = async (
    site: RuledSite,
    day: number,
    bases: readonly ShippedDay[],
    some: readonly Rule[],
    now: number,
  ): Promise<DayNote> => {
    const of = { siteId: site.id, day, node: rulesNode };
    done.delete(site.id);
    const last = (await shipped.revisions(of)).at(-1)?.revision ?? 0;
    const revision = Math.max(last + 1, revisionAt(now));
    const noted = { revision, state: dayStates.whole, version: ruledText(site.uuid, bases, namesOf(some)) };
    if (some.length === 0) return [of, noted];
    await shipped.note(of, { revision, state: dayStates.begun });
    const left = await makeRows(shards, bases, some, revision);
    await settleDay(shards, of, revision, left);
    return [of, { ...noted, hits: left.reduce((sum, { hits }) => sum + hits, 0) }];
  };

  async function* ruleSite(site: RuledSite, now: number): AsyncGenerator<number> {
    const some = ofSite(site.id);
    if (some.length === 0 && done.has(site.id)) return;
    const there = Map.groupBy(await shipped.days(site.id), of => of.day);
    const bases = new Map([...there].map(([day, parts]) => [day, parts.filter(isOfCollectors)]));
    for (const [day, those] of await touching(site.id, bases, some)) {
      const { version = '' } = there.get(day)!.find(({ node }) => node === rulesNode) ?? {};
      if (version === ruledText(site.uuid, bases.get(day)!, namesOf(those))) continue;
      await shipped.note(...(await makeDay(site, day, bases.get(day)!, those, now)));
      yield day;
    }
    if (some.length === 0) done.add(site.id);
    else done.delete(site.id);
  }

  return {
    async *rule(sites, now) {
      let failure: unknown = null;
      for (const site of sites) {
        try {
          yield* ruleSite(site, now);
        } catch (error) {
          failure ??= error;
        }
      }
      if (failure !== null) throw failure;
    },
    async leave(site, day, parts, now) {
      const bases = parts.filter(isOfCollectors);
      const those = (await touching(site.id, new Map([[day, bases]]), ofSite(site.id))).get(day)!;
      return those.length === 0 ? null : makeDay(site, day, bases, those, now);
    },
  };
};

const namesOf = (some: readonly Rule[]): string => some.map(nameOfRule).join();

const sourceOfDays = (siteId: number, days: readonly ShippedDay[]): RowSource => ({
  ...{ table: 'hit', days: all([`site = ${siteId}`, rowsOfDays(days)]) },
});

/** The hits that a rule leaves out of some days, as if there was no other. */
const matched = ({ from, to, selects }: Rule, source: RowSource): string =>
  all([`at >= ${from}`, `at < ${to}`, conditionOf(JSON.parse(selects) as Filter[], source)]);

/** Finds the rules that leave hits out of each of some days. Each looks at a day once. */
const touchingFinder = (shards: Shards) => {
  /** By site and day: what the days of collectors were, and which rules leave out hits of them. */
  const known = new Map<number, Map<number, { of: string; rules: Map<number, boolean> }>>();

  /** By day, how many hits there are, and how many each rule leaves out. */
  const look = async (
    siteId: number,
    days: readonly ShippedDay[],
    some: readonly Rule[],
  ): Promise<Map<number, number[]>> => {
    const source = sourceOfDays(siteId, days);
    const counts = ['count()', ...some.map(rule => `countIf(${matched(rule, source)})`)];
    const sums = new Map<number, number[]>();
    const sql = `select toUInt32(day), ${counts.join(', ')} from hit where ${source.days} group by day`;
    for (const rows of await Promise.all(shards.map(replicas => rowsFrom(replicas, sql))))
      for (const [day, ...found] of rows.map(row => row.map(Number))) {
        const before = sums.get(day!) ?? [];
        const sum = found.map((count, i) => count + (before[i] ?? 0));
        sums.set(day!, sum);
      }
    return sums;
  };

  return async (
    siteId: number,
    days: ReadonlyMap<number, readonly ShippedDay[]>,
    some: readonly Rule[],
  ): Promise<Map<number, Rule[]>> => {
    const ofSite = known.get(siteId) ?? new Map<number, { of: string; rules: Map<number, boolean> }>();
    known.set(siteId, ofSite);
    for (const [day, bases] of days) {
      const of = ruledText('', bases, '0');
      if (ofSite.get(day)?.of !== of) ofSite.set(day, { of, rules: new Map() });
    }
    const lacks = (day: number, { id }: Rule): boolean => !ofSite.get(day)!.rules.has(id);
    const left = [...days].filter(([day, bases]) => bases.length > 0 && some.some(rule => lacks(day, rule)));
    for (let from = 0; from < left.length; from += daysAtOnce) {
      const chunk = left.slice(from, from + daysAtOnce);
      const unknown = some.filter(rule => chunk.some(([day]) => lacks(day, rule)));
      const sums = await look(
        siteId,
        chunk.flatMap(([, bases]) => bases),
        unknown,
      );
      for (const [day, bases] of chunk) {
        const [hits, ...counts] = sums.get(day) ?? [0];
        refuseOthers(bases, hits!);
        for (const [i, { id }] of unknown.entries()) ofSite.get(day)!.rules.set(id, counts[i]! > 0);
      }
    }
    return new Map([...days.keys()].map(day => [day, some.filter(({ id }) => ofSite.get(day)!.rules.get(id))]));
  };
};

/** A replica that lost its disk has not all again yet. */
const refuseOthers = (bases: readonly ShippedDay[], hits: number): void => {
  const wanted = bases.reduce((sum, of) => sum + of.hits, 0);
  if (hits !== wanted)
    throw new ShipError(`ClickHouse has ${hits} of the ${wanted} hits of collectors of ${utcDayName(bases[0]!.day)}.`);
};

/** Makes the rows on each shard; resolves with what they are. */
const makeRows = async (
  shards: Shards,
  bases: readonly ShippedDay[],
  some: readonly Rule[],
  revision: number,
): Promise<DayContent[]> => {
  const [{ siteId, day }] = bases as [ShippedDay];
  const source = sourceOfDays(siteId, bases);
  const isOut = any(some.map(rule => matched(rule, source)));
  const firsts = shards.map(([first]) => [first!]);
  const numbersOf = async (sql: string): Promise<string[][]> =>
    Promise.all(firsts.map(async first => (await rowsFrom(first, sql))[0]!.map(String)));
  const before = await numbersOf(`select count(), countIf(${not(isOut)}) from hit where ${source.days}`);
  refuseOthers(
    bases,
    before.reduce((sum, [hits]) => sum + Number(hits), 0),
  );
  const sql = insertRows(source, isOut, revision);
  const settings = { ...longSql, insert_deduplicate: 0 };
  for (const first of firsts) await sendToShard(first, { sql, settings, timeoutMs: statementMs });
  const isMade = `site = ${siteId} and day = toDate(${day}) and node = ${rulesNode} and revision = ${revision}`;
  const made = await numbersOf(`select count(), toString(sum(id)) from hit where ${isMade}`);
  return made.map(([hits, ids], shard) => {
    const [, wanted] = before[shard]!;
    if (hits !== wanted) throw new ShipError(`Of ${wanted} hits that rules leave ${hits} came.`);
    return { hits: Number(hits), ids: BigInt(ids!) };
  });
};
