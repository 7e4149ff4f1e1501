/**
 * Days that were brought from a cluster: sealed days like others, with a note of what they are
 * copies of. They are written beside what is here of the day, and take its place at once.
 */
import { type Database, StoreError } from '../database.ts';
import type { DayFacts } from './day.ts';
import type { SiteDay } from './open/open-days.ts';
import { hitsNoteName, isOfImport, recordsNoteName, storedName } from './part.ts';
import { dayWriter, type EncodedPart } from './seal.ts';

/** By the number of a node, the version of its day that was brought. */
export type Sources = Readonly<Record<number, string>>;

export interface BroughtDay {
  sources: Sources;
  /** Whether it also holds hits that were here already. */
  withOwn: boolean;
  /** Whether hits were taken out since, or put back. */
  isChanged: boolean;
}

export interface BroughtDays {
  /** What is known of a day that was brought; undefined for others. */
  find(siteId: number, day: number): BroughtDay | undefined;
  /** The days of a site that were brought, ascending. */
  days(siteId: number): number[];
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

const isNew = `name glob 'new *'`;

interface Note extends Pick<BroughtDay, 'sources' | 'withOwn'> {
  /** Of the day as it was brought. */
  version: number;
}

export const broughtDays = (db: Database): BroughtDays => {
  const versionOf = db.prepare('select version from sealed_day where site_id = ? and day = ?').pluck();
  const dataOf = db.prepare('select data from sealed_column where site_id = ? and day = ? and name = ?').pluck();
  const daysOf = db.prepare('select day from sealed_column where site_id = ? and name = ? order by day').pluck();
  const dropNew = db.prepare(`delete from sealed_column where site_id = @siteId and day = @day and ${isNew}`);
  const countNew = db
    .prepare(`select count(*) from sealed_column where site_id = @siteId and day = @day and ${isNew}`)
    .pluck();
  const drops = [
    `delete from sealed_column where site_id = @siteId and day = @day and not ${isOfImport} and not ${isNew}
     and name <> '${recordsNoteName}'`,
    'delete from sealed_part where site_id = @siteId and day = @day',
    'delete from sealed_day where site_id = @siteId and day = @day',
    `update sealed_column set name = substr(name, ${'new '.length + 1}) where site_id = @siteId and day = @day and ${isNew}`,
  ].map(sql => db.prepare(sql));
  const setVersion = db.prepare('update sealed_day set version = ? where site_id = ? and day = ?');
  const writer = dayWriter(db);

  return {
    find(siteId, day) {
      const data = dataOf.get(siteId, day, hitsNoteName) as Buffer | undefined;
      if (data === undefined) return undefined;
      const { version, ...others } = JSON.parse(data.toString()) as Note;
      return { ...others, isChanged: versionOf.get(siteId, day) !== version };
    },
    days: siteId => daysOf.all(siteId, hitsNoteName) as number[],
    begin(siteDay) {
      const { siteId, day } = siteDay;
      const facts: DayFacts[] = [];
      const names: string[] = [];
      let bytes = 0;
      // Of an earlier try that was interrupted.
      dropNew.run(siteDay);
      return {
        *write({ facts: ofPart, columns }) {
          for (const { name, data } of columns) {
            names.push(storedName(name, ofPart.part));
            writer.column(siteDay, `new ${names.at(-1)}`, data);
            bytes += data.byteLength;
            yield;
          }
          facts.push(ofPart);
        },
        finish: db.transaction((now: number, of: Pick<BroughtDay, 'sources' | 'withOwn'>): void => {
          if (countNew.get(siteDay) !== names.length) throw new StoreError('A day was deleted while it was brought.');
          const before = (versionOf.get(siteId, day) as number | undefined) ?? 0;
          for (const drop of drops) drop.run(siteDay);
          writer.facts(facts, { names: [...names, recordsNoteName], bytes, removed: '', now });
          // Readers keep columns by the version: a day that was here before, and went, had others.
          const version = Math.max(before + 1, Math.floor(now / 1000));
          setVersion.run(version, siteId, day);
          const note: Note = { ...of, version };
          writer.column(siteDay, hitsNoteName, Buffer.from(JSON.stringify(note)));
        }).immediate as DayBringer['finish'],
      };
    },
  };
};
