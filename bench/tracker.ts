/**
 * What the tracker costs a page, beside the trackers of Umami and Plausible and bare web-vitals:
 * bytes, and processor time while the page loads and for a while after, from Chromium's own trace.
 * Processor time, and not time on the clock, because the second says more about what else the
 * machine does than about the script.
 *
 *     npm run bench -- tracker [--rounds 9]
 *
 * The others come from the package registry into a temporary folder, and all scripts go through the
 * same minifier. Takes some two minutes, and gives up after four. A run with less than the defaults
 * is printed alone.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { minify } from 'terser';
import { bundleTracker } from '../.ci/tracker.mjs';
import { packageRoot } from '../src/package-root.ts';
import { openBrowser } from '../test/browser/chromium.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { median } from '../test/tools/statistics.ts';

interface Tracker {
  name: string;
  /** Package and version. */
  from: string;
  code: string;
  /** Attributes of its tag. */
  tag: string;
}

const umamiVersion = '2.10.0';
const plausibleVersion = '0.4.6';
const downloadMs = 60_000;
/**
 * How long a page is watched after it is loaded: a pageview waits for its title, for the probe, and
 * for its answer.
 */
const watchMs = 1500;
const deadlineMs = 240_000;

/** Downloads one package, without what it depends on. */
const fetchPackage = (dir: string, name: string): string => {
  const target = mkdtempSync(join(dir, 'package-'));
  const [file] = JSON.parse(
    execFileSync('npm', ['pack', name, '--json', '--pack-destination', target], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: downloadMs,
    }).toString(),
  ) as { filename: string }[];
  execFileSync('tar', ['xzf', join(target, file!.filename), '-C', target]);
  return join(target, 'package');
};

const minified = async (code: string, dir: string): Promise<string> => {
  const bundle = await build({
    stdin: { contents: code, resolveDir: dir },
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'chrome100',
    legalComments: 'none',
  });
  return (await minify(bundle.outputFiles[0]!.text, { ecma: 2020, compress: { passes: 3 } })).code!;
};

const vitalsAlone = `
  import { onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals';
  const vitals = {};
  for (const on of [onLCP, onINP, onCLS, onFCP, onTTFB]) on(({ name, value }) => { vitals[name] = value; });
  document.addEventListener('visibilitychange', () => navigator.sendBeacon('/e', JSON.stringify(vitals)));`;

const collectTrackers = async (dir: string): Promise<Tracker[]> => {
  const umami = fetchPackage(dir, `umami@${umamiVersion}`);
  const plausible = fetchPackage(dir, `@plausible-analytics/tracker@${plausibleVersion}`);
  const installed = JSON.parse(
    readFileSync(join(packageRoot, 'node_modules', 'web-vitals', 'package.json'), 'utf8'),
  ) as {
    version: string;
  };
  return [
    {
      name: 'Daybook',
      from: 'this version, web vitals included',
      code: await bundleTracker('tracker/main.ts'),
      tag: 'data-site="pk_live_000000000000000000000000"',
    },
    {
      name: 'Umami',
      from: `umami ${umamiVersion}`,
      code: await minified(readFileSync(join(umami, 'src/tracker/index.js'), 'utf8'), umami),
      tag: 'data-website-id="b59e9c65-ae32-47f1-8400-119fcf4861c4"',
    },
    {
      name: 'Plausible',
      from: `@plausible-analytics/tracker ${plausibleVersion}`,
      code: await minified(
        `import { init } from './plausible.js'; init({ domain: 'shop.example', endpoint: '/e', outboundLinks: true });`,
        plausible,
      ),
      tag: '',
    },
    {
      name: 'web-vitals alone',
      from: `web-vitals ${installed.version}`,
      code: await minified(vitalsAlone, packageRoot),
      tag: '',
    },
  ];
};

/** Every load has addresses of its own, by which the trace tells them apart. */
const scriptPath = (tracker: number, round: number): string => `/script/${tracker}/${round}/t.js`;

/** A page with enough on it to have vitals, the scripts, and a collector that takes everything. */
const servePages = async (trackers: Tracker[]): Promise<{ server: Server; origin: string }> => {
  const text = '<p>Some text to be laid out and painted.</p>'.repeat(200);
  const server = createServer((request, response) => {
    const [, kind, index, round] = request.url!.split('/');
    const tracker = trackers[Number(index)];
    if (kind === 'script') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(tracker!.code);
    } else if (kind === 'page') {
      const script = `<script async src="${scriptPath(Number(index), Number(round))}" ${tracker!.tag}></script>`;
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`<!doctype html><title>Page</title>${script}<h1>Page</h1>${text}`);
    } else {
      request.resume();
      response.writeHead(202, { 'content-type': 'application/json' }).end('{"m":"hash"}');
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.2', resolve));
  return { server, origin: `http://127.0.0.2:${(server.address() as AddressInfo).port}` };
};

/** One load in a browser context that has never seen the script. */
const load = async (browser: Browser, url: string): Promise<void> => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await sleep(watchMs);
  await context.close();
};

interface TraceEvent {
  name: string;
  /** Process and thread. */
  pid: number;
  tid: number;
  /** Microseconds on the clock: when it began, and how long it took. */
  ts: number;
  dur?: number;
  /** Microseconds of the thread's processor time. */
  tdur?: number;
  args?: { data?: { url?: string }; url?: string };
}

/** What Chromium's timeline holds of the scripts during a run. */
const traceScripts = async (browser: Browser, run: () => Promise<void>): Promise<TraceEvent[]> => {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(
      ...(value as unknown as TraceEvent[]).filter(
        event => scriptOf(event).includes('/script/') || event.name === 'RunMicrotasks',
      ),
    );
  });
  // No category more: those of V8 note every function, which costs more than the functions do.
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline'] },
  });
  await run();
  const complete = new Promise(resolve => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  return events;
};

/** The address of the script, of events that name one. */
const scriptOf = ({ args }: TraceEvent): string => args?.data?.url ?? args?.url ?? '';

interface Cost {
  /** Milliseconds of a thread beside the main one. */
  parseMs: number;
  /** Milliseconds of the main thread. */
  runMs: number;
  afterMs: number;
}

const costOf = (events: TraceEvent[], path: string): Cost => {
  const own = events.filter(event => scriptOf(event).endsWith(path));
  const named = (name: string): TraceEvent[] => own.filter(event => event.name === name);
  const [runs, calls] = [named('EvaluateScript'), named('FunctionCall')];
  // What goes on after an `await` names no script. The page has no other, and a process of its own.
  const continued = events.filter(
    ({ name, pid, tid, ts }) =>
      name === 'RunMicrotasks' &&
      runs.some(run => run.pid === pid && run.tid === tid) &&
      ![...runs, ...calls].some(call => call.pid === pid && call.ts <= ts && ts < call.ts + (call.dur ?? 0)),
  );
  return {
    parseMs: totalMs(named('v8.parseOnBackground')),
    runMs: totalMs(runs),
    afterMs: totalMs([...calls, ...continued]),
  };
};

const totalMs = (events: readonly TraceEvent[]): number =>
  events.reduce((sum, event) => sum + (event.tdur ?? 0) / 1000, 0);

/**
 * The costs of each tracker in each round. They take turns, so that what else the machine does is
 * spread over all.
 */
const measure = async (browser: Browser, origin: string, trackers: Tracker[], rounds: number): Promise<Cost[][]> => {
  // The first round warms up and does not count.
  const events = await traceScripts(browser, async () => {
    for (let round = 0; round <= rounds; round++) {
      for (const tracker of trackers.keys()) await load(browser, `${origin}/page/${tracker}/${round}/`);
    }
  });
  const counted = Array.from({ length: rounds }, (_, index) => index + 1);
  return trackers.map((_, tracker) => counted.map(round => costOf(events, scriptPath(tracker, round))));
};

/** Rejects when the work is not done in time. */
const inTime = async <Result>(work: Promise<Result>): Promise<Result> => {
  const giveUp = new AbortController();
  const late = sleep(deadlineMs, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(
      `The tracker was not measured within ${deadlineMs / 1000} s, and the page keeps its table. Try again on a machine with less to do, or with fewer --rounds.`,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    giveUp.abort();
    late.catch(() => {});
  }
};

const tableOf = (trackers: Tracker[], costs: Cost[][]): string => {
  const ms = (tracker: number, field: keyof Cost): number =>
    Number(median(costs[tracker]!.map(cost => cost[field])).toFixed(1));
  const rows = trackers.map(({ name, from, code }, tracker) => [
    `${name} (${from})`,
    code.length,
    gzipSync(code, { level: 9 }).length,
    brotliCompressSync(code).length,
    ms(tracker, 'parseMs'),
    ms(tracker, 'runMs'),
    ms(tracker, 'afterMs'),
  ]);
  const after = `next ${watchMs / 1000} s, ms`;
  return markdownTable(['script', 'bytes', 'gzip', 'brotli', 'parse, ms', 'run, ms', after], rows);
};

export const run = async (args: readonly string[]): Promise<void> => {
  const { rounds, isFull } = optionsOf(args, { rounds: 9 });
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number from 1 on.');
  const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const closing: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })];
  try {
    const trackers = await collectTrackers(dir);
    const { server, origin } = await servePages(trackers);
    closing.push(() => server.close());
    const { browser, close } = await openBrowser();
    closing.push(close);
    const costs = await inTime(measure(browser, origin, trackers, rounds));
    const how =
      `Chromium ${browser.version()}, medians of ${rounds} first loads, in processor time: parsing is done beside the main thread, ` +
      'the rest on it. A modest phone takes several times as long.';
    publish('tracker', `${tableOf(trackers, costs)}\n\n${how} ${machine(Date.now())}`, isFull);
  } finally {
    for (const close of closing.reverse()) await close();
  }
};
