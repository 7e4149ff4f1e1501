import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { outboxStore } from '../../src/store/outbox.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { addVisits } from '../reports/scene.ts';
import { runCommand, testNow } from './helpers.ts';

test('reports are added, listed, changed, shown, sent and removed', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { id } = addSite(db, { domain: 'a.example' });
  addVisits(db, id, Date.UTC(2026, 10, 10, 12), 4, { country: 'DE' });
  const run = (args: string[], env = {}) => runCommand(dataDir, ['report', ...args], { env });
  assert.match((await run(['list', 'a.example'])).stdout, /no reports yet/);
  const added = await run(['add', 'a.example', 'Weekly', '--to', 'ada@a.example', '--hour', '9', '--block', 'figures']);
  assert.is(added.code, 0, added.stderr);
  assert.match((await run(['list', 'a.example'])).stdout, /1 +Weekly +week +ada@a\.example +2026-11-23 09:00/);
  assert.match((await run(['add', 'a.example', 'B', '--to', 'x', '--cadence', 'week'])).stderr, /not an e-mail/);
  assert.match((await run(['set', 'a.example', '1', '--hour', 'x'])).stderr, /hour is a whole number/);
  assert.is((await run(['set', 'a.example', '1', '--pause', '--cadence', 'day'])).code, 0);
  assert.match((await run(['list', 'a.example'])).stdout, /1 +Weekly +day +ada@a\.example +paused/);
  assert.is((await run(['set', 'a.example', '1', '--resume', '--cadence', 'week'])).code, 0);
  const hook = ['channel', 'add', 'slack', 'hook', 'https://hooks.example/x'];
  assert.is((await runCommand(dataDir, hook)).code, 0);
  const more = ['--channel', 'hook', '--part', 'notes', '--part', 'revenue', '--csv', 'on'];
  const set = await run(['set', 'a.example', '1', ...more, '--json']);
  const { channels, parts, csv } = JSON.parse(set.stdout);
  assert.equal([channels, parts, csv], [[1], ['revenue', 'notes'], true]);
  assert.match((await run(['list', 'a.example'])).stdout, /ada@a\.example, hook /);
  assert.match((await run(['set', 'a.example', '1', '--channel', 'x'])).stderr, /no channel x/);
  assert.match((await run(['set', 'a.example', '1', '--csv', 'x'])).stderr, /--csv is on or off/);
  const less = ['--channel', '', '--part', '', '--csv', 'off', '--json'];
  const unset = JSON.parse((await run(['set', 'a.example', '1', ...less])).stdout);
  assert.equal([unset.channels, unset.parts, unset.csv], [[], [], false]);
  const file = join(dataDir, 'mail.html');
  assert.match(
    (await run(['preview', 'a.example', '1', '--html', file])).stdout,
    /^a\.example, 9.*15 Nov 2026: 4 visitors/,
  );
  assert.match(readFileSync(file, 'utf8'), /^<!doctype html>/);
  assert.match((await run(['send', 'a.example', '1', 'bob@a.example'])).stderr, /No mail server is set: SMTP_URL/);
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.example' };
  for (let i = 0; i < 5; i++) assert.is((await run(['send', 'a.example', '1', `${i}@a.example`], mail)).code, 0);
  assert.match((await run(['send', 'a.example', '1', 'bob@a.example'], mail)).stderr, /Too many mails/);
  assert.is(outboxStore(db).due('mail', testNow, 10).length, 5);
  assert.is((await run(['remove', 'a.example', '1'])).code, 0);
  assert.match((await run(['remove', 'a.example', '1'])).stderr, /no such report/);
  db.close();
});

test.run();
