/** Runs commands in this process, with streams, clock and randomness of the test's own. */
import { Readable } from 'node:stream';
import type { Context } from '../../src/cli/command.ts';
import { run } from '../../src/cli/run.ts';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** The JSON on stdout. */
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is for its test to know
  json: () => any;
}

export interface World {
  /** What stdin holds. */
  stdin?: string | Uint8Array | Readable;
  env?: Record<string, string>;
  now?: () => number;
  random?: (bytes: number) => Buffer;
  terminal?: boolean;
  signal?: AbortSignal;
  /** Sees each piece of stderr as it is written. */
  onStderr?: (text: string) => void;
}

export const testNow = Date.UTC(2026, 10, 20, 12);

/** Different bytes at every call, the same in every run. */
const countingRandom = (): ((bytes: number) => Buffer) => {
  let seed = 1;
  return bytes =>
    Buffer.from(
      Array.from({ length: bytes }, () => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
        return seed >>> 24;
      }),
    );
};
const random = countingRandom();

/** Runs `daybook` with arguments on a data directory. */
export const runCommand = async (dataDir: string, args: readonly string[], world: World = {}): Promise<Ran> => {
  const out = { stdout: '', stderr: '' };
  const { stdin = '', terminal = false } = world;
  const context: Context = {
    env: { DAYBOOK_DATA: dataDir, ...world.env },
    pid: 1,
    args,
    now: world.now ?? (() => testNow),
    random: world.random ?? random,
    stdin: stdin instanceof Readable ? stdin : Readable.from([Buffer.from(stdin)], { objectMode: false }),
    stdout: { write: text => (out.stdout += text) },
    stderr: {
      write: text => {
        out.stderr += text;
        world.onStderr?.(text);
      },
    },
    isTerminal: { stdin: terminal, stdout: terminal, stderr: terminal },
    signal: world.signal ?? new AbortController().signal,
  };
  const code = await run(context);
  return { code, ...out, json: () => JSON.parse(out.stdout) };
};
