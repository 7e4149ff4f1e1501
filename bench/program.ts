/**
 * The built program as people run it: a process of its own with its default settings, asked over
 * HTTP.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { packageRoot } from '../src/package-root.ts';
import { allocatorSettings, builtProgram } from '../test/tools/build.ts';
import { endChild, hasEnded, memoryOf, type ProcessMemory, processorSecondsOf } from '../test/tools/children.ts';

const startMs = 60_000;
const answerMs = 60_000;
const connections = 6;

export interface Program {
  url: string;
  memory(): ProcessMemory;
  /** Processor time since it started, all threads together. */
  processorSeconds(): number;
  /** Ends it in an orderly way, or else by force. */
  stop(): Promise<void>;
}

/** Resolves when it listens. Throws when it ends before that, or does not come to it. */
export const startProgram = async (dataDir: string): Promise<Program> => {
  const { url, process: child } = await startServer([builtProgram, 'serve', '--data', dataDir, '--port', '0']);
  return {
    url,
    memory: () => memoryOf(child),
    processorSeconds: () => processorSecondsOf(child),
    stop: () => endChild(child),
  };
};

export interface StartedServer {
  process: ChildProcess;
  url: string;
}

/**
 * Starts a server that says in its first line where it is; `wrapper` stands before `node`. Throws when it ends before that, or does
 * not come to it.
 */
export const startServer = async (
  args: readonly string[],
  wrapper: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<StartedServer> => {
  const [command, ...rest] = [...wrapper, process.execPath, ...args];
  const child = spawn(command!, rest, {
    cwd: packageRoot,
    env: { ...process.env, ...allocatorSettings, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => text as string),
    once(child, 'exit').then(() => ''),
    wait(startMs, '', { ref: false }),
  ]);
  const [url] = /http:\S+/.exec(line) ?? [];
  if (url !== undefined) return { process: child, url };
  const what = hasEnded(child) ? 'ended before it listened' : `did not say within ${startMs / 1000} s where it listens`;
  await endChild(child);
  throw new Error(`The server ${what}.`);
};

export interface Client {
  /**
   * Milliseconds to the last byte of the answer, which is read and dropped. Throws for any status
   * but 200.
   */
  ask(path: string): Promise<number>;
  close(): void;
}

/** A client with that header, which keeps some connections open, as many as a browser does. */
export const clientOf = (url: string, authorization: string): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { authorization };
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
