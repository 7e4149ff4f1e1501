import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { openDatabase } from '../../src/store/database.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { runCommand } from './helpers.ts';

test('seal seals finished days, the newest only when no server can still write to it', async () => {
  const dir = temporaryDir();
  const db = openDatabase(dir);
  const { id: siteId } = addSite(db);
  for (const [id, day] of [20_000, 20_001, 20_002].entries()) {
    const hit = hitRecord({ siteId, day, visitId: id + 1, at: day * dayMs });
    recorder(db).write([recordedEntry(hit, visitRecord({ siteId, day, id: id + 1 }))]);
  }
  db.close();
  const sealed = async (at: number): Promise<string[]> =>
    (await runCommand(dir, ['seal', '--json'], { now: () => at })).json().map(({ day }: { day: string }) => day);
  assert.equal(await sealed(20_002 * dayMs + 60_000), ['2024-10-04']);
  assert.equal(await sealed(20_002 * dayMs + 5 * 60_000), ['2024-10-05']);
  assert.equal(await sealed(20_002 * dayMs + 5 * 60_000), []);
  const ran = await runCommand(dir, ['seal']);
  assert.is(
    ran.stdout,
    'DOMAIN         DAY         VISITS  HITS\nsite1.example  2024-10-06       1     1\n\nSealed 1 day.\n',
  );
  assert.is((await runCommand(dir, ['seal'])).stdout, 'Every finished day is sealed already.\n');
});

test.run();
