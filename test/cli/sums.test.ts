/** Sums of days through their life: copied, checked, and gone with what they are of. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSums } from '../../src/cli/check-sums.ts';
import { utcDayName } from '../../src/model/time.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createRoom, daySums, packLists, unpackWords } from '../../src/store/day/day-sums.ts';
import { eraseVisits } from '../../src/store/erase.ts';
import { dropSites } from '../../src/store/maintenance/drop-sites.ts';
import { pruner } from '../../src/store/maintenance/prune.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';
import { fillAll } from '../query/fill-all.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { runCommand } from './helpers.ts';

const summed = async () => {
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(randomFrom(3)).filter(({ visit }) => !visit.persistent);
  const siteId = storeSite(db, site, firstDay + days);
  await fillAll(db, siteId);
  const [first, second] = [...new Set(site.map(({ visit }) => visit.day))] as [number, number];
  return { db, dataDir, site, siteId, first, second };
};

/** Adds one to the hits of some row. */
const falsify = (db: Database, siteId: number, day: number): void => {
  const [row] = daySums(db).between(siteId, 'by path', day, day);
  const lists = unpackWords(row!.data, 3, createRoom());
  lists[1]![0]!++;
  for (const _ of daySums(db).put(siteId, day, row!.version, [{ name: 'by path', data: packLists(lists) }]));
};

test('check compares sums with the hits, also in a backup, which has them', async () => {
  const { db, dataDir, siteId, first } = await summed();
  assert.is((await runCommand(dataDir, ['check'])).code, 0);
  const restored = temporaryDir();
  assert.is((await runCommand(dataDir, ['backup', join(restored, 'daybook.db')])).code, 0);
  const copy = openDatabase(restored);
  assert.equal(daySums(copy).ofDay(siteId, first), daySums(db).ofDay(siteId, first));
  assert.is((await runCommand(restored, ['check'])).code, 0);
  falsify(copy, siteId, first);
  const { code, stdout } = await runCommand(restored, ['check']);
  assert.equal(
    [code, stdout.includes(`${utcDayName(first)}: the sum “by path” is not what its hits add up to.`)],
    [1, true],
  );
  copy.close();
  db.close();
});

test('a day that changes while it is compared is not complained of', async () => {
  const { db, siteId, first } = await summed();
  falsify(db, siteId, first);
  const problems = async (meanwhile: () => void): Promise<string[]> => {
    const checked = checkSums(db, () => 0);
    const begun = checked.next();
    meanwhile();
    const { value = [] } = await begun;
    const all = [...(value as string[])];
    for await (const more of checked) all.push(...more);
    return all;
  };
  assert.is((await problems(() => {})).length, 1);
  assert.equal(await problems(() => db.exec('update day_part set version = version + 1')), []);
  db.close();
});

test('sums of a day go when it is pruned, and when somebody is erased from it', async () => {
  const { db, site, siteId, first, second } = await summed();
  const sums = daySums(db);
  for (const _ of pruner(db).drop(first + 1));
  assert.is(sums.ofDay(siteId, first).length, 0);
  assert.ok(sums.ofDay(siteId, second).length > 30);
  const somebodyOf = (day: number): bigint => BigInt(`0x${site.find(({ visit }) => visit.day === day)!.visit.visitor}`);
  const erased = { has: (day: number, _: boolean, hash: bigint) => hash === somebodyOf(day), lasting: () => [] };
  for (const _ of eraseVisits(db, siteId, erased));
  assert.equal(sums.days(siteId), []);
  await fillAll(db, siteId);
  assert.ok(sums.ofDay(siteId, second).length > 30);
  db.close();
});

test('sums of a site go with it, and those of a goal that is no more, too', async () => {
  const { db, siteId, first } = await summed();
  const sums = daySums(db);
  const goal = { filters: [{ anyOf: [[]], negated: false }] };
  const before = sums.names(siteId);
  await fillAll(db, siteId, [{ filters: [] }, goal]);
  assert.is(sums.names(siteId).length, 2 * before.length);
  await fillAll(db, siteId);
  assert.equal(sums.names(siteId), before);
  const others = [{ filters: [{ ...goal.filters[0]!, negated: true }] }];
  await fillAll(db, siteId, others);
  assert.is(sums.names(siteId).includes(''), false);
  await fillAll(db, siteId);
  assert.equal(sums.names(siteId), before);
  sites(db).remove(siteId);
  for (const _ of dropSites(db));
  assert.is(sums.ofDay(siteId, first).length, 0);
  db.close();
});

test('sums of a day that is no more go', async () => {
  const { db, siteId, first } = await summed();
  db.prepare('update day_part set sealed_at = null where day = ?').run(first);
  await fillAll(db, siteId);
  assert.not(daySums(db).days(siteId).includes(first));
  db.close();
});

test.run();
