/** Starts servers as processes of their own, waits for them, and ends them gently or not. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lazy } from '../../src/model/remember.ts';
import { packageRoot } from '../../src/package-root.ts';
import { allocatorSettings, bundled } from '../tools/build.ts';
import { hasEnded } from '../tools/children.ts';
import type { Message, Order } from './server.ts';

export interface Server {
  url: string;
  pid: number;
  /** Everything it logged so far. */
  log: () => string;
  /** Moves its clock; negative sets it back. Resolves when it has moved. */
  advance(ms: number): Promise<void>;
  /** Ends its worker threads as a crash would; resolves to how many there were. */
  endWorkers(): Promise<number>;
  /** Whether the process runs. */
  alive(): boolean;
  /** kill -9. */
  kill(): Promise<void>;
  /** As a supervisor stops it; throws when that takes a minute. */
  stop(): Promise<void>;
}

export interface ServerSettings {
  dataDir: string;
  /** How far its clock is ahead. */
  offsetMs?: number;
  env?: Record<string, string>;
  /** What stands before `node`, such as prlimit with its arguments. */
  wrapper?: readonly string[];
}

/** The server did not start: the message is what it said. */
export class NotStarted extends Error {}

const stopMs = 60_000;
/** Places cost 130 MB and a moment at each start, and say nothing about faults. */
const noGeo = '/dev/null';

const serverProgram = lazy(() => bundled('test/faults/server.ts'));

const spawnServer = ({ dataDir, offsetMs = 0, env = {}, wrapper = [] }: ServerSettings): ChildProcess => {
  const [command, ...args] = [...wrapper, process.execPath, serverProgram()];
  return spawn(command!, args, {
    cwd: packageRoot,
    env: {
      ...process.env,
      ...allocatorSettings,
      DAYBOOK_DATA: dataDir,
      PORT: '0',
      GEO_DB: noGeo,
      CLOCK_OFFSET_MS: String(offsetMs),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
};

/** Resolves when it listens; throws NotStarted when it ended before that. */
export const start = async (settings: ServerSettings): Promise<Server> => {
  const child = spawnServer(settings);
  let log = '';
  child.stderr!.on('data', text => (log += text));
  const exit = once(child, 'exit');
  const order = (order: Order): void => void child.send(order, () => {});
  const url = await Promise.race([
    nextOf(child, 'listening').then(message => message.url),
    exit.then(() => {
      throw new NotStarted(log.trim());
    }),
  ]);
  const end = async (work: () => void): Promise<number | null> => {
    work();
    const [code] = await exit;
    return code;
  };
  return {
    url,
    pid: child.pid!,
    log: () => log,
    async advance(ms) {
      const moved = nextOf(child, 'advanced');
      order({ kind: 'advance', ms });
      await moved;
    },
    async endWorkers() {
      const ended = nextOf(child, 'workers-ended');
      order({ kind: 'end-workers' });
      return (await ended).count;
    },
    alive: () => !hasEnded(child),
    kill: async () => void (await end(() => child.kill('SIGKILL'))),
    async stop() {
      const impatient = setTimeout(() => child.kill('SIGKILL'), stopMs);
      const code = await end(() => order({ kind: 'stop' }));
      clearTimeout(impatient);
      if (code === null) throw new Error('The server did not stop.');
    },
  };
};

/** Starts a server and kills it after a time, wherever it is by then. */
export const startAndKill = async (settings: ServerSettings, afterMs: number): Promise<void> => {
  const child = spawnServer(settings);
  child.stderr!.resume();
  const exit = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  await exit;
  clearTimeout(timer);
};

/** Runs a program to its end, or kills it after a time; resolves to its exit code, null when it was killed. */
export const runProgram = async (
  program: string,
  args: readonly string[],
  killAfterMs: number | null = null,
): Promise<{ code: number | null; said: string }> => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (said += text));
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code, said };
};

const nextOf = <K extends Message['kind']>(child: ChildProcess, kind: K): Promise<Extract<Message, { kind: K }>> =>
  new Promise(resolve => {
    const listen = (message: Message): void => {
      if (message.kind !== kind) return;
      child.off('message', listen);
      resolve(message as Extract<Message, { kind: K }>);
    };
    child.on('message', listen);
  });
