/** The temporary file of a large open day. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageFields, visitAttributes } from '../../../../src/model/columns.ts';
import { hitTypes, propertyTypes } from '../../../../src/model/hit.ts';
import { createSpool } from '../../../../src/store/day/open/spool.ts';
import { temporaryDatabase } from '../../../helpers.ts';
import { hitRows, type OpenHitRow, type OpenVisitRow, visitRows } from './rows.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('visitors who send many properties, one after the other, take no memory once they are in the file', () => {
  const properties = Array.from({ length: 25 }, (_, key) => [key + 1, propertyTypes.number, 0.5]).flat();
  const fields = pageFields.map(() => 0);
  const [visits, hitsOfVisit, hitsAtOnce] = [8, 20_000, 2000];
  const { db } = temporaryDatabase();
  const spool = createSpool(db, 1, 20_000);
  const before = process.memoryUsage().arrayBuffers;
  let hits = 0;
  for (let visit = 1; visit <= visits; visit++) {
    // Each has a shard of its own.
    const visitor = visit.toString(16).padStart(2, '0').padEnd(16, '0');
    spool.addVisits(visitRows([[visit, visitor, 0, 0, ...visitAttributes.map(() => 0)] as OpenVisitRow]));
    for (let sent = 0; sent < hitsOfVisit; sent += hitsAtOnce)
      spool.addHits(
        hitRows(
          Array.from(
            { length: hitsAtOnce },
            (_, i) => [++hits, visit, sent + i, hitTypes.custom, 0, null, 0, properties, 0, ...fields] as OpenHitRow,
          ),
        ),
      );
  }
  // Twice: the first may leave memory to be freed a moment later.
  for (const _ of [1, 2]) collectGarbage();
  // Each took some 15 MB.
  assert.ok(process.memoryUsage().arrayBuffers - before < 40e6, `${process.memoryUsage().arrayBuffers - before}`);
  const { hits: found } = spool.part({ number: 3, of: 256 }).open().day();
  assert.is(found, hitsOfVisit);
  spool.close();
  db.close();
});

test.run();
