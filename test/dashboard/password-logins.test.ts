import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPasswordCheck } from '../../src/dashboard/password-check.ts';
import { createPasswordLogins } from '../../src/dashboard/password-logins.ts';
import { createPasswords } from '../../src/dashboard/passwords.ts';
import { HttpError } from '../../src/http/errors.ts';
import { dayMs, minuteMs } from '../../src/model/time.ts';
import { accounts as accountStore } from '../../src/store/accounts/accounts.ts';
import { credentials as credentialStore } from '../../src/store/accounts/credentials.ts';
import { temporaryDatabase } from '../helpers.ts';

const { db } = temporaryDatabase();
const passwords = createPasswords(randomBytes, { logN: 8, r: 8, p: 1 });
const credentials = credentialStore(db);
const accounts = accountStore(db);
const account = accounts.add('Ada', 'unlimited', 0);
const other = accounts.add('Bob', 'unlimited', 0);
const setPassword = async (accountId: number, password: string): Promise<void> =>
  credentials.set({ accountId, email: `${accountId}@example.com`, password: await passwords.record(password) });
await setPassword(account.id, 'first password');
await setPassword(other.id, 'first password');

const clock = { now: Date.UTC(2026, 10, 20) };
const now = (): number => clock.now;
const check = createPasswordCheck({ credentials, passwords, now });
const addressOf = ({ headers }: IncomingMessage): string => String(headers.from);
const logins = createPasswordLogins({ accounts, addressOf, check, credentials, now });
const from = (address: string) => ({ headers: { from: address } }) as unknown as IncomingMessage;
const begin = (name: string, password: string, address = '203.0.113.1') => logins.begin(from(address), name, password);

test('a token is its account’s, for 30 days and as long as the password is the same', async () => {
  for (const name of ['Ada', `${account.id}@example.com`]) {
    const login = await begin(name, 'first password');
    assert.is(login?.account.id, account.id);
    assert.is(logins.accountOf(login!.token)?.id, account.id);
  }
  const { token } = (await begin('Ada', 'first password'))!;
  assert.is(logins.accountOf(token.replace(/^\d+/, String(other.id))), undefined);
  assert.is(logins.accountOf(token.replace(/\.\d/, '.9')), undefined);
  clock.now += 30 * dayMs - 1;
  assert.is(logins.accountOf(token)?.id, account.id);
  clock.now++;
  assert.is(logins.accountOf(token), undefined);
  const fresh = (await begin('Ada', 'first password'))!.token;
  await setPassword(account.id, 'second password');
  assert.is(logins.accountOf(fresh), undefined);
  assert.is(await begin('Ada', 'first password'), undefined);
  assert.ok(await begin('Ada', 'second password'));
});

test('guesses count as in the dashboard, by whichever name the account is called', async () => {
  clock.now += 15 * minuteMs;
  for (let i = 0; i < 10; i++)
    assert.is(await begin(i % 2 === 0 ? 'Bob' : `${other.id}@example.com`, 'wrong'), undefined);
  const refused = await begin('Bob', 'first password').catch((error: unknown) => error);
  assert.instance(refused, HttpError);
  assert.is((refused as HttpError).reply.status, 429);
  assert.ok(await begin('Bob', 'first password', '198.51.100.1'), 'from elsewhere');
  assert.ok(await begin('Ada', 'second password'), 'another account');
  for (let i = 0; i < 40; i++) await begin(`nobody ${i}`, 'wrong');
  assert.throws(() => logins.refuseTired(from('203.0.113.9')), 'Too many attempts');
  logins.refuseTired(from('198.51.100.1'));
});

test.run();
