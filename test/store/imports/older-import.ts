import type { Database } from '../../../src/store/database.ts';

/** Keeps what imports counted beside hits as older versions did: of each day as a whole, in `import_day`. Gives how many days. */
export const asOlderVersion = (db: Database): number => {
  const notes = db.prepare(`select id, day, data from sealed_column where name glob 'counts*'`).all() as {
    id: number;
    day: number;
    data: Buffer;
  }[];
  const ofDay = new Map<number, { crawls: unknown[]; outcomes: unknown[] }>();
  for (const { id, day, data } of notes) {
    const known = ofDay.get(day) ?? { crawls: [], outcomes: [] };
    const { crawls, outcomes } = JSON.parse(data.toString());
    ofDay.set(day, { crawls: [...known.crawls, ...crawls], outcomes: [...known.outcomes, ...outcomes] });
    db.prepare('delete from sealed_column where id = ?').run(id);
  }
  for (const [day, records] of ofDay)
    db.prepare('update import_day set records = ? where day = ? and number = 0').run(JSON.stringify(records), day);
  return ofDay.size;
};
