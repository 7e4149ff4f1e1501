/**
 * Group commit, and what happens when rows, the disk or its sync fail: on a real database that
 * really fails.
 */
import { readFileSync, statSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createWriter, type Writer, type WriterOptions } from '../../src/collect/writer.ts';
import type { Outcome } from '../../src/model/outcomes.ts';
import { dayMs } from '../../src/model/time.ts';
import { type Database, databaseFile, openDatabase, openReader, setLockWait } from '../../src/store/database.ts';
import { type LogSync, openLogSync } from '../../src/store/log-sync.ts';
import { diskCheck } from '../../src/store/maintenance/disk-check.ts';
import { type Entry, type Recorder, recorder, type VisitRecord } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { startCollector } from './start-collector.ts';
import { storedHits, storedOutcomes, storedVisits } from './stored.ts';

const day = 20_000;
const at = day * dayMs + 1000;
const siteId = 1;

interface TestWriter extends Writer {
  db: Database;
  dataDir: string;
  /** Sizes of the batches written, and syncs made. */
  batches: number[];
  syncs: () => number;
  /** How often it was tried whether the disk takes a write. */
  tries: () => number;
  lost: VisitRecord[];
  logged: string[];
  /** Submits a hit and gives how it ended. */
  send(entry: Entry, bytes?: number): Promise<Outcome>;
}

const startWriter = (
  options: Partial<WriterOptions> & { sync?: (real: LogSync) => Promise<void> } = {},
): TestWriter => {
  const { dataDir, db } = temporaryDatabase();
  const real = recorder(db);
  const realSync = openLogSync(db);
  const batches: number[] = [];
  const lost: VisitRecord[] = [];
  const logged: string[] = [];
  let syncs = 0;
  let tries = 0;
  const disk = diskCheck(db);
  const counted: Pick<Recorder, 'write'> = {
    write(entries) {
      real.write(entries);
      batches.push(entries.length);
    },
  };
  const writer = createWriter({
    recorder: counted,
    logSync: {
      sync: () => {
        syncs++;
        return options.sync?.(realSync) ?? realSync.sync();
      },
      close: realSync.close,
    },
    diskCheck: {
      ...disk,
      write() {
        tries++;
        disk.write();
      },
    },
    retryMs: 20,
    queueMax: 1000,
    queueBytesMax: 1_000_000,
    onVisitLost: visit => lost.push(visit),
    log: event => logged.push(event),
    ...options,
  });
  const send = (entry: Entry, bytes = 100): Promise<Outcome> =>
    new Promise(resolve => writer.submit(entry, bytes, resolve));
  return { ...writer, db, dataDir, batches, syncs: () => syncs, tries: () => tries, lost, logged, send };
};

/** A hit of a visit; the first of a visit begins it. */
const hitOf = (visitId: number, path: string, begins = false): Entry =>
  recordedEntry(
    hitRecord({ siteId, day, visitId, at, path }),
    begins ? visitRecord({ siteId, day, id: visitId, visitor: Buffer.alloc(8, visitId) }) : undefined,
  );
const noted: Entry = { siteId, at, outcome: 'crawler' };

/** An entry whose hit no row can be made of. */
const poisoned = (visitId: number, begins = false): Entry => {
  const entry = hitOf(visitId, '/poison', begins);
  entry.hit!.duration = -1;
  return entry;
};

const paths = (db: Database): unknown[] => storedHits(db).map(({ path }) => path);

/** Lets everything happen that waits for nothing but its turn. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve));
};

test('hits of one turn share one transaction and one sync', async () => {
  const { send, batches, syncs, db, close } = startWriter();
  const outcomes = await Promise.all([hitOf(1, '/a', true), hitOf(1, '/b'), hitOf(1, '/c')].map(entry => send(entry)));
  assert.equal(outcomes, ['recorded', 'recorded', 'recorded']);
  assert.equal([batches, syncs()], [[3], 1]);
  assert.equal(paths(db), ['/a', '/b', '/c']);
  await close();
});

test('hits that arrive during a sync share the next transaction', async () => {
  const { send, batches, syncs, close } = startWriter();
  const first = send(hitOf(1, '/a', true));
  await new Promise(resolve => setImmediate(resolve));
  assert.equal([batches, syncs()], [[1], 1], 'the first is being synced');
  await Promise.all([first, send(hitOf(1, '/b')), send(hitOf(1, '/c'))]);
  assert.equal([batches, syncs()], [[1, 2], 2]);
  await close();
});

test('no hit is acknowledged before its sync is over', async () => {
  let release = (): void => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  const { send, db, close } = startWriter({
    sync: async real => {
      await held;
      await real.sync();
    },
  });
  let outcome: Outcome | undefined;
  const sent = send(hitOf(1, '/a', true)).then(ended => {
    outcome = ended;
  });
  await turns();
  assert.equal([storedHits(db).length, outcome], [1, undefined]);
  release();
  await sent;
  assert.is(outcome, 'recorded');
  await close();
});

test('hits of the turn in which a sync ends share the next transaction with those gathered during it', async () => {
  const { submit, batches, syncs, idle, close } = startWriter();
  submit(hitOf(1, '/a', true), 100, () => submit(hitOf(1, '/c'), 100, () => {}));
  await new Promise(resolve => setImmediate(resolve));
  submit(hitOf(1, '/b'), 100, () => {});
  assert.equal([batches, syncs()], [[1], 1], 'the first is being synced');
  await idle();
  await idle();
  assert.equal([batches, syncs()], [[1, 2], 2]);
  await close();
});

test('notes force no commit, go with the next hit, and need no sync', async () => {
  const { send, note, batches, syncs, db, close } = startWriter();
  note(noted);
  note(noted);
  await turns();
  assert.equal(batches, []);
  await send(hitOf(1, '/a', true));
  assert.equal([batches, syncs()], [[3], 1]);
  for (let i = 0; i < 1000; i++) note(noted);
  await turns();
  assert.equal([batches, syncs()], [[3, 1000], 1], 'many do not wait');
  assert.equal(storedOutcomes(db), { '1 crawler': 1002, '1 recorded': 1 });
  await close();
});

test('a queue full by number or by bytes is busy, and its new visits are forgotten', async () => {
  const { send, lost, pause, resume, db, close } = startWriter({ queueMax: 2, queueBytesMax: 1000 });
  pause();
  const taken = [send(hitOf(1, '/a', true)), send(hitOf(1, '/b'))];
  assert.is(await send(hitOf(2, '/c', true)), 'busy');
  assert.equal(
    lost.map(({ id }) => id),
    [2],
  );
  resume();
  assert.equal(await Promise.all(taken), ['recorded', 'recorded']);
  assert.is(await send(hitOf(3, '/d', true), 1001), 'busy');
  assert.is(await send(hitOf(3, '/d', true), 1000), 'recorded');
  await close();
  assert.equal(storedOutcomes(db), { '1 busy': 2, '1 recorded': 3 });
});

test('a row that cannot be written costs only itself', async () => {
  const { send, lost, healthy, db, close, logged } = startWriter();
  const outcomes = await Promise.all(
    [hitOf(1, '/a', true), poisoned(1), hitOf(2, '/b', true), poisoned(3, true), hitOf(2, '/c')].map(entry =>
      send(entry),
    ),
  );
  assert.equal(outcomes, ['recorded', 'unavailable', 'recorded', 'unavailable', 'recorded']);
  assert.equal(paths(db), ['/a', '/b', '/c']);
  assert.equal(
    storedVisits(db).map(({ id }) => id),
    [1, 2],
  );
  assert.equal(
    lost.map(({ id }) => id),
    [3],
  );
  assert.ok(healthy());
  assert.equal(logged, ['batch-failed']);
  await close();
  assert.equal(storedOutcomes(db), { '1 recorded': 3, '1 unavailable': 2 });
});

test('a single row that cannot be written does not look like a failing disk', async () => {
  const { send, healthy, db, close } = startWriter();
  assert.is(await send(poisoned(1, true)), 'unavailable');
  assert.ok(healthy());
  assert.is(await send(hitOf(2, '/a', true)), 'recorded');
  assert.is(storedHits(db).length, 1);
  await close();
});

test('a visit whose first hit cannot be written begins with the next one', async () => {
  const { send, lost, db, close } = startWriter();
  const outcomes = await Promise.all(
    [poisoned(1, true), poisoned(1), hitOf(1, '/b'), hitOf(1, '/c')].map(entry => send(entry)),
  );
  assert.equal(outcomes, ['unavailable', 'unavailable', 'recorded', 'recorded']);
  assert.equal(
    storedHits(db).map(({ visit_id, path }) => [visit_id, path]),
    [
      [1, '/b'],
      [1, '/c'],
    ],
  );
  assert.equal(
    storedVisits(db).map(({ id }) => id),
    [1],
  );
  assert.equal(lost, []);
  await close();
});

test('a note that cannot be written costs only itself', async () => {
  const { send, note, db, close } = startWriter();
  note({ siteId, at, outcome: 'crawler', crawl: { siteId, at, name: 'bot', path: null, status: Number.NaN } });
  note(noted);
  assert.is(await send(hitOf(1, '/a', true)), 'recorded');
  assert.is(await send(hitOf(1, '/b')), 'recorded');
  await close();
  assert.equal(storedOutcomes(db), { '1 crawler': 1, '1 recorded': 2 });
});

test('a full disk refuses everything, is logged, and recovers by itself', async () => {
  const { send, healthy, tries, db, close, logged, note } = startWriter();
  assert.is(await send(hitOf(1, '/before', true)), 'recorded');
  const pages = db.pragma('page_count', { simple: true });
  db.pragma(`max_page_count = ${pages}`);
  let recorded = 1;
  let outcome: Outcome = 'recorded';
  const long = 'x'.repeat(1000);
  for (let i = 0; i < 1000 && outcome === 'recorded'; i++) {
    outcome = await send(hitOf(1, `/${i}${long}`));
    if (outcome === 'recorded') recorded++;
  }
  assert.is(outcome, 'unavailable');
  assert.not.ok(healthy());
  assert.is(await send(hitOf(1, '/refused')), 'unavailable');
  note(noted);
  const before = tries();
  await until('it was tried again', () => tries() > before + 1);
  assert.not.ok(healthy(), 'still full');

  db.pragma('max_page_count = 1000000');
  await until('it recovers', healthy);
  assert.is(await send(hitOf(1, '/after')), 'recorded');
  assert.is(storedHits(db).length, recorded + 1);
  assert.equal(
    logged.filter(event => event !== 'batch-failed'),
    ['disk-failing', 'disk-recovered'],
  );
  await close();
  assert.equal(storedOutcomes(db), { '1 crawler': 1, '1 recorded': recorded + 1, '1 unavailable': 2 });
});

test('a full disk recovers though another program reads from the log all the while', async () => {
  const { send, healthy, db, dataDir, close } = startWriter();
  await send(hitOf(1, '/before', true));
  const reader = openReader(dataDir);
  reader.exec('begin');
  reader.prepare('select count(*) from hit').get();
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
  while (healthy()) await send(hitOf(1, `/${'x'.repeat(1000)}`));
  db.pragma('max_page_count = 1000000');
  await until('it recovers', healthy);
  assert.is(await send(hitOf(1, '/after')), 'recorded');
  reader.close();
  await close();
});

test('hits are refused at once while another program locks the file, and taken again afterwards', async () => {
  const { send, note, db, dataDir, lost, logged, healthy, close } = startWriter();
  setLockWait(db, 50);
  await send(hitOf(1, '/before', true));
  const other = openDatabase(dataDir);
  other.exec('begin immediate');
  note(noted);
  const many = Array.from({ length: 200 }, (_, i) => send(hitOf(i + 2, '/during', true)));
  assert.equal(new Set(await Promise.all(many)), new Set(['unavailable']));
  assert.equal([healthy(), await send(hitOf(300, '/during', true)), lost.length], [false, 'unavailable', 201]);
  other.exec('rollback');
  other.close();
  await until('it recovers', healthy);
  assert.is(await send(hitOf(1, '/after')), 'recorded');
  assert.equal(logged, ['batch-failed', 'disk-failing', 'disk-recovered']);
  await close();
  assert.equal(paths(db), ['/before', '/after']);
  assert.equal(storedOutcomes(db), { '1 crawler': 1, '1 recorded': 2, '1 unavailable': 201 });
});

test('after a failed sync nothing is acknowledged until the log is a new one', async () => {
  let fails = true;
  const { send, healthy, db, dataDir, close, lost } = startWriter({
    sync: real => (fails ? Promise.reject(new Error('EIO')) : real.sync()),
  });
  const first = send(hitOf(1, '/a', true));
  await new Promise(resolve => setImmediate(resolve));
  // Arrived while the sync was under way: never written.
  const second = send(hitOf(2, '/b', true));
  assert.equal(await Promise.all([first, second]), ['unavailable', 'unavailable']);
  assert.not.ok(healthy());
  assert.equal(
    lost.map(({ id }) => id),
    [2],
    'the first visit stands in the database',
  );
  assert.is(await send(hitOf(1, '/c')), 'unavailable');
  const grown = statSync(`${databaseFile(dataDir)}-wal`).size;
  assert.ok(grown > 0);
  fails = false;
  await until('it recovers', healthy);
  assert.is(await send(hitOf(1, '/d')), 'recorded');
  // What was committed before stands in the database file itself, and the log is good from its
  // first page on.
  assert.ok(readFileSync(databaseFile(dataDir)).includes('/a'));
  assert.equal(paths(db), ['/a', '/d']);
  await close();
});

test('idle waits for the hits submitted so far and no others', async () => {
  const { send, idle, pause, resume, close, db } = startWriter();
  await idle();
  pause();
  const sent = send(hitOf(1, '/a', true));
  let idled = false;
  const idling = idle().then(() => {
    idled = true;
  });
  await turns();
  assert.not.ok(idled);
  resume();
  await sent;
  // Hits keep coming, and yet it resolves.
  let coming = true;
  const stream = (async () => {
    for (let i = 0; coming; i++) await send(hitOf(1, `/${i}`));
  })();
  await idling;
  await idle();
  coming = false;
  await stream;
  assert.ok(storedHits(db).length > 0);
  await close();
});

test('close writes what waits and refuses the rest', async () => {
  const { send, note, close, pause, db, dataDir, logged } = startWriter();
  pause();
  const sent = [send(hitOf(1, '/a', true)), send(hitOf(1, '/b'))];
  note(noted);
  const closing = close();
  assert.is(await send(hitOf(1, '/late')), 'unavailable');
  await closing;
  assert.equal(await Promise.all(sent), ['recorded', 'recorded']);
  db.close();
  for (let i = 0; i < 1000; i++) note(noted);
  await turns();
  assert.equal(logged, [], 'nothing is written to a closed database');
  const reopened = openDatabase(dataDir);
  assert.equal(paths(reopened), ['/a', '/b']);
  assert.equal(storedOutcomes(reopened), { '1 crawler': 1, '1 recorded': 2, '1 unavailable': 1 });
  reopened.close();
});

test('over HTTP a failing disk means 503 for hits and /health, and hits before and after are stored', async () => {
  const collector = await startCollector();
  const { post, site, db, url } = collector;
  const hit = (path: string) => ({ s: site.publicKey, u: `https://site1.example/${path}` });
  assert.is((await post(hit('before'))).status, 202);
  db.pragma('query_only = 1');
  const refused = await Promise.all([post(hit('x')), post(hit('y'))]);
  assert.equal(
    refused.map(({ status, body }) => [status, body]),
    Array(2).fill([503, 'unavailable']),
  );
  const sick = await fetch(`${url}/health`);
  assert.equal([sick.status, await sick.text()], [503, '{"ok":false,"service":"ingest"}']);
  assert.is((await fetch(`${url}/c/${site.publicKey}`)).status, 200, 'what needs no disk goes on');
  db.pragma('query_only = 0');
  await until('it recovers', async () => (await fetch(`${url}/health`)).status === 200);
  assert.is((await post(hit('after'))).status, 202);
  assert.equal(paths(db), ['/before', '/after']);
  assert.equal(new Set(storedHits(db).map(({ visit_id }) => visit_id)).size, 1, 'and the visit goes on');
  await collector.close();
});

test.run();
