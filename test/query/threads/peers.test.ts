/**
 * Threads that share questions: here they are engines in one thread, connected as the pool connects
 * them.
 */
import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Engine, Peers } from '../../../src/query/engine.ts';
import { PeerEnded, QueryCanceled } from '../../../src/query/errors.ts';
import { alone, type Pace } from '../../../src/query/pace.ts';
import type { Query } from '../../../src/query/query.ts';
import { cancel, type Errand } from '../../../src/query/threads/messages.ts';
import { createPeers, type Helper, type PeerTable, sharedGroupsMin } from '../../../src/query/threads/peers.ts';
import { createTurns } from '../../../src/query/threads/turns.ts';
import { type DailyVisitors, subtractDuplicates } from '../../../src/query/visitors/daily-visitors.ts';
import { type DayPart, partName, wholeDay } from '../../../src/store/day/part.ts';
import { randomFrom } from '../random-site.ts';
import { duplicatesOf, listed, naiveCounts, randomDays } from '../random-visitors.ts';

const siteId = 3;
const query: Query = { siteId, currency: 'EUR', minorRates: {}, slices: [] };
const days: DayPart[] = [
  ...[100, 101, 102].map(day => ({ day, part: wholeDay })),
  ...[0, 1, 2, 3].map(number => ({ day: 103, part: { number, of: 4 } })),
];
const namesOf = (some: readonly DayPart[]): string[] => some.map(of => partName(of)).sort();

const errandOf = (id: number): Errand => ({
  id,
  asker: { accountId: 1, isPublic: false },
  canceled: new SharedArrayBuffer(4),
});

interface Crew {
  tables: PeerTable[];
  /** Makes two known to each other, as the pool does. */
  connect(one: number, other: number): void;
  /** Ends what `one` and `other` know of each other. */
  part(one: number, other: number): Promise<unknown>;
  close(): void;
}

const helpful: Helper = {
  contribute: async (_query, _stop, days) => [[days.map(of => ({ ...of }))]],
  findDuplicates: async (visitors, _stop, part) => duplicatesOf(visitors, part),
};

/**
 * `missing` are not there. Each contributes the days that it is asked for, and finds the
 * duplicates, if it is not told to do otherwise.
 */
const crewOf = (count: number, missing: number[] = [], does: Partial<Helper> = {}): Crew => {
  const present = Array.from({ length: count }, (_, i) => i).filter(i => !missing.includes(i));
  const tables = Array.from({ length: count }, () =>
    createPeers(
      count,
      { ...helpful, ...does },
      createTurns(() => 0),
    ),
  );
  const ways = new Map<string, MessageChannel>();
  const connect = (one: number, other: number): void => {
    const way = new MessageChannel();
    ways.set(`${one} ${other}`, way);
    tables[one]!.connect({ kind: 'connect', number: other, port: way.port1, arrivals: new SharedArrayBuffer(4) });
    tables[other]!.connect({ kind: 'connect', number: one, port: way.port2, arrivals: new SharedArrayBuffer(4) });
  };
  for (const one of present) for (const other of present.filter(number => number > one)) connect(one, other);
  return {
    connect,
    tables,
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

const untilCanceled: Engine['contribute'] = async (_, { throwIfCanceled }) => {
  while (true) {
    throwIfCanceled();
    await new Promise(setImmediate);
  }
};

/** The days that are scanned by those a thread asks. */
const daysOf = async ({ theirs }: ReturnType<Peers['shareDays']>): Promise<DayPart[]> =>
  (await Promise.all(theirs)).flat(3) as unknown as DayPart[];

/** The days that a thread and those it asks scan. */
const scanned = async (table: PeerTable): Promise<string[]> => {
  const share = table.forErrand(errandOf(1)).shareDays(query, days);
  return namesOf([...share.own, ...(await daysOf(share))]);
};

/** What a thread asks of one other. */
const askedOf = (table: PeerTable, errand: Errand): Promise<unknown> => {
  const [asked, ...others] = table.forErrand(errand).shareDays(query, days).theirs;
  assert.is(others.length, 0);
  return asked!;
};

for (const count of [1, 2, 3, 5]) {
  test(`each day belongs to one of ${count} threads, whoever asks`, async () => {
    const crew = crewOf(count);
    for (const table of crew.tables) assert.equal(await scanned(table), namesOf(days));
    const shares = crew.tables.map(table => table.forErrand(errandOf(1)).shareDays(query, days));
    await Promise.all(shares.map(daysOf));
    assert.equal(namesOf(shares.flatMap(({ own }) => own)), namesOf(days));
    crew.close();
  });
}

test('the asker scans the days of a missing thread', async () => {
  const crew = crewOf(3, [1]);
  for (const number of [0, 2]) assert.equal(await scanned(crew.tables[number]!), namesOf(days));
  crew.close();
});

test('a thread that comes or goes during a question takes no day from it and adds none twice', async () => {
  const crew = crewOf(3, [1]);
  const [asking] = crew.tables;
  const before = asking!.forErrand(errandOf(1)).shareDays(query, days);
  crew.connect(0, 1);
  assert.equal(namesOf([...before.own, ...(await daysOf(before))]), namesOf(days));

  const shared = asking!.forErrand(errandOf(2)).shareDays(query, days);
  assert.not.equal(shared.own, before.own, 'whoever came is asked next');
  const theirs = await daysOf(shared);
  await crew.part(0, 1);
  assert.equal(namesOf([...shared.own, ...theirs]), namesOf(days));
  crew.close();
});

test('only days asked for are scanned, each by its owner', async () => {
  const crew = crewOf(3);
  for (const some of [[], [days[0]!], days.slice(1, 3)]) {
    const share = crew.tables[0]!.forErrand(errandOf(1)).shareDays(query, some);
    assert.ok(share.theirs.length <= some.length);
    assert.equal(namesOf([...share.own, ...(await daysOf(share))]), namesOf(some));
  }
  crew.close();
});

test('a thread that ends fails its waiting tasks, and the next asker scans its days', async () => {
  const never: Engine['contribute'] = () => new Promise(() => {});
  const crew = crewOf(2, [], { contribute: never });
  const failed = askedOf(crew.tables[0]!, errandOf(1)).catch((error: Error) => error);
  await crew.part(0, 1);
  assert.instance(await failed, PeerEnded);
  assert.equal(crew.tables[0]!.forErrand(errandOf(2)).shareDays(query, days).own, days);
});

test('a helper stops when the asker ends', async () => {
  let ended: unknown;
  const untilEnded: Engine['contribute'] = async (_, pace) => {
    try {
      return await untilCanceled(query, pace, days);
    } catch (error) {
      ended = error;
      throw error;
    }
  };
  const crew = crewOf(2, [], { contribute: untilEnded });
  const asked = askedOf(crew.tables[0]!, errandOf(1)).catch(() => {});
  await crew.part(0, 1);
  await asked;
  for (let turns = 0; ended === undefined && turns < 100; turns++) await new Promise(setImmediate);
  assert.instance(ended, QueryCanceled);
});

test('canceling a question cancels its helpers', async () => {
  const crew = crewOf(2, [], { contribute: untilCanceled });
  const errand = errandOf(7);
  const ended = askedOf(crew.tables[0]!, errand).catch((error: Error) => error);
  cancel(errand);
  assert.instance(await ended, QueryCanceled);
  crew.close();
});

test('an error of a helper reaches the asker', async () => {
  const broken: Engine['contribute'] = () => Promise.reject(new Error('a column is missing'));
  const crew = crewOf(2, [], { contribute: broken });
  const asked = askedOf(crew.tables[1]!, errandOf(1));
  assert.match(String(await asked.catch((error: Error) => error.message)), 'a column is missing');
  crew.close();
});

/**
 * Visitors of random days, so many that they are divided, what the days count, and what counting
 * each once should give.
 */
const manyVisitors = (() => {
  const random = randomFrom(4);
  const half = (): bigint => BigInt(random.below(2 ** 32));
  const hashes = Array.from({ length: sharedGroupsMin }, () => (half() << 32n) | half());
  const [groups, positions] = [5, 3];
  const positionOf = Uint32Array.from({ length: groups }, (_, group) => Math.min(group, positions));
  const days = [new Map(hashes.map(hash => [hash, [0, 1]])), ...randomDays(random, 2, hashes.slice(0, 5000), groups)];
  const { sums, want } = naiveCounts(days, (_, group) => positionOf[group]!, positions);
  const visitors: DailyVisitors = { days: days.map(day => ({ persistent: listed(day), positionOf })), counts: sums };
  return { visitors, want };
})();

const few: DailyVisitors = {
  days: [1, 2].map(() => ({ persistent: listed(new Map([[1n, [0]]])), positionOf: Uint32Array.of(0) })),
  counts: Uint32Array.of(2),
};

for (const count of [1, 2, 3]) {
  test(`each of ${count} threads finds the duplicates of a part`, async () => {
    const crew = crewOf(count);
    const { visitors, want } = manyVisitors;
    const { own, theirs } = crew.tables[0]!.forErrand(errandOf(1)).shareVisitors([few, visitors]);
    assert.is(theirs.length, count - 1);
    const counts = [few.counts.slice(), visitors.counts.slice()];
    for (const found of [await helpful.findDuplicates([few, visitors], alone, own), ...(await Promise.all(theirs))])
      found.forEach((duplicates, i) => {
        subtractDuplicates(counts[i]!, duplicates);
      });
    assert.equal(
      counts.map(some => Array.from(some)),
      [[1], want],
    );
    crew.close();
  });
}

test('few visitors are counted without helpers', () => {
  const crew = crewOf(2);
  assert.equal(crew.tables[0]!.forErrand(errandOf(1)).shareVisitors([few]), { own: { number: 0, of: 1 }, theirs: [] });
  crew.close();
});

test('a thread that ends or is canceled while it looks for duplicates fails its waiting tasks', async () => {
  const findDuplicates = (_: unknown, pace: Pace): Promise<never> => untilCanceled(query, pace, days) as never;
  const crew = crewOf(2, [], { findDuplicates });
  const { visitors } = manyVisitors;
  const ended = (errand: Errand): Promise<unknown> =>
    crew.tables[0]!.forErrand(errand)
      .shareVisitors([visitors])
      .theirs[0]!.catch((error: Error) => error);
  const errand = errandOf(7);
  const canceled = ended(errand);
  cancel(errand);
  assert.instance(await canceled, QueryCanceled);
  const parted = ended(errandOf(8));
  await crew.part(0, 1);
  assert.instance(await parted, PeerEnded);
});

test.run();
