/** What an export asks a cluster for, and where it fails. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exportedDays, exportedRecords, exportedVisits, type Taker } from '../../src/cluster/export-site.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { dayMs } from '../../src/model/time.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';

const day = 20_000;

/** Hits of the day that was shipped. */
const shippedHits = 3;

/** What a ClickHouse tells and gives of the rows that it has. */
interface Had {
  all: number;
  whole: number;
  came: number;
  /** How many hits come each time that it is asked for their number. */
  growsBy: number;
  /** What each row says of its visit. */
  hitsOfVisit: number;
  /** Rows of each table of what is recorded besides. */
  records: number;
  /** What is known of the day. */
  shipped: unknown[][];
}

/** Rows of a visit each, as they are asked for. */
const rowsOf = (asked: string, count: number, hits: number): unknown[][] => {
  const names = /^select (.*?) from /.exec(asked)![1]!.split(', ');
  const values: Record<string, unknown> = { 'toString(visitor)': '7', hits, type: 1, at: day * dayMs };
  const valueNamed = (name: string): unknown => values[name] ?? (name.startsWith('prop_') ? [] : '');
  return Array.from({ length: count }, (_, i) =>
    names.map(name => (name === 'toString(visit)' ? String(i) : valueNamed(name))),
  );
};

/** A ClickHouse that notes what it is asked. */
const startReplica = async (had: Had, asked: string[]) => {
  const { all, whole, came, growsBy, hitsOfVisit, records, shipped } = had;
  let counted = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sql = Buffer.concat(chunks).toString();
    asked.push(sql);
    const isCount = sql.startsWith('select count(), ');
    const isSpan = sql.includes('min(at), max(at)');
    const at = (day * dayMs) / (sql.includes('vital') ? 1 : 1000);
    const data = sql.includes('from shipped')
      ? shipped
      : isSpan
        ? [[records, at, at]]
        : isCount
          ? [[all + growsBy * counted++, whole]]
          : sql.startsWith('select count() from')
            ? [[records]]
            : sql.startsWith('select toString(visit)')
              ? rowsOf(sql, came, hitsOfVisit)
              : sql.includes('from topology')
                ? [['a', 1, 0, 1]]
                : [];
    response.end(JSON.stringify({ data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/daybook`) };
};

/**
 * A ClickHouse that knows a day of collectors, with as many replicas as are told what they have. `isBrought`: an earlier
 * version brought the day to the primary.
 */
const prepared = async (had: readonly Partial<Had>[] = [{}], isBrought = false) => {
  const usual = { all: shippedHits, whole: shippedHits, came: shippedHits, growsBy: 0, hitsOfVisit: 1, records: 1 };
  const shipped = [[day, collectorsNode, 5, 'closed 5', shippedHits]];
  const asked: string[] = [];
  const replicas = await Promise.all(had.map(of => startReplica({ ...usual, shipped, ...of }, asked)));
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  db.prepare(
    'insert into brought_day (site_id, day, sources, with_own, version, records) values (?, ?, ?, 0, 1, ?)',
  ).run(...[siteId, day, isBrought ? '{}' : null, '["7",8]']);
  const shards = [replicas.map(({ url }) => url)];
  const ask = (of: Taker | undefined) => {
    asked.length = 0;
    return { db, shards, cluster: null, siteId, from: 0, to: Number.MAX_SAFE_INTEGER, of, agreeMs: 100 };
  };
  const hitsOf = async (of: Taker | undefined): Promise<string> => {
    for await (const _ of exportedVisits(ask(of), day));
    return asked.find(sql => /^select count\(\), .* from hit where/.test(sql))!;
  };
  const recordsOf = async (of: Taker | undefined): Promise<string> => {
    for await (const _ of exportedRecords(ask(of)));
    return asked.findLast(sql => sql.includes('record_count final'))!;
  };
  /** What was read of each table of records. */
  const spansOf = async (): Promise<string[]> => {
    for await (const _ of exportedRecords(ask(undefined)));
    return asked.filter(sql => / final where /.test(sql) && !sql.startsWith('select count()'));
  };
  const daysOf = () => exportedDays(ask(undefined));
  const close = (): void => {
    for (const { server } of replicas) server.close();
  };
  return { hitsOf, recordsOf, spansOf, daysOf, replicas, close };
};

test('an export asks for what it is of', async () => {
  const { hitsOf, close } = await prepared();
  assert.match(await hitsOf('collectors'), / and node != 0\)/);
  assert.match(await hitsOf('primary'), /\(node = 0\)/);
  assert.not.match(await hitsOf(undefined), /node != |node = 0/);
  close();
});

test('a day that an earlier version brought here is settled first', async () => {
  const { hitsOf, close } = await prepared([{}], true);
  const failure = await hitsOf('collectors').catch(error => error);
  assert.match(failure.message, /^An earlier version brought hits of collectors of 2024-10-04 into this database/);
  await hitsOf('primary');
  close();
});

test('an export fails where ClickHouse has not all that was shipped, or not all comes', async () => {
  for (const [had, message] of [
    [{}, undefined],
    [{ all: 2, whole: 2, came: 2 }, /^Only 2 of the 3 hits that were shipped of 2024-10-04 are there: /],
    // What is open does not stand for what is missing.
    [{ all: 9, whole: 2, came: 9 }, /^Only 2 of the 3 hits/],
    [{ came: 2 }, /^Of 3 hits of 2024-10-04 only 2 came: export once more\.$/],
    [{ all: 0, whole: 0, came: 0 }, /^Only 0 of the 3 hits/],
  ] as const) {
    const { hitsOf, close } = await prepared([had]);
    const failure = await hitsOf(undefined).then(
      () => undefined,
      (error: Error) => error,
    );
    if (message === undefined) assert.is(failure, undefined);
    else assert.match(failure!.message, message);
    close();
  }
});

test('an export fails where hits of a visit are missing', async () => {
  const { hitsOf, close } = await prepared([{ hitsOfVisit: 2 }]);
  const failure = await hitsOf(undefined).catch(error => error);
  assert.match(failure.message, /^ClickHouse has 1 of the 2 hits of a visit/);
  close();
});

test('of a day that is not asked for nothing is missing', async () => {
  const { hitsOf, close } = await prepared([{ all: 0, whole: 0, came: 0 }]);
  assert.match(await hitsOf('primary'), /^select count\(\), toUInt64\(0\) from/);
  close();
});

test('records that an earlier version brought are those of the primary', async () => {
  const { recordsOf, close } = await prepared();
  const where = await recordsOf('collectors');
  for (const epoch of [0, 7, 8]) assert.match(where, `epoch != toUInt64(${epoch})`);
  assert.match(await recordsOf('primary'), /epoch = 0/);
  assert.not.match(await recordsOf(undefined), /epoch =|epoch !=/);
  close();
});

test('records of a day with many come hour by hour, and none are asked for where there are none', async () => {
  for (const [records, times] of [
    [0, 0],
    [25_000, 1],
    [25_001, 24],
  ] as const) {
    const { spansOf, close } = await prepared([{ records }]);
    const spans = await spansOf();
    const [vitals, counts] = ['vital_report', 'record_count'].map(table =>
      spans.flatMap(sql => (sql.includes(table) ? [/at >= (\d+) and at < (\d+)/.exec(sql)!.slice(1).map(Number)] : [])),
    ) as [number[][], number[][]];
    for (const [unit, found] of [
      [1, vitals],
      [1000, counts],
    ] as const) {
      const step = dayMs / times / unit;
      const wanted = Array.from({ length: times }, (_, i) => [i, i + 1].map(at => (day * dayMs) / unit + at * step));
      assert.equal(found, wanted);
    }
    close();
  }
});

test('an export fails where a replica has lost what another has', async () => {
  for (const lost of [{ shipped: [] }, { all: 4 }, { records: 0 }])
    for (const had of [
      [lost, {}],
      [{}, lost],
    ]) {
      const { daysOf, hitsOf, recordsOf, close } = await prepared(had);
      const failures = await Promise.all(
        [daysOf(), hitsOf(undefined), recordsOf(undefined)].map(asked =>
          asked.then(
            () => '',
            (error: Error) => error.message,
          ),
        ),
      );
      assert.ok(failures.some(text => / hold different things, .* Export once more /.test(text)));
      close();
    }
});

test('hits that come meanwhile, to one replica before another, do not keep from exporting', async () => {
  const ofOne = { growsBy: 3, came: shippedHits + 9 };
  const { hitsOf, close } = await prepared([ofOne, { ...ofOne, all: shippedHits + 2 }]);
  await hitsOf(undefined);
  close();
});

test('a replica that is away does not keep from exporting what another has', async () => {
  const { daysOf, hitsOf, recordsOf, replicas, close } = await prepared([{}, {}]);
  replicas[0]!.server.close();
  assert.equal(await daysOf(), [day]);
  await hitsOf(undefined);
  await recordsOf(undefined);
  close();
});

test.run();
