/**
 * `npm run bench -- big-day [HITS]`: one day of very many hits. They are imported, and the day is read.
 * As many are written as a collector writes them, read while the day is open, sealed, and read again.
 * Each is done in a process of its own. Prints how long that takes, and the most memory that each
 * process had; a day of the default size is published. Fails unless the open and the sealed day answer
 * the same.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chanceFrom } from '../src/cli/demo/random.ts';
import type { Property } from '../src/model/hit.ts';
import { dayMs, utcDayOf } from '../src/model/time.ts';
import { packageRoot } from '../src/package-root.ts';
import { createEngine } from '../src/query/engine.ts';
import { alone } from '../src/query/pace.ts';
import type { Question } from '../src/query/query.ts';
import { headline, topValues } from '../src/query/usual-questions.ts';
import { openDatabase, openReader } from '../src/store/database.ts';
import { sealAll } from '../src/store/day/seal.ts';
import { type Entry, recorder } from '../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, visitRecord } from '../test/helpers.ts';
import { builtProgram } from '../test/tools/build.ts';
import { hasEnded } from '../test/tools/children.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';

const defaultHits = 20_000_000;
const cacheBytes = 96 * 1024 * 1024;
const linesAtOnce = 1000;

const questions: Question[] = [
  headline,
  topValues('path', 10),
  topValues('country', 10),
  { kind: 'events', limit: 10, bounds: null },
  { kind: 'propertyKeys', limit: 10 },
];

interface MadeHit {
  visitor: number;
  /** Where it is in the day, from 0 to 1. */
  part: number;
  path: string;
  song: { name: string; seconds: number } | null;
}

/** Hits of the day in the order of time: some four a visitor, a tenth of them events with properties. */
function* madeHits(hits: number): Generator<MadeHit> {
  const { below, is } = chanceFrom(7);
  const visitors = visitorsOf(hits);
  for (let i = 0; i < hits; i++)
    yield {
      visitor: Math.floor((i / hits) * visitors * 0.9) + below(Math.ceil(visitors / 10)),
      part: i / hits,
      path: `/p/${Math.floor(below(200) ** 2 / 10)}`,
      song: is(0.1) ? { name: `s${below(500)}`, seconds: below(10_000) / 10 } : null,
    };
}

const visitorsOf = (hits: number): number => Math.ceil(hits / 4);

/** A thousand at a time. */
function* lines(hits: number, from: number, to: number): Generator<string> {
  let some: string[] = [];
  for (const { visitor, part, path, song } of madeHits(hits)) {
    const at = new Date(from + Math.floor((to - from) * part)).toISOString();
    const ip = `10.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
    const event = song === null ? {} : { n: 'Play', p: { song: song.name, seconds: song.seconds } };
    const hit = { u: `https://example.com${path}`, ...event };
    some.push(`${JSON.stringify({ at, ip, ua: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', hit })}\n`);
    if (some.length < linesAtOnce) continue;
    yield some.join('');
    some = [];
  }
  yield some.join('');
}

/** As many as fill the collector's batches under a great load. */
const batch = 9000;

/** Writes the rows of the day as a collector does, which has found out whose they are. */
const collect = (dataDir: string, day: number, hits: number): void => {
  const db = openDatabase(dataDir);
  const { write } = recorder(db);
  const isKnown = new Uint8Array(visitorsOf(hits) + 1);
  let entries: Entry[] = [];
  for (const { visitor, part, path, song } of madeHits(hits)) {
    const of = { siteId: 1, day, visitId: visitor + 1, at: day * dayMs + Math.floor(part * dayMs) };
    const hash = Buffer.alloc(8);
    hash.writeUInt32BE(Math.imul(visitor, 0x9e3779b1) >>> 0);
    hash.writeUInt32BE(visitor, 4);
    const begun =
      isKnown[visitor] === 1 ? undefined : visitRecord({ ...of, id: of.visitId, visitor: hash, country: 'DE' });
    isKnown[visitor] = 1;
    const page = { ...of, path, title: path };
    const properties: Property[] =
      song === null
        ? []
        : [
            { key: 'song', type: 'string', value: song.name },
            { key: 'seconds', type: 'number', value: song.seconds },
          ];
    const hit = song === null ? page : { ...page, type: 'custom' as const, event: 'Play', properties };
    entries.push(recordedEntry(hitRecord(hit), begun));
    if (entries.length < batch) continue;
    write(entries);
    entries = [];
    db.pragma('wal_checkpoint(passive)'); // which a thread of the server does
  }
  write(entries);
  db.pragma('wal_checkpoint(truncate)');
  db.close();
};

/** In MB, of a process; 0 of one that is ending. */
const peakOf = (pid: number | 'self'): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000);

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
    if (!hasEnded(child)) peakMb = Math.max(peakMb, peakOf(child.pid!));
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
const inChild = <Result>(step: string, dataDir: string, day: number, hits: number): Result & Omit<Step, 'name'> =>
  JSON.parse(
    execFileSync(process.execPath, ['--import', 'tsx', import.meta.filename, step, dataDir, `${day}`, `${hits}`], {
      cwd: packageRoot,
      stdio: ['ignore', 'pipe', 'inherit'],
    }).toString(),
  );

/** What the processes do that `inChild` starts. */
const steps: Record<string, (dataDir: string, day: number, hits: number) => unknown> = {
  collect,
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
  const root = mkdtempSync(join(tmpdir(), 'daybook-big-day-'));
  const [forImport, forRows] = ['imported', 'collected'].map(name => join(root, name)) as [string, string];
  try {
    for (const dataDir of [forImport, forRows]) {
      const db = openDatabase(dataDir);
      addSite(db, { domain: 'example.com' });
      db.close();
    }
    const day = utcDayOf(Date.now());
    const imported = await importStep(forImport, hits);
    const read = inChild('ask', forImport, day, hits);
    rmSync(forImport, { recursive: true });
    const collected = inChild('collect', forRows, day, hits);
    const open = inChild<{ result: unknown }>('ask', forRows, day, hits);
    const sealing = inChild('seal', forRows, day, hits);
    const sealed = inChild<{ result: unknown }>('ask', forRows, day, hits);
    const rows = [
      imported,
      { name: 'imported day read', ...read },
      { name: 'written as rows', ...collected },
      { name: 'read while open', ...open },
      { name: 'sealed', ...sealing },
      { name: 'read again', ...sealed },
    ];
    if (JSON.stringify(open.result) !== JSON.stringify(sealed.result)) throw new Error('the answers differ');
    const table = markdownTable(
      [`a day of ${hits.toLocaleString('en')} hits`, 'seconds', 'peak memory, MB'],
      rows.map(({ name, seconds, peakMb }) => [name, Math.round(seconds * 10) / 10, peakMb]),
    );
    publish('big-day', `${table}\n\nOne thread reads here. ${machine(Date.now())}`, hits === defaultHits);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

const [step = '', dataDir = '', day = '', hits = ''] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename) {
  const began = Date.now();
  const result = await steps[step]!(dataDir, Number(day), Number(hits));
  console.log(JSON.stringify({ result, seconds: (Date.now() - began) / 1000, peakMb: peakOf('self') }));
}
