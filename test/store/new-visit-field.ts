/**
 * Run by new-visit-field.test.ts in a copy of the sources whose list of visit texts has one more,
 * `utmId`. Records hits with it into the database of a data directory, asks for it while its days
 * are open and again when they are sealed, and prints both reports as JSON.
 */

import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Filter, Question, Report } from '../../src/query/query.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { openDatabase, openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { firstDay, recordViews } from './views.ts';

const [dataDir] = process.argv.slice(2) as [string];
const dimension = 'utmId' as never;

const questions: Question[] = [
  topValues(dimension, 10),
  {
    kind: 'visits',
    ...{ sort: 'started', descending: false, limit: 10, search: 'SPRING-9', after: null, form: 'json' },
    ...{ converted: false, bounced: false, paid: false, returning: false },
  },
];
const isSpring: Filter = { field: dimension, operator: 'is', negated: false, values: ['spring-7'] };
const isNull: Filter = { ...isSpring, values: [''] };

const ask = async (): Promise<Report> => {
  const db = openReader(dataDir);
  const slice = { from: firstDay * dayMs, to: (firstDay + 9) * dayMs };
  const query = {
    ...{ siteId: 1, currency: 'EUR', minorRates: {} },
    slices: [
      { ...slice, filters: [], questions },
      { ...slice, filters: [isSpring], questions: [headline] },
      { ...slice, filters: [isNull], questions: [headline] },
    ],
  };
  const report = await createEngine(db, 1e6).answer(query, alone);
  db.close();
  return report;
};

const db = openDatabase(dataDir);
// Later than the visits that an earlier version recorded on that day.
recordViews(db, (firstDay + 1.5) * dayMs, ['/?utm_id=spring-7', '/?utm_id=spring-9', '/']);
recordViews(db, (firstDay + 2.5) * dayMs, ['/?utm_id=spring-7']);
const open = await ask();
const sealed = sealAll(db, firstDay + 3, 0).length;
const later = await ask();
const columns = db.prepare(`select name from pragma_table_info('visit') order by name`).pluck().all();
const problems = [...checkDatabase(db)].flatMap(step => step.problems);
db.close();
console.log(JSON.stringify({ open, later, sealed, columns, problems }));
