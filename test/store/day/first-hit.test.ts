/** The first hit of a site, beside a plain look at all of its hits. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type HitType, hitTypes, isNonCounting } from '../../../src/model/hit.ts';
import { dayMs } from '../../../src/model/time.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { sealAll } from '../../../src/store/day/seal.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';
import { repeat } from '../../repeat.ts';

const firstDay = 20_000;

const arrival = fc.record({
  site: fc.nat({ max: 1 }),
  day: fc.nat({ max: 2 }),
  msOfDay: fc.nat({ max: dayMs - 1 }),
  type: fc.constantFrom(...(Object.keys(hitTypes) as HitType[])),
  /** The first hit is asked for after it. */
  isAsked: fc.boolean(),
});

test('the first hit of a site is found, sealed or open, whenever it is asked for', () => {
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 20 }), fc.nat({ max: 3 }), (arrivals, sealedDays) => {
      const { db } = temporaryDatabase();
      const sites = [addSite(db).id, addSite(db).id];
      const reader = dayReader(db, 1e6);
      const { write } = recorder(db);
      const times: number[][] = [[], []];
      const check = (): void => {
        for (const [i, siteId] of sites.entries()) {
          assert.is(reader.firstAt(siteId), times[i]!.length === 0 ? null : Math.min(...times[i]!));
        }
      };
      for (const [i, { site, day: later, msOfDay, type, isAsked }] of arrivals.entries()) {
        const [siteId, day, id] = [sites[site]!, firstDay + later, i + 1];
        const at = day * dayMs + msOfDay;
        const revenue = type === 'revenue' ? { amount: 100, currency: 'EUR' } : null;
        write([
          recordedEntry(hitRecord({ siteId, day, visitId: id, at, type, revenue }), visitRecord({ siteId, day, id })),
        ]);
        if (!isNonCounting(type)) times[site]!.push(at);
        if (isAsked) check();
      }
      check();
      sealAll(db, firstDay + sealedDays, 0);
      check();
      db.close();
    }),
    { numRuns: 40 * repeat, seed: 7 },
  );
});

test.run();
