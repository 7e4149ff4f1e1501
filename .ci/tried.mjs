/**
 * Test files that take long and guard what changes seldom: those that start many programs to kill, attack or
 * balance them, those that need ClickHouse or Chromium, and those that try much of one part. Each with what it
 * tries: .ci/run runs it where that has changed.
 */
import { spawnSync } from 'node:child_process';

/** Patterns of files, and the paths of what they try. */
export const tried = [
  [
    /^(alerts.evaluator|model.alerts.replay)/,
    'bench src/alerts src/api src/model src/query src/store test/alerts test/model',
  ],
  [/^api.fair/, 'src/api src/collect src/http src/query test/api test/query'],
  [/^attack/, 'src/http src/collect src/dashboard src/api src/query/threads test/attack'],
  [/^(backup-to|round-trip)/, 'src/export src/import src/store test/backup-to.test.ts test/round-trip.test.ts'],
  [/^bench.query-cases/, 'bench src/query src/store test/bench test/query'],
  [/^cli.(full-disk|pages)/, 'src/cli src/main.ts test/cli'],
  [
    /^cluster.(answer|clickhouse|collectors|control|doctor|erase|erase-hits|erase-roles|forward-open|load-balancer|nodes|placement|printed|records|removal|roles|state)\./,
    'src/cluster src/model src/query src/roles src/store test/cluster test/faults test/query',
  ],
  [/^(faults|import.interrupted)/, 'src/cli src/import src/store test/faults test/import'],
  [/^collect.(budgets|cost|excluded-country)/, 'src/collect src/http src/model src/store test/collect'],
  [/^compat.(hostile|recount)/, 'src/api src/compat src/model src/query test/api test/compat test/query'],
  [/^fixtures/, 'src/cli src/query src/store test/fixtures'],
  [/^fuzz/, 'src/api src/collect src/http src/import src/mcp src/query test/fuzz'],
  [
    /^(cli.import|dashboard.(imports|site-work)|import.(formats|inputs|overlaps|own-visitors|sums))\./,
    'src/cli src/collect src/dashboard src/import src/model src/store test/collect test/dashboard test/import test/query',
  ],
  [/^loads.restarts/, 'src/cli src/collect src/http src/main.ts src/roles src/server.ts src/store test/loads'],
  [/^mcp.pipe/, 'src/cli src/mcp src/main.ts test/mcp'],
  [
    /^(printed-commands|proxies)/,
    'docs src/cli src/config.ts src/http test/printed-commands.test.ts test/proxies.test.ts',
  ],
  [/^query.threads.pool/, 'src/query src/start-worker.ts test/query'],
  [/^(outbox|reports).killed/, 'src/outbox src/reports src/store test/outbox test/reports'],
  [/^roles.provisioning.killed/, 'src/provision src/roles src/store test/roles'],
  [/^store.copies.copies/, 'src/store test/store'],
  [/^worlds/, 'src/export src/import src/query src/store test/import test/query test/worlds'],
  // Every page, as it looks and is read: what its numbers are made of changes none of it.
  [
    /^browser.dashboard-(axe|keyboard|locale|look|texts)/,
    'src/dashboard src/http src/model test/browser .ci/dashboard.mjs .ci/texts.mjs',
  ],
  [
    /^browser.dashboard/,
    'src/alerts src/api src/dashboard src/http src/model src/query src/reports src/store test/browser .ci/dashboard.mjs',
  ],
  [/^browser.tracker/, 'src/collect src/http src/store tracker test/browser .ci/tracker.mjs'],
];
/** What every one of them makes use of. */
export const used =
  'schema.sql package-lock.json .ci/build.mjs .ci/programs.mjs .ci/test.mjs test/helpers.ts test/start-server.ts test/tools';

const rowOf = file => tried.find(([files]) => files.test(file));

export const isLong = file => rowOf(file) !== undefined && !file.startsWith('browser/');

/** Tells of a test file whether git says that something it tries has changed since a commit. */
export const triedSince = commit => {
  const known = new Map();
  const hasChanged = paths =>
    spawnSync('git', ['diff', '--quiet', commit, '--', ...used.split(' '), ...paths.split(' ')]).status !== 0;
  return file => {
    const [, paths] = rowOf(file) ?? [null, '.'];
    if (!known.has(paths)) known.set(paths, hasChanged(paths));
    return known.get(paths);
  };
};
