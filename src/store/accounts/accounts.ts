/** Accounts, API keys, and the rate table. */
import type { Account, ApiKey, Plan } from '../../model/site.ts';
import { type Database, StoreError } from '../database.ts';
import { digestOf } from './digest.ts';

/** Every site and key that names no account belongs to this one, which is made when it is first needed. */
export const defaultAccountName = 'default';

interface AccountRow {
  id: number;
  name: string;
  plan: Plan;
  created_at: number;
}
const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  createdAt: row.created_at,
});

export interface Accounts {
  list(): Account[];
  byId(id: number): Account | undefined;
  /** The account of that name; the default account is made when it is missing. Throws StoreError for another unknown name. */
  named(name: string, now: number): Account;
  add(name: string, plan: Plan, now: number): Account;
  setPlan(id: number, plan: Plan): void;
}

export const accounts = (db: Database): Accounts => {
  const byName = db.prepare('select * from account where name = ?');
  const insert = db.prepare('insert into account (name, plan, created_at) values (?, ?, ?) returning *');
  const byId = db.prepare('select * from account where id = ?');
  const all = db.prepare('select * from account order by name');
  const setPlan = db.prepare('update account set plan = ? where id = ?');
  const add = (name: string, plan: Plan, now: number): Account => {
    if (byName.get(name) !== undefined) throw new StoreError(`There is an account ${name} already.`);
    return toAccount(insert.get(name, plan, now) as AccountRow);
  };
  return {
    list: () => (all.all() as AccountRow[]).map(toAccount),
    byId(id) {
      const row = byId.get(id) as AccountRow | undefined;
      return row && toAccount(row);
    },
    named(name, now) {
      const row = byName.get(name) as AccountRow | undefined;
      if (row !== undefined) return toAccount(row);
      if (name === defaultAccountName) return add(name, 'unlimited', now);
      throw new StoreError(`There is no account ${name}: daybook account add ${name} makes it.`);
    },
    add,
    setPlan(id, plan) {
      setPlan.run(plan, id);
    },
  };
};

interface KeyRow {
  id: number;
  account_id: number;
  name: string;
  last_four: string;
  created_at: number;
  last_used_at: number | null;
}
const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  lastFour: row.last_four,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

export interface ApiKeys {
  list(accountId?: number): ApiKey[];
  /** Keeps the digest of `key`, a `tk_live_…` that the caller made and shows once. */
  add(accountId: number, name: string, key: string, now: number): ApiKey;
  /** False when there is no such key. */
  revoke(id: number): boolean;
  /** The key a request carries; undefined when there is none such. Looked up by digest, so its timing tells nothing about keys. */
  find(key: string): ApiKey | undefined;
  /** Stamps when keys were last used: key id to UTC milliseconds. */
  stampUsed(uses: ReadonlyMap<number, number>): void;
}

export const apiKeys = (db: Database): ApiKeys => {
  const fields = 'id, account_id, name, last_four, created_at, last_used_at';
  const all = db.prepare(`select ${fields} from api_key order by id`);
  const insert = db.prepare(
    `insert into api_key (account_id, name, digest, last_four, created_at) values (?, ?, ?, ?, ?) returning ${fields}`,
  );
  const remove = db.prepare('delete from api_key where id = ?');
  const find = db.prepare(`select ${fields} from api_key where digest = ?`);
  const stamp = db.prepare('update api_key set last_used_at = max(coalesce(last_used_at, 0), ?) where id = ?');
  return {
    list: accountId =>
      (all.all() as KeyRow[]).map(toKey).filter(key => accountId === undefined || key.accountId === accountId),
    add: (accountId, name, key, now) => toKey(insert.get(accountId, name, digestOf(key), key.slice(-4), now) as KeyRow),
    revoke: id => remove.run(id).changes === 1,
    find(key) {
      const row = find.get(digestOf(key)) as KeyRow | undefined;
      return row && toKey(row);
    },
    stampUsed: db.transaction((uses: ReadonlyMap<number, number>) => {
      for (const [id, at] of uses) stamp.run(at, id);
    }),
  };
};

export interface Rate {
  source: string;
  target: string;
  /** Major units of `target` for one major unit of `source`. */
  rate: number;
}

export interface Rates {
  list(): Rate[];
  set(rate: Rate): void;
}

export const rates = (db: Database): Rates => {
  const all = db.prepare('select source, target, rate from rate order by source, target');
  const set = db.prepare(
    'insert into rate (source, target, rate) values (?, ?, ?) on conflict do update set rate = excluded.rate',
  );
  return {
    list: () => all.all() as Rate[],
    set({ source, target, rate }) {
      set.run(source, target, rate);
    },
  };
};
