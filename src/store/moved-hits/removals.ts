/**
 * What is on record of removals by earlier versions, which took hits out of days into files. Rules
 * (rules.ts) have taken their place; what was removed then can still be put back (put-back.ts).
 */
import { existsSync } from 'node:fs';
import { type Database, StoreError } from '../database.ts';
import { dropRemovalFile, findRemovalFile, type RemovalFacts, usualFile } from './removal-file.ts';

export interface Removal extends RemovalFacts {
  /** As people type them: `path^=/wp-; country=DE`. */
  filters: string;
  /** As a file name of the API has it: `2026-10-01_2026-10-07`, or `all`. */
  period: string;
  /** Where its hits are, but for those that were taken out of open days. */
  file: string;
  hits: number;
}

const selected = `select id, site_id as siteId, filters, period, file, hits, created_at as createdAt from removal`;

export const removals = (db: Database) => {
  const ofSite = db.prepare(`${selected} where site_id = ? order by id desc`);
  const byId = db.prepare(`${selected} where id = ?`);
  const forget = db.prepare('delete from removal where id = ?');
  return {
    /** Newest first. */
    ofSite: (siteId: number) => ofSite.all(siteId) as Removal[],
    /** Throws StoreError when there is none. */
    byId(id: number) {
      const found = byId.get(id) as Removal | undefined;
      if (found === undefined) throw new StoreError('There is no such removal: its hits may have been put back.');
      return found;
    },
    /** Its hits were put back. */
    forget: (id: number): void => void forget.run(id),
  };
};

/** Deletes the files of a site's removals from the data directory. */
export const dropRemovalFiles = (db: Database, siteId: number): void => {
  for (const { id } of removals(db).ofSite(siteId)) dropRemovalFile(usualFile(db, id));
};

/** Deletes what was taken out of days before one, in the data directory; a removal at a step. */
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
