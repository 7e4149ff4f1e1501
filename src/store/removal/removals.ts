/** What is on record of removals. */
import { existsSync } from 'node:fs';
import { type Database, StoreError } from '../database.ts';
import {
  dropRemovalFile,
  findRemovalFile,
  isOf,
  type RemovalFacts,
  type StoredPart,
  usualFile,
} from './removal-file.ts';

export interface Removal extends RemovalFacts {
  /** As people type them: `path^=/wp-; country=DE`. */
  filters: string;
  /** As a file name of the API has it: `2026-10-01_2026-10-07`, or `all`. */
  period: string;
  /** Where its hits are, but for those that were taken out of open days. */
  file: string;
  /** Taken out so far. */
  hits: number;
  /** Null while it is under way, and where it was interrupted. */
  finishedAt: number | null;
}

export interface Removals {
  /** Newest first. */
  ofSite(siteId: number): Removal[];
  /** Throws StoreError when there is none. */
  byId(id: number): Removal;
  /** `file` is null for the usual one in the data directory. */
  begin(removal: Pick<Removal, 'siteId' | 'filters' | 'period' | 'createdAt'> & { file: string | null }): Removal;
  /** A removal of the same hits that was interrupted. */
  interrupted(removal: Pick<Removal, 'siteId' | 'filters' | 'period'>): Removal | undefined;
  addHits(id: number, hits: number): void;
  finish(id: number, finishedAt: number): void;
  /** Its hits were put back. */
  forget(id: number): void;
}

const selected = `select id, site_id as siteId, filters, period, file, hits, created_at as createdAt,
  finished_at as finishedAt from removal`;

export const removals = (db: Database): Removals => {
  const ofSite = db.prepare(`${selected} where site_id = ? order by id desc`);
  const byId = db.prepare(`${selected} where id = ?`);
  const interrupted = db.prepare(
    `${selected} where site_id = @siteId and filters = @filters and period = @period and finished_at is null
     order by id desc limit 1`,
  );
  const insert = db
    .prepare(
      `insert into removal (site_id, filters, period, file, hits, created_at)
       values (@siteId, @filters, @period, @file, 0, @createdAt) returning id`,
    )
    .pluck();
  const setFile = db.prepare('update removal set file = ? where id = ?');
  const addHits = db.prepare('update removal set hits = hits + ? where id = ?');
  const finish = db.prepare('update removal set finished_at = ? where id = ?');
  const forget = db.prepare('delete from removal where id = ?');
  const find = (id: number): Removal => {
    const found = byId.get(id) as Removal | undefined;
    if (found === undefined) throw new StoreError('There is no such removal: its hits may have been put back.');
    return found;
  };
  return {
    ofSite: siteId => ofSite.all(siteId) as Removal[],
    byId: find,
    begin: db.transaction((removal): Removal => {
      const id = insert.get({ ...removal, file: removal.file ?? '' }) as number;
      if (removal.file === null) setFile.run(usualFile(db, id), id);
      return find(id);
    }),
    interrupted: removal => interrupted.get(removal) as Removal | undefined,
    addHits(id, hits) {
      addHits.run(hits, id);
    },
    finish(id, finishedAt) {
      finish.run(finishedAt, id);
    },
    forget(id) {
      forget.run(id);
    },
  };
};

/** Deletes the file of a removal, if there is one and it is not another's. */
export const dropFileOf = (removal: Removal): void => {
  const opened = existsSync(removal.file) ? findRemovalFile(removal.file) : undefined;
  opened?.close();
  if (opened !== undefined && isOf(opened, removal)) dropRemovalFile(removal.file);
};

/** Deletes the files of a site's removals from the data directory. */
export const dropRemovalFiles = (db: Database, siteId: number): void => {
  for (const { id } of removals(db).ofSite(siteId)) dropRemovalFile(usualFile(db, id));
};

/** Deletes what was taken out of days before one, in the data directory; a step for each removal. */
export function* dropRemovedBefore(db: Database, before: number): Generator<void> {
  const ids = db.prepare('select id from removal').pluck().all() as number[];
  for (const file of ids.map(id => usualFile(db, id)).filter(name => existsSync(name))) {
    const opened = findRemovalFile(file);
    try {
      opened?.drop(opened.parts().flatMap(({ id, day }) => (day < before ? [id] : [])));
    } finally {
      opened?.close();
    }
    yield;
  }
}

/**
 * Drops parts that a removal wrote to its file shortly before it was interrupted, without taking
 * them out of their day. To be called whenever a process begins to change days.
 */
export const settle = (db: Database): void => {
  const unfinished = db.prepare(`${selected} where finished_at is null`).all() as Removal[];
  const version = db
    .prepare('select version from day_part where site_id = ? and day = ? and import_id = ? and sealed_at is not null')
    .pluck();
  const versionOf = (siteId: number, { day, part }: StoredPart): number | undefined =>
    version.get(siteId, day, part.importId ?? 0) as number | undefined;
  for (const removal of unfinished) {
    const { siteId, file } = removal;
    const opened = existsSync(file) ? findRemovalFile(file) : undefined;
    const isUnused = (part: StoredPart): boolean => part.version > (versionOf(siteId, part) ?? part.version);
    if (opened !== undefined && isOf(opened, removal))
      opened.drop(opened.parts().flatMap(part => (isUnused(part) ? [part.id] : [])));
    opened?.close();
  }
};
