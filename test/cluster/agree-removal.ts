/**
 * Rules leave hits out of days of the primary, of a collector and of one of an earlier version, are undone, and hits come
 * late; days are deleted as too old and with their site. The answers are those of one database in which the same is done.
 */
import { isDeepStrictEqual } from 'node:util';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { sendToShard, statementMs } from '../../src/cluster/client.ts';
import { dayCloser } from '../../src/cluster/close-days.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { examineCluster } from '../../src/cluster/examine.ts';
import { startForwarder } from '../../src/cluster/forwarder.ts';
import { primaryEngine } from '../../src/cluster/primary-engine.ts';
import { dayRuler } from '../../src/cluster/rule-days.ts';
import { collectorsNode, rulesNode } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { inForce, isOfCollectors } from '../../src/cluster/shipped.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import { dayMs, minuteMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Filter, Query, Slice } from '../../src/query/query.ts';
import { addRule, leftOutQuery } from '../../src/query/removal-rules/hits-of-rule.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { nodes as nodeStore } from '../../src/store/nodes.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand, testNow } from '../cli/helpers.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveHit, type NaiveSite } from '../naive.ts';
import {
  askedKinds,
  days,
  firstDay,
  type Random,
  randomCondition,
  randomFrom,
  randomQuery,
  randomSite,
  siteWriter,
} from '../query/random-site.ts';
import { until } from '../tools/conditions.ts';
import { type Agreement, forwardAll, wellFormed } from './agree.ts';
import { testCluster } from './servers.ts';

const collector = 2;
/** Of one visit all hits came to one machine; whoever has a cookie is known at one alone. */
export const machineOf = ({ visit }: NaiveHit): number =>
  (visit.persistent ? Number.parseInt(visit.visitor.slice(-2), 16) : visit.id) % 3;

/** Visits that are suspect, or are not, by what stays of them. */
const suspects = (site: NaiveSite): NaiveSite => {
  const model = site.find(({ type, visit }) => type === 'pageview' && visit.network === null && !visit.persistent)!;
  const day = firstDay + 1;
  const pauses = [60_000, 61_000, 60_000, 60_000, 62_000, 60_000, 60_000, 60_000, 61_000, 60_000, 60_000];
  return [0, 1, 2].flatMap(machine =>
    (['/docs/odd', '/blog', null] as const).flatMap((odd, n) => {
      const id = 10_000 + 3 * n + machine;
      const visit = { ...model.visit, id, day, visitor: id.toString(16).padStart(16, '0') };
      let at = day * dayMs + n * minuteMs;
      const view = (path: string, wait: number): NaiveHit => {
        at += wait;
        return { ...model, visit, path, at };
      };
      const few = n === 2 ? [view('/', 0), view('/docs/api.html', 5000)] : pauses.map(wait => view('/preise', wait));
      return odd === null
        ? few
        : [...few.slice(0, 6), view(odd, 7000), ...few.slice(6).map(hit => ({ ...hit, at: hit.at + 7000 }))];
    }),
  );
};

/** `share`: how many of the random questions are asked. */
export const agreeRemoval = async (address: string, seed: number, share = 1): Promise<Agreement> => {
  const shards = readShards(address)!;
  const cluster = openCluster(shards);
  await cluster.makeTables(testCluster);
  const random = randomFrom(seed);
  const site = randomSite(random);
  const hits = [...site, ...suspects(site)].sort((a, b) => a.at - b.at);
  /** Some of the collector's last hits of two days. */
  const late = hits
    .filter(hit => machineOf(hit) === collector && hit.visit.day < firstDay + 2)
    .filter((_, i) => i % 5 === 4);
  const inTime = hits.filter(hit => !late.includes(hit));

  const machines = [0, 1, collector].map(machine => {
    const made = temporaryDatabase();
    const writer = siteWriter(made.db);
    writer.write(inTime.filter(hit => machineOf(hit) === machine));
    if (machine !== collector) sealAll(made.db, firstDay + days, 0);
    return { ...made, ...writer, machine };
  });
  const [{ db, dataDir, siteId }] = machines as [(typeof machines)[number]];
  const whole = temporaryDatabase();
  const wholeWriter = siteWriter(whole.db);
  wholeWriter.write(inTime);
  nodeStore(db).note('1'.repeat(32), testNow);

  let turns = 0;
  const sendCollected = (): Promise<void> => forwardAll(machines[collector]!.db, shards, ++turns, collectorsNode);
  const closeDays = (ruler = dayRuler(db, shards)): Promise<void> =>
    dayCloser(shards, ruler)(sites(db).list(), (firstDay + days + 1) * dayMs + turns * 11 * minuteMs);
  const shipAll = async (): Promise<void> => {
    for (const { db: of, machine } of machines.slice(0, collector))
      for await (const _ of dayShipper(
        of,
        cluster,
        machine,
      )(sites(of).list(), { openFrom: firstDay + days, takesAway: false }));
    for await (const _ of dayRuler(db, shards).rule(sites(db).list(), testNow));
  };
  await shipAll();
  await sendCollected();
  await closeDays();

  const found: Agreement = { asked: 0, differing: [] };
  const ask = comparer(found, whole.dataDir, shards, share);
  const compare = (name: string): Promise<void> => ask(name, random, siteId);
  const [ofCluster, ofWhole] = [runner(dataDir, ['--clickhouse', address]), runner(whole.dataDir, [])];
  /** Does the same to both, and finds the same hits. */
  const run = async (name: string, ...args: string[]): Promise<[number, number]> => {
    const said = [await ofCluster(...args), await ofWhole(...args)];
    const [a, b] = said.map(of => of.hits);
    if (a !== b || (args[0] === 'prune' && a === 0)) found.differing.push(`${name}: ${a} and ${b} hits`);
    return said.map(({ rule }) => Number(rule)) as [number, number];
  };
  const undo = async (name: string, [a, b]: [number, number]): Promise<void> => {
    const said = [await ofCluster('prune', '--undo', String(a)), await ofWhole('prune', '--undo', String(b))];
    if (said[0].hits !== said[1].hits || said[0].hits === 0)
      found.differing.push(`${name}: ${said.map(of => of.hits)} hits`);
    await compare(name);
  };
  const { domain } = sites(db).list()[0]!;
  const where = (...filters: string[]) => ['prune', '--site', domain, ...filters.flatMap(of => ['--where', of])];

  await compare('before');
  await run('would go', ...where('path^=/docs'), '--dry-run');
  const first = await run('one', ...where('path^=/docs'));
  await compare('one rule');
  const second = await run('two', ...where('visit:path=/blog'));
  await compare('two rules');
  await compareCounts(found, db, whole, siteId, shards);
  await undo('the first undone', first);
  await undo('both undone', second);

  // Late hits count at once, and rules are about them once their day is closed again.
  const again = [
    await run('again', ...where('path^=/docs')),
    await run('and', ...where('path=/preise', 'visit:path!=/blog')),
  ];
  machines[collector]!.write(late);
  wholeWriter.write(late);
  await sendCollected();
  const before = await hitsSeen(shards, siteId);
  await closeDays({ leave: () => Promise.reject(new Error('stopped')) } as never).catch(() => {});
  if ((await hitsSeen(shards, siteId)) !== before)
    found.differing.push('a day that could not be closed counts otherwise');
  await closeDays();
  await compare('closed again');
  await undo('undone after that', again[0]!);

  // Stopped in the middle: rows that nobody knows, and days that were not reached.
  addToBoth([db, whole.db], siteId, [{ field: 'path', operator: 'startsWith', values: ['/blog'], negated: false }]);
  const bases = (await cluster.shipped(siteId)).filter(isOfCollectors);
  const ruler = dayRuler(db, shards);
  await ruler.leave(
    sites(db).list()[0]!,
    bases[0]!.day,
    bases.filter(({ day }) => day === bases[0]!.day),
    testNow,
  );
  for await (const _ of ruler.rule(sites(db).list(), testNow)) break;
  await shipAll();
  await compare('stopped and gone on');

  for (let round = 0; round < 2; round++) {
    const added = addToBoth([db, whole.db], siteId, [randomCondition(random)]);
    await shipAll();
    await compare(`random rule ${round}: ${rules(db).byId(added[0]!)!.selects}`);
  }
  await compareCounts(found, db, whole, siteId, shards);
  await sweepAll(found, shards, siteId);
  await compare('swept');
  for (const of of [db, whole.db]) for (const { id } of rules(of).ofSite(siteId)) rules(of).drop(siteId, id);
  // As a server does it.
  const forwarder = startForwarder({ db, node: 0, cluster: shards, now: () => testNow, log: () => {} });
  const isRuled = async (): Promise<boolean> =>
    inForce(await cluster.shipped(siteId)).some(({ node, version }) => node === rulesNode || / rules /.test(version));
  await until('no rule is left', async () => !(await isRuled()));
  await forwarder.stop();
  await compare('all undone');

  const keep = Math.floor(Date.UTC(2026, 10, 20) / dayMs) - firstDay - 2;
  await ofCluster('prune', '--older-than', String(keep));
  await ofWhole('prune', '--older-than', String(keep));
  await compare('older than');
  await ofCluster('site', 'remove', domain, '--yes');
  await ofWhole('site', 'remove', domain, '--yes');
  const [row] = await rowsFrom(shards[0]!, 'select count() from shipped');
  if (Number(row![0]) > 0) found.differing.push('the site is still there');
  for (const of of [...machines, whole]) of.db.close();
  return found;
};

/** Runs a command that must succeed. */
const runner =
  (dataDir: string, flags: readonly string[]) =>
  async (...args: string[]) => {
    const ran = await runCommand(dataDir, [...args, ...flags, '--json']);
    if (ran.code !== 0) throw new Error(`${args.join(' ')}: ${ran.stderr}`);
    return ran.json();
  };

const addToBoth = (both: readonly Database[], siteId: number, filters: Filter[]): number[] =>
  both.map(db => {
    const task = {
      siteId,
      from: 0,
      to: Number.MAX_SAFE_INTEGER,
      filters,
      filtersText: '',
      period: JSON.stringify(filters),
    };
    return addRule(rules(db), { ...task, madeBy: null, reason: null }, testNow).id;
  });

const bounds = Array.from({ length: days + 1 }, (_, day) => (firstDay + day) * dayMs);
const allDays = { from: bounds[0]!, to: bounds.at(-1)!, filters: [] };
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Asks both what is random, and what rules change of visits. */
export const comparer =
  (found: Agreement, whole: string, shards: Shards, share: number) =>
  async (name: string, random: Random, siteId: number): Promise<void> => {
    await replicasAgree(shards);
    // One that is new knows what days there are now.
    const engine = clickHouseEngine(shards, 60_000);
    const tables = (['entryPath', 'exitPath', 'suspect', 'path'] as const).map(dimension => ({
      ...{
        kind: 'table' as const,
        dimension,
        metrics: ['visitors', 'visits', 'bounceRate', 'avgVisitSeconds', 'events'] as const,
      },
      ...{ sort: 'visits' as const, descending: true, limit: 50, after: null },
    }));
    const visits = {
      kind: 'visits',
      sort: 'started',
      descending: false,
      limit: 500,
      search: '',
      after: null,
      form: 'json',
    } as const;
    const chips = { converted: false, bounced: false, paid: false, returning: false };
    const slice = {
      ...allDays,
      questions: [...tables, { ...visits, ...chips }, { ...visits, ...chips, converted: true }],
    } as unknown as Slice;
    const query = wellFormed(randomQuery(random, siteId, askedKinds));
    const some = query.slices[0]!.questions.filter(() => random.chance(share));
    const slices = [slice, { ...query.slices[0]!, questions: some }];
    const reader = openReader(whole);
    const embedded = createEngine(reader, 1e8);
    for (const of of slices)
      for (const question of of.questions) {
        const asked: Query = { ...query, slices: [{ ...of, questions: [question] }] };
        const [[want]] = (await embedded.answer(asked, alone)) as [[never]];
        const [[got]] = (await engine.run(asked, { accountId: 1, isPublic: false })) as [[never]];
        found.asked++;
        const [a, b] = [got, want].map(answer => plain(comparable(answer)));
        if (isDeepStrictEqual(a, b)) continue;
        found.differing.push(
          [name, { ...of, questions: [question] }, a, b].map(part => JSON.stringify(part)).join('\n'),
        );
      }
    reader.close();
  };

/** Waits until the replicas of the first shard know the same days: any may be asked. */
const replicasAgree = async ([first]: Shards): Promise<void> => {
  const sql = 'select count() from (select distinct site, day, node, revision, state from shipped)';
  await until('replicas agree', async () => {
    const counts = await Promise.all(first!.map(replica => rowsFrom([replica], sql)));
    return new Set(counts.flat(2)).size === 1;
  });
};

/** The numbers that lists of rules show: as the command counts them, and as the dashboard does. */
const compareCounts = async (
  found: Agreement,
  db: Database,
  whole: { db: Database; dataDir: string },
  siteId: number,
  shards: Shards,
): Promise<void> => {
  const [here, there] = [rules(db).ofSite(siteId), rules(whole.db).ofSite(siteId)];
  const run = async (query: Query) => createEngine(db, 1e8).answer(query, alone);
  const engine = primaryEngine({ db, embedded: { run }, clickHouse: clickHouseEngine(shards, 60_000) });
  const sums = (report: Awaited<ReturnType<typeof run>>): number[] =>
    report.map(([answer]) => (answer?.kind === 'table' ? answer.rows.reduce((sum, { hits }) => sum + hits, 0) : -1));
  const got = sums(await engine.run(leftOutQuery(siteId, here), { accountId: 1, isPublic: false }));
  const reader = openReader(whole.dataDir);
  const want = sums(await createEngine(reader, 1e8).answer(leftOutQuery(siteId, there), alone));
  reader.close();
  found.asked++;
  if (!isDeepStrictEqual(got, want)) found.differing.push(`rules leave out ${got} and ${want}`);
};

const hitsSeen = async (shards: Shards, siteId: number): Promise<string> => {
  const query: Query = {
    siteId,
    currency: 'EUR',
    minorRates: {},
    slices: [{ ...allDays, questions: [{ kind: 'events', limit: 50, bounds }] }],
  };
  return JSON.stringify(await clickHouseEngine(shards, 60_000).run(query, { accountId: 1, isPublic: false }));
};

/** What counts stays, with what collectors sent, and nothing else. */
const sweepAll = async (found: Agreement, shards: Shards, siteId: number): Promise<void> => {
  const cluster = openCluster(shards);
  // As if eleven minutes had gone by.
  await sendToShard(shards[0]!, { sql: 'alter table shipped update at = at - 660 where 1', timeoutMs: statementMs });
  const young = 'select count() from shipped where at > now() - 600';
  await until('time goes by', async () => (await rowsFrom(shards[0]!, young))[0]![0] === 0);
  await cluster.sweep();
  const known = await cluster.shipped(siteId);
  const wanted = new Set([...inForce(known), ...known.filter(isOfCollectors)].filter(of => of.hits > 0));
  const rows = await Promise.all(
    shards.map(replicas =>
      rowsFrom(replicas, `select distinct toUInt32(day), node, revision from hit where site = ${siteId}`),
    ),
  );
  const there = new Set(rows.flat().map(row => row.join(' ')));
  const names = new Set([...wanted].map(({ day, node, revision }) => `${day} ${node} ${revision}`));
  if (!isDeepStrictEqual(there, names)) found.differing.push(`swept: ${[...there]} and not ${[...names]}`);
  for (const [state, text] of await examineCluster(shards, () => (firstDay + days) * dayMs))
    if (state === 'bad') found.differing.push(text);
};
