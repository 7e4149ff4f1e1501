/**
 * `npm run faults`: kill -9 at random moments, disks that are lost as often, and every other fault that docs/operations.md makes a promise about.
 *
 *     npm run faults [-- --rounds 100] [--seed N] [--only NAME]
 *     npm run faults -- cluster [--seconds 600] [--seed N]
 *
 * Faults that mount file systems need root; without it they are left out and named. A whole run puts its figures into docs/benchmarks.md.
 */
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { withDirectory } from '../tools/directories.ts';
import { chosen, optionsOf } from '../tools/options.ts';
import { machine, markdownTable, publish } from '../tools/results.ts';
import { clusterFaults } from './cluster.ts';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';
import { type KillReport, killRounds } from './kills.ts';
import { canMount } from './mounts.ts';

const clients = 64;

const run = async (): Promise<void> => {
  const others = { seed: Date.now() % 1_000_000, only: '' };
  const { rounds, seed, only, isFull } = optionsOf(process.argv.slice(2), { rounds: 100 }, others);
  let failed = 0;
  for (const fault of chosen(faults, only)) if (!(await tried(fault, Math.max(1, rounds)))) failed++;
  if (only === '' && rounds > 0) {
    console.log(`kill -9, ${rounds} rounds with ${clients} clients, seed ${seed}`);
    const report = await withDirectory(dir =>
      killRounds({ rounds, random: chanceFrom(seed).number, dir, clients, tell: console.log }),
    );
    publish('faults', figures(report), isFull && failed === 0);
  }
  console.log(failed === 0 ? 'All as documented.' : `${failed} faults did not end as documented.`);
  process.exit(failed === 0 ? 0 : 1);
};

/** What ./cluster.ts does, for ten minutes; a minute tries less of it. */
const runCluster = async (args: readonly string[]): Promise<void> => {
  const { seconds, seed, isFull } = optionsOf(args, { seconds: 600 }, { seed: Date.now() % 1_000_000 });
  console.log(`a cluster, ${seconds} s, seed ${seed}`);
  const { acknowledged, faults, answered, convergedS, doubled } = await withDirectory(dir =>
    clusterFaults(dir, seconds, chanceFrom(seed)),
  );
  const rows: [string, number][] = [
    ...[...faults].sort(),
    ['acknowledged hits', acknowledged],
    ['lost', 0],
    ['counted twice', 0],
    ['questions answered meanwhile, wrongly', 0],
    ['questions answered meanwhile', answered],
    ['seconds until all were in the answers', Math.round(convergedS)],
    ['control: hits that count twice without the rule', doubled],
  ];
  publish('faults-cluster', `${markdownTable([`${seconds} s of faults`, ''], rows)}\n\n${machine(Date.now())}`, isFull);
};

const tried = async ({ name, needsRoot, run }: Fault, rounds: number): Promise<boolean> => {
  if (needsRoot && !canMount()) {
    console.log(`left out  ${name}: it mounts a file system, which only root may`);
    return true;
  }
  try {
    await withDirectory(dir => run(dir, rounds));
    console.log(`ok        ${name}`);
    return true;
  } catch (error) {
    console.log(`FAILED    ${name}: ${(error as Error).message}`);
    return false;
  }
};

const figures = ({ rounds, acknowledged, moments, halfSealed }: KillReport): string => {
  const rows: [string, number][] = [
    ['rounds', rounds],
    ...Object.entries(moments).map(([moment, count]): [string, number] => [`of them killed during ${moment}`, count]),
    ['of them that left a day half sealed', halfSealed],
    ['acknowledged hits', acknowledged],
    ['lost', 0],
    ['stored twice', 0],
  ];
  return `${markdownTable(['kill -9 under load', ''], rows)}\n\n${machine(Date.now())}`;
};

if (process.argv[2] === 'cluster') await runCluster(process.argv.slice(3));
else await run();
