/** A short version of `npm run faults`: what was acknowledged survives kill -9, wherever it strikes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { openDatabase, openReader } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { killRounds, makeSites } from './kills.ts';
import { start } from './server-process.ts';
import { verify } from './stored.ts';

test('kill -9 at random moments loses nothing that was acknowledged, and doubles nothing', async () => {
  const lines: string[] = [];
  const random = chanceFrom(20_261_120).number;
  const report = await killRounds({
    rounds: 6,
    random,
    dir: temporaryDir(),
    clients: 16,
    tell: line => lines.push(line),
  });
  assert.ok(report.acknowledged >= 600, lines.join('\n'));
  assert.ok(Object.values(report.moments).every(rounds => rounds === 1));
});

test('a visit goes on after kill -9 in the middle of it', async () => {
  const dataDir = join(temporaryDir(), 'data');
  mkdirSync(dataDir);
  const [key] = makeSites(dataDir, 1);
  // At noon, so that no midnight comes between.
  const offsetMs = dayMs - (Date.now() % dayMs) + 12 * hourMs;
  for (const path of ['/a', '/b']) {
    const server = await start({ dataDir, offsetMs });
    const posted = fetch(`${server.url}/e`, {
      method: 'POST',
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' },
      body: JSON.stringify({ s: key, u: `https://site1.example${path}` }),
    });
    const answer = await posted.then(response => response.text()).finally(server.kill);
    assert.is(answer, '{"m":"hash"}');
  }
  const db = openReader(dataDir);
  const [day, ...others] = dayReader(db, 0).days(1, 0, Number.MAX_SAFE_INTEGER);
  assert.equal([others.length, day?.visits, day?.hits, Array.from(day!.numbers('newVisitor'))], [0, 1, 2, [1]]);
  db.close();
});

test('the check finds lost and doubled hits', () => {
  const dataDir = temporaryDir();
  makeSites(dataDir, 1);
  const db = openDatabase(dataDir);
  const of = { siteId: 1, day: 20_000, visitId: 1, at: 20_000 * dayMs };
  const beat = (value: number) =>
    hitRecord({ ...of, type: 'custom', event: 'Beat', properties: [{ key: 'n', type: 'number', value }] });
  const write = recorder(db).write;
  write([recordedEntry(beat(1), visitRecord({ ...of, id: 1 })), recordedEntry(beat(2))]);
  assert.is(verify(dataDir, [1, 2]).stored, 2);
  assert.throws(
    () => verify(dataDir, [1, 2, 3]),
    /1 acknowledged hits are lost, among the acknowledgements 3 to 3 of 3/,
  );
  write([recordedEntry(beat(2))]);
  assert.throws(() => verify(dataDir, [1]), /1 hits are stored twice, such as number 2/);
  db.close();
});

test.run();
