/**
 * kill -9 at random moments under load: round after round a server is started on the same data, loaded, killed in the middle
 * of something, and what the clients were promised is looked for.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lazy } from '../../src/model/remember.ts';
import { dayMs } from '../../src/model/time.ts';
import { databaseFile, openDatabase } from '../../src/store/database.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite } from '../helpers.ts';
import { builtProgram, bundled } from '../tools/build.ts';
import { until } from '../tools/conditions.ts';
import { addedCrawls, addedSite, writeLargeOlder } from '../tools/older.ts';
import { type Crowd, startCrowd } from './crowd.ts';
import { runProgram, type Server, start, startAndKill } from './server-process.ts';
import { isHalfSealed, verify } from './stored.ts';

export interface KillOptions {
  rounds: number;
  /** 0 to below 1. */
  random: () => number;
  /** A directory of its own; what it holds may grow by some megabytes a round. */
  dir: string;
  clients: number;
  /** Told after each round. */
  tell: (line: string) => void;
}

export interface KillReport {
  rounds: number;
  acknowledged: number;
  /** Rounds by what was going on when the server was killed. */
  moments: Record<Moment, number>;
  /** Rounds that left a day half sealed or its rows half dropped. */
  halfSealed: number;
}

/** What is going on when the server is killed. */
const moments = ['load', 'sealing', 'checkpoint', 'start', 'backup', 'conversion'] as const;
export type Moment = (typeof moments)[number];

/** Sites, so that sealing a day takes a while. */
const siteCount = 12;
const maintenanceTickMs = 1000;
const convertProgram = lazy(() => bundled('test/faults/convert.ts'));
/** Sites of a database that takes a second to convert. */
const olderSites = 3000;
/** Acknowledged in each round before its server is killed. */
const hitsMin = 100;

export const killRounds = async ({ rounds, random, dir, clients, tell }: KillOptions): Promise<KillReport> => {
  const dataDir = join(dir, 'data');
  const keys = makeSites(dataDir);
  const acknowledged: number[] = [];
  const counts = Object.fromEntries(moments.map(moment => [moment, 0])) as KillReport['moments'];
  let halfSealed = 0;
  let number = 0;
  let offsetMs = 0;
  let server: Server;

  const load = (url: string): Crowd => startCrowd({ url, keys, clients, next: () => number++ });
  /** Loads the server, does what the moment is about, and kills it. */
  const kill = async (work: (crowd: Crowd) => Promise<void>): Promise<void> => {
    const crowd = load(server.url);
    try {
      // A round in which nothing was promised would prove nothing.
      await until('hits are acknowledged', () => crowd.acknowledged.length >= hitsMin);
      await wait(400 * random());
      await work(crowd);
    } finally {
      await server.kill();
      await crowd.stop();
    }
    acknowledged.push(...crowd.acknowledged);
  };

  const verifyOrKill = async (running: Server): Promise<{ stored: number }> => {
    try {
      return verify(dataDir, acknowledged);
    } catch (error) {
      await running.kill();
      throw error;
    }
  };

  const during: Record<Moment, () => Promise<void>> = {
    load: () => kill(async () => {}),
    sealing: () =>
      kill(async () => {
        // Midnight passes, the maintenance notices within its tick, and then seals one site after the other.
        offsetMs += dayMs;
        await server.advance(dayMs);
        await wait(random() * 2.5 * maintenanceTickMs);
      }),
    checkpoint: () =>
      kill(async () => {
        // The log is copied at each tick, which began when the server started to listen.
        await wait(maintenanceTickMs - 600 + random() * 700);
      }),
    start: async () => {
      await kill(async () => {});
      await startAndKill({ dataDir, offsetMs }, random() * 600);
    },
    backup: () =>
      kill(async crowd => {
        const file = join(dir, 'backup.db');
        rmSync(file, { force: true });
        const promised = [...acknowledged, ...crowd.acknowledged];
        const program = runProgram(
          builtProgram,
          ['backup', file, '--data', dataDir],
          random() < 0.5 ? 100 + 900 * random() : null,
        );
        if (random() < 0.5) await Promise.race([program, wait(100 + 700 * random())]);
        else await program;
        await server.kill();
        await program;
        // A file that has the name is whole, whoever was killed.
        if (existsSync(file)) verifyFile(file, join(dir, 'restored'), promised);
      }),
    conversion: async () => {
      await kill(async () => {});
      const older = join(dir, 'older');
      rmSync(older, { recursive: true, force: true });
      mkdirSync(older);
      writeLargeOlder(older, olderSites);
      await runProgram(convertProgram(), [older], 100 + 1000 * random());
      const db = openDatabase(older);
      const crawls = db.prepare(`select count(*) from crawl where site_id >= ${addedSite}`).pluck().get();
      const problems = [...checkDatabase(db)].flatMap(step => step.problems);
      db.close();
      if (crawls !== olderSites * addedCrawls || problems.length > 0)
        throw new Error(`${crawls} of ${olderSites * addedCrawls} crawls are there. ${problems.join(' ')}`);
      rmSync(older, { recursive: true });
    },
  };

  for (let round = 1; round <= rounds; round++) {
    const moment = moments[round % moments.length]!;
    server = await start({ dataDir, offsetMs });
    const { stored } = await verifyOrKill(server);
    await during[moment]();
    counts[moment]++;
    if (isHalfSealed(dataDir)) halfSealed++;
    tell(`round ${round}: killed during ${moment}, ${acknowledged.length} acknowledged, ${stored} found before it`);
  }
  server = await start({ dataDir, offsetMs });
  await verifyOrKill(server);
  await server.stop();
  verify(dataDir, acknowledged);
  return { rounds, acknowledged: acknowledged.length, moments: counts, halfSealed };
};

/** Makes a database with some sites, and gives their public keys. */
export const makeSites = (dataDir: string, count = siteCount): string[] => {
  mkdirSync(dataDir, { recursive: true });
  const db = openDatabase(dataDir);
  for (let i = 0; i < count; i++) addSite(db);
  const keys = sites(db)
    .list()
    .map(({ publicKey }) => publicKey);
  db.close();
  return keys;
};

const verifyFile = (file: string, dataDir: string, promised: readonly number[]): void => {
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  renameSync(file, databaseFile(dataDir));
  verify(dataDir, promised);
};
