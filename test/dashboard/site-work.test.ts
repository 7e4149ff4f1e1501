/** Long work on the hits of sites: whose turn it is, and how it is stopped. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSiteWork } from '../../src/dashboard/site-work.ts';
import type { Work } from '../../src/dashboard/work.ts';
import { lockImports } from '../../src/store/database.ts';
import { imports } from '../../src/store/imports/imports.ts';
import { runCommand } from '../cli/helpers.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { until } from '../tools/conditions.ts';

/** Work on four sites, each of another account as far as the work knows. */
const prepared = () => {
  const { db, dataDir } = temporaryDatabase();
  const sites = Array.from({ length: 4 }, () => addSite(db));
  const events: string[] = [];
  const work = createSiteWork({
    ...{ dataDir, geo: { geoDb: '/dev/null', geoAsnDb: '/dev/null' } },
    ...{ now: () => Date.UTC(2026, 10, 20), random: randomBytes },
    log: (event, fields) => events.push(`${event} ${fields?.site}`),
  });
  const file = (lines: number): Work => {
    const path = join(dataDir, `${lines}.ndjson`);
    const lineOf = (i: number): string =>
      `{"at":"2026-10-01T12:00:00.000Z","visitor":"v${i}","hit":{"u":"https://site.example/${i % 100}"}}\n`;
    const some = Array.from({ length: Math.min(lines, 1000) }, (_, i) => lineOf(i)).join('');
    writeFileSync(path, some.repeat(Math.max(1, lines / 1000)));
    return { kind: 'import', files: [{ path, name: 'past.ndjson' }], format: null, known: null, dryRun: false };
  };
  const start = (i: number, what: Work): boolean => work.start({ siteId: sites[i]!.id, accountId: i }, what);
  const stateOf = (i: number) => work.stateOf(sites[i]!.id)!;
  return { db, dataDir, sites, work, events, file, start, stateOf };
};

test('work of one account does not keep that of others', async () => {
  const { db, work, file, start, stateOf, events, sites, dataDir } = prepared();
  const [large, small] = [file(400_000), file(3)];
  assert.equal([start(0, large), start(1, large), start(2, small), start(3, small)], [true, true, true, true]);
  assert.is(start(0, small), false, 'an account has one at a time');
  assert.equal(
    [0, 1, 2, 3].map(i => stateOf(i).isWaiting),
    [false, false, true, true],
  );
  assert.throws(() => lockImports(dataDir), /wait until that is done/);
  // The operator stops one.
  const stopped = await runCommand(dataDir, ['import', 'stop', '--site', sites[0]!.domain]);
  assert.equal([stopped.code, stopped.stdout], [0, `The work on ${sites[0]!.domain} stops.\n`]);
  await until('what waited is done', () => !stateOf(2).isRunning && !stateOf(3).isRunning);
  assert.equal([stateOf(1).isRunning, stateOf(0).isRunning], [true, false]);
  assert.equal(
    [2, 3].map(i => [stateOf(i).failure, stateOf(i).report?.lines]),
    [
      [null, 3],
      [null, 3],
    ],
  );
  work.stop(sites[1]!.id);
  await until('the other large one is stopped', () => !stateOf(1).isRunning);
  assert.equal(events.slice().sort(), ['import-done 3', 'import-done 4', 'work-stopped 1', 'work-stopped 2']);
  assert.equal(
    imports(db)
      .list()
      .map(({ siteId, counted }) => [siteId, counted.pageviews])
      .sort(),
    [
      [3, 3],
      [4, 3],
    ],
  );
  lockImports(dataDir)();
  const none = await runCommand(dataDir, ['import', 'stop', '--site', sites[0]!.domain]);
  assert.equal([none.code, none.stderr], [1, `daybook: No server works on the hits of ${sites[0]!.domain}.\n`]);
  await work.close();
});

test('what waits ends with the server, and so does what runs', async () => {
  const { work, file, start, stateOf, events } = prepared();
  const large = file(400_000);
  for (const i of [0, 1, 2]) assert.ok(start(i, large));
  await work.close();
  assert.equal(
    [0, 1, 2].map(i => stateOf(i).isRunning),
    [false, false, false],
  );
  assert.equal(events.slice().sort(), ['work-stopped 1', 'work-stopped 2', 'work-stopped 3']);
});

test('two imports at once bring what each would alone', async () => {
  const { db, work, file, start, stateOf } = prepared();
  const some = file(5000);
  for (const i of [0, 1]) assert.ok(start(i, some));
  await until('both are done', () => !stateOf(0).isRunning && !stateOf(1).isRunning);
  assert.equal([stateOf(0).failure, stateOf(1).failure], [null, null]);
  const counted = imports(db)
    .list()
    .map(({ counted: of }) => of);
  assert.equal(
    counted,
    Array.from({ length: 2 }, () => ({ visitors: 1000, visits: 1000, pageviews: 5000, events: 0 })),
  );
  await work.close();
});

test.run();
