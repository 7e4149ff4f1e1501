/**
 * Days that were brought from a cluster: sealed days like others, with a note of what they are
 * copies of. They are written beside what is here of the day, and take its place at once.
 */
import type { Database } from '../database.ts';
import type { SiteDay } from './open/open-days.ts';
import { type EncodedPart, partStore } from './part-store.ts';

/** By the number of a node, the version of its day that was brought. */
export type Sources = Readonly<Record<number, string>>;

export interface BroughtDay {
  sources: Sources;
  /** Whether it also holds hits that were here already. */
  withOwn: boolean;
  /** Whether it was written anew since. */
  isChanged: boolean;
}

export interface BroughtDays {
  /** What is known of a day that was brought; undefined for others. */
  find(siteId: number, day: number): BroughtDay | undefined;
  /** The days of a site that were brought, ascending. */
  days(siteId: number): number[];
  /** The epochs whose records of a day an earlier version brought. */
  epochs(siteId: number, day: number): string[];
  begin(siteDay: SiteDay): DayBringer;
}

export interface DayBringer {
  /** Writes the columns of a part; each `next()` is one short transaction. */
  write(part: EncodedPart): Generator<void>;
  /**
   * Puts the parts in place of what the day was, but for imports. Throws StoreError where the day
   * was deleted meanwhile, as too old.
   */
  finish(now: number, of: Pick<BroughtDay, 'sources' | 'withOwn'>): void;
}

export const broughtDays = (db: Database): BroughtDays => {
  const versionOf = db
    .prepare('select version from day_part where site_id = ? and day = ? and import_id = 0 and sealed_at is not null')
    .pluck();
  const find = db.prepare(
    `select sources, with_own as withOwn, version from brought_day
     where site_id = ? and day = ? and sources is not null`,
  );
  const days = db.prepare('select day from brought_day where site_id = ? and sources is not null order by day').pluck();
  const epochs = db
    .prepare(
      `select cast(e.value as text) from brought_day b, json_each(b.records) e where b.site_id = ? and b.day = ?`,
    )
    .pluck();
  const note = db.prepare(
    `insert into brought_day (site_id, day, sources, with_own, version)
     values (@siteId, @day, @sources, @withOwn, @version)
     on conflict do update set sources = excluded.sources, with_own = excluded.with_own, version = excluded.version`,
  );
  const store = partStore(db);

  return {
    find(siteId, day) {
      const row = find.get(siteId, day) as { sources: string; withOwn: number; version: number } | undefined;
      if (row === undefined) return undefined;
      const isChanged = versionOf.get(siteId, day) !== row.version;
      return { sources: JSON.parse(row.sources), withOwn: row.withOwn === 1, isChanged };
    },
    days: siteId => days.all(siteId) as number[],
    epochs: (siteId, day) => epochs.all(siteId, day) as string[],
    begin({ siteId, day }) {
      const of = { siteId, day, importId: 0 };
      const parts = store.begin(of);
      return {
        write: parts.write,
        finish: db.transaction((now: number, { sources, withOwn }: Pick<BroughtDay, 'sources' | 'withOwn'>): void => {
          const before = (versionOf.get(siteId, day) as number | undefined) ?? 0;
          // Readers keep columns by the version: a day that was here before, and went, had others.
          const version = Math.max(before + 1, Math.floor(now / 1000));
          store.deleteSealed(of);
          parts.seal(now, version);
          note.run({ siteId, day, sources: JSON.stringify(sources), withOwn: withOwn ? 1 : 0, version });
        }).immediate as DayBringer['finish'],
      };
    },
  };
};
