/** What stands in the database, with texts in place of their ids. */
import { hitTypeName, isTextCode, propertyTypes } from '../../src/model/hit.ts';
import { snakeCase } from '../../src/model/snake-case.ts';
import { visitTextNames } from '../../src/model/visit-fields.ts';
import type { Database } from '../../src/store/database.ts';

type Row = Record<string, unknown>;

const textColumns = {
  visit: visitTextNames.map(snakeCase),
  hit: 'path hostname title query event currency'.split(' '),
  vital: ['path', 'device'],
  crawl: ['name', 'path'],
};

type TextOf = (siteId: unknown, id: unknown) => string | null;

const textsIn = (db: Database): TextOf => {
  const select = db.prepare('select value from text where site_id = ? and id = ?').pluck();
  return (siteId, id) => (select.get(siteId, id) as string | undefined) ?? null;
};

const rowsOf = (db: Database, table: keyof typeof textColumns, order: string, textOf = textsIn(db)): Row[] =>
  (db.prepare(`select * from ${table} order by ${order}`).all() as Row[]).map(row => {
    for (const column of textColumns[table]) row[column] = textOf(row.site_id, row[column]);
    return row;
  });

export const storedVisits = (db: Database): Row[] =>
  rowsOf(db, 'visit', 'id').map(row => ({ ...row, visitor: (row.visitor as Buffer).toString('hex') }));

/** Properties as [key, type, value], and what an identify says as [name, traits]. */
export const storedHits = (db: Database): Row[] => {
  const textOf = textsIn(db);
  return rowsOf(db, 'hit', 'id', textOf).map(row => {
    const type = hitTypeName(row.type as number);
    const flat = JSON.parse((row.properties as string | null) ?? '[]') as number[];
    const text = (id: number | undefined): string | null => textOf(row.site_id, id);
    const properties: unknown[] = [];
    if (type === 'identify') properties.push(...flat.map(text));
    else
      for (let i = 0; i < flat.length; i += 3) {
        const [key, code, value] = flat.slice(i, i + 3) as [number, number, number];
        const name = Object.entries(propertyTypes).find(([, typeCode]) => typeCode === code)![0];
        properties.push([text(key), name, isTextCode(code) ? text(value) : value]);
      }
    return { ...row, type, properties };
  });
};

export const storedVitals = (db: Database): Row[] => rowsOf(db, 'vital', 'id');
export const storedCrawls = (db: Database): Row[] => rowsOf(db, 'crawl', 'quarter, name, path');

/** Counts by outcome, of all sites; as `site outcome` for another site than 0. */
export const storedOutcomes = (db: Database): Record<string, number> =>
  Object.fromEntries(
    (
      db.prepare('select site_id, outcome, sum(hits) as hits from outcome group by 1, 2 order by 1, 2').all() as Row[]
    ).map(({ site_id, outcome, hits }) => [`${site_id} ${outcome}`, hits as number]),
  );
