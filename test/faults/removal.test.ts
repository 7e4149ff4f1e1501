/** A removal and its undoing that are killed leave each day as it was or as it shall be, and the next run finishes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { packageRoot } from '../../src/package-root.ts';
import { openDatabase, openReader } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { builtProgram } from '../tools/build.ts';
import { until } from '../tools/conditions.ts';
import { runProgram } from './server-process.ts';
import { problemsOf } from './stored.ts';

const dayCount = 60;
const firstDay = 20_000;
const [kept, gone] = [3, 2];

/** Days of visits with hits on `/` and `/wp-login`; the last of them is open. */
const filled = (): string => {
  const dataDir = temporaryDir();
  const db = openDatabase(dataDir);
  const { id: siteId } = addSite(db);
  const record = recorder(db);
  for (let day = firstDay; day < firstDay + dayCount; day++) {
    const of = { siteId, day, visitId: day };
    const hits = ['/wp-login', '/', '/', '/wp-login', '/'].map((path, i) =>
      hitRecord({ ...of, at: day * 86_400_000 + i * 1000, path }),
    );
    record.write(hits.map((hit, i) => recordedEntry(hit, i === 0 ? visitRecord({ siteId, day, id: day }) : undefined)));
  }
  sealAll(db, firstDay + dayCount - 1, 0);
  db.close();
  return dataDir;
};

/** The number of hits of each day. */
const hitsByDay = (dataDir: string): number[] => {
  const db = openReader(dataDir);
  try {
    return Array.from(dayReader(db, 0).days(1, 0, 4e12), ({ hits }) => hits);
  } finally {
    db.close();
  }
};

test('a removal that is killed is finished by the next run, and so is its undoing', async () => {
  const random = chanceFrom(7).number;
  const dataDir = filled();
  const file = join(dataDir, 'removed', '1.db');
  let inTheMiddle = 0;
  /** Kills the program once it has changed some days; counts when it was in the middle of that. */
  const killed = async (args: string[], daysChanged: () => number): Promise<void> => {
    const enough = 1 + Math.floor(random() * 10);
    const child = spawn(process.execPath, [builtProgram, ...args, '--data', dataDir], {
      cwd: packageRoot,
      stdio: 'ignore',
    });
    const ended = once(child, 'close');
    await until('days change', () => daysChanged() >= enough || child.exitCode !== null);
    child.kill('SIGKILL');
    await ended;
    const hits = hitsByDay(dataDir);
    assert.is(hits.length, dayCount);
    for (const one of hits) assert.ok(one === kept || one === kept + gone, `a day has ${one} hits`);
    if (new Set(hits).size === 2) inTheMiddle++;
    assert.equal(problemsOf(dataDir), []);
  };
  const remove = ['prune', '--site', 'site1.example', '--where', 'path^=/wp-'];
  const undo = ['prune', '--undo', file];
  const daysWith = (hits: number): number => hitsByDay(dataDir).filter(one => one === hits).length;
  for (let round = 0; round < 3; round++) {
    await killed(remove, () => (existsSync(file) ? daysWith(kept) : 0));
  }
  const removed = await runProgram(builtProgram, [...remove, '--data', dataDir]);
  assert.is(removed.code, 0, removed.said);
  assert.equal(hitsByDay(dataDir), new Array(dayCount).fill(kept));
  for (let round = 0; round < 2; round++) await killed(undo, () => daysWith(kept + gone));
  if (existsSync(file)) {
    const undone = await runProgram(builtProgram, [...undo, '--data', dataDir]);
    assert.is(undone.code, 0, undone.said);
  }
  assert.equal(hitsByDay(dataDir), new Array(dayCount).fill(kept + gone));
  assert.equal(problemsOf(dataDir), []);
  assert.ok(inTheMiddle > 0, 'some run was killed in the middle');
});

test.run();
