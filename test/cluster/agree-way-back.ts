/**
 * From a cluster back to one machine: the demo's hits at a primary with imports of three products and a rule, at a collector
 * and at one of an earlier version. Some people are erased. What `daybook export` writes of the collectors is imported on the
 * primary, which then answers as ClickHouse did; and so does another machine that imports what there is in all. Nobody erased
 * comes back, and the hits of all others are those of before.
 */
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openDemoPipeline } from '../../src/cli/demo/demo-pipeline.ts';
import { demoDays } from '../../src/cli/demo/generate.ts';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { dayCloser } from '../../src/cluster/close-days.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { openTurns } from '../../src/cluster/forward-open.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { recordShipper } from '../../src/cluster/ship-records.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import { hourMs, utcDayOf } from '../../src/model/time.ts';
import { clusterStore } from '../../src/store/cluster.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { beginEpoch } from '../../src/store/epochs.ts';
import { nodes } from '../../src/store/nodes.ts';
import { siteDirectory, sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { runCommand, testNow } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
import { answers, type Demo, moved, questions, recordQuestions } from '../tools/round-trip.ts';
import type { Agreement } from './agree.ts';

const today = utcDayOf(testNow);
const demoOf = (seed: number, hits: number) => [...demoDays({ seed, until: testNow, days: 4, hits })];
const bytesOf = (fill: number) => (count: number) => Buffer.alloc(count, fill);
/** Others at every call: so are the salts of days. */
const bytesFrom = (seed: number) => {
  const { below } = chanceFrom(seed);
  return (count: number) => Buffer.from(Array.from({ length: count }, () => below(256)));
};

/** Runs a command that must succeed. */
const run = async (dataDir: string, ...args: string[]) => {
  const ran = await runCommand(dataDir, args);
  assert.is(ran.code, 0, `${args.join(' ')}: ${ran.stderr}`);
  return ran;
};

/** The demo's sites without a hit, the same in each directory. */
const emptyDemo = async (): Promise<string> => {
  const dataDir = temporaryDir();
  await run(dataDir, 'demo', '--days', '1', '--hits', '10');
  const db = openDatabase(dataDir);
  for (const table of [
    'hit',
    'visit',
    'property',
    'day_part',
    'sealed_column',
    'vital',
    'crawl',
    'outcome',
    'cookie_visitor',
  ])
    if (db.prepare(`select 1 from sqlite_schema where name = ?`).get(table)) db.exec(`delete from ${table}`);
  for (const { id } of sites(db).list())
    db.prepare('update site set uuid = ?, public_key = ? where id = ?').run(
      `00000000-0000-4000-8000-00000000000${id}`,
      `pk_${id}`,
      id,
    );
  db.close();
  return dataDir;
};

/** Writes what came to one of several machines, in the order of arrival. */
const collect = async (dataDir: string, isOwn: (visitor: string) => boolean): Promise<void> => {
  const db = openDatabase(dataDir);
  const records = recorder(db);
  const world = { now: () => testNow, random: bytesFrom(3), stderr: { write() {} } };
  const geo = { geoDb: '/dev/null', geoAsnDb: '/dev/null' };
  const parts = { db, recorder: records, directory: siteDirectory(db), geo };
  const { pipeline, close } = await openDemoPipeline(world as never, parts);
  const all = sites(db).list();
  for (const { lines } of demoOf(1, 4000))
    for (const line of lines) {
      const { publicKey: s } = all[line.site]!;
      if (!isOwn('report' in line ? line.report.u + line.at : line.ip)) continue;
      const entry =
        'report' in line
          ? pipeline.reports([{ at: line.at, address: '', userAgent: '', body: { ...line.report, s } }])[0]!
          : pipeline.process({ at: line.at, address: line.ip, userAgent: line.ua, body: { ...line.hit, s } });
      records.write([entry]);
    }
  const other = db.prepare('insert into other_text (site_id, hour, kind, bound, texts) values (1, ?, ?, ?, 3)');
  for (const bound of ['site', 'sender']) other.run(testNow / hourMs - 30, 'page', bound);
  close();
  db.close();
};

/** Hits of an access log, of Umami and of another Daybook. */
const importProducts = async (primary: string): Promise<void> => {
  const [{ domain }] = (await run(primary, 'site', 'list', '--json')).json() as [{ domain: string }];
  const other = temporaryDir();
  await run(other, 'demo', '--days', '3', '--hits', '600', '--seed', '9');
  const dir = temporaryDir();
  for (const format of ['umami', 'ndjson']) {
    const file = join(dir, format);
    const days = format === 'umami' ? ['--to', '2026-11-18'] : ['--from', '2026-11-19'];
    await run(other, 'export', file, '--site', domain, '--format', format, ...days);
    await run(primary, 'import', file, '--site', domain, '--all');
  }
  const log = ['/', '/pricing', '/docs'].map(
    (path, i) =>
      `203.0.113.${i} - - [18/Nov/2026:1${i}:00:00 +0000] "GET ${path} HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11; Linux) Firefox/140.0"`,
  );
  const ran = await runCommand(primary, ['import', '-', '--site', domain, '--all'], { stdin: `${log.join('\n')}\n` });
  assert.is(ran.code, 0, ran.stderr);
};

/** What Google Analytics counted before the site’s first hit. */
const importSums = async (dataDir: string): Promise<void> => {
  const [{ domain }] = (await run(dataDir, 'site', 'list', '--json')).json() as [{ domain: string }];
  const stdin = 'Date,Total users,Sessions,Views\n20261101,5,6,9\n20261102,4,4,4\n';
  const ran = await runCommand(dataDir, ['import', '-', '--site', domain], { stdin });
  assert.is(ran.code, 0, ran.stderr);
};

const sendAll = async (db: Database, shards: Shards, node: number): Promise<void> => {
  const turn = openTurns(db, shards, { node, hitId: 0 });
  for (let isMore = true, revision = 1; isMore; revision++) {
    const turned = await turn(revision, AbortSignal.timeout(60_000));
    if (turned.failure !== null) throw new Error(turned.failure);
    isMore = turned.isMore;
  }
};

/** Of visitors, those of one of three machines. */
const ofMachine = (machine: number) => (visitor: string) => {
  let sum = 0;
  for (const char of visitor) sum = (31 * sum + char.charCodeAt(0)) >>> 0;
  return sum % 3 === machine;
};

/** Brings a machine's hits and records to the cluster. A collector of today has no number. */
const bring = async (dataDir: string, shards: Shards, node: number): Promise<void> => {
  const db = openDatabase(dataDir);
  if (node !== collectorsNode) {
    sealAll(db, today, testNow);
    for await (const _ of dayShipper(
      db,
      openCluster(shards),
      node,
    )(sites(db).list(), { openFrom: today, takesAway: false }));
  }
  await sendAll(db, shards, node);
  await recordShipper(db, shards, node === collectorsNode ? 9 : node).shipSince(0, testNow);
  db.close();
};

interface Line {
  visitor: string;
  browser: string | null;
  hit?: { t: string };
}

/** The hits of a site, as lines of an export; a proof is made with a secret of the directory. */
const hitsOf = async (dataDir: string, domain: string, env: Record<string, string> = {}): Promise<Line[]> => {
  const ran = await runCommand(dataDir, ['export', '-', '--site', domain], { env });
  assert.is(ran.code, 0, ran.stderr);
  const lines = ran.stdout.split('\n').filter(Boolean);
  return lines.map(line => ({ ...JSON.parse(line), proof: '' })).filter(({ hit }) => hit !== undefined);
};

const sorted = (lines: readonly Line[]): string[] => lines.map(line => JSON.stringify(line)).sort();

/** What there is of some lines, counted one by one. */
const recount = (lines: readonly Line[]): string => {
  const of = lines.filter(({ hit }) => !['duration', 'identify'].includes(hit!.t));
  const pageviews = of.filter(({ hit }) => hit!.t === 'pageview').length;
  return `${new Set(of.map(({ visitor }) => visitor)).size} visitors, ${pageviews} pageviews`;
};
const counted = 'v1/stats?from=2026-11-10&to=2026-11-20&compare=none';
const countedIn = (answer: string): string => {
  const { visitors, pageviews } = JSON.parse(answer.slice('200 '.length));
  return `${visitors} visitors, ${pageviews} pageviews`;
};

/** Of each site, some `rounds` times nine questions are asked. */
export const agreeWayBack = async (address: string, rounds: number): Promise<Agreement> => {
  const shards = readShards(address)!;
  const [primary, earlier, collector] = [await emptyDemo(), await emptyDemo(), await emptyDemo()];
  const asked = [...questions(7, rounds), ...recordQuestions, counted];
  const demo: Demo = { dataDir: primary, sites: (await run(primary, 'site', 'list', '--json')).json() };
  const domains = demo.sites.map(({ domain }) => domain);
  const found: Agreement = { asked: 0, differing: [] };
  const compare = (name: string, got: ReadonlyMap<string, string>, want: ReadonlyMap<string, string>): void => {
    for (const [question, answer] of want) {
      assert.match(answer, /^200 /, question);
      found.asked++;
      if (got.get(question) !== answer) found.differing.push([name, question, got.get(question), answer].join('\n'));
    }
  };

  const db = openDatabase(primary);
  await openCluster(shards).makeTables(clusterStore(db).makeId(bytesOf(5)));
  nodes(db).note('1'.repeat(32), testNow);
  const ofCollector = openDatabase(collector);
  beginEpoch(ofCollector, 'a directory', bytesOf(7));
  ofCollector.close();
  for (const [machine, dataDir] of [primary, earlier, collector].entries()) await collect(dataDir, ofMachine(machine));
  await importProducts(primary);
  await importSums(primary);
  await bring(primary, shards, 0);
  await bring(earlier, shards, 1);
  await bring(collector, shards, collectorsNode);
  await dayCloser(shards)(sites(db).list(), testNow);
  const env = { CLICKHOUSE: address };
  const ruled = domains.slice(0, 1);
  const [erasedAt] = ruled as [string];
  const there = await hitsOf(primary, erasedAt, env);
  const gone = new Set(there.flatMap(({ visitor, browser }) => (browser === 'Edge' ? [visitor] : [])));
  const erased = await runCommand(primary, ['erase', erasedAt, '--where', 'browser=Edge', '--json'], { env });
  assert.is(erased.code, 0, erased.stderr);
  assert.ok(erased.json().visits >= gone.size && gone.size > 10, `${gone.size} visitors, ${erased.stdout}`);
  const left = there.filter(({ visitor }) => !gone.has(visitor));
  const compareHits = async (name: string, dataDir: string, of: Record<string, string> = {}): Promise<void> => {
    found.asked++;
    const [got, want] = [sorted(await hitsOf(dataDir, erasedAt, of)), sorted(left)];
    const other = got.find((line, i) => line !== want[i]);
    if (got.length !== want.length || other !== undefined)
      found.differing.push(`hits ${name}: ${got.length} and ${want.length}, ${other}`);
  };
  await compareHits('on the cluster', primary, env);
  const recounted = (name: string, of: ReadonlyMap<string, string>): void => {
    found.asked++;
    const got = countedIn(of.get(`${erasedAt}: ${counted}`)!);
    if (got !== recount(left)) found.differing.push(`${name}: ${got}, and not ${recount(left)}`);
  };
  const unruled = await answers(primary, ruled, asked, { clickhouse: address });
  recounted('on the cluster', unruled);
  const where = ['--site', ruled[0]!, '--where', 'path^=/docs', '--to', '2026-11-18'];
  const pruned = await runCommand(primary, ['prune', ...where, '--json'], { env });
  assert.is(pruned.code, 0, pruned.stderr);

  const before = await answers(primary, domains, asked, { clickhouse: address });
  const all = await moved(primary, demo.sites, { env });
  await importSums(all);
  for (const domain of domains) {
    const file = join(temporaryDir(), domain);
    const ran = await runCommand(primary, ['export', file, '--site', domain, '--of', 'collectors'], { env });
    assert.is(ran.code, 0, ran.stderr);
    await run(primary, 'import', file, '--site', domain, '--all');
  }
  compare('on the primary', await answers(primary, domains, asked), before);
  await run(primary, 'prune', '--undo', String(pruned.json().rule));
  const undone = await answers(primary, ruled, asked);
  compare('with the rule undone', undone, unruled);
  recounted('with the rule undone', undone);
  await compareHits('with the rule undone', primary);
  compare('elsewhere', await answers(all, domains, asked), before);
  db.close();
  return found;
};
