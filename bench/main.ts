/**
 * `npm run bench -- NAME`: runs one benchmark, a file of this folder, or all of them. Each prints
 * what it measured, and on what.
 */
import { spawnSync } from 'node:child_process';

const benches = [
  'alert-load',
  'alerts',
  'assistants',
  'beside',
  'big-day',
  'cluster',
  'collect',
  'collectors',
  'copies',
  'dashboard',
  'dear-hits',
  'fair',
  'growth',
  'import',
  'import-beside',
  'link',
  'query',
  'round-trip',
  'rules',
  'scale',
  'start',
  'steps',
  'tracker',
];

/** One after the other, each in a process of its own. */
const runAll = (): void => {
  for (const name of benches) {
    console.log(`\n== ${name}`);
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', import.meta.filename, name], {
      stdio: 'inherit',
    });
    if (status !== 0) process.exitCode = 1;
  }
};

const [name = '', ...args] = process.argv.slice(2);
if (benches.includes(name)) {
  const { run }: { run(args: readonly string[]): Promise<void> } = await import(`./${name}.ts`);
  await run(args);
} else if (name === 'all') runAll();
else {
  console.error(`usage: npm run bench -- all|${benches.join('|')}`);
  process.exitCode = 2;
}
