import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { runCommand } from './helpers.ts';

const filled = (): string => {
  const dir = temporaryDir();
  const db = openDatabase(dir);
  const { id: siteId } = addSite(db);
  const hit = hitRecord({ siteId, day: 20_000, visitId: 1, at: 20_000 * 86_400_000 });
  recorder(db).write([recordedEntry(hit, visitRecord({ siteId, day: 20_000, id: 1 }))]);
  sealAll(db, 20_001, 0);
  db.close();
  return dir;
};

test('a sound database passes', async () => {
  const dir = filled();
  const ran = await runCommand(dir, ['check']);
  assert.equal([ran.code, ran.stdout, ran.stderr], [0, 'Checked 1 day with 1 hit: no damage found.\n', '']);
  assert.equal((await runCommand(dir, ['check', '--json'])).json(), { ok: true, days: 1, hits: 1, problems: [] });
});

test('problems are printed, and the check fails', async () => {
  const dir = filled();
  const db = openDatabase(dir);
  db.exec(`delete from sealed_column where name = 'type'`);
  db.close();
  const ran = await runCommand(dir, ['check']);
  assert.is(ran.code, 1);
  assert.is(
    ran.stdout,
    'Site 1, 2024-10-04: column type of site 1, day 20000: missing.\n\nChecked 1 day with 1 hit.\n',
  );
  assert.is(ran.stderr, 'daybook: 1 problem found: restore a backup, or report what is printed above.\n');
  const json = await runCommand(dir, ['check', '--json']);
  assert.equal([json.code, json.json().ok, json.json().problems.length], [1, false, 1]);
});

test('a check can be interrupted, and needs a database', async () => {
  const stopped = await runCommand(filled(), ['check'], { signal: AbortSignal.abort() });
  assert.equal([stopped.code, stopped.stderr], [130, 'daybook: Interrupted: not all was checked.\n']);
  assert.is((await runCommand(temporaryDir(), ['check'])).code, 1);
});

test.run();
