/**
 * Versions of sealed days. A change replaces all columns of a day in one transaction and gives the
 * day the next version: readers name by it what they keep. One process at a time changes days
 * (lockRemovals).
 */
import { type Database, StoreError } from '../database.ts';
import { createByteCache } from '../day/byte-cache.ts';
import { type Column, decodeColumn } from '../day/column-codec.ts';
import { type SealedFacts, sealedDays } from '../day/day-reader.ts';
import type { NumberedDay } from '../day/join-days.ts';
import { keptColumns, keptNames, numbersIn, type OnceHad } from '../day/kept-numbers.ts';
import { beginsIn, type DayPart } from '../day/part.ts';
import { encoded } from '../day/seal.ts';

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
  const columnData = db.prepare('select data from sealed_column where part_id = ? and name = ?').pluck();
  const writeColumn = db.prepare(
    `insert into sealed_column (part_id, name, data) values (@id, @name, @data)
     on conflict do update set data = excluded.data`,
  );
  const dropColumn = db.prepare('delete from sealed_column where part_id = @id and name = @name');
  const find = (siteId: number, { day, part }: DayPart): SealedFacts | undefined =>
    days
      .between(siteId, day, day)
      .find(of => of.part.number === part.number && of.part.of === part.of && of.part.importId === part.importId);
  const writePart = db.prepare(
    `update day_part set visits = @visits, hash_visits = @hashVisits, hits = @hits, first_at = @firstAt, last_at = @lastAt,
       bytes = (select sum(length(data)) from sealed_column where part_id = @id)
     where id = @id and version = @version`,
  );
  const nextVersion = db.prepare(
    `update day_part set version = version + 1
     where site_id = @siteId and day = @day and import_id = @importId and sealed_at is not null`,
  );
  return {
    partsIn: (siteId, { day, part: other }) =>
      days.between(siteId, day, day).filter(({ part }) => beginsIn(part, other)),
    read(siteId, of) {
      const facts = find(siteId, of);
      if (facts === undefined) return undefined;
      const kept = (name: string): Column | undefined => {
        const data = columnData.get(facts.id, name) as Buffer | undefined;
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
      const { sealed: _, part, ...others } = facts;
      const { siteId, day } = facts;
      const isWhole = numbered.hits.length === had.hits;
      const all = isWhole ? columns : [...columns, ...keptColumns(numbered, had)];
      return () => {
        const id = find(siteId, facts)?.id;
        for (const { name, data } of id === undefined ? [] : all) writeColumn.run({ id, name, data });
        if (isWhole) for (const name of keptNames) dropColumn.run({ id, name });
        if (id === undefined || writePart.run({ ...others, id }).changes === 0)
          throw new StoreError('A day was deleted or changed meanwhile: run the command again.');
        nextVersion.run({ siteId, day, importId: part.importId ?? 0 });
      };
    },
  };
};
