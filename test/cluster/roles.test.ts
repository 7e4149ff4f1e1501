/** A primary, two collectors and a server that answers, as processes of their own, over Debian's ClickHouse. */
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, hourMs, utcDayName, utcDayOf } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { type Database, databaseFile, openDatabase, openReader } from '../../src/store/database.ts';
import { salts } from '../../src/store/salts.ts';
import { sites } from '../../src/store/sites.ts';
import { type Server, type ServerSettings, start } from '../faults/server-process.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { primaryFlags } from '../start-server.ts';
import { until } from '../tools/conditions.ts';
import { freePorts, hasClickHouse, type Servers, startServers } from './servers.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const key = `tk_live_${'k'.repeat(32)}`;

/** A page view of somebody, who is known by a number; what became of it. */
const view = async ({ url }: Server, site: string, somebody: number): Promise<string> => {
  const response = await fetch(`${url}/e`, {
    method: 'POST',
    body: JSON.stringify({ s: site, u: 'https://a.example/' }),
    headers: { 'user-agent': chrome, 'x-forwarded-for': `203.0.${somebody >> 8}.${somebody & 255}` },
  });
  await response.text();
  return response.headers.get('x-daybook') ?? '';
};

interface Figures {
  visitors: number;
  visits: number;
  pageviews: number;
}

/** Of a site since the day before yesterday. */
const figures = async ({ url }: Server, site: string, now: number): Promise<Figures> => {
  const [from, to] = [utcDayOf(now) - 2, utcDayOf(now)].map(utcDayName);
  const response = await fetch(`${url}/api/v1/sites/${site}/stats?from=${from}&to=${to}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { visitors, visits, pageviews } = (await response.json()) as Figures;
  return { visitors, visits, pageviews };
};

let clickHouse: Servers | undefined;
const running = new Set<Server>();
test.after(async () => {
  await Promise.all([...running].map(server => server.alive() && server.kill()));
  await clickHouse?.close();
});

const tryIt = hasClickHouse() ? test : test.skip;

tryIt('each hit of all collectors is answered once, whatever happens to them', async () => {
  clickHouse = await startServers(temporaryDir(), 2, 1);
  const dirs = Array.from({ length: 4 }, temporaryDir) as [string, string, string, string];
  const db: Database = openDatabase(dirs[0]);
  const { uuid, publicKey } = addSite(db);
  apiKeys(db).add(accounts(db).named('default', 0).id, 'test', key, 0);
  let offsetMs = 0;
  const now = (): number => Date.now() + offsetMs;
  // At ten in the morning, so that no midnight passes but the one that is meant.
  offsetMs = utcDayOf(Date.now()) * dayMs + 10 * hourMs - Date.now();
  const env = { CLUSTER_TOKEN: primaryFlags.token };
  const run = async (settings: ServerSettings): Promise<Server> => {
    const server = await start({ ...settings, offsetMs });
    running.add(server);
    return server;
  };
  const [port] = await freePorts(1);
  const lead = (): Promise<Server> =>
    run({ dataDir: dirs[0], env: { ...env, CLICKHOUSE: clickHouse!.address, PORT: String(port) } });
  let primary = await lead();
  const follow = (ROLE: string, dataDir: string): Promise<Server> =>
    run({ dataDir, env: { ...env, ROLE, PRIMARY: primary.url } });
  let [one, two] = await Promise.all([follow('collect', dirs[1]), follow('collect', dirs[2])]);
  const answering = await follow('answer', dirs[3]);

  let sent: Figures = { visitors: 0, visits: 0, pageviews: 0 };
  const send = async (server: Server, from: number, count: number, is: Partial<Figures> = {}): Promise<void> => {
    for (let somebody = from; somebody < from + count; somebody++)
      assert.is(await view(server, publicKey, somebody), 'recorded');
    sent = {
      visitors: sent.visitors + (is.visitors ?? count),
      visits: sent.visits + (is.visits ?? count),
      pageviews: sent.pageviews + count,
    };
  };
  const agree = async (what: string): Promise<void> => {
    let seen: Figures | undefined;
    await until(
      `${what}: not all is answered, once`,
      async () => {
        seen = await figures(answering, uuid, now());
        return JSON.stringify(seen) === JSON.stringify(sent);
      },
      10_000,
    ).catch(error => {
      throw new Error(`${error.message} ${JSON.stringify({ seen, sent })}\n${one.log()}\n${two.log()}`);
    });
  };
  const excludedPaths = (dataDir: string): string[] => {
    const reader = openReader(dataDir);
    const [first] = sites(reader).list();
    reader.close();
    return first!.excludedPaths;
  };
  const daysIn = (dataDir: string): unknown[] => {
    const reader = openReader(dataDir);
    const days = reader
      .prepare('select day from day_part where sealed_at is not null union select day from visit')
      .pluck()
      .all();
    reader.close();
    return days;
  };

  await send(one, 0, 20);
  await send(two, 20, 30);
  await send(one, 10, 10, { visitors: 0, visits: 0 });
  await agree('two collectors');
  assert.equal(await figures(primary, uuid, now()), sent, 'the primary says the same');

  // A site that is made while they run, and goes again.
  const second = addSite(db);
  await until('a new site', async () => (await view(two, second.publicKey, 1)) === 'recorded');
  await until('it is answered', async () => (await figures(answering, second.uuid, now())).visitors === 1);
  sites(db).remove(second.id);
  await until('it is gone', async () => (await view(two, second.publicKey, 1)).includes('unknown-site'));

  // The primary goes, and comes back with a path that is excluded.
  await primary.kill();
  await send(one, 400, 5);
  await send(two, 410, 5);
  await agree('without a primary');
  const [site] = sites(db).list();
  sites(db).set(site!.id, { ...site!, excludedPaths: ['/'] });
  primary = await lead();
  for (const dir of dirs.slice(1)) await until('the exclusion', () => excludedPaths(dir).length === 1);
  for (const server of [one, two]) assert.match(await view(server, publicKey, 0), /excluded-path/);
  sites(db).set(site!.id, site!);
  for (const dir of dirs.slice(1)) await until('no exclusion', () => excludedPaths(dir).length === 0);

  await one.kill();
  await send(two, 100, 5);
  one = await follow('collect', dirs[1]);
  await send(one, 0, 20, { visitors: 0, visits: 0 });
  await agree('a collector that was killed');

  // A copy of the second, which goes on for a while.
  const copy = join(temporaryDir(), 'copy.db');
  const copied = openReader(dirs[2]);
  copied.prepare('vacuum into ?').run(copy);
  copied.close();
  await send(two, 200, 7);
  await send(two, 20, 5, { visitors: 0, visits: 0 });
  await agree('before the copy comes back');
  await two.kill();
  for (const ending of ['', '-wal', '-shm', '-sync']) rmSync(databaseFile(dirs[2]) + ending, { force: true });
  renameSync(copy, databaseFile(dirs[2]));
  two = await follow('collect', dirs[2]);
  await send(two, 300, 6);
  await agree('an old copy');

  // A copy of the first, which takes hits beside it.
  await one.kill();
  const clonedDir = temporaryDir();
  cpSync(dirs[1], clonedDir, { recursive: true });
  one = await follow('collect', dirs[1]);
  const clone = await follow('collect', clonedDir);
  await send(one, 600, 8);
  await send(clone, 700, 9);
  // A visit of before goes on at both.
  await send(one, 0, 1, { visitors: 0, visits: 0 });
  await send(clone, 0, 1, { visitors: 0, visits: 0 });
  await agree('two collectors on copies of one directory');
  await clone.stop();

  const advance = (ms: number): void => {
    offsetMs += ms;
    for (const server of [primary, one, two, answering]) server.advance(ms);
  };
  const hasSalt = (dataDir: string, day: number): boolean => {
    const reader = openReader(dataDir);
    const salt = salts(reader).of(day);
    reader.close();
    return salt !== undefined;
  };
  advance(3 * hourMs);
  const tomorrow = utcDayOf(now()) + 1;
  for (const dir of dirs.slice(1, 3)) await until('tomorrow’s salt', () => hasSalt(dir, tomorrow));
  advance(tomorrow * dayMs + 60_000 - now());
  await send(one, 0, 4);
  await send(two, 0, 4, { visitors: 0 });
  await agree('after midnight');

  advance(dayMs);
  for (const dir of dirs.slice(1, 3))
    await until(
      'the first day is forgotten',
      () => !daysIn(dir).includes(tomorrow - 1) && daysIn(dir).includes(tomorrow),
    );
  await agree('days that collectors forgot');

  await Promise.all([one, two, answering].map(server => server.stop()));
  await primary.stop();
  db.close();
});

test.run();
