/**
 * Which shard a visitor's hits of a day are on: visitor mod the shards that there were. A shard
 * that is added gets hits from a UTC midnight on, and all that was there stays where it is.
 *
 * Each shard says in its table `topology` which one of which cluster it is, and since when there
 * have been how many. So whoever was told of too few shards, of the same ones in another order or
 * of another cluster's notices, and neither asks nor sends there.
 */
import type { Shards } from '../model/shards.ts';
import { utcDayName } from '../model/time.ts';
import { type ClickHouseStatement, isAway, isMissing, sendToShard, statementMs } from './client.ts';
import { rowsFrom, ShipError } from './day-contents.ts';
import { text } from './sql.ts';

/** The addresses are not those of the whole cluster, each shard at its own place. */
export class TopologyError extends ShipError {}

/** The shards are those of another cluster. */
export class OtherClusterError extends TopologyError {}

export interface Placement {
  /**
   * Tells each shard of a cluster's which one it is. A new one gets hits from the next UTC midnight
   * on. TopologyError where they are another cluster's, or one is missing.
   */
  note(cluster: string): Promise<void>;
  /** Rejects with TopologyError where the shards are another cluster's, or not in their places. */
  check(): Promise<void>;
  /** How many shards hold a day's hits. TopologyError where some are unknown here. */
  shardsOn(day: number): Promise<number>;
  /**
   * The numbers of shards of the days from one to another, both included, each once. TopologyError
   * where some are unknown here.
   */
  shardsBetween(first: number, last: number): Promise<number[]>;
}

interface Since {
  day: number;
  shards: number;
}

/** What a shard says of itself. */
interface ShardPlace extends Since {
  cluster: string;
  shard: number;
  /** Which of its replicas says so. */
  host: string;
}

/** When one replica has answered, the others have so long. */
const othersMs = 2000;

/** A change is noted an hour ahead at least. */
const knownMs = 60_000;
const noticeS = 3600;

/** `cluster` is the id that they should have; null for any, the same of all. */
export const placement = (shards: Shards, cluster: string | null = null): Placement => {
  let known: { at: number; since: Promise<Since[]> } | undefined;
  const read = async (): Promise<Since[]> => {
    const said = await Promise.all(shards.map(saidBy));
    refuseOthers(said, shards, cluster);
    return sinceOf(said.flat());
  };
  const since = (): Promise<Since[]> => {
    if (known === undefined || performance.now() - known.at > knownMs) {
      const asked = { at: performance.now(), since: read() };
      asked.since.catch(() => {
        if (known === asked) known = undefined;
      });
      known = asked;
    }
    return known.since;
  };
  const refuseMissing = (of: Since | undefined): void => {
    if (of !== undefined && of.shards > shards.length) throw missing(of, shards.length);
  };
  return {
    async note(id) {
      const said = await Promise.all(shards.map(saidBy));
      const all = sinceOf(said.flat());
      // A shard that has not said anything yet is new. Older versions noted this on the first one.
      refuseOthers(
        said.map((of, i) => (of.length > 0 ? of : [own(id, i, shards)])),
        shards,
        id,
      );
      if (all.length === 0) all.push(...(await notedBefore(shards[0]!)));
      const latest = all.at(-1);
      refuseMissing(latest);
      if (latest?.shards !== shards.length)
        all.push({ day: latest === undefined ? 0 : await nextMidnight(shards[0]!), shards: shards.length });
      // A new shard comes last: until then, whoever knows of it waits for it, and nobody else does.
      for (const [i, replicas] of shards.entries())
        await tell(replicas, { ...own(id, i, shards), said: said[i]!, all });
      known = undefined;
    },
    async check() {
      await since();
    },
    async shardsOn(day) {
      const of = (await since()).findLast(one => one.day <= day)!;
      refuseMissing(of);
      return of.shards;
    },
    async shardsBetween(from, to) {
      const all = await since();
      const begun = all.findLast(one => one.day <= from);
      const later = all.filter(({ day }) => day > from && day <= to);
      const counts = [...(begun === undefined ? [] : [begun]), ...later];
      for (const of of counts) refuseMissing(of);
      return [...new Set(counts.map(of => of.shards))];
    },
  };
};

const own = (cluster: string, i: number, shards: Shards): ShardPlace => ({
  ...{ cluster, shard: i + 1, day: 0, shards: 0 },
  host: shards[i]![0]!.host,
});

/** Of all that shards said, how many there have been since when. */
const sinceOf = (said: readonly ShardPlace[]): Since[] => {
  const most = new Map<number, number>();
  for (const { day, shards } of said) most.set(day, Math.max(shards, most.get(day) ?? 0));
  return [...most].sort(([a], [b]) => a - b).map(([day, shards]) => ({ day, shards }));
};

/** What each replica of a shard says, but for those that are away while another is there. */
const saidBy = async (replicas: readonly URL[]): Promise<ShardPlace[]> => {
  const late = new AbortController();
  const asked = replicas.map(replica => saidByReplica(replica, late.signal));
  const timer = Promise.any(asked).then(
    () => setTimeout(() => late.abort(), othersMs),
    () => undefined,
  );
  const answers = await Promise.allSettled(asked);
  clearTimeout(await timer);
  const failures = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason as Error] : []));
  const failure = failures.find(error => !isAway(error)) ?? failures[0];
  if (failure !== undefined && (failures.length === replicas.length || !isAway(failure))) throw failure;
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
};

const saidByReplica = async (replica: URL, signal: AbortSignal): Promise<ShardPlace[]> => {
  const ask = (replicas: readonly URL[], statement: ClickHouseStatement) =>
    sendToShard(replicas, { ...statement, signal });
  const rows = await rowsFrom(
    [replica],
    'select cluster, shard, toUInt32(day) as d, shards from topology group by cluster, shard, d, shards',
    ask,
  ).catch(unlessMissing);
  return rows.map(([cluster, shard, day, shards]) => ({
    ...{ cluster: String(cluster), host: replica.host },
    ...{ shard: Number(shard), day: Number(day), shards: Number(shards) },
  }));
};

/** What a table says that is not there. */
const unlessMissing = (error: unknown): unknown[][] => {
  if (isMissing(error)) return [];
  throw error;
};

const refuseOthers = (said: readonly ShardPlace[][], shards: Shards, cluster: string | null): void => {
  const wanted = cluster ?? said.flat()[0]?.cluster;
  for (const [i, of] of said.entries()) {
    if (of.length === 0)
      throw new TopologyError(`${shards[i]![0]!.host} is no shard of a cluster yet: start the primary first.`);
    const other = of.find(one => one.cluster !== wanted);
    if (other !== undefined) throw new OtherClusterError(`${other.host} belongs to another cluster, ${other.cluster}.`);
    const moved = of.find(one => one.shard !== i + 1);
    if (moved !== undefined)
      throw new TopologyError(
        `${moved.host} is shard ${moved.shard} of the cluster, and CLICKHOUSE has it as ${i + 1}.`,
      );
  }
};

/** What versions before noted on the first shard alone. */
const notedBefore = async (replicas: readonly URL[]): Promise<Since[]> => {
  const rows = await rowsFrom(
    replicas,
    'select toUInt32(day) as d, max(shards) from placement group by d order by d',
  ).catch(unlessMissing);
  return rows.map(([day, shards]) => ({ day: Number(day), shards: Number(shards) }));
};

const nextMidnight = async (replicas: readonly URL[]): Promise<number> => {
  const [row] = await rowsFrom(replicas, `select intDiv(toUInt32(now()) + ${noticeS}, 86400) + 1`);
  return Number(row![0]);
};

/** Tells a shard what it has not said. */
const tell = async (
  replicas: readonly URL[],
  { cluster, shard, said, all }: ShardPlace & { said: readonly ShardPlace[]; all: readonly Since[] },
): Promise<void> => {
  const unsaid = all.filter(of => !said.some(one => one.day === of.day && one.shards === of.shards));
  if (unsaid.length === 0) return;
  const rows = unsaid.map(({ day, shards }) => `select ${text(cluster)}, ${shard}, toDate(${day}), ${shards}`);
  const sql = `insert into topology (cluster, shard, day, shards) ${rows.join(' union all ')}`;
  await sendToShard(replicas, { sql, timeoutMs: statementMs });
};

const missing = ({ day, shards }: Since, here: number): TopologyError =>
  new TopologyError(
    `The cluster has ${shards} shards${day === 0 ? '' : ` since ${utcDayName(day)}`}; this server knows ${here}.`,
  );
