/**
 * What the tracker costs a page, beside the trackers of Umami and Plausible and bare web-vitals: bytes, and time of the main thread while
 * the page loads and for 3 s after. Measured by Chromium's own trace, on a CPU slowed down to that of a modest phone.
 *
 *     npm run bench -- tracker [--rounds 15] [--slowdown 4]
 *
 * The peers come from the package registry into a temporary folder, and all scripts go through the same minifier.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Browser, CDPSession } from 'playwright-core';
import { minify } from 'terser';
import { bundleTracker } from '../.ci/tracker.mjs';
import { packageRoot } from '../src/package-root.ts';
import { openBrowser } from '../test/browser/chromium.ts';
import { machine, markdownTable, publish } from './results.ts';

interface Peer {
  name: string;
  /** Package and version. */
  from: string;
  code: string;
  /** Attributes of its tag. */
  tag: string;
}

const umamiVersion = '2.10.0';
const plausibleVersion = '0.4.6';

/** Downloads one package, without what it depends on. */
const fetchPackage = (dir: string, name: string): string => {
  const target = mkdtempSync(join(dir, 'package-'));
  const [file] = JSON.parse(
    execFileSync('npm', ['pack', name, '--json', '--pack-destination', target], {
      stdio: ['ignore', 'pipe', 'ignore'],
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

const collectPeers = async (dir: string): Promise<Peer[]> => {
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
      code: await bundleTracker(),
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

/** A page with enough on it to have vitals, the scripts, and a collector that takes everything. */
const servePages = async (peers: Peer[]): Promise<{ server: Server; origin: string }> => {
  const text = '<p>Some text to be laid out and painted.</p>'.repeat(200);
  const server = createServer((request, response) => {
    const [, kind, index] = request.url!.split('/');
    const peer = peers[Number.parseInt(index ?? '', 10)];
    if (peer === undefined) {
      request.resume();
      response.writeHead(202, { 'content-type': 'application/json' }).end('{"m":"hash"}');
    } else if (kind === 'script') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(peer.code);
    } else {
      const script = `<script async src="/script/${index}/t.js" ${peer.tag}></script>`;
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(`<!doctype html><title>Page</title>${script}<h1>Page</h1>${text}`);
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.2', resolve));
  return { server, origin: `http://127.0.0.2:${(server.address() as AddressInfo).port}` };
};

interface Cost {
  /** Milliseconds of the main thread. */
  compileMs: number;
  runMs: number;
  afterMs: number;
}

interface TraceEvent {
  name: string;
  dur?: number;
  args: { data?: { url?: string }; fileName?: string };
}

const settleMs = 3000;

const trace = async (session: CDPSession, run: () => Promise<void>): Promise<TraceEvent[]> => {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: unknown[] }): void => {
    events.push(...(value as TraceEvent[]));
  };
  session.on('Tracing.dataCollected', collect);
  const includedCategories = ['devtools.timeline', 'v8', 'disabled-by-default-v8.compile'];
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await run();
  const complete = new Promise(resolve => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  session.off('Tracing.dataCollected', collect);
  return events;
};

/** One load in a browser context that has never seen the script. */
const measure = async (browser: Browser, url: string, slowdown: number): Promise<Cost> => {
  const session = await browser.newBrowserCDPSession();
  const context = await browser.newContext();
  const page = await context.newPage();
  const pageSession = await context.newCDPSession(page);
  await pageSession.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  const events = await trace(session, async () => {
    await page.goto(url);
    await sleep(settleMs);
  });
  await context.close();
  await session.detach();

  const total = (name: string): number =>
    events
      .filter(event => event.name === name && (event.args.data?.url ?? event.args.fileName ?? '').includes('/script/'))
      .reduce((sum, event) => sum + (event.dur ?? 0) / 1000, 0);
  const compileMs = total('v8.compile');
  // Evaluating contains compiling.
  return { compileMs, runMs: total('EvaluateScript') - compileMs, afterMs: total('FunctionCall') };
};

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

export const run = async (): Promise<void> => {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { rounds: { type: 'string', default: '15' }, slowdown: { type: 'string', default: '4' } },
  });
  const [rounds, slowdown] = [Number(values.rounds), Number(values.slowdown)];
  const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  try {
    const peers = await collectPeers(dir);
    const { server, origin } = await servePages(peers);
    const { browser, close } = await openBrowser();
    const costs: Cost[][] = peers.map(() => []);
    // Taking turns, so that what else the machine does is spread over all. The first round warms up and does not count.
    for (let round = 0; round <= rounds; round++) {
      for (const index of peers.keys()) {
        const cost = await measure(browser, `${origin}/page/${index}/`, slowdown);
        if (round > 0) costs[index]!.push(cost);
      }
    }
    const version = browser.version();
    await close();
    server.close();

    const ms = (index: number, field: keyof Cost): number =>
      Number(median(costs[index]!.map(cost => cost[field])).toFixed(1));
    const rows = peers.map(({ name, from, code }, index) => [
      `${name} (${from})`,
      code.length,
      gzipSync(code, { level: 9 }).length,
      brotliCompressSync(code).length,
      ms(index, 'compileMs'),
      ms(index, 'runMs'),
      ms(index, 'afterMs'),
    ]);
    const headings = ['script', 'bytes', 'gzip', 'brotli', 'compile, ms', 'run, ms', `next ${settleMs / 1000} s, ms`];
    const table = markdownTable(headings, rows);
    const how = `Chromium ${version}, CPU slowed down ${slowdown} times, medians of ${rounds} first loads.`;
    publish('tracker', `${table}\n\n${how} ${machine(Date.now())}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
