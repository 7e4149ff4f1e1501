/**
 * `npm run faults`: kill -9 at random moments, and every other fault that docs/operations.md makes a promise about.
 *
 *     npm run faults [-- --rounds 100] [--seed N] [--only NAME]
 *
 * Faults that mount file systems are left out, and named, where this is not root. A whole run puts its figures into docs/benchmarks.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chanceFrom } from '../src/cli/demo/random.ts';
import { diskFaults } from './faults/disk-faults.ts';
import type { Fault } from './faults/fault.ts';
import { type KillReport, killRounds } from './faults/kills.ts';
import { canMount } from './faults/mounts.ts';
import { otherFaults } from './faults/other-faults.ts';
import { machine, markdownTable, publish } from './results.ts';

export const faults: readonly Fault[] = [...diskFaults, ...otherFaults];

const roundsDefault = 100;
const clients = 64;

export const run = async (): Promise<void> => {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      rounds: { type: 'string', default: String(roundsDefault) },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string', default: '' },
    },
  });
  const rounds = Number(values.rounds);
  const only = faults.filter(({ name }) => name.includes(values.only));
  let failed = 0;
  for (const fault of only) if (!(await tried(fault))) failed++;
  if (values.only === '' && rounds > 0) {
    console.log(`kill -9, ${rounds} rounds with ${clients} clients, seed ${values.seed}`);
    const report = await inDirectory(dir =>
      killRounds({ rounds, random: chanceFrom(Number(values.seed)).number, dir, clients, tell: console.log }),
    );
    if (rounds >= roundsDefault && failed === 0) publish('faults', figures(report));
  }
  console.log(failed === 0 ? 'All as documented.' : `${failed} faults did not end as documented.`);
  process.exit(failed === 0 ? 0 : 1);
};

const inDirectory = async <T>(work: (dir: string) => Promise<T>): Promise<T> => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-faults-'));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

const tried = async ({ name, needsRoot, run }: Fault): Promise<boolean> => {
  if (needsRoot && !canMount()) {
    console.log(`left out  ${name}: it mounts a file system, which only root may`);
    return true;
  }
  try {
    await inDirectory(run);
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
