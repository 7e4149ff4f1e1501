/** Hits that are left out or put back by a program that is killed are all there or all gone, and the next run finishes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import { headline } from '../../src/query/usual-questions.ts';
import { type Database, openDatabase, openReader } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { withHits } from '../../src/store/day/some-hits.ts';
import { putBack, removalOf } from '../../src/store/moved-hits/put-back.ts';
import { usualFile } from '../../src/store/moved-hits/removal-file.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { totalsIn } from '../query/totals-in.ts';
import { builtProgram } from '../tools/build.ts';
import { until } from '../tools/conditions.ts';
import { writeRemovalFile } from '../tools/removal-file.ts';
import { runProgram } from './server-process.ts';
import { problemsOf } from './stored.ts';

const dayCount = 60;
const firstDay = 20_000;
const [kept, gone] = [3 * dayCount, 2 * dayCount];

/** Days of visits with hits on `/` and, unless they were removed, on `/wp-login`; the last of them is open. */
const filled = (isRemoved: boolean): { db: Database; dataDir: string } => {
  const dataDir = temporaryDir();
  const db = openDatabase(dataDir);
  const { id: siteId } = addSite(db);
  const record = recorder(db);
  for (let day = firstDay; day < firstDay + dayCount; day++) {
    const of = { siteId, day, visitId: day };
    const hits = ['/', '/wp-login', '/', '/wp-login', '/']
      .map((path, i) => hitRecord({ ...of, at: day * dayMs + i * 1000, path }))
      .filter(({ path }) => !isRemoved || path === '/');
    record.write(hits.map((hit, i) => recordedEntry(hit, i === 0 ? visitRecord({ siteId, day, id: day }) : undefined)));
  }
  sealAll(db, firstDay + dayCount - 1, 0);
  return { db, dataDir };
};

/** A database that an earlier version removed hits from, into a file. */
const withRemoval = (): { dataDir: string; file: string } => {
  const [{ db: whole }, { db, dataDir }] = [filled(false), filled(true)];
  const file = usualFile(db, 1);
  mkdirSync(join(dataDir, 'removed'));
  const taken = [...dayReader(whole, 0).days(1, 0, 4e12)].map(day => withHits(day, Uint8Array.of(0, 1, 0, 1, 0)));
  writeRemovalFile(file, { id: 1, siteId: 1, createdAt: 5 }, taken, whole);
  db.prepare(
    `insert into removal (id, site_id, filters, period, file, hits, created_at, finished_at)
     values (1, 1, 'path^=/wp-', 'all', ?, ?, 5, 6)`,
  ).run(file, gone);
  db.close();
  whole.close();
  return { dataDir, file };
};

const usualFileIn = (dataDir: string, id: number): string => join(dataDir, 'removed', `${id}.db`);

const ask = async (dataDir: string): Promise<number> => {
  const db = openReader(dataDir);
  try {
    const slice = { from: 0, to: 4e12, filters: [], questions: [headline] };
    const report = await createEngine(db, 0).answer(
      { siteId: 1, currency: '', minorRates: {}, slices: [slice] },
      alone,
    );
    return totalsIn(report[0]![0]).pageviews!;
  } finally {
    db.close();
  }
};

const countIn = (dataDir: string, rows: string): number => {
  const db = openReader(dataDir);
  try {
    return db.prepare(`select count(*) from ${rows}`).pluck().get() as number;
  } finally {
    db.close();
  }
};

/** Kills a command when something is so, and a moment later; returns the pageviews then. */
const killed = async (dataDir: string, args: string[], isReached: () => boolean, ms: number): Promise<number> => {
  const child = spawn(process.execPath, [builtProgram, ...args, '--data', dataDir], { stdio: 'ignore' });
  const ended = once(child, 'close');
  await until('it has begun', () => isReached() || child.exitCode !== null);
  await wait(ms);
  child.kill('SIGKILL');
  await ended;
  assert.equal(problemsOf(dataDir), []);
  return ask(dataDir);
};

const run = async (dataDir: string, args: string[]): Promise<void> => {
  const { code, said } = await runProgram(builtProgram, [...args, '--data', dataDir]);
  assert.is(code, 0, said);
};

test('a removal of an earlier version whose undoing is killed is undone by the next run', async () => {
  const random = chanceFrom(7).number;
  let inTheMiddle = 0;
  for (let round = 0; round < 4; round++) {
    const { dataDir, file } = withRemoval();
    const undo = ['prune', '--undo', file];
    for (let i = 0; i < 2 && existsSync(file); i++) {
      const parts = Math.floor(random() * dayCount);
      const hasParts = () => countIn(dataDir, 'day_part where import_id > 0') >= parts;
      const pageviews = await killed(dataDir, undo, hasParts, random() * 20);
      const isPending = countIn(dataDir, 'removal') === 1;
      assert.is(pageviews, isPending ? kept : kept + gone, 'hits are back when the removal is off the record');
      if (countIn(dataDir, 'import where finished_at is null') === 1) inTheMiddle++;
    }
    if (countIn(dataDir, 'removal') === 1) await run(dataDir, undo);
    assert.is(await ask(dataDir), kept + gone);
    assert.is(countIn(dataDir, 'import'), 1);
    assert.equal(problemsOf(dataDir), []);
  }
  assert.ok(inTheMiddle > 0, 'some run was killed in the middle');
});

test('hits are back only when their removal is off the record', async () => {
  const { dataDir, file } = withRemoval();
  const db = openDatabase(dataDir);
  db.exec(`create temp trigger refused before delete on main.removal begin select raise(abort, 'full'); end`);
  const undo = (): void => {
    for (const _ of putBack(db, removalOf(db, file), file));
  };
  assert.throws(undo, /full/);
  assert.is(await ask(dataDir), kept);
  db.exec('drop trigger refused');
  undo();
  assert.is(await ask(dataDir), kept + gone);
  db.close();
});

test('a file whose hits are back goes with the next command, and no other does', async () => {
  const { dataDir, file } = withRemoval();
  const copy = join(dataDir, 'a.db');
  cpSync(file, copy);
  await run(dataDir, ['prune', '--undo', file]);
  assert.not.ok(existsSync(file));
  // As where the process ends between both.
  cpSync(copy, file);
  cpSync(copy, usualFileIn(dataDir, 2));
  await run(dataDir, ['site', 'list']);
  assert.equal([existsSync(file), existsSync(usualFileIn(dataDir, 2))], [false, true]);
});

test('a rule that is made or undone by a program that is killed holds for all days or for none', async () => {
  const random = chanceFrom(8).number;
  const { db, dataDir } = filled(false);
  const hasRule = (): boolean => rules(db).ofSite(1).length === 1;
  for (let round = 0; round < 4; round++) {
    const made = ['prune', '--site', 'site1.example', '--where', 'path^=/wp-'];
    assert.is(await killed(dataDir, made, hasRule, random() * 20), hasRule() ? kept : kept + gone);
    if (!hasRule()) await run(dataDir, made);
    assert.is(await ask(dataDir), kept);
    const undo = ['prune', '--undo', String(rules(db).ofSite(1)[0]!.id)];
    const isUndone = (): boolean => !hasRule();
    assert.is(await killed(dataDir, undo, isUndone, random() * 20), hasRule() ? kept : kept + gone);
    if (hasRule()) await run(dataDir, undo);
    assert.is(await ask(dataDir), kept + gone);
  }
  db.close();
});

test.run();
