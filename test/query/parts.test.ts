/** Questions about days of many parts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { AnswerOf, Query } from '../../src/query/query.ts';
import { topRowsOf, topValues } from '../../src/query/usual-questions.ts';
import { openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';

const day = 20_000;

test('what one part contributes is not taken for that of the others', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const [at, pages] = [day * dayMs, 3000];
  // The first visitor of all looks at many pages, and 255 others at one.
  const entries = Array.from({ length: 256 }, (_, i) => {
    const visit = visitRecord({ siteId, day, id: i + 1, visitor: Buffer.alloc(8, i) });
    return Array.from({ length: i === 0 ? pages : 1 }, (_, page) => {
      const path = i === 0 ? `/page/${page}` : '/';
      return recordedEntry(hitRecord({ siteId, day, visitId: visit.id, at, path }), page === 0 ? visit : undefined);
    });
  }).flat();
  recorder(db).write(entries);
  sealAll(db, day + 1, 0, 60);
  assert.is(db.prepare('select count(*) from day_part').pluck().get(), 64);
  const engine = createEngine(openReader(dataDir), 1e8, { foundBytesMax: 100_000 });
  const query: Query = {
    siteId,
    currency: 'EUR',
    minorRates: {},
    slices: [
      {
        from: at,
        to: at + dayMs,
        filters: [{ field: 'path', operator: 'startsWith', negated: false, values: ['/page'] }],
        questions: [topValues('path', 1)],
      },
    ],
  };
  const [[table] = []] = await engine.answer(query, alone);
  assert.equal(topRowsOf(table as AnswerOf<'table'>), [{ name: '/page/0', value: 1, events: 1 }]);
  db.close();
});

test.run();
