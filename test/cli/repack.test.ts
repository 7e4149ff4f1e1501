import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { writeOlder } from '../tools/older.ts';
import { runCommand } from './helpers.ts';

test('repack writes days of an earlier version anew, once, and goes on after it is stopped', async () => {
  const dir = temporaryDir();
  writeOlder(dir);
  const stopped = await runCommand(dir, ['repack'], { signal: AbortSignal.abort() });
  assert.equal(
    [stopped.code, stopped.stderr],
    [130, 'daybook: Interrupted: days that are written anew stay so, and the next repack goes on.\n'],
  );
  const { parts, before, after } = (await runCommand(dir, ['repack', '--json'])).json();
  assert.ok(parts > 3 && after > 0 && after < 0.9 * before, `${parts} parts, ${after} of ${before} bytes`);
  assert.is((await runCommand(dir, ['repack'])).stdout, 'Every sealed day is as this version writes it.\n');
  assert.is((await runCommand(dir, ['check'])).code, 0);
});

test.run();
