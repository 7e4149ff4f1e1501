/**
 * `npm run test:cluster [-- SITES]`: the differential tests of the embedded engine over ClickHouse. First Debian's
 * ClickHouse with its ZooKeeper, which are installed where they are missing: two shards of two replicas. Then the newest,
 * as the package chdb has it: two shards.
 */
import { execFileSync } from 'node:child_process';
import { installedCompetitors } from '../../bench/trials.ts';
import { withDirectory } from '../tools/directories.ts';
import { agree, type Plan } from './agree.ts';
import { agreeErase } from './agree-erase.ts';
import { agreeRecords } from './agree-records.ts';
import { agreeRemoval } from './agree-removal.ts';
import { agreeShards } from './agree-shards.ts';
import { agreeWayBack } from './agree-way-back.ts';
import { hasClickHouse, hasZooKeeper, type Servers, startChdb, startServers } from './servers.ts';

const sites = Number(process.argv[2] ?? 3);
const plan: Plan = { firstSeed: 1, sites, queriesPerSite: 4 };

const install = (): void => {
  if (hasClickHouse() && hasZooKeeper()) return;
  console.log('Installing Debian’s clickhouse-server and zookeeper');
  const run = (args: string[]): void => {
    execFileSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  run(['update', '-qq']);
  run(['install', '-y', '-qq', '--no-install-recommends', 'clickhouse-server', 'zookeeper']);
};

const tryOn = async (name: string, start: (dir: string) => Promise<Servers>): Promise<void> => {
  await withDirectory(async dir => {
    const servers = await start(dir);
    try {
      const begun = performance.now();
      const ofHits = await agree(servers.address, plan);
      const ofRecords = await agreeRecords(servers.address.replaceAll('/daybook', '/records'), 200);
      const ofWayBack = await agreeWayBack(servers.address.replaceAll('/daybook', '/back'), 12);
      const ofShards = await agreeShards(servers.address, [2, 3, 4], 4);
      const ofRemoval = await agreeRemoval(servers.address.replaceAll('/daybook', '/removal'), 5);
      const ofErase = await agreeErase(servers.address.replaceAll('/daybook', '/erase'), 57, 0.4);
      const all = [ofHits, ofRecords, ofWayBack, ofShards, ofRemoval, ofErase];
      const asked = all.reduce((sum, of) => sum + of.asked, 0);
      const differing = all.flatMap(of => of.differing);
      const seconds = Math.round((performance.now() - begun) / 1000);
      console.log(`${name}: ${asked} questions, ${differing.length} answers differ, ${seconds} s`);
      for (const difference of differing.slice(0, 5)) console.log(`\n${difference}`);
      if (differing.length > 0) process.exitCode = 1;
    } finally {
      await servers.close();
    }
  });
};

install();
await tryOn('Debian’s ClickHouse, 2 shards of 2 replicas', dir => startServers(dir, 2, 2));
await tryOn('chdb, 2 shards', dir => startChdb(dir, installedCompetitors(), 2));
