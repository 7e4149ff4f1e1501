import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { clusterStore } from '../../src/store/cluster.ts';
import { controlTags } from '../../src/store/control-tags.ts';
import { type Database, lockDataDir } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { followerStore } from '../../src/store/follower.ts';
import { nodeTokens } from '../../src/store/node-tokens.ts';
import { type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, temporaryDir, visitRecord } from '../helpers.ts';
import { type Ran, runCommand, testNow, type World } from './helpers.ts';

interface Finding {
  about: string;
  state: 'good' | 'odd' | 'bad';
  text: string;
}

/** Some visits of one pageview each, with a country or without. */
const visits = (siteId: number, at: number, count: number, country: string | null): Entry[] =>
  Array.from({ length: count }, (_, i) => {
    const of = { siteId, day: utcDayOf(at) };
    return recordedEntry(
      hitRecord({ ...of, visitId: i + 1, at: at - count + i }),
      visitRecord({ ...of, id: i + 1, country }),
    );
  });

const examine = async (
  dataDir: string,
  args: string[] = [],
  world: World = {},
): Promise<Ran & { said: (about: string, state: string) => string }> => {
  const ran = await runCommand(dataDir, ['doctor', '--json', ...args], world);
  const findings = (): Finding[] => ran.json();
  const said = (about: string, state: string): string =>
    findings()
      .filter(finding => finding.about === about && finding.state === state)
      .map(({ text }) => text)
      .join('\n');
  return { ...ran, said };
};

const withHits = (fill: (db: Database, siteId: number) => Entry[]): string => {
  const { db, dataDir } = temporaryDatabase();
  recorder(db).write(fill(db, addSite(db).id));
  db.close();
  return dataDir;
};

test('doctor shows a healthy server with its numbers', async () => {
  const dataDir = withHits((_, siteId) => visits(siteId, testNow - 60_000, 30, 'DE'));
  const unlock = lockDataDir(dataDir);
  const { code, said, stderr } = await examine(dataDir);
  unlock();
  assert.is(code, 0, stderr);
  assert.match(said('program', 'good'), /^Daybook \d.* SQLite 3\./);
  assert.match(said('service', 'good'), /a server uses/);
  assert.match(said('days', 'good'), /1 day open with 30 rows/);
  assert.match(
    said('hits', 'good'),
    /30 hits in the last 24 hours; the newest was recorded at 2026-11-20 11:58:59 UTC\n100\.0 % recorded/,
  );
  assert.match(said('proxy', 'good'), /trusts loopback; 30 of the latest 30 visits have a country/);
  assert.match(said('zones', 'good'), /time zone data 20/);
  assert.match(said('memory', 'good'), /iB for this process; questions keep up to \d+\.\d MiB of it$/);
  const people = await runCommand(dataDir, ['doctor']);
  assert.match(people.stdout, /^ok {2}program {3}Daybook/);
});

const odd: [name: string, about: string, fill: (siteId: number) => Entry[], text: RegExp][] = [
  ['no hits', 'hits', () => [], /no hit has ever been recorded/],
  [
    'a proxy that hides its visitors',
    'proxy',
    siteId => visits(siteId, testNow, 40, null),
    /only 0 of the latest 40 visits/,
  ],
  [
    'a day that nobody sealed',
    'days',
    siteId => visits(siteId, testNow - 5 * dayMs, 1, 'DE'),
    /2026-11-15 is over and not sealed/,
  ],
  [
    'hits that the disk refused',
    'hits',
    siteId => [{ siteId, at: testNow, outcome: 'unavailable' }, ...visits(siteId, testNow, 1, 'DE')],
    /50\.0 % unavailable: the disk/,
  ],
];
for (const [name, about, fill, text] of odd) {
  test(`deserves a look: ${name}`, async () => {
    const { code, said } = await examine(withHits((_, siteId) => fill(siteId)));
    assert.is(code, 0);
    assert.match(said(about, 'odd'), text);
  });
}

test('deserves a look: what a proxy, a bucket or the metrics show to others', async () => {
  const dataDir = withHits(() => []);
  const careless = await examine(dataDir, ['--trust-proxy', 'loopback,private'], {
    env: {
      BACKUP_TO: 'http://127.0.0.1:9/bucket',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      BASE_URL: 'https://stats.example.com',
    },
  });
  assert.match(careless.said('proxy', 'odd'), /^every client with a private address can choose/);
  assert.match(careless.said('copies', 'odd'), /in the clear: use https\nwhoever can read the bucket .* BACKUP_KEY/);
  assert.match(
    careless.said('metrics', 'odd'),
    /https:\/\/stats\.example\.com\/metrics answers 404, or set METRICS_TOKEN$/,
  );
  const careful = await examine(dataDir, ['--trust-proxy', 'loopback,10.0.0.10'], {
    env: { METRICS_TOKEN: 'x'.repeat(20), BASE_URL: 'https://stats.example.com' },
  });
  assert.equal([careful.said('proxy', 'odd'), careful.said('metrics', 'odd')], ['', '']);
});

test('needs fixing: a city database that cannot be read', async () => {
  const file = join(temporaryDir(), 'city.mmdb');
  writeFileSync(file, 'no database');
  const { code, said, stderr } = await examine(
    withHits(() => []),
    ['--geo-db', file],
  );
  assert.is(code, 1);
  assert.match(said('places', 'bad'), /city\.mmdb cannot be used, so no visit has a place/);
  assert.match(stderr, /Something needs fixing: places\./);
});

test('needs fixing: a clock that is behind its hits', async () => {
  const dataDir = withHits((_, siteId) => visits(siteId, testNow + dayMs, 1, 'DE'));
  const { code, said } = await examine(dataDir);
  assert.is(code, 1);
  assert.match(said('clock', 'bad'), /it is 2026-11-20 12:00:00 UTC here, but there are hits from 2026-11-21/);
});

test('needs fixing: a clock that was ahead, so that hits count for a day that has not come', async () => {
  const dataDir = withHits((db, siteId) => {
    recorder(db).write(visits(siteId, testNow + 3 * dayMs, 1, 'DE'));
    sealAll(db, utcDayOf(testNow) + 4, testNow);
    return [];
  });
  const { said } = await examine(dataDir);
  assert.match(said('clock', 'bad'), /or was ahead\. New hits count for 2026-11-24 until that day comes$/);
  const then = await examine(dataDir, [], { now: () => testNow + 4 * dayMs });
  assert.match(then.said('clock', 'good'), /^2026-11-24/);
});

test('the databases that ship deserve a look when they are years old, and not on a fresh install', async () => {
  const dataDir = withHits(() => []);
  for (const [years, state] of [
    [0, 'good'],
    [3, 'odd'],
  ] as const) {
    const { said } = await examine(dataDir, [], { now: () => testNow + years * 365 * dayMs });
    assert.match(said('places', state), / days old/);
    assert.match(said('networks', state), / days old/);
  }
});

test('needs fixing: a time zone that no longer exists', async () => {
  const dataDir = withHits(db => {
    db.prepare(`update site set timezone = 'Mars/Olympus'`).run();
    return [];
  });
  assert.match((await examine(dataDir)).said('zones', 'bad'), /site1\.example is in Mars\/Olympus/);
});

test('doctor shows how long sealing takes', async () => {
  const dataDir = withHits((db, siteId) => {
    recorder(db).write(visits(siteId, testNow - 5 * dayMs, 2, 'DE'));
    sealAll(db, utcDayOf(testNow), testNow - dayMs);
    return [];
  });
  const { said } = await examine(dataDir);
  assert.match(
    said('days', 'good'),
    /1 day sealed with 2 hits; the newest is 2026-11-15, sealed at 2026-11-19 12:00:00 UTC\n0 days open/,
  );
});

const primaries: [url: string, state: 'good' | 'odd'][] = [
  ['https://stats.example.com', 'good'],
  ['http://127.0.0.1:8080', 'good'],
  ['http://[::1]:8080', 'good'],
  ['http://localhost:8080', 'good'],
  ['http://10.1.2.3', 'good'],
  ['http://192.0.2.1', 'odd'],
  ['http://[2001:db8::1]:8080', 'odd'],
  ['http://nobody.invalid', 'odd'],
];
test('deserves a look: a token that goes to the primary over http', async () => {
  const dataDir = withHits(() => []);
  assert.is((await examine(dataDir)).said('primary', 'good'), '', 'a server that follows nobody');
  for (const [url, state] of primaries) {
    const { code, said } = await examine(dataDir, ['--primary', url]);
    assert.equal([code, said('primary', state).startsWith(`the primary is at ${url}`)], [0, true], url);
    assert.is(/over http: use https/.test(said('primary', state)), state === 'odd', url);
  }
  // As the server itself was started, whatever the environment of the command says.
  const { db, dataDir: follower } = temporaryDatabase();
  const self = { identity: 'a', number: null, clickhouse: null, tag: null };
  followerStore(db).set({ ...self, primaryUrl: 'http://192.0.2.1' });
  db.close();
  assert.match((await examine(follower)).said('primary', 'odd'), /over http/);
});

test('of a cluster it says who was invited, who keeps other settings, and whose ClickHouse it is', async () => {
  const { db, dataDir } = temporaryDatabase();
  nodeTokens(db).invite({ name: 'hits1', role: 'collect' }, Buffer.alloc, 0);
  const cluster = ['--clickhouse', 'http://127.0.0.1:1/daybook'];
  const before = await examine(dataDir, cluster);
  assert.match(before.said('cluster', 'good'), /1 server invited: hits1/);
  assert.not.match(before.said('cluster', 'bad'), /state-unknown/);
  controlTags(db, Buffer.alloc).refuse('a'.repeat(32), 'collect', 0);
  clusterStore(db).keep('b'.repeat(32));
  db.close();
  const after = await examine(dataDir, cluster);
  assert.match(after.said('cluster', 'bad'), /state-unknown: .* daybook cluster adopt/);
  assert.match(after.said('cluster', 'bad'), /ECONNREFUSED/);
});

test('doctor needs a database', async () => {
  const { code, stderr } = await runCommand(temporaryDir(), ['doctor']);
  assert.is(code, 1);
  assert.match(stderr, /There is no database in/);
});

test.run();
