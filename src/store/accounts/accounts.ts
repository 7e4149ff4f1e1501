/** Accounts and their API keys. */
import { keyActor } from '../../model/audit.ts';
import { keysMax } from '../../model/limits.ts';
import { isScope, usualScopes } from '../../model/scopes.ts';
import type { Account, ApiKey, Plan } from '../../model/site.ts';
import { type Database, StoreError } from '../database.ts';
import { rowValues } from '../row-values.ts';
import { orUniqueViolation } from '../unique-violation.ts';
import { auditStore } from './audit.ts';
import { digestOf } from './digest.ts';

/**
 * Every site and key that names no account belongs to this one, which is made when it is first
 * needed.
 */
export const defaultAccountName = 'default';

export interface Accounts {
  list(): Account[];
  byId(id: number): Account | undefined;
  /**
   * The account of that name; the default account is made when it is missing. Throws StoreError for
   * another unknown name.
   */
  named(name: string, now: number): Account;
  add(name: string, plan: Plan, now: number): Account;
  setPlan(id: number, plan: Plan): void;
  /** Throws StoreError when another account has the name. */
  setName(id: number, name: string): void;
  /** Whether its members need a second factor. */
  setSecondFactor(id: number, isNeeded: boolean): void;
  /** One that has no sites, with its keys, members and invitations. */
  remove(id: number): void;
}

export const accounts = (db: Database): Accounts => {
  const fields = 'id, uuid, name, plan, second_factor as secondFactor, created_at as createdAt';
  const byName = db.prepare(`select ${fields} from account where name = ?`);
  const insert = db.prepare(`insert into account (name, plan, created_at) values (?, ?, ?) returning ${fields}`);
  const byId = db.prepare(`select ${fields} from account where id = ?`);
  const all = db.prepare(`select ${fields} from account order by name`);
  const setName = db.prepare('update account set name = ? where id = ?');
  const setSecondFactor = db.prepare('update account set second_factor = ? where id = ?');
  const removeKeys = db.prepare('delete from api_key where account_id = ?');
  const remove = db.prepare('delete from account where id = ?');
  const setPlan = db.prepare('update account set plan = ? where id = ?');
  const rows = rowValues<Account>({ secondFactor: 'flag' });
  const add = (name: string, plan: Plan, now: number): Account => {
    if (byName.get(name) !== undefined) throw new StoreError(`There is an account ${name} already.`);
    return rows.read(insert.get(name, plan, now));
  };
  return {
    list: () => rows.all(all.all()),
    byId: id => rows.one(byId.get(id)),
    named(name, now) {
      const account = rows.one(byName.get(name));
      if (account !== undefined) return account;
      if (name === defaultAccountName) return add(name, 'unlimited', now);
      throw new StoreError(`There is no account ${name}: daybook account add ${name} makes it.`);
    },
    add,
    setName(id, name) {
      orUniqueViolation(
        () => setName.run(name, id),
        () => `There is an account ${name} already.`,
      );
    },
    setSecondFactor: (id, isNeeded) => void setSecondFactor.run(isNeeded ? 1 : 0, id),
    remove: db.transaction((id: number) => {
      removeKeys.run(id);
      remove.run(id);
    }),
    setPlan: (id, plan) => void setPlan.run(plan, id),
  };
};

/** The latest that a date can be: ECMA-262, “Time Values and Time Range”. */
const lastTime = 8_640_000_000_000_000;

/** The account has as many API keys as it may have. */
export class TooManyKeys extends StoreError {}

export interface ApiKeys {
  /** Whether there ever was a key, revoked ones too. */
  wasAny(): boolean;
  list(accountId?: number): ApiKey[];
  /**
   * Keeps the digest of `key`, a `tk_live_…` that the caller made and shows once. Throws
   * TooManyKeys when the account has as many as it may have. Without limits it is as keys of
   * earlier versions were.
   */
  add(accountId: number, name: string, key: string, now: number, limits?: Partial<KeyLimits>): ApiKey;
  /**
   * False when there is no such key. Whoever revokes the last key of an account wants no program to
   * read any more, so programs that signed in by password are signed out with it.
   */
  revoke(id: number): boolean;
  /** Gives a key other limits. */
  limit(id: number, limits: Omit<KeyLimits, 'madeBy'>): ApiKey;
  /**
   * The key that a request carries; undefined when it is unknown. Keys are looked up by digest, so
   * timing tells nothing about them.
   */
  find(key: string): ApiKey | undefined;
  /**
   * Stamps when keys were last used: key id to UTC milliseconds. The first use of a key is noted in
   * the audit.
   */
  stampUsed(uses: ReadonlyMap<number, number>): void;
}

/** What a key is for, and until when. */
export type KeyLimits = Pick<ApiKey, 'scopes' | 'sites' | 'expiresAt' | 'madeBy'>;
const unlimited: KeyLimits = { scopes: [...usualScopes], sites: null, expiresAt: null, madeBy: null };

const keyRows = rowValues<ApiKey>({ scopes: 'json', sites: 'json' });
const keyOf = (row: unknown): ApiKey => {
  const key = keyRows.read(row);
  return { ...key, scopes: key.scopes.filter(isScope) };
};

export const apiKeys = (db: Database): ApiKeys => {
  // A stamp that is no time of a calendar counts as none: other servers of a cluster send them.
  const isTime = `last_used_at between 0 and ${lastTime}`;
  const fields = `id, account_id as accountId, name, last_four as lastFour, created_at as createdAt,
    iif(${isTime}, last_used_at, null) as lastUsedAt, scopes, sites, expires_at as expiresAt, made_by as madeBy`;
  const all = db.prepare(`select ${fields} from api_key order by id`);
  const insert = db.prepare(
    `insert into api_key (account_id, name, digest, last_four, created_at, scopes, sites, expires_at, made_by)
     values (@accountId, @name, @digest, @lastFour, @createdAt, @scopes, @sites, @expiresAt, @madeBy) returning ${fields}`,
  );
  const count = db.prepare('select count(*) from api_key where account_id = ?').pluck();
  const remove = db.prepare('delete from api_key where id = ? returning account_id').pluck();
  const endPrograms = db.prepare(
    `delete from login where kind = 'program'
     and person_id in (select person_id from member where account_id = @accountId)
     and not exists (select 1 from api_key where account_id = @accountId)`,
  );
  const find = db.prepare(`select ${fields} from api_key where digest = ?`);
  const limit = db.prepare(`update api_key set scopes = ?, sites = ?, expires_at = ? where id = ? returning ${fields}`);
  const stamp = db.prepare(`update api_key set last_used_at = max(iif(${isTime}, last_used_at, 0), ?) where id = ?`);
  const wasAny = db.prepare(`select exists (select 1 from sqlite_sequence where name = 'api_key')`).pluck();
  const unused = db.prepare(
    'select account_id as accountId, name, last_four as lastFour from api_key where id = ? and last_used_at is null',
  );
  const audit = auditStore(db);
  return {
    wasAny: () => wasAny.get() === 1,
    list: accountId =>
      all
        .all()
        .map(keyOf)
        .filter(key => accountId === undefined || key.accountId === accountId),
    add: db.transaction(
      (accountId: number, name: string, key: string, now: number, limits: Partial<KeyLimits> = {}) => {
        if ((count.get(accountId) as number) >= keysMax)
          throw new TooManyKeys(`An account has at most ${keysMax} API keys.`);
        const row = { accountId, name, digest: digestOf(key), lastFour: key.slice(-4), createdAt: now };
        return keyOf(insert.get({ ...row, ...keyRows.stored({ ...unlimited, ...limits }) }));
      },
    ),
    revoke: db.transaction((id: number) => {
      const accountId = remove.get(id) as number | undefined;
      if (accountId !== undefined) endPrograms.run({ accountId });
      return accountId !== undefined;
    }),
    limit: (id, { scopes, sites, expiresAt }) =>
      keyOf(limit.get(JSON.stringify(scopes), sites && JSON.stringify(sites), expiresAt, id)),
    find(key) {
      const row = find.get(digestOf(key));
      return row === undefined ? undefined : keyOf(row);
    },
    stampUsed: db.transaction((uses: ReadonlyMap<number, number>) => {
      for (const [id, at] of uses) {
        const key = unused.get(id) as Pick<ApiKey, 'accountId' | 'name' | 'lastFour'> | undefined;
        if (key !== undefined) {
          const { accountId, name } = key;
          const of = { accountId, personId: null, actor: keyActor(key), subject: name, details: {}, network: '' };
          audit.add({ at, action: 'key-used-first', ...of });
        }
        stamp.run(at, id);
      }
    }),
  };
};
