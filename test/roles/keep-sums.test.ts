/** Sums of days follow what there is, and a day that cannot be summed keeps no other from it, and is left alone. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { QueryEngine } from '../../src/query/query-engine.ts';
import { createQueryPool } from '../../src/query/threads/pool.ts';
import { keepSums } from '../../src/roles/keep-sums.ts';
import { daySums } from '../../src/store/day/day-sums.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { definitions } from '../../src/store/definitions.ts';
import { temporaryDatabase } from '../helpers.ts';
import { days, firstDay, randomFrom, randomSite, siteWriter } from '../query/random-site.ts';
import { until } from '../tools/conditions.ts';

const bounds = { hitsMin: 0, part: 1e9 };

test('days are summed once they are sealed, and again for a goal', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { siteId, write } = siteWriter(db);
  const site = randomSite(randomFrom(3)).filter(({ visit }) => !visit.persistent);
  write(site);
  sealAll(db, firstDay + 2, 0);
  const pool = createQueryPool({ dataDir, workers: 1, cacheBytesMax: 1e7, deadlineMs: 300_000, waitingMax: 64 });
  let failing = firstDay + 1;
  const logged: string[] = [];
  const engine: QueryEngine = {
    run: (query, ...others) =>
      query.slices[0]!.from === failing * 86_400_000 ? Promise.reject(new Error('no')) : pool.run(query, ...others),
  };
  const log = (event: string, fields = {}) => logged.push(`${event} ${JSON.stringify(fields)}`);
  const start = () => keepSums({ db, engine, log, everyMs: 20, bounds });
  let kept = start();
  const sums = daySums(db);
  const summed = (until: number) => [...new Set(site.map(({ visit }) => visit.day))].filter(day => day < until).sort();
  const others = (all: number[]) => all.filter(day => day !== firstDay + 1);
  await until('the first days are summed', () => sums.days(siteId).length === others(summed(firstDay + 2)).length);
  assert.equal(sums.days(siteId), others(summed(firstDay + 2)));
  assert.match(logged.join(), /sum-failed .*"reason":"no"/);
  failing = 0;
  sealAll(db, firstDay + days, 0);
  const atLast = summed(firstDay + days);
  await until('the other days are summed', () => sums.days(siteId).length === others(atLast).length);
  await kept.close();
  assert.equal(sums.days(siteId), others(atLast));
  assert.is(logged.length, 1);
  kept = start();
  await until('all days are summed', () => sums.days(siteId).length === atLast.length);
  const before = sums.names(siteId).length;
  definitions(db).set(siteId, 'goal', 'Signup', { conditions: 'event=Signup', value: null }, 1);
  await until('the goal is summed', () => sums.names(siteId).length > before + 50);
  await kept.close();
  await pool.close();
  db.close();
});

test.run();
