/**
 * A thread that answers queries: its own read-only connection, its own caches, one task after
 * another.
 */
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openReader } from '../../store/database.ts';
import { createEngine } from '../engine.ts';
import { createGarbage } from './garbage.ts';
import { type Order, replyTo, type Task, type WorkerSettings } from './messages.ts';
import { createPeers } from './peers.ts';

/**
 * From 0 to 19. With 7, a thread gets a fifth of what another one that wants the same processor
 * gets, so it is never starved. From 9 on some kernels take it for too light to deserve a processor
 * of its own, and the threads that share a question take turns on one.
 */
const niceness = 7;

/**
 * Lets hits go first when they and questions want the same processor. Elsewhere than on Linux the
 * whole process would step back.
 */
const yieldToHits = (): void => {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.max(getPriority(), niceness));
  } catch {
    // Where it is forbidden, questions are answered all the same.
  }
};

yieldToHits();
const { dataDir, cacheBytesMax, count, canceled } = workerData as WorkerSettings;
const flag = new Int32Array(canceled);
const port = parentPort!;
const engine = createEngine(openReader(dataDir), cacheBytesMax, createGarbage());
const peers = createPeers(count, engine);

const answer = async ({ id, query }: Task): Promise<void> => {
  const isCanceled = (): boolean => Atomics.load(flag, 0) === id;
  port.postMessage(await replyTo(id, isCanceled, stop => engine.answer(query, stop, peers.forTask(id))));
};

port.on('message', (order: Order) => {
  if (order.kind === 'connect') peers.connect(order);
  else void answer(order);
});
