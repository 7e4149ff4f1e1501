import { createHash, createHmac, randomBytes } from 'node:crypto';
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
import { logins as loginStore } from '../../src/store/accounts/logins.ts';
import { members as memberStore } from '../../src/store/accounts/members.ts';
import { persons as personStore } from '../../src/store/accounts/persons.ts';
import { secondFactors } from '../../src/store/accounts/second-factors.ts';
import { temporaryDatabase } from '../helpers.ts';

const { db } = temporaryDatabase();
const passwords = createPasswords(randomBytes, { logN: 8, r: 8, p: 1 });
const credentials = credentialStore(db);
const accounts = accountStore(db);
const account = accounts.add('Ada', 'unlimited', 0);
const other = accounts.add('Bob', 'unlimited', 0);
const persons = personStore(db);
const members = memberStore(db);
/** Each account has an owner with the same id. */
for (const { id: accountId } of [account, other]) {
  const { id: personId } = persons.add(`${accountId}@example.com`, 0);
  assert.is(personId, accountId);
  members.set({ accountId, personId, role: 'owner', sites: null, hidden: [], createdAt: 0 });
}
const setPassword = async (personId: number, password: string): Promise<void> =>
  credentials.set({ personId, email: `${personId}@example.com`, password: await passwords.record(password) });
await setPassword(account.id, 'first password');
await setPassword(other.id, 'first password');

const clock = { now: Date.UTC(2026, 10, 20) };
const now = (): number => clock.now;
const check = createPasswordCheck({ credentials, passwords, now });
const addressOf = ({ headers }: IncomingMessage): string => String(headers.from);
const store = loginStore(db);
const factors = secondFactors(db);
const ways = { password: true, passkey: false, provider: null };
const stores = { accounts, factors, logins: store, members, persons };
const parts = { ...stores, addressOf, check, now, random: randomBytes, ways };
const logins = createPasswordLogins(parts);
const from = (address: string) => ({ headers: { from: address } }) as unknown as IncomingMessage;
const begin = (name: string, password: string, address = '203.0.113.1') => logins.begin(from(address), name, password);

test('a token is its account’s, for 30 days after its last use and until it is ended', async () => {
  for (const name of ['Ada', `${account.id}@example.com`]) {
    const login = await begin(name, 'first password');
    assert.is(login?.account.id, account.id);
    assert.is(logins.callerOf(login!.token)?.account.id, account.id);
  }
  const { token } = (await begin('Ada', 'first password'))!;
  const idle = (await begin('Ada', 'first password'))!.token;
  clock.now += 30 * dayMs - 1;
  assert.is(logins.callerOf(token)?.account.id, account.id);
  clock.now++;
  assert.equal([logins.callerOf(token)?.account.id, logins.callerOf(idle)], [account.id, undefined]);
  const fresh = (await begin('Ada', 'first password'))!.token;
  logins.end(token);
  assert.equal([logins.callerOf(token), logins.callerOf(fresh)?.account.id], [undefined, account.id]);
  store.endAll(account.id);
  assert.is(logins.callerOf(fresh), undefined);
  await setPassword(account.id, 'second password');
  assert.is(await begin('Ada', 'first password'), undefined);
  assert.ok(await begin('Ada', 'second password'));
});

test('who reads the database can make no token of it', async () => {
  const { token } = (await begin('Ada', 'second password'))!;
  assert.not.match(db.serialize().toString('latin1'), token);
  const { password } = credentials.ofPerson(account.id)!;
  const until = clock.now + dayMs;
  const signed = createHmac('sha256', password!).update(`password login\n${account.id}\n${until}`);
  const digest = createHash('sha256').update(token).digest();
  const forged = [`${account.id}.${until}.${signed.digest('base64url')}`, ...forms(digest), password!];
  for (const each of forged) assert.is(logins.callerOf(each), undefined, each);
  assert.is(logins.callerOf(token)?.account.id, account.id);
});

const forms = (bytes: Buffer): string[] =>
  (['latin1', 'hex', 'base64', 'base64url'] as const).map(encoding => bytes.toString(encoding));

test('a password that is changed while it is checked is the old one', async () => {
  const record = await passwords.record('third password');
  const began = begin('Ada', 'second password');
  credentials.set({ ...credentials.ofPerson(account.id)!, password: record });
  assert.is(await began, undefined);
  await setPassword(account.id, 'second password');
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

test('a password that is replaced while its record is made anew signs nobody in, even when others wait', async () => {
  await credentials.set({
    ...credentials.ofPerson(other.id)!,
    password: await createPasswords(randomBytes, { logN: 7, r: 8, p: 1 }).record('old password'),
  });
  const replaced = await passwords.record('new password');
  let looked = 0;
  const ofPerson: typeof credentials.ofPerson = personId => {
    // The first look follows the comparison, and the second the new record.
    if (++looked === 2) {
      credentials.set({ ...credentials.ofPerson(personId)!, password: replaced });
      for (let i = 0; i < 20; i++) void passwords.record('another').catch(() => {});
    }
    return credentials.ofPerson(personId);
  };
  const busy = createPasswordCheck({ credentials: { ...credentials, ofPerson }, passwords, now });
  const email = credentials.ofPerson(other.id)!.email!;
  await busy.signIn({ email, password: 'old password', address: '203.0.113.9', browserId: undefined }).then(
    found => assert.unreachable(`signed in as ${found?.personId}`),
    error => assert.is((error as HttpError).code, 'app-busy'),
  );
  assert.is(looked, 2);
});

test.run();
