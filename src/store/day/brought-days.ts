/**
 * Days that earlier versions brought from a cluster, for rules or to leave it: sealed days like
 * others, with a note of what they are copies of.
 */
import type { Database } from '../database.ts';
import { rowValues } from '../row-values.ts';
import type { SiteDay } from './open/open-days.ts';
import { partStore } from './part-store.ts';

export interface BroughtDay extends SiteDay {
  /** By the number of a node, the version of its day that was brought. */
  sources: Readonly<Record<number, string>>;
  /** Whether it also holds hits that were here already. */
  withOwn: boolean;
  /** Whether it was written anew since. */
  isChanged: boolean;
}

export interface BroughtDays {
  /** By site and day. */
  list(): BroughtDay[];
  /** The epochs whose records of a day were brought. */
  epochs(siteId: number, day: number): string[];
  /** From now on it is a day like any other. */
  forget(of: SiteDay): void;
  /** Deletes the copy, and keeps what imports brought of the day. */
  drop(of: SiteDay): void;
}

const rows = rowValues<BroughtDay>({ sources: 'json', withOwn: 'flag', isChanged: 'flag' });

export const broughtDays = (db: Database): BroughtDays => {
  const list = db.prepare(
    `select b.site_id as siteId, b.day, b.sources, b.with_own as withOwn, not exists (
       select 1 from day_part p where p.site_id = b.site_id and p.day = b.day and p.import_id = 0
         and p.sealed_at is not null and p.version = b.version) as isChanged
     from brought_day b where b.sources is not null order by b.site_id, b.day`,
  );
  const epochs = db
    .prepare(
      `select cast(e.value as text) from brought_day b, json_each(b.records) e where b.site_id = ? and b.day = ?`,
    )
    .pluck();
  const forget = db.prepare('update brought_day set sources = null where site_id = @siteId and day = @day');
  const store = partStore(db);
  return {
    list: () => rows.all(list.all()),
    epochs: (siteId, day) => epochs.all(siteId, day) as string[],
    forget: of => void forget.run(of),
    drop: db.transaction((of: SiteDay): void => {
      store.deleteSealed({ ...of, importId: 0 });
      forget.run(of);
    }).immediate as BroughtDays['drop'],
  };
};
