/**
 * Hits are collected and imported, imports are taken back, midnight comes, the server starts anew: after each of these every
 * kind of question is answered as a recount does, by an engine that has answered the same before.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Query } from '../../src/query/query.ts';
import { openReader } from '../../src/store/database.ts';
import { comparable, type NaiveHit, naiveReport } from '../naive.ts';
import { repeat } from '../repeat.ts';
import { fillAll } from './fill-all.ts';
import { hitsToCome, type ManyWays, manyWays } from './many-ways.ts';
import { restless } from './paces.ts';
import { askedKinds, days, firstDay, type Random, randomFrom, randomParts, randomQuery } from './random-site.ts';

/** What several ways say of who somebody is, is not joined: so each visitor says it once. */
const saidOnce = (): ((hit: NaiveHit) => boolean) => {
  const said = new Set<string>();
  return ({ type, visit }) => {
    const who = `${visit.day} ${visit.visitor}`;
    if (type !== 'identify') return true;
    if (said.has(who)) return false;
    said.add(who);
    return true;
  };
};

/** Something that happens; `toCome` are the hits that are not there yet. */
const steps = (world: ManyWays, random: Random) => {
  let [today, toCome] = [firstDay, [] as NaiveHit[]];
  /** Takes some of the hits that may come now. */
  const taken = (mayCome: (hit: NaiveHit) => boolean, part: number): NaiveHit[] => {
    const some = new Set(toCome.filter(hit => mayCome(hit) && random.chance(part)));
    toCome = toCome.filter(hit => !some.has(hit));
    return [...some];
  };
  let collectedUntil = 0;
  const all = {
    collect(): void {
      const until = toCome.filter(({ at, visit }) => at > collectedUntil && visit.day === today)[random.below(60)]?.at;
      const hits = taken(({ at, visit }) => at > collectedUntil && at <= (until ?? at) && visit.day === today, 0.6);
      collectedUntil = Math.max(collectedUntil, ...hits.map(({ at }) => at));
      world.collect(hits);
    },
    import(): void {
      const hits = taken(({ visit }) => visit.day <= today, random.pick([0.1, 0.4]));
      if (hits.length > 0) world.import(hits);
    },
    undo(): void {
      const among = world.imports();
      if (among.length === 0) return;
      toCome = [...toCome, ...world.undo(among[random.below(among.length)]!)].sort((a, b) => a.at - b.at);
    },
    midnight(): void {
      today = Math.min(today + 1, firstDay + days);
      world.midnight(today, randomParts(random).partHitsMax);
    },
  };
  return {
    begin(hits: readonly NaiveHit[]): void {
      toCome = [...hits];
    },
    next(): string {
      const name = random.pick(['collect', 'import', 'collect', 'midnight', 'undo'] as const);
      all[name]();
      return name;
    },
  };
};

for (let seed = 1; seed <= 4 * repeat; seed++) {
  test(`random site ${seed}, whose hits come in several ways`, async () => {
    const random = randomFrom(7000 + seed);
    const world = manyWays();
    const what = steps(world, random);
    what.begin(hitsToCome(random, saidOnce()));
    const queries = [0, 1].map(() => randomQuery(random, world.siteId, askedKinds));
    const rollups = queries.map((query): Query => ({ ...query, rollup: [world.siteId] }));
    const cacheBytes = random.pick([1e8, 1e8, 20_000]);
    const start = () => createEngine(openReader(world.dataDir), cacheBytes, { openDays: randomParts(random) });
    let engine = start();
    const done: string[] = [];
    for (let i = 0; i < 14; i++) {
      done.push(what.next());
      if (seed % 2 === 0 && i % 3 !== 0) await fillAll(world.db, world.siteId);
      if (random.chance(0.1)) engine = start();
      const site = world.site();
      for (const query of random.chance(0.3) ? [...queries, ...rollups] : queries) {
        const want = naiveReport(site, query);
        const got = await engine.answer(query, i % 2 === 0 ? alone : restless(undefined, () => random.chance(0.2)));
        query.slices.forEach(({ from, to, filters, questions }, slice) => {
          questions.forEach((question, n) => {
            const message = JSON.stringify({ done, question, from, to, filters }, null, 1);
            assert.equal(comparable(got[slice]![n]!), comparable(want[slice]![n]!), message);
          });
        });
      }
    }
  });
}

test.run();
