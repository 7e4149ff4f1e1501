/** A site with sealed days, the last of them yesterday, and an API key for it. */
import { dayMs, utcDayOf } from '../src/model/time.ts';
import { accounts, apiKeys } from '../src/store/accounts/accounts.ts';
import { openDatabase } from '../src/store/database.ts';
import { sites } from '../src/store/sites.ts';

export const days = 30;
export const firstDay = 20_000;
export const key = `tk_live_${'b'.repeat(32)}`;

export interface ServedSite {
  uuid: string;
  publicKey: string;
  /** Parameters of all sealed days, as local dates. */
  sealedDays: string;
}

/** Moves the days, `count` of them, so that the last sealed one is yesterday, and adds an API key. */
export const prepare = (dataDir: string, count = days): ServedSite => {
  const db = openDatabase(dataDir);
  const yesterday = utcDayOf(Date.now()) - 1;
  const by = yesterday - (firstDay + count - 1);
  db.prepare('update day_part set day = day + @by, first_at = first_at + @ms, last_at = last_at + @ms').run({
    by,
    ms: by * dayMs,
  });
  apiKeys(db).add(accounts(db).named('default', 0).id, 'bench', key, 0);
  const [site] = sites(db).list();
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  const date = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
  return { ...site!, sealedDays: `from=${date(firstDay + by)}&to=${date(yesterday)}` };
};
