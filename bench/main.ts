/**
 * `npm run bench -- NAME`: runs one benchmark, or all of them. Each is a file of this folder and prints what it measured, and on what.
 */

import { spawnSync } from 'node:child_process';

const benches: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  beside: () => import('./beside.ts'),
  collect: () => import('./collect.ts'),
  dashboard: () => import('./dashboard.ts'),
  faults: () => import('./faults.ts'),
  fuzz: () => import('./fuzz.ts'),
  growth: () => import('./growth.ts'),
  operations: () => import('./operations.ts'),
  query: () => import('./query.ts'),
  soak: () => import('./soak.ts'),
  start: () => import('./start.ts'),
  tracker: () => import('./tracker.ts'),
};

/** What `all` runs, one after the other and each in a process of its own. */
const runAll = (): void => {
  for (const name of Object.keys(benches)) {
    console.log(`\n== ${name}`);
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', import.meta.filename, name], {
      stdio: 'inherit',
    });
    if (status !== 0) process.exitCode = 1;
  }
};

const name = process.argv[2] ?? '';
const load = benches[name];
if (load !== undefined) await (await load()).run();
else if (name === 'all') runAll();
else {
  console.error(`usage: npm run bench -- all|${Object.keys(benches).join('|')}`);
  process.exitCode = 2;
}
