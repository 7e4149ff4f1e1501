/**
 * The pool's promises: deadlines, cancelation, dead workers, a bounded queue, and no harm to anyone
 * else.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort, Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import { QueryBusy, QueryCanceled, QueryFailed, QueryTimeout } from '../../../src/query/errors.ts';
import type { AnswerOf, Query, Report } from '../../../src/query/query.ts';
import { type Asker, shareOf } from '../../../src/query/threads/askers.ts';
import type { ThreadOrder, WorkerSettings } from '../../../src/query/threads/messages.ts';
import { createQueryPool, type QueryPool, type QueryPoolOptions } from '../../../src/query/threads/pool.ts';
import { headline } from '../../../src/query/usual-questions.ts';
import { startWorker } from '../../../src/start-worker.ts';
import { sealAll } from '../../../src/store/day/seal.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';
import { until } from '../../tools/conditions.ts';
import { startTestWorker } from '../../tools/test-worker.ts';
import { days, firstDay, randomFrom, randomQuery, randomSite, storeSite } from '../random-site.ts';
import { totalsIn } from '../totals-in.ts';

const day = 20_000;

const totals = (siteId: number): Query => ({
  siteId,
  currency: 'EUR',
  minorRates: {},
  slices: [{ from: day * dayMs, to: (day + 1) * dayMs, filters: [], questions: [headline] }],
});

const ordinary: QueryPoolOptions = {
  dataDir: '.',
  workers: 1,
  cacheBytesMax: 1e6,
  deadlineMs: 30_000,
  waitingMax: 256,
};

/** Runs a test with a pool and closes it. */
const withPool = async (options: Partial<QueryPoolOptions>, use: (pool: QueryPool) => Promise<void>): Promise<void> => {
  const pool = createQueryPool({ ...ordinary, ...options });
  try {
    await use(pool);
  } finally {
    await pool.close();
  }
};

/**
 * A worker whose behaviour is the site's number: 1 answers at once, 2 waits for its cancelation, 3
 * never reacts, 4 throws outside a task, 5 answers with an error. It says in its answer which
 * thread it is.
 */
const odd: Partial<QueryPoolOptions> = {
  startThread: settings => startTestWorker('query/threads/odd-worker.ts', settings),
  graceMs: 50,
};
/** Who asks, unless a test is about that. */
const owner: Asker = { accountId: 1, isPublic: false };
const ask = (behaviour: number): Query => totals(behaviour);
const threadOf = (report: Report): number | null => (report[0]![0] as AnswerOf<'firstHit'>).at;

const failsWith = async (promise: Promise<unknown>, type: new (...args: never[]) => Error): Promise<Error> => {
  const error = await promise.then(
    () => assert.unreachable('it should have failed'),
    (error: unknown) => error,
  );
  assert.instance(error, type);
  return error as Error;
};

test('the pool answers from a real database', async () => {
  const { db, dataDir } = temporaryDatabase();
  const siteId = addSite(db).id;
  const record = recorder(db);
  record.write([
    recordedEntry(hitRecord({ siteId, day, visitId: 1, at: day * dayMs }), visitRecord({ siteId, day, id: 1 })),
  ]);
  await withPool({ dataDir }, async pool => {
    const visitors = async (): Promise<number> => totalsIn((await pool.run(totals(siteId), owner))[0]![0]).visitors!;
    assert.is(await visitors(), 1);
    const visitor = Buffer.from('0102030405060709', 'hex');
    record.write([
      recordedEntry(
        hitRecord({ siteId, day, visitId: 2, at: day * dayMs }),
        visitRecord({ siteId, day, id: 2, visitor }),
      ),
    ]);
    assert.is(await visitors(), 2, 'hits that came since are seen');
  });
});

test('threads that share a question answer like one, while hits go on', async () => {
  const random = randomFrom(5);
  const { db, dataDir } = temporaryDatabase();
  const siteId = storeSite(db, randomSite(random), firstDay + 2);
  await withPool({ dataDir }, alone =>
    withPool({ dataDir, workers: 3 }, async shared => {
      const queries = Array.from({ length: 20 }, () =>
        randomQuery(random, siteId, [
          'metricSeries',
          'table',
          'metricSeries',
          'events',
          'visits',
          'propertyValues',
          'firstHit',
        ]),
      );
      const answers = (pool: QueryPool): Promise<Report[]> => Promise.all(queries.map(query => pool.run(query, owner)));
      const want = await answers(alone);
      assert.equal(await answers(shared), want);
      sealAll(db, firstDay + days, 0);
      assert.equal(await answers(shared), want);
    }),
  );
});

test('a thread that ends while it helps another costs no answer', async () => {
  const random = randomFrom(6);
  const { db, dataDir } = temporaryDatabase();
  const siteId = storeSite(db, randomSite(random), firstDay + 2);
  const queries = Array.from({ length: 10 }, () =>
    randomQuery(random, siteId, ['metricSeries', 'table', 'metricSeries']),
  );
  const crew: Worker[] = [];
  let asked: Worker | undefined;
  const startThread = (settings: WorkerSettings): Worker => {
    const worker = startWorker('query-worker', settings);
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (order: ThreadOrder, ports?: MessagePort[]) => {
      if (order.kind === 'task') asked = worker;
      post(order, ports);
    };
    crew.push(worker);
    return worker;
  };
  await withPool({ dataDir }, alone =>
    withPool({ dataDir, workers: 2, cacheBytesMax: 0, startThread }, async shared => {
      for (const query of queries) {
        const want = await alone.run(query, owner);
        const got = shared.run(query, owner);
        for (const helping of crew.splice(0).filter(worker => worker !== asked)) await helping.terminate();
        assert.equal(await got, want);
        crew.push(asked!);
      }
    }),
  );
});

/** A short deadline, which the start of a thread on a busy machine may miss. */
const hasty = { ...odd, deadlineMs: 500, graceMs: 30_000 };

/** The thread of a pool of one, once it has answered in time. */
const startedThread = async (pool: QueryPool): Promise<number | null> => {
  while (true) {
    const report = await pool.run(ask(1), owner).catch(() => null);
    if (report !== null) return threadOf(report);
  }
};

test('a query past its deadline is a QueryTimeout, and the worker goes on', () =>
  withPool(hasty, async pool => {
    const thread = await startedThread(pool);
    const error = await failsWith(pool.run(ask(2), owner), QueryTimeout);
    assert.match(error.message, '0.5 seconds');
    assert.is(await startedThread(pool), thread);
  }));

test('a worker that does not react is replaced', () =>
  withPool(odd, async pool => {
    const gone = new AbortController();
    const thread = threadOf(await pool.run(ask(1), owner));
    const canceled = failsWith(pool.run(ask(3), owner, gone.signal), QueryCanceled);
    gone.abort();
    await canceled;
    const other = threadOf(await pool.run(ask(1), owner));
    assert.is.not(other, thread);
  }));

test('when no thread can start, the question fails and the next one tries again', async () => {
  let refusals = 2;
  const scarce: Partial<QueryPoolOptions> = {
    ...odd,
    startThread(settings) {
      if (refusals-- > 0) throw new Error('no threads');
      return odd.startThread!(settings);
    },
  };
  await withPool(scarce, async pool => {
    const refused = [pool.run(ask(1), owner), pool.run(ask(1), owner)];
    for (const question of refused) assert.match((await failsWith(question, QueryFailed)).message, 'no threads');
    assert.is((await pool.run(ask(1), owner)).length, 1);
    assert.equal([pool.stats().waiting, pool.stats().outcomes.failed], [0, 2]);
  });
});

test('a question about a small database starts one thread, and another one beside it the rest', async () => {
  const { dataDir } = temporaryDatabase();
  const startedBy = async (smallBytes: number): Promise<number[]> => {
    const counts: number[] = [];
    let started = 0;
    const startThread: QueryPoolOptions['startThread'] = settings => {
      started++;
      return odd.startThread!(settings);
    };
    await withPool({ ...odd, dataDir, workers: 3, smallBytes, startThread }, async pool => {
      for (const questions of [1, 1, 2]) {
        await Promise.all(Array.from({ length: questions }, () => pool.run(ask(1), owner)));
        counts.push(started);
      }
    });
    return counts;
  };
  assert.equal(await startedBy(1e9), [1, 1, 3]);
  assert.equal(await startedBy(1), [3, 3, 3]);
});

test('threads without a question end, and the next question starts others', async () => {
  const there = new Set<Worker>();
  const counted: Partial<QueryPoolOptions> = {
    ...odd,
    workers: 2,
    restMs: 1,
    startThread(settings) {
      const worker = odd.startThread!(settings);
      there.add(worker);
      worker.once('exit', () => there.delete(worker));
      return worker;
    },
  };
  await withPool(counted, async pool => {
    const long = new AbortController();
    const running = pool.run(ask(2), owner, long.signal);
    for (let i = 0; i < 50; i++) await pool.run(ask(1), owner);
    assert.is(there.size, 2, 'none ends while another works');
    long.abort();
    await failsWith(running, QueryCanceled);
    await until('they end', () => there.size === 0);
    assert.is((await pool.run(ask(1), owner)).length, 1);
    assert.is(there.size, 2);
    assert.equal([pool.stats().outcomes.answered, pool.stats().outcomes.failed], [51, 0]);
  });
});

test('a client that goes away cancels its query, running or waiting, and no other', () =>
  withPool(odd, async pool => {
    const running = new AbortController();
    const waiting = new AbortController();
    const first = pool.run(ask(2), owner, running.signal);
    const second = pool.run(ask(2), owner, waiting.signal);
    const third = pool.run(ask(1), owner);
    waiting.abort();
    await failsWith(second, QueryCanceled);
    running.abort();
    await failsWith(first, QueryCanceled);
    assert.is((await third).length, 1);
    await failsWith(pool.run(ask(1), owner, running.signal), QueryCanceled);
  }));

test('a worker that dies is replaced, and its job fails', () =>
  withPool(odd, async pool => {
    const error = await failsWith(pool.run(ask(4), owner), QueryFailed);
    assert.match(error.message, 'out of the blue');
    assert.is((await pool.run(ask(1), owner)).length, 1);
  }));

test('an error fails its own job with its message', () =>
  withPool(odd, async pool => {
    const thread = threadOf(await pool.run(ask(1), owner));
    const error = await failsWith(pool.run(ask(5), owner), QueryFailed);
    assert.match(error.message, 'cannot');
    assert.is(threadOf(await pool.run(ask(1), owner)), thread);
  }));

test('a worker that cannot start fails its jobs and is not started for ever', () =>
  withPool({ dataDir: '/nowhere' }, async pool => {
    const error = await failsWith(pool.run(ask(1), owner), QueryFailed);
    assert.match(error.message, 'cannot be opened');
    await failsWith(pool.run(ask(1), owner), QueryFailed);
  }));

test('each asker has bounds of what runs and what waits, and fills nobody else’s', () =>
  withPool({ ...odd, waitingMax: 8 }, async pool => {
    const gone = new AbortController();
    const askOften = (count: number, asker: Asker): Promise<unknown>[] =>
      Array.from({ length: count }, () => failsWith(pool.run(ask(2), asker, gone.signal), QueryCanceled));
    const { runningMax, waitingPart } = shareOf(owner);
    const jobs = askOften(runningMax + 8 * waitingPart, owner);
    assert.equal([pool.stats().running, pool.stats().waiting], [runningMax, 8 * waitingPart]);
    await failsWith(pool.run(ask(1), owner), QueryBusy);
    const anybody: Asker = { accountId: 1, isPublic: true };
    jobs.push(...askOften(shareOf(anybody).runningMax + 1, anybody));
    await failsWith(pool.run(ask(1), anybody), QueryBusy);
    assert.is(threadOf(await pool.run(ask(1), { accountId: 2, isPublic: false })) === null, false);
    gone.abort();
    await Promise.all(jobs);
    assert.is((await pool.run(ask(1), owner)).length, 1);
  }));

test('questions in turn go to one thread, which remembers its answers', () =>
  withPool({ ...odd, workers: 2 }, async pool => {
    const threads = new Set<number | null>();
    for (const currency of ['A', 'B', 'A', 'C', 'B'])
      threads.add(threadOf(await pool.run({ ...ask(1), currency }, owner)));
    assert.is(threads.size, 1);
  }));

test('questions at once are answered by all threads', () =>
  withPool({ ...odd, workers: 2 }, async pool => {
    const reports = await Promise.all(['A', 'B'].map(currency => pool.run({ ...ask(1), currency }, owner)));
    assert.is(new Set(reports.map(threadOf)).size, 2);
  }));

test('a repeated question does not wait for its thread while that works on another', () =>
  withPool({ ...odd, workers: 2 }, async pool => {
    const [one, other] = [new AbortController(), new AbortController()];
    const slow = pool.run(ask(2), owner, one.signal);
    const thread = threadOf(await pool.run(ask(1), owner));
    const slower = pool.run(ask(2), owner, other.signal);
    one.abort();
    await failsWith(slow, QueryCanceled);
    const free = threadOf(await pool.run(ask(1), owner));
    assert.is.not(free, thread);
    other.abort();
    await failsWith(slower, QueryCanceled);
  }));

test('query threads have a lower priority than the thread that takes hits', async () => {
  if (process.platform !== 'linux') return;
  const { dataDir } = temporaryDatabase();
  const niceness = (task: string): number =>
    Number(readFileSync(`/proc/self/task/${task}/stat`, 'utf8').split(') ')[1]!.split(' ')[16]);
  const own = getPriority();
  await withPool({ dataDir, workers: 2 }, async pool => {
    await Promise.all([pool.run(totals(1), owner), pool.run(totals(2), owner)]);
    const stepped = readdirSync('/proc/self/task').filter(task => niceness(task) === Math.max(own, 7));
    assert.ok(stepped.length >= 2);
    assert.is(getPriority(), own);
  });
});

test('no thread works while the pool is held, and waiting questions are answered afterwards', () =>
  withPool({ ...odd, workers: 2 }, async pool => {
    const gone = new AbortController();
    const running = failsWith(pool.run(ask(2), owner, gone.signal), QueryCanceled);
    let idle = false;
    const held = pool.hold(30_000).then(ended => {
      idle = ended;
    });
    const waiting = [pool.run(ask(1), owner), pool.run(ask(10), owner)];
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    assert.equal([idle, pool.stats().running, pool.stats().waiting], [false, 1, 2], 'the free thread gets nothing');
    gone.abort();
    await Promise.all([running, held]);
    assert.equal([idle, pool.stats().running, pool.stats().waiting], [true, 0, 2]);
    pool.release();
    assert.equal(
      (await Promise.all(waiting)).map(report => report.length),
      [1, 1],
    );
  }));

test('a hold is given up when a question takes too long', () =>
  withPool({ ...odd, workers: 2 }, async pool => {
    const gone = new AbortController();
    const running = failsWith(pool.run(ask(2), owner, gone.signal), QueryCanceled);
    const held = pool.hold(50);
    const waiting = pool.run(ask(1), owner);
    assert.is(await held, false);
    assert.is((await waiting).length, 1);
    gone.abort();
    await running;
  }));

test('a held pool is idle at once when a thread dies, and its jobs can be canceled, time out and be closed', async () => {
  const pool = createQueryPool({ ...ordinary, ...hasty });
  await startedThread(pool);
  const dying = failsWith(pool.run(ask(4), owner), QueryFailed);
  assert.is(await pool.hold(30_000), true);
  await dying;
  const gone = new AbortController();
  const canceled = failsWith(pool.run(ask(1), owner, gone.signal), QueryCanceled);
  gone.abort();
  await canceled;
  await failsWith(pool.run(ask(1), owner), QueryTimeout);
  const closing = failsWith(pool.run(ask(1), owner), QueryCanceled);
  await pool.close();
  await closing;
  assert.is(await pool.hold(30_000), false);
});

test('closing ends a waiting hold', async () => {
  const pool = createQueryPool({ ...ordinary, ...odd });
  const running = failsWith(pool.run(ask(3), owner), QueryCanceled);
  const held = pool.hold(30_000);
  await pool.close();
  assert.is(await held, false);
  await running;
});

test('closing cancels running and waiting queries', async () => {
  const pool = createQueryPool({ ...ordinary, ...odd });
  const jobs = [pool.run(ask(3), owner), pool.run(ask(1), owner)].map(job => failsWith(job, QueryCanceled));
  await pool.close();
  await Promise.all(jobs);
  await failsWith(pool.run(ask(1), owner), QueryCanceled);
});

test.run();
