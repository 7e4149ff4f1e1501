/**
 * A thread that answers queries: its own read-only connection, its own caches, and several tasks
 * that work in turns.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { stepBack } from '../../step-back.ts';
import { openReader } from '../../store/database.ts';
import { createEngine } from '../engine.ts';
import { createGarbage } from './garbage.ts';
import { isCanceled, replyTo, type Task, type ThreadOrder, type WorkerSettings } from './messages.ts';
import { createPeers } from './peers.ts';
import { createTurns } from './turns.ts';

/**
 * From 0 to 19. With 7, a thread gets a fifth of what another one that wants the same processor
 * gets, so it is never starved. From 9 on some kernels take it for too light to deserve a processor
 * of its own, and the threads that share a question take turns on one.
 */
const niceness = 7;

stepBack(niceness);
const { dataDir, cacheBytesMax, foundBytesMax, count, arrivals } = workerData as WorkerSettings;
const arrived = new Int32Array(arrivals);
const port = parentPort!;
const engine = createEngine(openReader(dataDir), cacheBytesMax, { foundBytesMax, onGarbage: createGarbage() });
const turns = createTurns(() => Atomics.load(arrived, 0));
const peers = createPeers(count, engine, turns);

const answer = async ({ errand, query }: Task): Promise<void> => {
  const pace = turns.paceOf(errand.asker, () => isCanceled(errand));
  port.postMessage(await replyTo(errand.id, pace, pace => engine.answer(query, pace, peers.forErrand(errand))));
};

port.on('message', (order: ThreadOrder) => {
  if (order.kind === 'connect') peers.connect(order);
  else void answer(order);
});
