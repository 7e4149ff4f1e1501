/** A primary and collectors, each a process of the built program, before shards of ClickHouse without replicas. */
import { setTimeout as wait } from 'node:timers/promises';
import { openCluster } from '../src/cluster/cluster.ts';
import { rowsFrom } from '../src/cluster/day-contents.ts';
import { siteDaysReader, sourceOf } from '../src/cluster/source.ts';
import { readShards, type Shards } from '../src/model/shards.ts';
import { openReader } from '../src/store/database.ts';
import { type Servers, startServers } from '../test/cluster/servers.ts';
import { makeSites } from '../test/faults/kills.ts';
import { builtProgram } from '../test/tools/build.ts';
import { endChild } from '../test/tools/children.ts';
import { withDirectory } from '../test/tools/directories.ts';
import { type StartedServer, startServer } from './program.ts';

export interface Nodes {
  /** The public key of the one site. */
  key: string;
  shards: Shards;
  servers: Servers;
  collectors: StartedServer[];
  /** Hits that the collectors have in their own databases. */
  stored(): number;
}

export interface NodesOptions {
  shards: number;
  collectors: number;
  /** Where collectors are on another machine. */
  remote?: {
    /** The address of ClickHouse and of the primary for collectors. */
    host: string;
    /** Where collectors listen, on a port of their own choice. */
    listen: string;
    /** What stands before `node`. */
    wrapper: readonly string[];
  };
}

const token = 'a-token-for-benches';
const lastDay = 65_535;
const convergeMs = 300_000;

/** Starts them, and ends them when the work is done. */
export const withNodes = <T>({ shards, collectors, remote }: NodesOptions, work: (nodes: Nodes) => Promise<T>) =>
  withDirectory(async dir => {
    const servers = await startServers(dir, shards, 1, remote?.host);
    const started: StartedServer[] = [];
    try {
      const [key] = makeSites(`${dir}/primary`, 1);
      const run = async (args: string[], wrapper: readonly string[] = []): Promise<StartedServer> => {
        const server = await startServer([...args, '--port', '0'], wrapper, { CLUSTER_TOKEN: token });
        started.push(server);
        return server;
      };
      const host = remote?.host ?? '127.0.0.1';
      const own = ['--data', `${dir}/primary`, '--clickhouse', servers.address, '--host', host];
      const primary = await run([builtProgram, 'serve', ...own]);
      const all: StartedServer[] = [];
      for (let i = 0; i < collectors; i++) {
        const limits = ['--sender-hits', '1000000', '--sender-burst', '1000000', '--trust-proxy', 'loopback,private'];
        const place = ['--data', `${dir}/collector-${i}`, '--host', remote?.listen ?? '127.0.0.1'];
        const follow = ['--primary', primary.url, '--clickhouse', servers.address];
        all.push(await run([builtProgram, 'collect', ...follow, ...place, ...limits], remote?.wrapper));
      }
      const stored = (): number => all.reduce((sum, _, i) => sum + storedIn(`${dir}/collector-${i}`), 0);
      return await work({ key: key!, shards: readShards(servers.address)!, servers, collectors: all, stored });
    } finally {
      for (const { process } of started) await endChild(process);
      await servers.close();
    }
  });

/** Hits of open days and of sealed ones. */
const storedIn = (dataDir: string): number => {
  const db = openReader(dataDir);
  const sql =
    'select (select count(*) from hit) + (select coalesce(sum(hits), 0) from day_part where sealed_at is not null)';
  const hits = db.prepare(sql).pluck().get() as number;
  db.close();
  return hits;
};

const siteId = 1;

/** Asks for what counts: of all rows, those that questions read. One row of each shard. */
export const askCounting = async (shards: Shards, what: string): Promise<unknown[][]> => {
  const { table, days } = sourceOf(siteId, await siteDaysReader(openCluster(shards), shards)(siteId), [0, lastDay]);
  const answers = shards.map(([server]) => rowsFrom([server!], `select ${what} from ${table} where ${days}`));
  return (await Promise.all(answers)).flat();
};

/** Hits in the answers. */
export const hitsThere = async (shards: Shards): Promise<number> =>
  (await askCounting(shards, 'count()')).reduce((sum, [count]) => sum + Number(count), 0);

/** Resolves with the seconds until so many hits are in the answers. Throws when more are, or after five minutes. */
export const untilThere = async (shards: Shards, hits: number): Promise<number> => {
  const began = performance.now();
  let there = 0;
  while (performance.now() - began < convergeMs) {
    there = await hitsThere(shards);
    if (there === hits) return (performance.now() - began) / 1000;
    if (there > hits) break;
    await wait(200);
  }
  throw new Error(`${hits} hits were taken, and ${there} are in the answers.`);
};

/**
 * As `untilThere`, for a sender that does not know of its last hits: resolves when at least that many are there, and the collectors have
 * stored no other.
 */
export const untilQuiet = async (
  { shards, stored }: Nodes,
  acknowledged: number,
): Promise<{ hits: number; seconds: number }> => {
  const began = performance.now();
  const hits = stored();
  if (hits < acknowledged) throw new Error(`${acknowledged} hits were acknowledged, and ${hits} are stored.`);
  await untilThere(shards, hits);
  return { hits, seconds: (performance.now() - began) / 1000 };
};

/**
 * Looks each quarter of a second how old the newest hit of each collector is that is there on all shards, until it is stopped: then
 * every hit before it is there, too. Resolves with these ages in milliseconds.
 */
export const watchLag = (shards: Shards, collectors: number): { stop(): Promise<number[]> } => {
  const ages: number[] = [];
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const now = Date.now();
      const newest = new Map<string, number[]>();
      for (const [server] of shards)
        for (const [node, at] of await rowsFrom([server!], 'select node, max(at) from open_hit group by node'))
          newest.set(String(node), [...(newest.get(String(node)) ?? []), Number(at)]);
      const whole = [...newest.values()].filter(of => of.length === shards.length);
      if (whole.length === collectors) ages.push(Math.max(...whole.map(of => now - Math.min(...of))));
      await wait(250);
    }
  };
  const watching = watch();
  return {
    async stop() {
      isOver = true;
      await watching;
      return ages.sort((a, b) => a - b);
    },
  };
};
