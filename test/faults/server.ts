/**
 * A server in a process of its own that can be killed, with a clock that the parent moves. Settings come from the environment, and with
 * ROLE which server of a cluster it is; the parent sends orders over the channel that Node gives a child.
 */
import { randomBytes } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { readConfig } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import { startAnswer } from '../../src/roles/answer.ts';
import { startCollect } from '../../src/roles/collect.ts';
import { startServer } from '../../src/server.ts';

export type Order = { kind: 'advance'; ms: number } | { kind: 'end-workers' } | { kind: 'stop' };
export type Message =
  | { kind: 'listening'; url: string }
  | { kind: 'advanced' }
  | { kind: 'workers-ended'; count: number };

let offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0);
/** Where it is set, the clock stands there, and only the parent moves it. */
const standsAt = process.env.CLOCK_STANDS_AT;
const now = (): number => (standsAt === undefined ? Date.now() : Number(standsAt)) + offsetMs;

const workers = new Set<Worker>();
process.on('worker', worker => {
  workers.add(worker);
  worker.once('exit', () => workers.delete(worker));
});

const say = (message: Message): void => void process.send?.(message);

const roles = { serve: startServer, collect: startCollect, answer: startAnswer };
const role = (process.env.ROLE ?? 'serve') as keyof typeof roles;

const server = await roles[role]({
  config: readConfig(process.env, {}),
  now,
  random: randomBytes,
  log: makeLog(process.stderr, now),
}).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
say({ kind: 'listening', url: server.url });

process.on('message', async (order: Order) => {
  if (order.kind === 'advance') {
    offsetMs += order.ms;
    say({ kind: 'advanced' });
  } else if (order.kind === 'end-workers') {
    const ending = [...workers];
    await Promise.all(ending.map(worker => worker.terminate()));
    say({ kind: 'workers-ended', count: ending.length });
  } else {
    await server.close();
    process.exit(0);
  }
});
// Nobody is there to give orders any more.
process.on('disconnect', () => process.exit(0));
