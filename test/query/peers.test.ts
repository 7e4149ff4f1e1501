/** Threads that share questions: here they are engines in one thread, introduced to each other as the pool does. */
import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Engine } from '../../src/query/engine.ts';
import { QueryCanceled } from '../../src/query/errors.ts';
import { createPeers, type PeerTable } from '../../src/query/peers.ts';
import type { Query } from '../../src/query/query.ts';

const siteId = 3;
const query: Query = { siteId, currency: 'EUR', minorRates: {}, slices: [] };
const days = [100, 101, 102, 103, 104, 105, 106];

interface Crew {
  tables: PeerTable[];
  canceled: SharedArrayBuffer[];
  /** Ends what `one` and `other` know of each other. */
  part(one: number, other: number): Promise<unknown>;
  close(): void;
}

/** `missing` are not there. Each contributes the days that it owns. */
const crewOf = (count: number, missing: number[] = [], contribute?: Engine['contribute']): Crew => {
  const present = Array.from({ length: count }, (_, i) => i).filter(i => !missing.includes(i));
  const canceled = Array.from({ length: count }, () => new SharedArrayBuffer(4));
  const owned: Engine['contribute'] = async ({ siteId }, _, owns) => [
    [days.filter(day => owns(siteId, day)).map(day => ({ day }))],
  ];
  const tables = Array.from({ length: count }, (_, i) => createPeers(i, count, contribute ?? owned));
  const ways = new Map<string, MessageChannel>();
  for (const one of present) {
    for (const other of present.filter(number => number > one)) {
      const way = new MessageChannel();
      ways.set(`${one} ${other}`, way);
      tables[one]!.meet({ number: other, port: way.port1, canceled: canceled[other]! });
      tables[other]!.meet({ number: one, port: way.port2, canceled: canceled[one]! });
    }
  }
  return {
    tables,
    canceled,
    part: (one, other) => {
      const { port1, port2 } = ways.get(`${one} ${other}`)!;
      const closed = Promise.all([once(port1, 'close'), once(port2, 'close')]);
      port1.close();
      return closed;
    },
    close: () => {
      for (const { port1 } of ways.values()) port1.close();
    },
  };
};

/** The days that a thread and those it asks scan. */
const scanned = async (table: PeerTable): Promise<number[]> => {
  const { owns, contribute } = table.forJob(1);
  const theirs = (await Promise.all(contribute(query))).flat(2);
  return [...days.filter(day => owns(siteId, day)), ...theirs.flat().map(({ day }) => day)].sort();
};

for (const count of [1, 2, 3, 5]) {
  test(`of ${count} threads each day belongs to one, whoever asks`, async () => {
    const crew = crewOf(count);
    for (const table of crew.tables) assert.equal(await scanned(table), days);
    const owners = days.map(day => crew.tables.filter(table => table.forJob(1).owns(siteId, day)).length);
    assert.equal(new Set(owners), new Set([1]));
    crew.close();
  });
}

test('the days of a thread that is missing are scanned by whoever asks', async () => {
  const crew = crewOf(3, [1]);
  for (const number of [0, 2]) assert.equal(await scanned(crew.tables[number]!), days);
  crew.close();
});

test('a thread that ends fails what waits for it, and its days fall to whoever asks next', async () => {
  const never: Engine['contribute'] = () => new Promise(() => {});
  const crew = crewOf(2, [], never);
  const [asked] = crew.tables[0]!.forJob(1).contribute(query);
  const failed = asked!.catch((error: Error) => error.message);
  await crew.part(0, 1);
  assert.match(String(await failed), 'ended');
  assert.equal(
    days.filter(day => crew.tables[0]!.forJob(2).owns(siteId, day)),
    days,
  );
});

test('what is canceled for one who asks is canceled for those who help', async () => {
  const untilCanceled: Engine['contribute'] = async (_, checkpoint) => {
    while (true) {
      checkpoint();
      await new Promise(setImmediate);
    }
  };
  const crew = crewOf(2, [], untilCanceled);
  const [asked] = crew.tables[0]!.forJob(7).contribute(query);
  const ended = asked!.catch((error: Error) => error);
  Atomics.store(new Int32Array(crew.canceled[0]!), 0, 7);
  assert.instance(await ended, QueryCanceled);
  crew.close();
});

test('what goes wrong at another thread is told to the one who asked', async () => {
  const broken: Engine['contribute'] = () => Promise.reject(new Error('a column is missing'));
  const crew = crewOf(2, [], broken);
  const [asked] = crew.tables[1]!.forJob(1).contribute(query);
  assert.match(String(await asked!.catch((error: Error) => error.message)), 'a column is missing');
  crew.close();
});

test.run();
