/** A site with sealed days, which are summed; the last of them is yesterday; and an API key for it. */
import { sumFiller } from '../src/api/fill-sums.ts';
import { summedSite } from '../src/api/sum-sets.ts';
import { dayMs, utcDayOf } from '../src/model/time.ts';
import { createEngine } from '../src/query/engine.ts';
import { alone } from '../src/query/pace.ts';
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
  db.prepare('update day_sum set day = day + @by, version = replace(version, day, cast(day + @by as integer))').run({
    by,
  });
  apiKeys(db).add(accounts(db).named('default', 0).id, 'bench', key, 0);
  const [site] = sites(db).list();
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  const date = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
  return { ...site!, sealedDays: `from=${date(firstDay + by)}&to=${date(yesterday)}` };
};

/** Keeps sums of the days, as a server does that has run for a while. */
export const sumDays = async (data: string): Promise<void> => {
  const db = openDatabase(data);
  const engine = createEngine(db, 0);
  const onFailed = (_: unknown, __: unknown, error: unknown): void => {
    throw error;
  };
  const fill = sumFiller(db, query => engine.answer(query, alone), onFailed);
  for await (const _ of fill(summedSite(db, sites(db).list()[0]!)));
  db.pragma('wal_checkpoint(truncate)');
  db.close();
};
