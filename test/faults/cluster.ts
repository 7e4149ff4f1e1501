/**
 * `npm run faults -- cluster [--seconds 600] [--seed N]`: a primary and two collectors before two shards of two replicas, with their ZooKeeper. For
 * so many seconds, clients send hits to both collectors, while every part of it is killed or stopped at random moments, and set up wrongly (./cluster-mistakes.ts). Their day ends after a
 * third of the time, and is closed after two. Then all is
 * started again, and each hit that was acknowledged must be in the answers once, and its outcome too. For the control, rows come a second time, as late
 * copies in an older version. The answers must stay, and a count without the rule that the greatest version of a key counts
 * must find hits twice: else the count would not see it.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../../src/cli/demo/random.ts';
import { send } from '../../src/cluster/client.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { recordRows } from '../../src/cluster/record-tables.ts';
import { collectorsNode, columnList, dayStates } from '../../src/cluster/schema.ts';
import { siteDaysReader, sourceOf } from '../../src/cluster/source.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import { dayMs, minuteMs } from '../../src/model/time.ts';
import { openReader } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { freePorts, type ServerProgram, type Servers, startServers } from '../cluster/servers.ts';
import { hasEnded } from '../tools/children.ts';
import { must, until } from '../tools/conditions.ts';
import {
  addCollector,
  daybook,
  kill,
  mistakes,
  type Part,
  type Stage,
  setClocks,
  type Watch,
  watchAnswers,
} from './cluster-mistakes.ts';
import { makeSites } from './kills.ts';

export interface ClusterReport {
  acknowledged: number;
  /** What was done to which kind of part, and how often. */
  faults: Map<string, number>;
  /** Questions that were answered meanwhile. */
  answered: number;
  /** Seconds from the end of the faults until every hit was in the answers. */
  convergedS: number;
  /** Of the control: hits that count twice without the rule. */
  doubled: number;
}

const token = 'a-token-for-faults';
const noBudget = { SENDER_HITS: '1000000', SENDER_BURST: '1000000' };
/** How long everything may take to come back. */
const convergeS = 300;
const lastDay = 65_535;

export const clusterFaults = async (dir: string, seconds: number, chance: Chance): Promise<ClusterReport> => {
  const servers = await startServers(dir, 2, 2);
  // A day ends after a third of the time.
  const aheadMs = Math.round(dayMs - (Date.now() % dayMs) - (seconds * 1000) / 3);
  await setClocks([], aheadMs);
  const shards = readShards(servers.address)!;
  const stage = await setStage(dir, servers, chance);
  const faults = new Map<string, number>();
  let watch: Watch | undefined;
  try {
    // Another primary could make it its own.
    await until('the primary makes the cluster', () => isMade(shards));
    for (const name of ['one', 'two']) await addCollector(stage, join(dir, `collector-${name}`));
    watch = await watchAnswers(stage, servers.address);
    await harm(stage, seconds, { aheadMs, faults });
    await Promise.all(stage.crowds.map(crowd => crowd.stop()));
    await stage.comeBack();
    const acknowledged = stage.crowds.flatMap(crowd => crowd.acknowledged);
    must(
      acknowledged.length > 0,
      `No hit was acknowledged; answers were ${JSON.stringify(stage.crowds.map(({ others }) => [...others]))}.`,
    );
    const convergedS = await converge(stage, shards, acknowledged);
    await watch.stop();
    must(watch.wrong.length === 0, watch.wrong.slice(0, 3).join(' '));
    must(watch.answered > 0 && watch.refused > 0, 'Nobody was answered, or nobody was refused.');
    const doubled = await control(join(dir, 'primary'), shards, acknowledged);
    return { acknowledged: acknowledged.length, faults, answered: watch.answered, convergedS, doubled };
  } finally {
    await watch?.stop();
    await Promise.all(stage.crowds.map(crowd => crowd.stop()));
    for (const part of stage.parts) kill(part, 'SIGCONT');
    for (const part of stage.parts) if (part.kind !== 'replica' && part.kind !== 'ZooKeeper') kill(part, 'SIGKILL');
    await servers.close();
  }
};

const isMade = async (shards: Shards): Promise<boolean> => {
  const said = shards.flat().map(replica => rowsFrom([replica], 'select count() from topology'));
  return Promise.all(said).then(
    counts => counts.flat(2).every(count => Number(count) > 0),
    () => false,
  );
};

/** A primary before ClickHouse, with two sites. */
const setStage = async (dir: string, servers: Servers, chance: Chance): Promise<Stage> => {
  const [port] = (await freePorts(1)) as [number];
  const keys = makeSites(join(dir, 'primary'), 2);
  const shared = { CLUSTER_TOKEN: token, ...noBudget };
  const primaryEnv = { ...shared, CLICKHOUSE: servers.address, PORT: `${port}` };
  const primary = await daybook('primary', join(dir, 'primary'), primaryEnv);
  const parts: Part[] = [primary, ...servers.programs.map(serverPart)];
  return {
    ...{ dir, shared, primaryEnv, primary, parts, keys, chance, sent: 0 },
    ...{ collectors: [], crowds: [], crowdOf: new Map() },
    comeBack: () => comeBack(parts, servers),
  };
};

const serverPart = (program: ServerProgram): Part => ({
  kind: program.name === 'zookeeper' ? 'ZooKeeper' : 'replica',
  pid: () => (hasEnded(program.process()) ? null : program.process().pid!),
  start: async () => program.start(),
});

/** A part that hangs does so for at most this long. */
const hungMs = 20_000;
/** By so much all clocks are moved, so that a day that is over is closed. */
const closesAfterMs = 40 * minuteMs;

/** Kills, stops and starts parts until the time is over, and sets some up wrongly. */
const harm = async (
  stage: Stage,
  seconds: number,
  { aheadMs, faults }: { aheadMs: number; faults: Map<string, number> },
): Promise<void> => {
  const { parts, chance } = stage;
  const { below, is } = chance;
  const until = performance.now() + seconds * 1000;
  const replicas = parts.filter(({ kind }) => kind === 'replica');
  const count = (what: string): void => {
    faults.set(what, (faults.get(what) ?? 0) + 1);
    console.log(`${Math.round(seconds - (until - performance.now()) / 1000)} s  ${what}`);
  };
  const wrong = Object.entries(mistakes);
  let done = below(wrong.length);
  const closesAt = until - (seconds * 1000) / 3;
  let isOver = false;
  while (performance.now() < until) {
    await wait(500 + below(2500));
    if (!isOver && performance.now() > closesAt) {
      isOver = true;
      await stage.comeBack();
      await setClocks(parts, aheadMs + closesAfterMs);
      count('days closed');
    }
    const part = parts[below(parts.length)]!;
    if (is(0.3)) await stage.comeBack();
    else if (is(0.2)) {
      // Each in turn, so that a short run has all.
      const [what, make] = wrong[done++ % wrong.length]!;
      await make(stage);
      count(what);
    } else if (is(0.15)) {
      const first = 2 * below(2);
      const signal = is(0.5) ? 'SIGKILL' : 'SIGSTOP';
      for (const replica of replicas.slice(first, first + 2)) kill(replica, signal);
      count(signal === 'SIGKILL' ? 'shard killed' : 'shard stopped');
    } else if (is(0.4)) {
      kill(part, 'SIGSTOP');
      setTimeout(() => kill(part, 'SIGCONT'), below(hungMs));
      count(`${part.kind} stopped`);
    } else {
      kill(part, 'SIGKILL');
      count(`${part.kind} killed`);
      // A supervisor starts Daybook at once.
      if (part.kind === 'collector' || is(0.5)) await wait(100).then(() => part.start());
    }
  }
};

/**
 * Starts all that has ended, and waits for replicas: one of 18.16 that starts before ZooKeeper
 * serves ends, and is started again.
 */
const comeBack = async (parts: readonly Part[], { address }: Servers): Promise<void> => {
  const until = performance.now() + convergeS * 1000;
  for (const part of parts) kill(part, 'SIGCONT');
  for (const [i, replica] of readShards(address)!.flat().entries()) {
    const [program] = parts.filter(({ kind }) => kind === 'replica').slice(i);
    while (performance.now() < until) {
      for (const part of parts) if (part.kind === 'ZooKeeper' || part === program) await part.start();
      const sql = `select count() from system.zookeeper where path = '/'`;
      const isThere = await send(replica, { sql, timeoutMs: 5000 }).then(
        () => true,
        () => false,
      );
      if (isThere) break;
      await wait(500);
    }
  }
  for (const part of parts) await part.start();
};

/**
 * Sends rows of open days again, as a batch that was thought lost would come late. Resolves with how many hits are then there twice
 * without the rule. ClickHouse may not merge meanwhile: merging drops the older version of a row, at moments of its own.
 */
const control = async (dataDir: string, shards: Shards, acknowledged: readonly number[]): Promise<number> => {
  for (const replica of shards.flat()) await tell(replica, 'system stop merges');
  for (const [replica] of shards) await tell(replica!, lateCopies);
  const problem = problemOf(acknowledged, await counted(siteIds(dataDir), shards, 0));
  must(problem === '', `After late copies: ${problem}`);
  const doubled = [...(await countedRaw(shards)).values()].filter(count => count > 1).length;
  must(doubled > 0, 'The control found no hit twice: the count does not see hits that are there twice.');
  return doubled;
};

const lateCopies = `insert into collected_hit (${columnList})
  select ${columnList.replace(' version', ' version - 1')} from collected_hit limit 10000`;

const tell = (replica: URL, sql: string): Promise<unknown> => send(replica, { sql, timeoutMs: convergeS * 1000 });

const siteIds = (dataDir: string): number[] => {
  const db = openReader(dataDir);
  const ids = sites(db)
    .list()
    .map(({ id }) => id);
  db.close();
  return ids;
};

/** Resolves with the seconds until each acknowledged hit is in the answers once; throws when that takes too long. */
const converge = async (stage: Stage, shards: Shards, acknowledged: readonly number[]): Promise<number> => {
  const ids = siteIds(stage.primary.dataDir);
  const began = performance.now();
  const passed = (): number => (performance.now() - began) / 1000;
  let [problem, missing] = ['', ''];
  while (passed() < convergeS) {
    await wait(2000);
    await stage.comeBack();
    try {
      const found = await Promise.all(
        [0, 1].map(async i => {
          const counts = await counted(ids, shards, i);
          missing = lostBy(stage, counts);
          return problemOf(acknowledged, counts) + (await outcomeProblem(shards[0]![i]!, counts.size));
        }),
      );
      problem = found.join('') + (await closingProblem(shards[0]!));
    } catch (error) {
      problem = (error as Error).message;
    }
    if (problem === '') return passed();
    console.log(`${Math.round(passed())} s after  ${problem}`);
  }
  throw new Error(`${problem} ${missing}`);
};

/** Whose hits are lost: of each crowd how many, and which of those that it sent, in their order. */
const lostBy = ({ crowds }: Stage, counts: ReadonlyMap<number, number>): string =>
  crowds
    .flatMap(({ url, acknowledged }) => {
      const lost = acknowledged.flatMap((number, i) => (counts.has(number) ? [] : [i]));
      const range = `${lost[0]} to ${lost.at(-1)} of ${acknowledged.length}`;
      return lost.length === 0 ? [] : [`Of those sent to ${url} ${lost.length} are lost, from ${range}.`];
    })
    .join(' ');

const problemOf = (acknowledged: readonly number[], counts: ReadonlyMap<number, number>): string => {
  const lost = acknowledged.filter(number => !counts.has(number)).length;
  const twice = [...counts.values()].filter(count => count > 1).length;
  return lost === 0 && twice === 0 ? '' : `Of ${acknowledged.length} hits ${lost} are lost, and ${twice} count twice.`;
};

/** Outcomes are counted with their hits, those that were not acknowledged among them. */
const outcomeProblem = async (replica: URL, hits: number): Promise<string> => {
  const rows = recordRows('record_count', 0, Date.now() + 2 * dayMs, `kind = 'outcome'`, `name = 'recorded'`);
  const [[count]] = (await rowsFrom([replica], `select sum(count) from ${rows}`)) as [[unknown]];
  return Number(count) === hits ? '' : `Outcomes tell of ${count} hits that were recorded, and not of ${hits}.`;
};

const closingProblem = async (first: readonly URL[]): Promise<string> => {
  const isWhole = `node = ${collectorsNode} and state = ${dayStates.whole}`;
  const [[count]] = (await rowsFrom(first, `select count() from shipped where ${isWhole}`)) as [[unknown]];
  return Number(count) > 0 ? '' : 'No day was closed.';
};

/** How often each hit's number is in what questions read, on one replica of each shard. */
const counted = async (ids: readonly number[], shards: Shards, replica: number): Promise<Map<number, number>> => {
  const daysOf = siteDaysReader(openCluster(shards), shards);
  const counts = new Map<number, number>();
  for (const id of ids) {
    const { table, days } = sourceOf(id, await daysOf(id), [0, lastDay]);
    await addNumbers(
      counts,
      shards.map(replicas => replicas[replica]!),
      table,
      days,
    );
  }
  return counts;
};

const countedRaw = async (shards: Shards): Promise<Map<number, number>> => {
  const counts = new Map<number, number>();
  for (const table of ['hit', 'collected_hit'])
    await addNumbers(
      counts,
      shards.map(replicas => replicas[0]!),
      table,
      '1',
    );
  return counts;
};

const addNumbers = async (
  counts: Map<number, number>,
  replicas: readonly URL[],
  table: string,
  where: string,
): Promise<void> => {
  for (const replica of replicas)
    for (const [number] of await rowsFrom([replica], `select prop_number[1] from ${table} where ${where}`))
      counts.set(Number(number), (counts.get(Number(number)) ?? 0) + 1);
};
