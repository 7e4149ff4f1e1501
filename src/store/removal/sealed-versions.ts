/**
 * Versions of sealed days. A change replaces all columns of a day in one transaction and gives the
 * day the next version: readers name by it what they keep. One process at a time changes days
 * (lockRemovals).
 */
import { type Database, StoreError } from '../database.ts';
import { createByteCache } from '../day/byte-cache.ts';
import { type Column, decodeColumn } from '../day/column-codec.ts';
import { sealedDays } from '../day/day-reader.ts';
import type { NumberedDay } from '../day/join-days.ts';
import { keptColumns, keptNames, numbersIn, type OnceHad } from '../day/kept-numbers.ts';
import { beginsIn, type DayPart, isOfImport, storedName } from '../day/part.ts';
import { type EncodedPart, encoded, partsAdder } from '../day/seal.ts';

/** A sealed day as it is, with what it once had. */
export interface SealedVersion extends NumberedDay {
  had: OnceHad;
}

export interface SealedVersions {
  /** The parts of a sealed day that begin in a part of it; none where it is not sealed. */
  partsIn(siteId: number, of: DayPart): DayPart[];
  /** To be used inside the transaction that it was read in. Undefined where no such part is sealed. */
  read(siteId: number, of: DayPart): SealedVersion | undefined;
  /**
   * Makes a part of a day ready to be written in place of the version before it. The function that it returns
   * writes: call it inside a transaction.
   */
  prepare(day: NumberedDay, had: OnceHad): () => void;
}

export const sealedVersions = (db: Database): SealedVersions => {
  const days = sealedDays(db, createByteCache(0));
  const columnData = db.prepare('select data from sealed_column where site_id = ? and day = ? and name = ?').pluck();
  const writeColumn = db.prepare(
    `insert into sealed_column (site_id, day, name, data) values (@siteId, @day, @name, @data)
     on conflict do update set data = excluded.data`,
  );
  const dropColumn = db.prepare('delete from sealed_column where site_id = @siteId and day = @day and name = @name');
  const facts = 'visits = @visits, hash_visits = @hashVisits, hits = @hits, first_at = @firstAt, last_at = @lastAt';
  const writeDay = db.prepare(
    `update sealed_day set ${facts}, version = version + 1
     where site_id = @siteId and day = @day and version = @version`,
  );
  const writeImported = db.prepare(
    `update import_day set ${facts}, bytes = @bytes, version = version + 1
     where site_id = @siteId and day = @day and import_id = @importId and number = @number and version = @version`,
  );
  const writePart = db.prepare(
    `update sealed_part set ${facts} where site_id = @siteId and day = @day and number = @number`,
  );
  const addUp = partsAdder(db);
  const writeBytes = db.prepare(
    `update sealed_day set bytes =
       (select sum(length(data)) from sealed_column c
        where c.site_id = @siteId and c.day = @day and not ${isOfImport})
     where site_id = @siteId and day = @day`,
  );
  return {
    partsIn: (siteId, { day, part: other }) =>
      days.between(siteId, day, day).filter(({ part }) => beginsIn(part, other)),
    read(siteId, { day, part: { number, of, importId } }) {
      const facts = days
        .between(siteId, day, day)
        .find(({ part }) => part.number === number && part.of === of && part.importId === importId);
      if (facts === undefined) return undefined;
      const kept = (name: string): Column | undefined => {
        const data = columnData.get(siteId, day, storedName(name, facts.part)) as Buffer | undefined;
        return data && decodeColumn(data);
      };
      const visits = numbersIn(kept('keptVisits'), facts.visits);
      const hits = numbersIn(kept('keptHits'), facts.hits);
      return {
        day: days.day(facts),
        visits: visits.numbers,
        hits: hits.numbers,
        had: { visits: visits.had, hits: hits.had },
      };
    },
    prepare(numbered, had) {
      const { facts, columns } = encoded(numbered.day);
      const { part, siteId, day } = facts;
      const row = rowOf({ facts, columns });
      const isWhole = numbered.hits.length === had.hits;
      const all = isWhole ? columns : [...columns, ...keptColumns(numbered, had)];
      return () => {
        const isImported = part.importId !== undefined;
        if ((isImported ? writeImported : writeDay).run(row).changes === 0)
          throw new StoreError('A day was deleted or changed meanwhile: run the command again.');
        for (const { name, data } of all) writeColumn.run({ siteId, day, name: storedName(name, part), data });
        if (isWhole) for (const name of keptNames) dropColumn.run({ siteId, day, name: storedName(name, part) });
        if (isImported) return;
        if (part.of > 1) {
          writePart.run(row);
          addUp({ siteId, day });
        }
        writeBytes.run({ siteId, day });
      };
    },
  };
};

/** What SQLite binds of a part. */
const rowOf = ({ facts, columns }: Pick<EncodedPart, 'facts' | 'columns'>) => {
  const { sealed: _, part, ...others } = facts;
  const bytes = columns.reduce((sum, { data }) => sum + data.byteLength, 0);
  return { ...others, number: part.number, importId: part.importId, bytes };
};
