/** Starts worker threads, and asks those that are asked one thing at a time. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { isExecutable, packageRoot, readShipped } from './package-root.ts';

/**
 * V8 frees the large buffers of what was short-lived sooner with a small nursery: questions about
 * 10 million hits take 80 MB less.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

/**
 * A thread that ends must not close what it opened of the database: that would drop the locks that
 * SQLite holds for the whole process.
 */
const usual = { resourceLimits, trackUnmanagedFds: false };

/**
 * A thread compiles its own code. Otherwise V8's shared threads compile while it goes on with slow
 * code: the first answers of each kind take up to twice as long. What runs before the first thread
 * starts is not concerned.
 */
const compileAlone = '--no-concurrent-recompilation';

/**
 * It compiles a function when it was called 2,000 times, not 400: a question that sums of days
 * answer is done before most of its functions have paid for that. Loops over hits are compiled as
 * soon as ever.
 */
const compileLater = '--invocation-count-for-maglev=2000';

/**
 * Starts a worker thread, `dist/<name>.js` as .ci/build.mjs names it, from the sources as well: a
 * thread that had to compile them would take half a second to start. The single executable holds it
 * as one script, `dist/<name>.cjs`. `nurseryMb` is for a thread that makes much and keeps little.
 */
export const startWorker = (name: string, workerData: unknown, nurseryMb?: number): Worker => {
  const options =
    nurseryMb === undefined ? usual : { ...usual, resourceLimits: { maxYoungGenerationSizeMb: nurseryMb } };
  for (const flag of [compileAlone, compileLater]) setFlagsFromString(flag);
  if (!isExecutable) return new Worker(join(packageRoot, 'dist', `${name}.js`), { ...options, workerData });
  return new Worker(readShipped(`dist/${name}.cjs`).toString(), { ...options, eval: true, workerData });
};

/** A thread's reply when it cannot do what it was asked. */
interface Failed {
  kind: 'failed';
  message: string;
}

export interface AskedThread<Request, Reply> {
  /**
   * Rejects when the thread cannot do what it was asked, or ends before it answers. Whoever asks
   * waits for the answer before the next question.
   */
  ask(request: Request): Promise<Exclude<Reply, Failed>>;
  /** Says something that has no answer. Does nothing while the thread does not run. */
  tell(request: Request): void;
  /** Asks it to end, and ends it after a time if it has not. */
  close(patienceMs?: number): Promise<void>;
}

/** A thread of `dist/<name>-worker.js`, started when first asked, and again after it ended. */
export const askedThread = <Request extends { kind: string }, Reply extends { kind: string }>(
  name: string,
  settingsOf: () => unknown,
): AskedThread<Request | { kind: 'close' }, Reply> => {
  let worker: Worker | undefined;
  const start = (): Worker => {
    const started = startWorker(`${name}-worker`, settingsOf());
    // Without this, an error that comes while nobody waits would end the server.
    started.on('error', () => {});
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };
  return {
    ask(request) {
      worker ??= start();
      return answerOf<Reply>(worker, name, request);
    },
    tell(request) {
      worker?.postMessage(request);
    },
    async close(patienceMs) {
      const ending = worker;
      if (ending === undefined) return;
      const ended = new Promise(resolve => ending.once('exit', resolve));
      ending.postMessage({ kind: 'close' });
      const timer = patienceMs === undefined ? undefined : setTimeout(() => void ending.terminate(), patienceMs);
      await ended;
      clearTimeout(timer);
    },
  };
};

const answerOf = <Reply extends { kind: string }>(
  thread: Worker,
  name: string,
  request: object,
): Promise<Exclude<Reply, Failed>> =>
  new Promise((resolve, reject) => {
    const settle = (result: Reply | Failed | Error): void => {
      thread.off('message', settle);
      thread.off('error', settle);
      thread.off('exit', onExit);
      if (result instanceof Error) reject(result);
      else if (result.kind === 'failed') reject(new Error((result as Failed).message));
      else resolve(result as Exclude<Reply, Failed>);
    };
    const onExit = (code: number): void => settle(new Error(`The ${name} thread ended with code ${code}.`));
    thread.on('message', settle);
    thread.on('error', settle);
    thread.on('exit', onExit);
    thread.postMessage(request);
  });
