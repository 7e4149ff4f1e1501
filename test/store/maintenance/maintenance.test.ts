import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import { type Database, databaseFile, logState } from '../../../src/store/database.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { sealer } from '../../../src/store/day/seal.ts';
import { openLogSync } from '../../../src/store/log-sync.ts';
import { keepLogShort } from '../../../src/store/maintenance/checkpoints.ts';
import { startMaintenance } from '../../../src/store/maintenance/maintenance.ts';
import { maintenanceThread } from '../../../src/store/maintenance/maintenance-thread.ts';
import { salts } from '../../../src/store/salts.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';
import { until } from '../../tools/conditions.ts';

const day = 20_000;

/** Nobody commits or asks but the test itself. */
const openGates = {
  commits: { idle: async () => {}, pause: () => {}, resume: () => {} },
  questions: { hold: async () => true, release: () => {} },
};

const writeVisits = (db: Database, siteId: number, onDay: number, visits: number, path?: string): void => {
  const record = recorder(db);
  const from = record.nextVisitId();
  for (let id = from; id < from + visits; id++) {
    const visitor = Buffer.alloc(8);
    visitor.writeUInt32BE(id, 0);
    const hit = hitRecord({ siteId, day: onDay, visitId: id, at: onDay * dayMs + id, path: path ?? `/${id}` });
    record.write([recordedEntry(hit, visitRecord({ siteId, day: onDay, id, visitor }))]);
  }
};

test('missed days are sealed at start, the day itself at midnight, and the old salt leaves no trace', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  writeVisits(db, siteId, day - 3, 10);
  writeVisits(db, siteId, day, 10);
  const oldSalt = Buffer.from('0123456789abcdef'.repeat(2));
  salts(db).replace(day, oldSalt);
  let now = day * dayMs + dayMs - 5000;
  const seal = sealer(db);
  const lines: string[] = [];
  const maintenance = startMaintenance({
    db,
    dataDir,
    now: () => now,
    tickMs: 20,
    ...openGates,
    partHitsMax: 3,
    log: event => lines.push(event),
    onNewDay: () => now >= (day + 1) * dayMs && salts(db).replace(day + 1, Buffer.alloc(32, 7)),
  });
  await until('the missed day is sealed', () => seal.newest() === day - 3);
  const daysNow = [...dayReader(db, 0).days(siteId, 0, Number.MAX_SAFE_INTEGER)];
  assert.is(new Set(daysNow.map(of => of.day)).size, 2);
  assert.is(daysNow[0]!.part.of, 4, 'it is sealed in parts');
  now += 6000;
  await until('yesterday is sealed', () => seal.newest() === day);
  await until('its rows are gone', () => db.prepare('select count(*) from hit').pluck().get() === 0);
  await until('the log is empty', () => statSync(`${databaseFile(dataDir)}-wal`).size === 0 || !found(oldSalt));
  assert.not(found(oldSalt));
  await maintenance.close();
  assert.is(
    [...dayReader(db, 0).days(siteId, 0, Number.MAX_SAFE_INTEGER)].reduce((hits, d) => hits + d.hits, 0),
    20,
  );
  assert.equal(lines, ['sealed', 'sealed']);
  db.close();

  function found(bytes: Buffer): boolean {
    return ['', '-wal'].some(suffix => readWhole(`${databaseFile(dataDir)}${suffix}`).includes(bytes));
  }
});

/** Through another process, because closing a descriptor of the database file here would drop SQLite's locks. */
const readWhole = (file: string): Buffer => execFileSync('cat', [file], { maxBuffer: 1e9 });

test('the log stays short however much is committed', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const logSync = openLogSync(db);
  let paused = false;
  let pauses = 0;
  const commits = {
    idle: async () => {},
    pause: () => {
      paused = true;
      pauses++;
    },
    resume: () => {
      paused = false;
    },
  };
  const maintenance = startMaintenance({
    db,
    dataDir,
    now: () => day * dayMs,
    tickMs: 20,
    ...openGates,
    commits,
    log: () => {},
    onNewDay: () => {},
    logPagesMax: 200,
  });
  const log = `${databaseFile(dataDir)}-wal`;
  // Until the first pause the thread starts, which takes as long as the machine is busy.
  let atFirst = { bytes: 0, commits: 0 };
  let bytes = 0;
  let committed = 0;
  // So many at once that no disk copies them as fast as they come.
  const atOnce = 10;
  // Commits follow each other without a pause of their own, so that the log has no reason to start over by itself.
  while (committed < 40_000 && (pauses < 10 || committed < atFirst.commits + 2000)) {
    if (!paused) {
      writeVisits(db, siteId, day, atOnce);
      committed += atOnce;
    }
    await wait(0);
    bytes = statSync(log).size;
    if (pauses === 0) atFirst = { bytes, commits: committed };
  }
  assert.ok(pauses >= 10, `commits paused ${pauses} times`);
  // Each commit is five pages or more.
  const [grown, since] = [bytes - atFirst.bytes, committed - atFirst.commits];
  assert.ok(grown < (since * 5 * 4096) / 4, `the log grew by ${grown} bytes in ${since} commits`);
  await maintenance.close();
  logSync.close();
  db.close();
});

test('a log that nobody writes to is left alone, its thread ends, and the next commit is copied by another', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const thread = maintenanceThread(dataDir, {});
  const did: string[] = [];
  const checkpoints = keepLogShort({
    async copy(truncate) {
      did.push('copy');
      return await thread.checkpoint(truncate);
    },
    logState: () => logState(db),
    async rest() {
      did.push('rest');
      await thread.close();
    },
    ...openGates,
    alone: work => work(),
    log: () => {},
    ...{ logPagesMax: 1e6, patienceMinMs: 1, restFactor: 1 },
  });
  const look = async (): Promise<string | undefined> => {
    await checkpoints.run();
    return did.at(-1);
  };
  const lookUntilRest = async (): Promise<void> => {
    for (let looks = 0; looks < 100; looks++) if ((await look()) === 'rest') return;
    assert.unreachable('it never rests');
  };
  const copied = (): boolean => readWhole(databaseFile(dataDir)).includes('/of the last visit');
  await lookUntilRest();
  const threads = threadsOfProcess();
  writeVisits(db, siteId, day, 1, '/of the last visit');
  assert.not(copied());
  assert.is(await look(), 'copy');
  assert.ok(copied());
  assert.ok(threadsOfProcess() > threads, 'a thread was started again');
  checkpoints.emptySoon();
  await lookUntilRest();
  assert.is(statSync(`${databaseFile(dataDir)}-wal`).size, 0, 'what is to be emptied is emptied before a rest');
  await thread.close();
  db.close();
});

test('when nothing has been written for a while, the garbage of a load goes, though nothing more is allocated', async () => {
  const { db, dataDir } = temporaryDatabase();
  const maintenance = startMaintenance({
    ...{ db, dataDir, now: () => day * dayMs, tickMs: 10, log: () => {}, onNewDay: () => {} },
    ...openGates,
  });
  const garbage = new WeakRef({ of: 'a load' });
  await until('it was collected', () => garbage.deref() === undefined);
  await maintenance.close();
  db.close();
});

const threadsOfProcess = (): number => readdirSync('/proc/self/task').length;

test('a day that cannot be sealed is tried again and keeps no other open', async () => {
  const { db, dataDir } = temporaryDatabase();
  const [broken, sound] = [addSite(db).id, addSite(db).id];
  writeVisits(db, broken, day - 1, 3);
  writeVisits(db, sound, day - 1, 3);
  const [visit] = db.prepare('select * from visit where site_id = ? limit 1').raw().all(broken) as unknown[][];
  db.prepare('delete from visit where site_id = ? and id = ?').run(broken, visit![2]);
  const lines: string[] = [];
  const maintenance = startMaintenance({
    db,
    dataDir,
    now: () => day * dayMs,
    tickMs: 20,
    ...openGates,
    log: (event, fields) => lines.push(`${event} ${fields?.site ?? ''}`),
    onNewDay: () => {},
    sealRetryMs: 20,
  });
  const sealed = db.prepare('select site_id from day_part where sealed_at is not null order by site_id').pluck();
  await until('the sound one is sealed', () => sealed.all().includes(sound));
  await until('the broken one was tried', () => lines.includes(`seal-failed ${broken}`));
  assert.equal(sealed.all(), [sound]);
  db.prepare(`insert into visit values (${visit!.map(() => '?').join(', ')})`).run(...visit!);
  await until('the broken one is sealed too', () => sealed.all().length === 2);
  await maintenance.close();
  db.close();
});

test('an old salt is replaced at start, before any hit comes', async () => {
  const { db, dataDir } = temporaryDatabase();
  const begun: number[] = [];
  const maintenance = startMaintenance({
    db,
    dataDir,
    now: () => day * dayMs,
    tickMs: 20,
    ...openGates,
    log: () => {},
    onNewDay: () => begun.push(day),
  });
  assert.equal(begun, [day]);
  await maintenance.close();
  db.close();
});

test('a midnight at which nothing can be written is tried again', async () => {
  const { db, dataDir } = temporaryDatabase();
  const lines: string[] = [];
  let fails = 2;
  const maintenance = startMaintenance({
    db,
    dataDir,
    now: () => day * dayMs,
    tickMs: 20,
    ...openGates,
    log: event => lines.push(event),
    onNewDay: () => {
      if (fails-- > 0) throw new Error('database or disk is full');
    },
  });
  await until('the day begins', () => fails < 0);
  assert.equal(lines, ['maintenance-failed', 'maintenance-failed']);
  await maintenance.close();
  db.close();
});

test.run();
