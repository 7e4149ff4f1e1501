/** `daybook erase`: visits of a person are gone from every answer and from the bytes of the files, and nobody else's are. */
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Question, Slice } from '../../src/query/query.ts';
import { addRule } from '../../src/query/removal-rules/hits-of-rule.ts';
import { databaseFile, openDatabase, openReader } from '../../src/store/database.ts';
import { forwardedStore } from '../../src/store/forwarded.ts';
import { nodes } from '../../src/store/nodes.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { noon, startCollector } from '../collect/start-collector.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveSite, type NaiveVisit, naiveReport, naiveSelection, naiveWithout } from '../naive.ts';
import { isCalled, without } from '../naive-persons.ts';
import { hitsToCome, manyWays } from '../query/many-ways.ts';
import { days, firstDay, type Random, randomFilter, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { repeat } from '../repeat.ts';
import { runCommand } from './helpers.ts';

const questions: Question[] = [
  {
    kind: 'metricSeries',
    metrics: ['visitors', 'visits', 'pageviews', 'bounces', 'events'],
    bounds: [firstDay * dayMs, (firstDay + 9) * dayMs],
  },
  ...(['path', 'entryPath', 'exitPath', 'country', 'prop:plan'] as const).map(
    (dimension): Question => ({
      kind: 'table',
      dimension,
      metrics: ['visitors', 'events'],
      sort: 'visitors',
      descending: true,
      limit: 20,
      after: null,
    }),
  ),
  { kind: 'events', limit: 10, bounds: null },
];

const assertAnswers = async (dataDir: string, siteId: number, site: NaiveSite): Promise<void> => {
  const slice = { from: firstDay * dayMs, to: (firstDay + 9) * dayMs, filters: [], questions };
  const query = { siteId, currency: 'EUR', minorRates: {}, slices: [slice] };
  const reader = openReader(dataDir);
  const report = await createEngine(reader, 1e6).answer(query, alone);
  reader.close();
  const plain = (answers: unknown[]) => JSON.parse(JSON.stringify(answers.map(one => comparable(one as never))));
  assert.equal(plain(report[0]!), plain(naiveReport(site, query)[0]!));
};

/** Rules of a site: one leaves out hits of somebody, others those of anybody. They look at hits that are erased later, too. */
const randomRules = (random: Random, dataDir: string, siteId: number, { visit }: NaiveSite[number]) => {
  const end = (firstDay + 9) * dayMs;
  const made = new Map<number, Slice>();
  const use = <T>(work: (table: ReturnType<typeof rules>) => T): T => {
    const db = openDatabase(dataDir);
    try {
      return work(rules(db));
    } finally {
      db.close();
    }
  };
  const ofSomebody = { field: 'browser', operator: 'is', negated: false, values: [visit.browser ?? ''] } as const;
  for (const filters of [[{ ...ofSomebody, values: [...ofSomebody.values] }], [randomFilter(random)]]) {
    const of = { siteId, from: firstDay * dayMs, to: end, filters };
    const task = { ...of, filtersText: '', period: 'all', madeBy: null, reason: null };
    made.set(use(table => addRule(table, task, end)).id, { ...of, questions: [] });
  }
  return {
    /** The site as it is to be read. */
    left(site: NaiveSite): NaiveSite {
      const flags = [...made.values()].map(slice => naiveSelection(site, slice));
      return naiveWithout(site, new Set(site.flatMap((_, i) => (flags.some(of => of[i] === 1) ? [i] : []))));
    },
    /** Each that is there still, until it is undone. */
    *undone(): Generator<number> {
      for (const id of [...made.keys()].sort(() => random.below(3) - 1)) {
        use(table => table.drop(siteId, id));
        made.delete(id);
        yield id;
      }
    },
  };
};

const run = async (dataDir: string, now: number, ...args: string[]) => {
  const ran = await runCommand(dataDir, [...args, '--json'], { now: () => now });
  assert.is(ran.code, 0, ran.stderr);
  return ran.json();
};

for (let seed = 1; seed <= 3 * repeat; seed++) {
  test(`people are erased from random site ${seed}, sealed in parts and open, with cookies and without`, async () => {
    const random = randomFrom(8000 + seed);
    const { db, dataDir } = temporaryDatabase();
    let site = randomSite(random);
    const openFrom = firstDay + random.below(days + 1);
    const siteId = storeSite(db, site, openFrom, 'UTC', random.pick([1e6, 6]));
    const domain = db.prepare('select domain from site').pluck().get() as string;
    db.close();
    const now = openFrom * dayMs;
    const { visitor } = site[0]!.visit;
    const ruled = randomRules(random, dataDir, siteId, site[0]!);
    const steps: [flags: string[], isMeant: (visit: NaiveVisit) => boolean][] = [
      [['--visitor', visitor], visit => visit.visitor === visitor],
      [['--where', 'trait:name=Ada'], isCalled(site, 'Ada')],
    ];
    for (const [flags, isMeant] of steps) {
      const left = without(site, isMeant);
      const told = await run(dataDir, now, 'erase', domain, ...flags, '--dry-run');
      await assertAnswers(dataDir, siteId, ruled.left(site));
      const { dryRun, ...erased } = await run(dataDir, now, 'erase', domain, ...flags);
      assert.equal({ ...erased, dryRun: true }, told);
      const counting = site.filter(hit => hit.type !== 'identify' && hit.type !== 'duration');
      const stays = new Set(left);
      assert.is(erased.hits, counting.filter(hit => !stays.has(hit)).length);
      await assertAnswers(dataDir, siteId, ruled.left(left));
      const data = await runCommand(dataDir, ['person-data', domain, ...flags]);
      assert.equal([data.code, data.stdout], [0, '']);
      site = left;
    }
    const check = await runCommand(dataDir, ['check']);
    assert.is(check.code, 0, check.stdout);
    // Sealed after it, nothing comes back.
    await run(dataDir, (firstDay + days + 1) * dayMs, 'seal');
    await assertAnswers(dataDir, siteId, ruled.left(site));
    for (const _ of ruled.undone()) await assertAnswers(dataDir, siteId, ruled.left(site));
    await assertAnswers(dataDir, siteId, site);
    const reader = openDatabase(dataDir);
    const cookies = reader.prepare('select lower(hex(visitor)) from cookie_visitor').pluck().all() as string[];
    const known = new Set(site.map(({ visit }) => visit.visitor));
    assert.equal(
      cookies.filter(cookie => !known.has(cookie)),
      [],
    );
    reader.close();
  });

  test(`people of random site ${seed} are erased whichever way their hits came`, async () => {
    const random = randomFrom(8100 + seed);
    const world = manyWays();
    const coming = hitsToCome(random);
    const some = coming.filter(() => random.chance(0.5));
    world.collect(some);
    const others = coming.filter(hit => !some.includes(hit));
    world.import(others.filter((_, i) => i % 2 === 0));
    world.import(others.filter((_, i) => i % 2 === 1));
    const openFrom = firstDay + random.below(days + 1);
    world.midnight(openFrom, random.pick([1e6, 6]));
    const site = world.site();
    const hit = random.pick(site);
    const { visitor } = hit.visit;
    const ruled = randomRules(random, world.dataDir, world.siteId, hit);
    const reader = openReader(world.dataDir);
    const domain = reader.prepare('select domain from site').pluck().get() as string;
    reader.close();
    await run(world.dataDir, openFrom * dayMs, 'erase', domain, '--visitor', visitor);
    const left = without(site, visit => visit.visitor === visitor);
    await assertAnswers(world.dataDir, world.siteId, ruled.left(left));
    for (const _ of ruled.undone()) await assertAnswers(world.dataDir, world.siteId, ruled.left(left));
  });
}

/** Whether the database or its log hold a text. */
const holds = (dataDir: string, text: string): boolean =>
  [databaseFile(dataDir), `${databaseFile(dataDir)}-wal`].some(
    file => existsSync(file) && readFileSync(file).includes(text),
  );

test('no byte of the database or its log tells of who was erased, and their next hit is another visitor’s', async () => {
  const mail = 'ann.person.to.erase@example.com';
  const first = await startCollector({ site: { identityMode: 'cookie' } });
  const { dataDir, site } = first;
  const send = async ({ post, clock }: typeof first, hit: object, id: string): Promise<void> => {
    clock.now += 1000;
    const { outcome } = await post({ s: site.publicKey, i: id.repeat(22), u: 'https://site1.example/a', ...hit });
    assert.is(outcome, 'recorded');
  };
  for (const day of [0, 1]) {
    first.clock.now = noon + day * dayMs;
    await send(first, { ti: 'My page' }, 'a');
    await send(first, { t: 'identify', p: { email: mail } }, 'a');
    await send(first, { t: 'custom', n: 'Note', p: { note: `from ${mail}` } }, 'a');
    await send(first, { t: 'identify', p: { plan: 'pro' } }, 'a');
    await send(first, {}, 'b');
  }
  await first.close();
  const now = noon + dayMs + 60_000;
  // The first day is columns, the second one rows. One rule hides all of the person, and one names them.
  await run(dataDir, now, 'seal');
  for (const filter of ['title=My page', `trait:email=${mail}`])
    await run(dataDir, now, 'prune', '--site', site.domain, '--where', filter);
  assert.ok(holds(dataDir, mail));
  const tried = await run(dataDir, now, 'erase', site.domain, '--where', `trait:email=${mail}`, '--dry-run');
  assert.equal([tried.visits, tried.hits, tried.days], [2, 4, 2]);
  const stopped = new AbortController();
  stopped.abort();
  const ran = await runCommand(dataDir, ['erase', site.domain, '--where', `trait:email=${mail}`], {
    now: () => now,
    signal: stopped.signal,
  });
  assert.equal([ran.code, /nothing was erased/.test(ran.stderr)], [130, true], ran.stderr);
  assert.ok(holds(dataDir, mail));
  const erased = await run(dataDir, now, 'erase', site.domain, '--where', `trait:email=${mail}`);
  assert.equal([erased.visits, erased.hits, erased.days], [2, 4, 2]);
  assert.not.ok(holds(dataDir, mail));
  assert.not.ok(holds(dataDir, 'ann.person'));
  const again = await startCollector({ dataDir, now: now + 1000 });
  await send(again, { ti: 'Back' }, 'a');
  await send(again, {}, 'b');
  await again.close();
  const data = await runCommand(dataDir, ['export', '-', '--site', site.domain]);
  const lines = data.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as object)
    // What was counted beside hits is of nobody.
    .filter(line => !('record' in line));
  assert.is(lines.filter(line => JSON.stringify(line).includes('Back')).length, 1, data.stdout);
  assert.is(lines.length, 4);
});

test('it refuses while an interrupted import may hold the person', async () => {
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(randomFrom(5));
  const siteId = storeSite(db, site, firstDay + days);
  db.prepare(
    `insert into import (site_id, kind, format, source, digest, lines, outcomes, totals, first_at, last_at, created_at)
     values (?, 'hits', 'ndjson', 'a.ndjson', zeroblob(32), 0, '{}', '{}', 0, 0, 0)`,
  ).run(siteId);
  db.close();
  const ran = await runCommand(dataDir, ['erase', 'site1.example', '--where', 'path=/']);
  assert.equal([ran.code, /Import 1 \(a\.ndjson\) was interrupted/.test(ran.stderr)], [1, true], ran.stderr);
});

test('a rule that leaves out no hit of this machine stays where there are collectors', async () => {
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(randomFrom(5));
  const siteId = storeSite(db, site, firstDay + days);
  const filters = [{ field: 'path', operator: 'is', negated: false, values: ['/of/collectors'] } as const];
  const task = {
    siteId,
    from: 0,
    to: (firstDay + days) * dayMs,
    filters: filters as never,
    filtersText: '',
    period: 'all',
  };
  const { id } = addRule(rules(db), { ...task, madeBy: null, reason: null }, (firstDay + days) * dayMs);
  const erase = () => run(dataDir, (firstDay + days) * dayMs, 'erase', 'site1.example', '--visitor', '0'.repeat(16));
  nodes(db).note('1'.repeat(32), 0);
  const { rules: gone, rulesKept } = await erase();
  assert.equal([gone, rulesKept, rules(db).ofSite(siteId).length], [[], [id], 1]);
  const told = async () => {
    const args = ['erase', 'site1.example', '--visitor', '0'.repeat(16)];
    return (await runCommand(dataDir, args, { now: () => (firstDay + days) * dayMs })).stdout;
  };
  assert.match(await told(), /run the same with --clickhouse/);
  db.exec('delete from node');
  // On a collector itself.
  forwardedStore(db).set({ node: 65_535, hitId: 1, revision: 1 });
  assert.match(await told(), /run the same with --clickhouse/);
  db.exec('delete from forwarded');
  assert.not.match(await told(), /ClickHouse/);
  addRule(rules(db), { ...task, madeBy: null, reason: null }, (firstDay + days) * dayMs);
  assert.equal((await erase()).rules, [id + 1]);
  assert.equal(rules(db).ofSite(siteId), []);
  db.close();
});

test('it needs a server to be stopped', async () => {
  const { dataDir, site, close } = await startCollector();
  const { lockDataDir } = await import('../../src/store/database.ts');
  const unlock = lockDataDir(dataDir);
  const ran = await runCommand(dataDir, ['erase', site.domain, '--visitor', '0'.repeat(16)]);
  assert.is(ran.code, 1);
  assert.match(ran.stderr, /is in use by a running Daybook: stop it first/);
  unlock();
  await close();
});

test.run();
