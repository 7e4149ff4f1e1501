/** What tells whether the hits of a day are still those of earlier. */
import type { Database } from '../database.ts';
import { daysWithRows } from './open/open-days.ts';

/**
 * Which hits a day has: it is another one whenever they are others. What was collected is open or
 * sealed, and of a day that is `imported` there is none. On a cluster a node's day may also be
 * another node's by now, or closed: of all collectors, or of a node that is gone.
 */
export type DayVersion =
  | { state: 'open'; lastHit: number; imports: readonly ImportVersion[] }
  | { state: 'sealed'; version: number; imports: readonly ImportVersion[] }
  | { state: 'imported'; imports: readonly ImportVersion[] }
  | { state: 'taken' }
  | { state: 'closed'; revision: number }
  | { state: 'retired' };

/** What an import brought of a day. */
export interface ImportVersion {
  id: number;
  version: number;
}

/** The same text for the same version, and no other. Clusters keep it. */
export const versionText = (of: DayVersion): string => {
  const imports = importsOf(of).map(({ id, version }) => `import ${id} ${version}`);
  if (of.state === 'open') return ['open', of.lastHit, ...imports].join(' ');
  if (of.state === 'sealed') return ['sealed', of.version, ...imports].join(' ');
  if (of.state === 'closed') return `closed ${of.revision}`;
  return of.state === 'imported' ? imports.join(' ') : of.state;
};

const texts = /^(?:open (\d+)(?: \d\S*)?|sealed (\d+))?((?:(?:^| )import \d+ \d+)*)$/;

/** Reads what versionText wrote; undefined for any other text. */
export const readVersion = (text: string): DayVersion | undefined => {
  if (text === 'taken' || text === 'retired') return { state: text };
  const closed = /^closed (\d+)$/.exec(text);
  if (closed !== null) return { state: 'closed', revision: Number(closed[1]) };
  const found = text === '' ? null : texts.exec(text);
  if (found === null) return undefined;
  const [, lastHit, version, brought = ''] = found;
  const imports = [...brought.matchAll(/(\d+) (\d+)/g)].map(of => ({ id: Number(of[1]), version: Number(of[2]) }));
  if (lastHit !== undefined) return { state: 'open', lastHit: Number(lastHit), imports };
  return version === undefined
    ? { state: 'imported', imports }
    : { state: 'sealed', version: Number(version), imports };
};

/** What of a day came with imports. */
export const importsOf = (of: DayVersion | undefined): readonly ImportVersion[] =>
  of !== undefined && 'imports' in of ? of.imports : [];

/** The site's days between two UTC days, both included, that may have hits. */
export type DayVersions = (siteId: number, first: number, last: number) => Map<number, DayVersion>;

interface Stored {
  day: number;
  importId: number;
  version: number;
}

export const dayVersions = (db: Database): DayVersions => {
  const storedBetween = db.prepare(
    `select day, import_id as importId, max(version) as version from day_part
     where site_id = ? and day between ? and ? and sealed_at is not null
       and (import_id = 0 or exists (select 1 from import i where i.id = import_id and i.finished_at is not null))
     group by day, import_id order by day, import_id`,
  );
  const lastHit = db.prepare('select coalesce(max(id), 0) from hit where site_id = ? and day = ?').pluck();
  const withRows = daysWithRows(db);
  return db.transaction((siteId: number, first: number, last: number) => {
    const found = new Map<number, DayVersion>();
    const stored = storedBetween.all(siteId, first, last) as Stored[];
    for (const { day, importId, version } of stored)
      if (importId === 0) found.set(day, { state: 'sealed', version, imports: [] });
    for (const { day } of withRows(siteId)) {
      if (day < first || day > last || found.has(day)) continue;
      found.set(day, { state: 'open', lastHit: lastHit.get(siteId, day) as number, imports: [] });
    }
    for (const { day, importId, version } of stored) {
      if (importId === 0) continue;
      const of = found.get(day) ?? { state: 'imported' as const, imports: [] };
      found.set(day, { ...of, imports: [...importsOf(of), { id: importId, version }] } as DayVersion);
    }
    return found;
  });
};
