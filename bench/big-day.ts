/**
 * `npm run bench -- big-day [HITS]`: one day of very many hits. They are imported, read while the day
 * is open, sealed, and read again, each in a process of its own. Prints how long that takes, and the
 * most memory that each process had. Fails unless both answers are the same.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chanceFrom } from '../src/cli/demo/random.ts';
import { dayMs, utcDayOf } from '../src/model/time.ts';
import { packageRoot } from '../src/package-root.ts';
import { createEngine } from '../src/query/engine.ts';
import { alone } from '../src/query/pace.ts';
import type { Question } from '../src/query/query.ts';
import { openDatabase, openReader } from '../src/store/database.ts';
import { sealAll } from '../src/store/day/seal.ts';
import { addSite } from '../test/helpers.ts';
import { builtProgram } from '../test/tools/build.ts';
import { hasEnded } from '../test/tools/children.ts';
import { markdownTable } from '../test/tools/results.ts';

const defaultHits = 20_000_000;
const cacheBytes = 96 * 1024 * 1024;
const linesAtOnce = 1000;

const questions: Question[] = [
  { kind: 'totals' },
  { kind: 'breakdown', dimension: 'path', limit: 10 },
  { kind: 'breakdown', dimension: 'country', limit: 10 },
  { kind: 'events', limit: 10, bounds: null },
  { kind: 'propertyKeys', limit: 10 },
];

/** Hits of the day in the order of time: some four a visitor, a tenth of them events with properties. */
function* lines(hits: number, from: number, to: number): Generator<string> {
  const { below, is } = chanceFrom(7);
  const visitors = Math.ceil(hits / 4);
  for (let from1000 = 0; from1000 < hits; from1000 += linesAtOnce) {
    let some = '';
    for (let i = from1000; i < Math.min(hits, from1000 + linesAtOnce); i++) {
      const visitor = Math.floor((i / hits) * visitors * 0.9) + below(Math.ceil(visitors / 10));
      const at = new Date(from + Math.floor(((to - from) * i) / hits)).toISOString();
      const ip = `10.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
      const page = `https://example.com/p/${Math.floor(below(200) ** 2 / 10)}`;
      const event = is(0.1) ? { n: 'Play', p: { song: `s${below(500)}`, seconds: below(10_000) / 10 } } : {};
      some += `${JSON.stringify({ at, ip, ua: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', hit: { u: page, ...event } })}\n`;
    }
    yield some;
  }
}

/** In MB, of a process that is still there. */
const peakOf = (pid: number | 'self'): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1000);

interface Step {
  name: string;
  seconds: number;
  peakMb: number;
}

const importStep = async (dataDir: string, hits: number): Promise<Step> => {
  const began = Date.now();
  const midnight = utcDayOf(began) * dayMs;
  const child = spawn(
    process.execPath,
    [builtProgram, 'import', '--data', dataDir, '--site', 'example.com', '--format', 'ndjson', '-'],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  let peakMb = 0;
  const timer = setInterval(() => {
    if (!hasEnded(child)) peakMb = peakOf(child.pid!);
  }, 100);
  for (const some of lines(hits, midnight, began - 1000))
    if (!child.stdin.write(some)) await once(child.stdin, 'drain');
  child.stdin.end();
  if (!hasEnded(child)) await once(child, 'exit');
  clearInterval(timer);
  if (child.exitCode !== 0) throw new Error(`import ended with ${child.exitCode}`);
  return { name: 'imported', seconds: (Date.now() - began) / 1000, peakMb };
};

/** Runs a step in a process of its own; what it prints last is its result. */
const inChild = <Result>(step: string, dataDir: string, day: number): Result & Omit<Step, 'name'> =>
  JSON.parse(
    execFileSync(process.execPath, ['--import', 'tsx', import.meta.filename, step, dataDir, `${day}`], {
      cwd: packageRoot,
      stdio: ['ignore', 'pipe', 'inherit'],
    }).toString(),
  );

/** What the processes do that `inChild` starts. */
const steps: Record<string, (dataDir: string, day: number) => unknown> = {
  seal(dataDir, day) {
    const db = openDatabase(dataDir);
    const sealed = sealAll(db, day + 1, 0);
    db.close();
    return sealed;
  },
  ask(dataDir, day) {
    const engine = createEngine(openReader(dataDir), cacheBytes);
    const slices = [{ from: day * dayMs, to: (day + 1) * dayMs, filters: [], questions }];
    return engine.answer({ siteId: 1, currency: 'EUR', minorRates: {}, slices }, alone);
  },
};

export const run = async ([given]: readonly string[]): Promise<void> => {
  const hits = Number(given ?? defaultHits);
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-big-day-'));
  try {
    const db = openDatabase(dataDir);
    addSite(db, { domain: 'example.com' });
    db.close();
    const day = utcDayOf(Date.now());
    const imported = await importStep(dataDir, hits);
    const open = inChild<{ result: unknown }>('ask', dataDir, day);
    const sealing = inChild<{ result: unknown }>('seal', dataDir, day);
    const sealed = inChild<{ result: unknown }>('ask', dataDir, day);
    const rows = [
      imported,
      { name: 'read while open', ...open },
      { name: 'sealed', ...sealing },
      { name: 'read again', ...sealed },
    ];
    console.log(
      markdownTable(
        [`a day of ${hits.toLocaleString('en')} hits`, 'seconds', 'peak memory, MB'],
        rows.map(({ name, seconds, peakMb }) => [name, seconds.toFixed(1), `${peakMb}`]),
      ),
    );
    if (JSON.stringify(open.result) !== JSON.stringify(sealed.result)) throw new Error('the answers differ');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
};

const [step = '', dataDir = '', day = ''] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename) {
  const began = Date.now();
  const result = await steps[step]!(dataDir, Number(day));
  console.log(JSON.stringify({ result, seconds: (Date.now() - began) / 1000, peakMb: peakOf('self') }));
}
