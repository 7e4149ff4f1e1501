/**
 * `npm test [-- PATTERN]`: runs the test files whose path below test/ matches a regular expression,
 * without one all but the long ones (tried.mjs); `npm run test:long [-- PATTERN]` runs those, and
 * `npm run test:browser [-- PATTERN]` those of test/browser/. Of both, `--since=COMMIT` runs those alone
 * that try what has changed since. Workers take the files from a queue. A line for each has its seconds,
 * and those of the processor. What fails is printed whole; the last line counts the tests.
 *
 * The files are bundled first, because from the sources everything takes half as long again: each
 * function is given its name whenever it is made.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { isLong, triedSince } from './tried.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const worker = fileURLToPath(new URL('test-worker.mjs', import.meta.url));
/** A file that takes longer hangs. */
const fileMs = 240_000;
/** The longest files, which begin first so that no core waits for them in the end. */
const longest =
  /^(main|cluster|attack|faults|fuzz|import|reports|round|worlds)|query.(engine|rollup)|api.(agree|fair|openapi)|copies|dashboard.(rights|share)|dashboard-(axe|keyboard|look|mended|site\.|pages|ta|te)|tracker-(sc|a|l)/;

const flags = process.argv.slice(2).filter(argument => argument.startsWith('--'));
const [asked] = process.argv.slice(2).filter(argument => !argument.startsWith('--'));
const isBrowser = flags.includes('--browser');
const since = flags.find(flag => flag.startsWith('--since='))?.slice('--since='.length);
const isTriedAnew = since === undefined ? () => true : triedSince(since);
const pattern = new RegExp(asked ?? '');
const isWanted = file =>
  pattern.test(file) &&
  file.startsWith('browser/') === isBrowser &&
  (flags.includes('--long') ? isLong(file) : asked !== undefined || !isLong(file)) &&
  isTriedAnew(file);
// Most files also wait for programs of their own. Chromium has threads of its own, and pages wait a quarter of the time.
const workers = availableParallelism() + (isBrowser ? 1 : 2);

const files = readdirSync(new URL('../test', import.meta.url), { recursive: true })
  .filter(file => file.endsWith('.test.ts') && isWanted(file))
  .sort((a, b) => longest.test(b) - longest.test(a) || (a < b ? -1 : 1));

/** In memory where there is plenty: else much of the time goes into waits until a disk has written. */
const memoryDir = '/dev/shm';
const freeBytesMin = 4e9;
const place = () => {
  try {
    const { bavail, bsize } = statfsSync(memoryDir);
    return bavail * bsize > freeBytesMin ? memoryDir : tmpdir();
  } catch {
    return tmpdir();
  }
};

const isRunning = pid => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** A directory for all that the tests write, which goes with this process; those of killed runs go now. */
const makeScratch = () => {
  const dir = place();
  for (const name of readdirSync(dir)) {
    const [, pid] = /^daybook-tests-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(dir, name), { recursive: true, force: true });
  }
  const scratch = mkdtempSync(join(dir, `daybook-tests-${process.pid}-`));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  return scratch;
};

/** Scripts are not bundled: they find files beside them. */
const scriptsOutside = {
  name: 'scripts',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\.mjs$/ }, ({ path, resolveDir }) => ({
      path: new URL(path, `${pathToFileURL(resolveDir)}/`).href,
      external: true,
    })),
};

const bundleTests = () =>
  build({
    entryPoints: files.map(file => `test/${file}`),
    absWorkingDir: root,
    outdir: 'dist/test',
    outbase: 'test',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    plugins: [scriptsOutside],
    sourcemap: true,
    logLevel: 'warning',
  });

/** Names lines of the sources in a stack. Node itself would read the maps of all that it loads. */
const withSources = output =>
  output.replace(/(?:file:\/\/)?(\/\S+\.js):(\d+):(\d+)/g, (place, path, line, column) => {
    try {
      const { fileName, lineNumber, columnNumber } = new SourceMap(
        JSON.parse(readFileSync(`${path}.map`, 'utf8')),
      ).findOrigin(Number(line), Number(column));
      return `${join(dirname(path), fileName)}:${lineNumber}:${columnNumber}`;
    } catch {
      // It was not bundled here.
      return place;
    }
  });

/** Runs a file in the child. Resolves to its counts, and to what it printed if it failed. */
const runFile = (child, file) =>
  new Promise(resolve => {
    let output = '';
    const collect = chunk => {
      output += chunk;
    };
    const end = result => {
      clearTimeout(timer);
      child.stdout.off('data', collect);
      child.stderr.off('data', collect);
      child.off('message', passOn);
      child.off('close', crash);
      resolve({ ...result, output });
    };
    // What it printed before it said this has come by the next turn.
    const passOn = result => setImmediate(() => end(result));
    const crash = (code, signal) => {
      output += `\n  It ended with ${code ?? signal} before its tests did.\n`;
      end({ passed: 0, failed: 1, skipped: 0 });
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), fileMs);
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('message', passOn);
    child.once('close', crash);
    child.send(file);
  });

const scratch = makeScratch();
const startWorker = () =>
  fork(worker, {
    cwd: root,
    // Every program and thread that tests start compiles the same code: the first keeps it for the others.
    env: { ...process.env, TMPDIR: scratch, TEST_RUN_DIR: scratch, NODE_COMPILE_CACHE: join(scratch, 'compiled') },
    // Fewer collections of garbage.
    execArgv: ['--max-semi-space-size=32'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });

/**
 * Seconds of processor time of a process and of its children that have ended, where the system tells
 * (Linux). Unlike the clock's, they hardly depend on what else runs.
 */
const processorSeconds = pid => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 15);
    return fields.reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return Number.NaN;
  }
};

const total = { passed: 0, failed: 0, skipped: 0 };

const work = async () => {
  let child = null;
  for (let file = files.shift(); file !== undefined; file = files.shift()) {
    if (child === null || !child.connected) child = startWorker();
    const began = performance.now();
    const spent = processorSeconds(child.pid);
    const { output, ...counts } = await runFile(child, file);
    for (const name of Object.keys(total)) total[name] += counts[name];
    const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(5);
    const processor = (processorSeconds(child.pid) - spent).toFixed(1).padStart(5);
    const failed = counts.failed > 0;
    console.log(
      `${seconds} s ${processor} s  ${failed ? 'FAILED ' : ''}${file}${failed ? `\n${withSources(output)}` : ''}`,
    );
  }
  if (child?.connected) child.disconnect();
};

if (files.length === 0) {
  console.log(since === undefined ? `No test file matches ${pattern}.` : 'Nothing that these tests try has changed.');
  process.exit(since === undefined ? 1 : 0);
}
await bundleTests();
await Promise.all(Array.from({ length: workers }, work));

const { passed, failed, skipped } = total;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || (skipped > 0 && process.env.CI) ? 1 : 0;
