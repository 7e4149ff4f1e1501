/** The built program as people run it: a process of its own with its default settings, asked over HTTP. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { packageRoot } from '../src/package-root.ts';

const startMs = 60_000;
const stopMs = 20_000;
const answerMs = 60_000;

/** What `npm start` and the service unit set. */
const startEnvironment = { MALLOC_MMAP_THRESHOLD_: '131072' };

export const buildProgram = (): void => {
  execFileSync(process.execPath, ['.ci/build.mjs'], { cwd: packageRoot, stdio: 'inherit', timeout: startMs });
};

export interface Program {
  url: string;
  /** The kernel's figures for the process and all its threads, in bytes: now, and the most since it started. */
  memory(): { resident: number; peak: number };
  /** Ends it in an orderly way, or else by force. */
  stop(): Promise<void>;
}

/** Resolves when it listens. Throws when it ends before that, or does not come to it. */
export const startProgram = async (dataDir: string): Promise<Program> => {
  const program = join(packageRoot, 'dist', 'daybook.js');
  const child = spawn(process.execPath, [program, 'serve', '--data', dataDir, '--port', '0'], {
    cwd: packageRoot,
    env: { ...process.env, ...startEnvironment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => /http:\S+/.exec(line as string)?.[0]),
    once(child, 'exit').then(() => undefined),
    wait(startMs, undefined, { ref: false }),
  ]);
  if (url === undefined) {
    await stop(child);
    throw new Error(`The server did not listen within ${startMs / 1000} s.`);
  }
  return {
    url,
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const bytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]) * 1024;
      return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
    },
    stop: () => stop(child),
  };
};

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const stop = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await ended;
  clearTimeout(timer);
};

export interface Client {
  /** Milliseconds to the last byte of the answer, which is read and dropped. Throws for any status but 200. */
  ask(path: string): Promise<number>;
  close(): void;
}

/** A client that keeps some connections open, as many as a browser does unless told otherwise. */
export const clientOf = (url: string, key: string, maxSockets = 6): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const headers = { authorization: `Bearer ${key}` };
  return {
    ask: path =>
      new Promise((resolve, reject) => {
        const began = performance.now();
        const sent = request(`${url}${path}`, { agent, headers, timeout: answerMs }, response => {
          response.resume();
          response.once('error', reject);
          response.once('end', () => {
            if (response.statusCode === 200) resolve(performance.now() - began);
            else reject(new Error(`${path} was answered with ${response.statusCode}.`));
          });
        });
        sent.once('timeout', () => sent.destroy(new Error(`${path} was not answered within ${answerMs / 1000} s.`)));
        sent.once('error', reject);
        sent.end();
      }),
    close: () => agent.destroy(),
  };
};
