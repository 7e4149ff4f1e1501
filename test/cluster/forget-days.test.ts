/** What a collector forgets of days that an earlier version sealed: those alone that the cluster has as they are here, or as another node's. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { forgetDays } from '../../src/cluster/forget-days.ts';
import { shippedVersions } from '../../src/cluster/ship-days.ts';
import { type ShippedDay, shippedText } from '../../src/cluster/shipped.ts';
import { dayMs } from '../../src/model/time.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase } from '../helpers.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';

test('days go once the cluster has them, or another node took them over, and no others', async () => {
  const { db } = temporaryDatabase();
  const siteId = storeSite(db, randomSite(randomFrom(1)), firstDay + days);
  const [site] = sites(db).list();
  const daysHere = (): number[] => [...shippedVersions(db)(site!).keys()];
  const [first, second, third, ...others] = daysHere();
  assert.ok(others.length > 0);
  let shipped: ShippedDay[] = [...shippedVersions(db)(site!)].map(([day, version]) => {
    return { siteId, day, node: 1, revision: 1, version, hits: 1 };
  });
  const forget = (keepDays: number, recordsBefore = Number.POSITIVE_INFINITY): Promise<boolean> =>
    forgetDays({
      ...{
        db,
        node: 1,
        proofs: { proved: [], unproved: [] },
        keepDays,
        recordsBefore,
        now: (others.at(-1)! + 1) * dayMs,
        signal: new AbortController().signal,
      },
      cluster: { shipped: async () => shipped },
    });
  const all = shipped;
  shipped = all.map(of => (of.day === third ? { ...of, version: 'of other hits' } : of));
  shipped = shipped.map(of =>
    of.day === first ? { ...of, version: shippedText('a-uuid', { state: 'taken' }), hits: 0 } : of,
  );
  assert.is(await forget(1), false, 'a day waits');
  assert.equal(daysHere(), [third, ...others]);
  shipped = all.filter(({ day }) => day !== first && day !== second);
  assert.is(await forget(1, third), false, 'what is recorded besides hits waits');
  assert.equal(daysHere(), [third, ...others]);
  assert.is(await forget(1), true);
  assert.equal(daysHere(), others.slice(-1));
});

test.run();
