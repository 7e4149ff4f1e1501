/** Brings hits of a day as an import does, without a file of them. */
import type { Database } from '../../../src/store/database.ts';
import type { Day } from '../../../src/store/day/day.ts';
import { partsOf } from '../../../src/store/day/part.ts';
import { uniteDays } from '../../../src/store/day/unite-days.ts';
import { importDays } from '../../../src/store/imports/import-days.ts';
import { imports } from '../../../src/store/imports/imports.ts';

/** The day's text ids are those of its site in this database. Each import of a site has another `source`. */
export const importDay = (db: Database, whole: Day, parts: number, source: number): void => {
  const { siteId, day, firstAt, lastAt } = whole;
  const totals = { visitors: null, visits: null, pageviews: null, events: null };
  const of = imports(db).begin(
    {
      ...{ siteId, kind: 'hits', format: 'ndjson', source: 'a', digest: Buffer.alloc(32, source) },
      ...{ lines: 1, outcomes: {}, totals, firstAt, lastAt },
    },
    0,
  );
  const writer = importDays(db).begin(of, day);
  for (const part of partsOf(parts)) for (const _ of writer.write(uniteDays([whole], part)));
  writer.finish(1);
  imports(db).finish(of.id, 1);
};
