/** The built program as people run it, such as a process of its own with its default settings, asked over HTTP. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { packageRoot } from '../src/package-root.ts';
import { endChild, memoryOf, type ProcessMemory } from './child.ts';

const startMs = 60_000;
const answerMs = 60_000;

export const buildProgram = (): void => {
  execFileSync(process.execPath, ['.ci/build.mjs'], { cwd: packageRoot, stdio: 'inherit', timeout: startMs });
};

/**
 * Builds the program, and a program of the benches like it, beside it: to run as it is run by people. From the sources everything is slower, since
 * each function is given its name when it is made. Returns where it is.
 */
export const buildBench = (source: string): string => {
  buildProgram();
  const outfile = join(packageRoot, 'dist', source.replace(/\.ts$/, '.js'));
  buildSync({
    entryPoints: [join(packageRoot, source)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  });
  return outfile;
};

export interface Program {
  url: string;
  memory(): ProcessMemory;
  /** Ends it in an orderly way, or else by force. */
  stop(): Promise<void>;
}

/** Resolves when it listens. Throws when it ends before that, or does not come to it. */
export const startProgram = async (dataDir: string): Promise<Program> => {
  const program = join(packageRoot, 'dist', 'daybook.js');
  const child = spawn(process.execPath, [program, 'serve', '--data', dataDir, '--port', '0'], {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => /http:\S+/.exec(line as string)?.[0]),
    once(child, 'exit').then(() => undefined),
    wait(startMs, undefined, { ref: false }),
  ]);
  if (url === undefined) {
    await endChild(child);
    throw new Error(`The server did not listen within ${startMs / 1000} s.`);
  }
  return {
    url,
    memory: () => memoryOf(child),
    stop: () => endChild(child),
  };
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
