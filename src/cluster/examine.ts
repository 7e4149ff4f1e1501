/** What `daybook doctor` says of a cluster: each server's state, and what could lose hits. */
import { reasonOf } from '../log.ts';
import type { Shards } from '../model/shards.ts';
import { dayMs, utcDayName, utcDayOf } from '../model/time.ts';
import { rowsFrom } from './day-contents.ts';
import { collectorsNode, dayStates, rulesNode } from './schema.ts';
import { hitsLeft } from './shipped.ts';

/** `odd` deserves a look, `bad` needs fixing. */
export type Said = readonly ['good' | 'odd' | 'bad', string];

/** Clocks of servers differ by less than this. */
const clockSlackMs = 5000;
/** What replicas have to fetch is there within this. */
const delaySOdd = 60;
/** Days of which the hits are counted. */
const countedDays = 31;
/** A collector that gets hits sends them within seconds. */
const silentMsOdd = 10 * 60_000;

/** Looks at all servers; one that is silent is a finding. */
export const examineCluster = async (shards: Shards, now: () => number): Promise<Said[]> => {
  const said: Said[] = [];
  for (const [shard, replicas] of shards.entries())
    for (const replica of replicas) said.push(...(await guarded(`${nameOf(shard, replica)}`, replica, now, replicas)));
  if (said.every(([state]) => state !== 'bad'))
    said.push(...(await counts(shards, now())), ...(await nodes(shards, now())));
  return said;
};

const nameOf = (shard: number, { host }: URL): string => `shard ${shard + 1}, ${host}`;

const guarded = async (name: string, replica: URL, now: () => number, replicas: readonly URL[]): Promise<Said[]> => {
  try {
    return [
      ...(await versionAndClock(name, replica, now)),
      ...(await replication(name, replica)),
      ...(await riskySettings(name, replica, replicas.length)),
    ];
  } catch (error) {
    return [['bad', `${name} does not answer as it should: ${reasonOf(error)}`]];
  }
};

const versionAndClock = async (name: string, replica: URL, now: () => number): Promise<Said[]> => {
  const before = now();
  const [row] = await rowsFrom([replica], 'select version(), toUnixTimestamp(now())');
  const [version, seconds] = [String(row![0]), Number(row![1])];
  const after = now();
  // Its seconds are whole ones.
  const ahead = Math.max(seconds * 1000 - after, 0) || Math.min((seconds + 1) * 1000 - before, 0);
  if (Math.abs(ahead) <= clockSlackMs) return [['good', `${name}: ClickHouse ${version}`]];
  const text = `${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock here`;
  return [['odd', `${name}: ClickHouse ${version}, whose clock is ${text}`]];
};

const replication = async (name: string, replica: URL): Promise<Said[]> => {
  const rows = await rowsFrom(
    [replica],
    `select table, is_readonly, is_session_expired, queue_size, absolute_delay, active_replicas, total_replicas
     from system.replicas where database = currentDatabase() order by table`,
  );
  return rows.flatMap(([table, readOnly, expired, queue, delay, active, total]): Said[] => {
    const of = `${name}, table ${table}`;
    if (Number(readOnly) === 1 || Number(expired) === 1)
      return [['bad', `${of}: it takes no rows, since it does not reach its keeper`]];
    if (Number(active) < Number(total)) return [['odd', `${of}: ${active} of ${total} replicas are there`]];
    if (Number(delay) > delaySOdd) return [['odd', `${of}: it is ${delay} s behind, with ${queue} parts to fetch`]];
    return [];
  });
};

const riskySettings = async (name: string, replica: URL, replicas: number): Promise<Said[]> => {
  const rows = await rowsFrom(
    [replica],
    `select name, value from system.settings where name in ('async_insert', 'wait_for_async_insert')
     union all select name, value from system.merge_tree_settings where name = 'fsync_after_insert'`,
  );
  const value = new Map(rows.map(([setting, of]) => [String(setting), String(of)]));
  const said: Said[] = [];
  if (value.get('async_insert') === '1' && value.get('wait_for_async_insert') === '0')
    said.push(['bad', `${name}: wait_for_async_insert is 0, so inserts are confirmed that may get lost: set it to 1`]);
  if (replicas === 1 && value.get('fsync_after_insert') !== '1')
    said.push([
      'odd',
      `${name}: the shard has one replica, and inserts are not synced: a power cut can lose hits that collectors have forgotten`,
    ]);
  return said;
};

const { whole } = dayStates;

/** Whether days that are there whole have the hits that were counted then, on each replica. */
const counts = async (shards: Shards, now: number): Promise<Said[]> => {
  const first = utcDayOf(now) - countedDays;
  const noted = await rowsFrom(
    shards[0]!,
    `select concat(toString(site), ' ', toString(toUInt32(day)), ' ', toString(node)), max(r), argMax(h, r) from
     (select site, day, node, revision as r, max(state) as s, ${hitsLeft} as h from shipped
      where day >= toDate(${first}) group by site, day, node, revision having s = ${whole}) group by site, day, node`,
  );
  const wanted = new Map(noted.map(([of, revision, hits]) => [`${of} ${revision}`, Number(hits)]));
  const sums = new Map<string, number>();
  const said: Said[] = [];
  for (const [shard, replicas] of shards.entries()) {
    const held = await Promise.all(replicas.map(replica => heldBy(replica, first)));
    for (const [of, hits] of held[0]!) sums.set(of, (sums.get(of) ?? 0) + hits);
    for (const [i, other] of held.entries()) {
      const differing = [...wanted.keys()].filter(of => (other.get(of) ?? 0) !== (held[0]!.get(of) ?? 0));
      if (differing.length > 0)
        said.push([
          'bad',
          `${nameOf(shard, replicas[i]!)}: ${daysText(differing)} other hits than ${replicas[0]!.host}`,
        ]);
    }
  }
  const missing = [...wanted].filter(([of, hits]) => (sums.get(of) ?? 0) !== hits).map(([of]) => of);
  if (missing.length > 0) said.push(['bad', `${daysText(missing)} other hits than were counted when they came`]);
  if (said.length === 0)
    said.push([
      'good',
      `the ${wanted.size} days of sites and nodes of the last ${countedDays} days have the hits they came with`,
    ]);
  return said;
};

const heldBy = async (replica: URL, first: number): Promise<Map<string, number>> => {
  const rows = await rowsFrom(
    [replica],
    `select concat(toString(site), ' ', toString(toUInt32(day)), ' ', toString(node), ' ', toString(revision)), count()
     from hit where day >= toDate(${first}) group by site, day, node, revision`,
  );
  return new Map(rows.map(([of, hits]) => [String(of), Number(hits)]));
};

/** The first of some days by `site day node revision`, and how many there are. */
const daysText = (of: readonly string[]): string => {
  const [site, day, node] = of[0]!.split(' ').map(Number) as [number, number, number];
  const others = of.length === 1 ? 'has' : `and ${of.length - 1} more have`;
  return `site ${site}, ${utcDayName(day)}, ${nameOfNode(node)} ${others}`;
};

const nameOfNode = (node: number): string => {
  if (node === collectorsNode) return 'the collectors';
  if (node === rulesNode) return 'the collectors without what rules leave out';
  return node === 0 ? 'the primary' : `collector ${node}`;
};

/** When the newest hit of each node happened that is there: how far it lags, if it gets hits. */
const nodes = async (shards: Shards, now: number): Promise<Said[]> => {
  const since = utcDayOf(now) - 1;
  const newest = new Map<number, number>();
  for (const replicas of shards)
    for (const table of ['hit', 'open_hit', 'collected_hit']) {
      const sql = `select node, toString(max(at)) from ${table} where day >= toDate(${since}) group by node`;
      for (const [node, at] of await rowsFrom(replicas, sql))
        newest.set(Number(node), Math.max(newest.get(Number(node)) ?? 0, Number(at)));
    }
  return [...newest]
    .filter(([node]) => node !== rulesNode)
    .sort(([a], [b]) => a - b)
    .map(([node, at]): Said => {
      const name = nameOfNode(node);
      const age = now - at;
      // A collector of 0.1.0 that was updated sends as all others do.
      const isUpdated = node !== 0 && (newest.get(collectorsNode) ?? 0) > at;
      const text = `the newest hit of ${name} there is of ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
      return [age > silentMsOdd && age < dayMs && !isUpdated ? 'odd' : 'good', text];
    });
};
