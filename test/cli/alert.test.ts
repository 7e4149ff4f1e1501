import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hourMs } from '../../src/model/time.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { runCommand, testNow } from './helpers.ts';

test('an alert is tried without being saved', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db, { domain: 'a.example', timezone: 'Etc/UTC' });
  const at = Math.floor(testNow / hourMs) * hourMs - 5 * hourMs;
  recorder(db).write(Array.from({ length: 1200 }, () => ({ siteId, at, outcome: 'rate-limited' as const })));
  const run = (...args: string[]) => runCommand(dataDir, ['alert', ...args]);
  const tried = await run('try', 'a.example', 'refused');
  assert.is(tried.code, 0, tried.stderr);
  assert.is(
    tried.stdout,
    `It would have fired 1 time in the last six weeks.

FROM                 TO                   VALUE  BESIDE
2026-11-20 08:00:00  2026-11-20 11:00:00  1,200  -
`,
  );
  const json = (await run('try', 'a.example', 'refused', '--param', 'hits=1200', '--json')).json();
  assert.equal([json.count, json.data[0].value], [1, 1200]);
  assert.match(
    (await run('try', 'a.example', 'refused', '--param', 'hits=1201')).stdout,
    /It would not have fired in the last six weeks/,
  );
  const wrong = await run('try', 'a.example', 'spike', '--param', 'hours=2');
  assert.equal([wrong.code, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /hours is one of 1, 3, 6, 24, 72/);
  assert.match((await run('list', 'a.example')).stdout, /no alerts yet/);
  db.close();
});

test.run();
