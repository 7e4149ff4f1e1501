/**
 * Makes a database for before.test.ts by the program as it is, to be kept before its schema changes:
 *
 *     node --import tsx test/store/make-before.ts
 *
 * It has sealed days, one of them in parts, an open day, and hits that were taken out of days. Beside it stand questions, with the
 * answers before and after these hits were taken out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import { removeSteps } from '../../src/query/removal/remove-hits.ts';
import { migrations } from '../../src/store/migrations.ts';
import { temporaryDatabase } from '../helpers.ts';
import {
  type AskedKind,
  days,
  firstDay,
  randomFrom,
  randomQuery,
  randomSite,
  storeSite,
} from '../query/random-site.ts';

const kinds: AskedKind[] = [
  ...(['totals', 'series', 'breakdown', 'breakdown', 'events', 'eventSeries', 'propertyKeys'] as const),
  ...(['propertySummaries', 'propertyValues', 'visits', 'lastHit', 'firstHit'] as const),
];

const { db } = temporaryDatabase();
const random = randomFrom(18);
const siteId = storeSite(db, randomSite(random), firstDay + days - 1, 'Europe/Berlin', 30);
const queries = Array.from({ length: 12 }, () => randomQuery(random, siteId, kinds));
const engine = createEngine(db, 0);
const answers = async (): Promise<unknown[]> => {
  const all: unknown[] = [];
  for (const query of queries) all.push(await engine.answer(query, alone));
  return all;
};

const before = await answers();
const task = {
  ...{ siteId, from: firstDay * dayMs, to: (firstDay + days) * dayMs, period: 'all', file: null },
  filters: [{ field: 'path' as const, operator: 'is' as const, negated: false, values: ['/', '/preise'] }],
  filtersText: 'path=/; path=/preise',
};
const removing = removeSteps(db, task, () => 0);
let step = removing.next();
while (!step.done) step = removing.next();
const after = await answers();

db.pragma('wal_checkpoint(truncate)');
const name = join(import.meta.dirname, `before-version-${2 + migrations.length}`);
const file = (path: string): string => gzipSync(readFileSync(path)).toString('base64');
const made = {
  database: file(join(dirname(db.name), 'daybook.db')),
  removed: file(step.value!.file),
  queries,
  before,
  after,
};
writeFileSync(`${name}.json.gz`, gzipSync(JSON.stringify(made), { level: 9 }));
db.close();
