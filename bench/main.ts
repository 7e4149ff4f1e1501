/**
 * `npm run bench -- NAME`: runs one benchmark. Each is a file of this folder and prints what it measured, and on what.
 */

const benches: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  collect: () => import('./collect.ts'),
  dashboard: () => import('./dashboard.ts'),
  query: () => import('./query.ts'),
  soak: () => import('./soak.ts'),
  start: () => import('./start.ts'),
  tracker: () => import('./tracker.ts'),
};

const name = process.argv[2] ?? '';
const load = benches[name];
if (load === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')}`);
  process.exit(2);
}
await (await load()).run();
