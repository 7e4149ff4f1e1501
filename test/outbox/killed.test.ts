/** A program that is killed while it sends mail. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { outboxStore } from '../../src/store/outbox.ts';
import { temporaryDatabase } from '../helpers.ts';
import { bundled } from '../tools/build.ts';
import { mailTo, settingsOf, start, until } from './mails.ts';
import { headerOf, startSmtp, type TestSmtp } from './smtp-server.ts';

const program = bundled('test/outbox/killed-program.ts');

/** Sends what is in a database until it is killed. */
const sender = (dataDir: string, smtp: TestSmtp) =>
  spawn(process.execPath, [program, dataDir, JSON.stringify(settingsOf(smtp)), String(start)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

test('killed anywhere, it sends each mail, and one that came twice has the same Message-ID', async () => {
  const { db, dataDir } = temporaryDatabase();
  const smtp = await startSmtp();
  const store = outboxStore(db);
  for (let i = 0; i < 300; i++) store.add(mailTo(`${i}@a.example`), start);
  for (const after of [20, 60, 100, 150, 300]) {
    const child = sender(dataDir, smtp);
    try {
      await until(() => (after === 300 ? store.waiting('mail') === 0 : smtp.mails.length >= after));
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  const ids = new Map<string, Set<string>>();
  for (const mail of smtp.mails)
    ids.set(mail.to[0]!, (ids.get(mail.to[0]!) ?? new Set()).add(headerOf(mail, 'Message-ID')!));
  assert.is(ids.size, 300);
  for (const [to, of] of ids) assert.is(of.size, 1, to);
  assert.ok(smtp.mails.length <= 300 + 4 * 4, `${smtp.mails.length} mails`);
  await smtp.close();
  db.close();
});

test.run();
