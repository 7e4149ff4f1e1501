import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { logins } from '../../src/store/accounts/logins.ts';
import { passkeys } from '../../src/store/accounts/passkeys.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { secondFactors } from '../../src/store/accounts/second-factors.ts';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryDir } from '../helpers.ts';
import { runCommand } from './helpers.ts';

test('who lost their phone is left with their password, and signed out', async () => {
  const dir = temporaryDir();
  const db = openDatabase(dir);
  const [ada, bo] = ['ada@example.com', 'bo@example.com'].map(email => persons(db).add(email, 0).id) as [
    number,
    number,
  ];
  const factors = secondFactors(db);
  const keys = passkeys(db);
  for (const [i, personId] of [ada, bo].entries()) {
    factors.set(personId, Buffer.alloc(20, i), 1, [`code ${i}`]);
    const key = { publicKey: Buffer.from('k'), counter: 0, transports: ['usb'], isBackedUp: false, name: 'Key' };
    keys.add({ ...key, credentialId: Buffer.from([i]), personId, createdAt: 0, lastUsedAt: null });
    logins(db).begin('browser', personId, `token ${i}`, 1);
  }
  const { stdout, json } = await runCommand(dir, ['person', 'reset-factors', 'Ada@example.com', '--json']);
  assert.equal(json(), { email: 'ada@example.com', app: true, passkeys: 1 }, stdout);
  assert.equal([factors.find(ada), factors.codesLeft(ada), keys.ofPerson(ada)], [undefined, 0, []]);
  assert.is(logins(db).use('browser', 'token 0', 2), undefined);
  assert.equal([factors.codesLeft(bo), keys.ofPerson(bo).length], [1, 1], 'others keep theirs');
  assert.is(logins(db).use('browser', 'token 1', 2)?.personId, bo);
  const unknown = await runCommand(dir, ['person', 'reset-factors', 'eve@example.com']);
  assert.equal([unknown.code, unknown.stderr], [1, 'daybook: There is no person with the e-mail eve@example.com.\n']);
  db.close();
});

test.run();
