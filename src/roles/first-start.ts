/**
 * What the environment gives a new server, so that it takes hits without a click: the first person,
 * sites, and a key. None of it changes what is there already.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Config, SettingError } from '../config.ts';
import { newPassword } from '../dashboard/new-password.ts';
import { createPasswords } from '../dashboard/passwords.ts';
import { HttpError } from '../http/errors.ts';
import { isApiKey, makeApiKey, type Random } from '../model/ids.ts';
import { newSite } from '../model/new-site.ts';
import { scopeNames } from '../model/scopes.ts';
import { accounts, apiKeys, defaultAccountName } from '../store/accounts/accounts.ts';
import { credentials } from '../store/accounts/credentials.ts';
import { members } from '../store/accounts/members.ts';
import { persons } from '../store/accounts/persons.ts';
import type { Database } from '../store/database.ts';
import { sites as siteStore } from '../store/sites.ts';
import type { ServerOptions } from './listen.ts';

/**
 * Makes what is missing of it, all or nothing. Throws SettingError where a value cannot be used, as
 * the page would refuse it.
 */
export const firstStart = async (
  db: Database,
  { config, now, random, passwordCost }: Pick<ServerOptions, 'config' | 'now' | 'random' | 'passwordCost'>,
): Promise<void> => {
  const { adminEmail, adminPassword, sites, apiKeyFile } = config;
  const isFirst = adminEmail !== null && !credentials(db).any();
  const record =
    isFirst && adminPassword !== null
      ? await createPasswords(random, passwordCost).record(await goodPassword(adminPassword, adminEmail))
      : null;
  const key = apiKeyFile === null || apiKeys(db).wasAny() ? null : keyIn(apiKeyFile, random);
  if (!isFirst && sites.length === 0 && key === null) return;
  db.transaction(() => {
    const accountId = accounts(db).named(defaultAccountName, now()).id;
    if (isFirst) addOwner(db, accountId, adminEmail, record, now());
    addSites(db, accountId, sites, now(), random);
    const madeBy = members(db)
      .ofAccount(accountId)
      .find(({ role, personId }) => role === 'owner' && persons(db).byId(personId)!.isOperator);
    const limits = { scopes: [...scopeNames], madeBy: madeBy?.personId ?? null };
    if (key !== null) apiKeys(db).add(accountId, 'API_KEY_FILE', key, now(), limits);
  }).immediate();
};

const addOwner = (db: Database, accountId: number, email: string, record: string | null, now: number): void => {
  const { id: personId } = persons(db).add(email, now);
  if (record !== null) credentials(db).set({ personId, email, password: record });
  persons(db).setOperator(personId, true);
  members(db).set({ accountId, personId, role: 'owner', sites: null, hidden: [], createdAt: now });
};

/** Those that no account has. */
const addSites = (db: Database, accountId: number, domains: Config['sites'], now: number, random: Random): void => {
  const store = siteStore(db);
  const known = new Set(store.list().flatMap(({ domain, aliases }) => [domain, ...aliases]));
  for (const domain of domains) if (!known.has(domain)) store.add(newSite({ accountId, domain }, now, random));
};

/** As the page would take it. */
const goodPassword = async (password: string, email: string): Promise<string> => {
  try {
    return await newPassword({ password }, 'password', email);
  } catch (error) {
    throw error instanceof HttpError ? new SettingError(`ADMIN_PASSWORD: ${error.message}`) : error;
  }
};

/** The key that a file holds, which is made where there is none. Only its owner may read it. */
const keyIn = (file: string, random: Random): string => {
  try {
    const made = makeApiKey(random);
    writeFileSync(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new SettingError(`API_KEY_FILE cannot be written: ${message}.`);
  }
  const key = readKey(file);
  if (!isApiKey(key))
    throw new SettingError('API_KEY_FILE holds no key: it is tk_live_ and 32 letters and digits, or name a new file.');
  return key;
};

const readKey = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new SettingError(`API_KEY_FILE cannot be read: ${(error as Error).message}.`);
  }
};
