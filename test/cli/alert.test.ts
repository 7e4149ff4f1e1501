import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hourMs } from '../../src/model/time.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { outboxStore } from '../../src/store/outbox.ts';
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

test('commands and the doctor say that nothing is mailed without a mail server', async () => {
  const { db, dataDir } = temporaryDatabase();
  addSite(db, { domain: 'a.example' });
  const ada = persons(db).add('ada@a.example', 0);
  members(db).set({ accountId: 1, personId: ada.id, role: 'owner', sites: null, hidden: [], createdAt: 0 });
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.example' };
  const run = (args: string, env = {}) => runCommand(dataDir, args.split(' '), { env });
  const doctor = async () =>
    (await run('doctor --json')).json().filter(({ about }: { about: string }) => about === 'mail');
  assert.is((await doctor())[0].state, 'good');
  assert.is((await run('channel add mail ada ada@a.example')).code, 0);
  assert.match((await run('channel list')).stdout, /ada +mail +no mail server/);
  assert.match((await run('channel list', mail)).stdout, /ada +mail +set up/);
  assert.match((await run('channel test ada')).stderr, /No mail server is set: SMTP_URL\./);
  assert.is(outboxStore(db).waiting('mail'), 0);
  assert.is((await run('channel test ada', mail)).code, 0);
  assert.is(outboxStore(db).waiting('mail'), 1);
  assert.is((await run('alert add a.example silent --channel ada')).code, 0);
  const [{ state, text }] = await doctor();
  assert.is(state, 'odd');
  assert.match(text, /SMTP_URL names no server, and 1 alert would send some/);
  db.close();
});

test.run();
