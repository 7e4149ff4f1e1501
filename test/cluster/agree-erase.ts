/**
 * People are erased from a cluster: of the primary, of a collector and of one of an earlier version, on closed days and
 * open ones, under rules, while ClickHouse fails in the middle, and with hits that come only after that. The answers,
 * what is handed out and what is exported are those of a database that never had their hits.
 */
import { isDeepStrictEqual } from 'node:util';
import { dayCloser } from '../../src/cluster/close-days.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { eraseNoted } from '../../src/cluster/erase-hits.ts';
import { examineCluster } from '../../src/cluster/examine.ts';
import { dayProver } from '../../src/cluster/prove-days.ts';
import { dayRuler } from '../../src/cluster/rule-days.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { readShards } from '../../src/model/shards.ts';
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts';
import type { Filter } from '../../src/query/query.ts';
import { addRule } from '../../src/query/removal-rules/hits-of-rule.ts';
import type { Database } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { erasedStages, erasedVisitors, eraseRows } from '../../src/store/erased.ts';
import { nodes } from '../../src/store/nodes.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand, testNow } from '../cli/helpers.ts';
import { temporaryDatabase } from '../helpers.ts';
import type { NaiveHit, NaiveSite, NaiveVisit } from '../naive.ts';
import { isCalled, without } from '../naive-persons.ts';
import { days, firstDay, randomCondition, randomFrom, randomSite, siteWriter } from '../query/random-site.ts';
import { type Agreement, forwardAll } from './agree.ts';
import { comparer, machineOf } from './agree-removal.ts';
import { startFailing } from './failing.ts';
import { testCluster } from './servers.ts';

const collector = 2;
const counts = ({ type }: NaiveHit): boolean => type !== 'identify' && type !== 'duration';
const lastDay = firstDay + days - 1;

/** `share`: how many of the random questions are asked. */
export const agreeErase = async (address: string, seed: number, share = 1): Promise<Agreement> => {
  const shards = readShards(address)!;
  const cluster = openCluster(shards);
  await cluster.makeTables(testCluster);
  const random = randomFrom(seed);
  const all = randomSite(random);
  const late = all.filter((hit, i) => machineOf(hit) === collector && i % 4 === 3);
  // ClickHouse has no visit of which nothing came but who it was.
  const counted = new Set(all.filter(hit => counts(hit) && !late.includes(hit)).map(({ visit }) => visit));
  const inTime = all.filter(hit => !late.includes(hit) && (machineOf(hit) === 0 || counted.has(hit.visit)));
  const found: Agreement = { asked: 0, differing: [] };
  const differ = (name: string, ...both: unknown[]): void => {
    found.asked++;
    if (!isDeepStrictEqual(both[0], both[1]))
      found.differing.push([name, ...both.map(one => JSON.stringify(one))].join('\n'));
  };

  const made = [0, 1, collector].map(machine => {
    const { db, dataDir } = temporaryDatabase();
    const { write, siteId } = siteWriter(db);
    write(inTime.filter(hit => machineOf(hit) === machine));
    return { db, dataDir, write, siteId };
  });
  const [primary, earlier, collecting] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
  const { db, dataDir, siteId } = primary;
  sealAll(db, firstDay + 2, 0);
  sealAll(earlier.db, firstDay + days, 0);
  nodes(db).note('1'.repeat(32), testNow);
  const { domain } = sites(db).list()[0]!;

  let turns = 0;
  const closeDays = (day: number): Promise<void> =>
    dayCloser(shards, dayRuler(db, shards))(sites(db).list(), (day + 1) * dayMs + hourMs + turns++ * 11 * minuteMs);
  const ship = async (of: Database, machine: number): Promise<void> => {
    for await (const _ of dayShipper(of, cluster, machine)(sites(of).list(), { openFrom: 0, takesAway: false }));
  };
  const shipAll = async (): Promise<void> => {
    await ship(db, 0);
    for await (const _ of dayRuler(db, shards).rule(sites(db).list(), testNow));
  };
  await ship(earlier.db, 1);
  await forwardAll(db, shards, ++turns, 0);
  await forwardAll(collecting.db, shards, ++turns, collectorsNode);
  await closeDays(firstDay + 1);
  await shipAll();

  const filters: Filter[][] = [[{ field: 'path', operator: 'startsWith', values: ['/docs'], negated: false }]];
  const rule = (to: Database, some: Filter[]): void => {
    const span = { siteId, from: 0, to: (firstDay + 2) * dayMs, filters: some, filtersText: '' };
    addRule(rules(to), { ...span, period: JSON.stringify(some), madeBy: null, reason: null }, testNow);
  };
  /** A database that had these hits alone. */
  const machineWith = (...some: NaiveSite[]): { db: Database; dataDir: string } => {
    const one = temporaryDatabase();
    const { write } = siteWriter(one.db);
    for (const of of some) write(of);
    for (const of of filters) rule(one.db, of);
    return one;
  };
  const compare = async (name: string, ...some: NaiveSite[]): Promise<void> => {
    const one = machineWith(...some);
    await comparer(found, one.dataDir, shards, share)(name, random, siteId);
    one.db.close();
  };
  filters.push([randomCondition(random)]);
  for (const of of filters) rule(db, of);
  await shipAll();
  await compare('before', inTime);

  let left = inTime;
  /** Nobody is there of whom no hit is left. */
  const rowsGone = async (name: string): Promise<void> => {
    const stay = new Set(left.map(({ visit }) => visit.visitor));
    const gone = all.flatMap(({ visit }) => (stay.has(visit.visitor) ? [] : [BigInt(`0x${visit.visitor}`)]));
    for (const replica of shards.flat())
      for (const table of ['hit', 'open_hit', 'collected_hit']) {
        const sql = `select count() from ${table} where visitor in (${[0n, ...gone].join()})`;
        differ(`${table} without ${name}`, await rowsFrom([replica], sql), [[0]]);
      }
  };
  /** Whom to erase of the hits that there are, and of those that come later. */
  const erase = async (flags: string[], isMeant: (visit: NaiveVisit) => boolean, fails: boolean): Promise<void> => {
    const whole = machineWith(left);
    const name = flags.join(' ');
    const both = async (command: string, ...more: string[]) =>
      Promise.all([
        runCommand(dataDir, [command, domain, ...flags, '--clickhouse', address, ...more]),
        runCommand(whole.dataDir, [command, domain, ...flags, ...more]),
      ]);
    const lines = (await both('person-data')).map(({ stdout }) => linesIn(stdout));
    differ(`person-data ${name}`, ...unlike(lines[0]!, lines[1]!));
    const asJson = async (...more: string[]) =>
      (await both('erase', '--json', ...more)).map(ran => {
        if (ran.code !== 0) throw new Error(ran.stderr);
        const { visits, hits: count, days: on } = ran.json();
        return { visits, count, on };
      });
    const told = await asJson('--dry-run');
    differ(`dry run ${name}`, ...told);
    if (told[0]!.visits === 0) throw new Error(`nobody is ${name}`);
    if (fails) {
      const failing = await startFailing(shards, /^alter table hit delete/);
      const ran = await runCommand(dataDir, ['erase', domain, ...flags, '--clickhouse', failing.address]);
      differ(`interrupted ${name}`, [ran.code, /not yet from ClickHouse/.test(ran.stderr)], [1, true]);
      await failing.close();
      // Nobody is found any more, and what was noted goes on.
      const again = await runCommand(dataDir, ['erase', domain, ...flags, '--clickhouse', address]);
      if (again.code !== 0) throw new Error(again.stderr);
    } else differ(`erase ${name}`, ...(await asJson()), told[0]);
    whole.db.close();
    left = without(left, isMeant);
    await rowsGone(name);
    await compare(`without ${name}`, left);
    await shipAll();
    await compare(`without ${name}, shipped`, left);
  };
  const { visitor } = random.pick(inTime.filter(hit => machineOf(hit) === collector)).visit;
  await erase(['--visitor', visitor], visit => visit.visitor === visitor, false);
  await erase(['--where', 'trait:name=Ada'], isCalled(left, 'Ada'), true);

  // The collector has not heard of that when it sends more of the same visits.
  const isErased = erasedOf(db);
  collecting.write(late);
  await forwardAll(collecting.db, shards, ++turns, collectorsNode);
  await eraseNoted(db, shards);
  left = [...left, ...late.filter(({ visit }) => !isErased(visit))];
  await rowsGone('late hits');
  const proofs = () => dayProver(collecting.db)(shards, [siteId], (lastDay + 2) * dayMs);
  await closeDays(lastDay);
  const { unproved } = await proofs();
  if (unproved.length === 0) found.differing.push('a collector that has not erased anybody forgets them');
  // It hears, and what was closed is what it has.
  const list = erasedVisitors(db).upTo(erasedStages.file);
  erasedVisitors(collecting.db).add(list);
  eraseRows(collecting.db, list);
  differ('proofs', (await proofs()).unproved, []);
  await forwardAll(collecting.db, shards, ++turns, collectorsNode);
  await eraseNoted(db, shards);
  await shipAll();
  await compare('closed', left);
  for (const { id } of rules(db).ofSite(siteId)) rules(db).drop(siteId, id);
  filters.length = 0;
  await shipAll();
  await compare('rules undone', left);

  sealAll(db, firstDay + days, 0);
  await shipAll();
  const whole = machineWith(left);
  const exported = await Promise.all(
    [[dataDir, '--clickhouse', address], [whole.dataDir]].map(
      async ([dir, ...flags]) => (await runCommand(dir!, ['export', '-', '--site', domain, ...flags])).stdout,
    ),
  );
  // Records are of nobody, and a proof is made with a secret of the site.
  const [got, want] = exported.map(text => linesIn(text, ['proof']).filter(line => !line.includes('"record"')));
  differ('export', ...unlike(got!, want!));
  for (const [state, text] of await examineCluster(shards, () => (firstDay + days) * dayMs))
    if (state === 'bad') found.differing.push(text);
  for (const of of [...made, whole]) of.db.close();
  return found;
};

/** Lines of JSON, whatever the order of what is in them. */
const linesIn = (text: string, without: readonly string[] = []): string[] => {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([name]) => !without.includes(name));
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, of]) => [name, sorted(of)]));
  };
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.stringify(sorted(JSON.parse(line))));
};

/** What each of two has and the other has not, one for one. */
const unlike = (a: readonly string[], b: readonly string[]): [string[], string[]] => {
  const rest = [...b];
  const more = a.filter(line => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return [more, rest];
};

/** Whose later hits go, too. */
const erasedOf = (db: Database): ((visit: NaiveVisit) => boolean) => {
  const names = new Set(
    erasedVisitors(db)
      .upTo(erasedStages.file)
      .map(({ day, visitor }) => `${day} ${visitor}`),
  );
  return ({ day, visitor }) => [day, 0].some(on => names.has(`${on} ${BigInt(`0x${visitor}`)}`));
};
