/** A thread that answers queries: its own read-only connection, its own caches, one job after another. */
import { getPriority, setPriority } from 'node:os';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { openReader } from '../../store/database.ts';
import { createEngine } from '../engine.ts';
import { slotTaker } from './core-slots.ts';
import { createGarbage } from './garbage.ts';
import type { Job, Order, Reply, Results, Task, WorkerSettings } from './messages.ts';
import { createPeers } from './peers.ts';
import { recordReader } from './record-tasks.ts';
import { replyTo } from './reply.ts';

/**
 * From 0 to 19: with 7, a thread gets a fifth of what another that wants the same processor gets, so that it is never starved. From 9 on some kernels
 * take it for too light to be worth a processor of its own, and the threads that share a question take turns on one.
 */
const niceness = 7;

/** Has hits go first where they and questions want the same processor. Elsewhere than on Linux it would be the whole process that steps back. */
const yieldToHits = (): void => {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.max(getPriority(), niceness));
  } catch {
    // Where it is forbidden, questions are answered all the same.
  }
};

yieldToHits();
const { dataDir, cacheBytesMax, count, slots, canceled } = workerData as WorkerSettings;
const flag = new Int32Array(canceled);
const port = parentPort!;
const db = openReader(dataDir);
const engine = createEngine(db, cacheBytesMax, slotTaker(slots, threadId), createGarbage());
const peers = createPeers(count, engine);
const records = recordReader(db);

/** `id` is the job's. */
type Handler<T extends Task> = (
  task: T,
  throwIfCanceled: () => void,
  id: number,
) => Results[T['kind']] | Promise<Results[T['kind']]>;
type Handlers = { [K in Task['kind']]: Handler<Extract<Task, { kind: K }>> };

const handlers: Handlers = {
  report: ({ query }, throwIfCanceled, id) => engine.answer(query, throwIfCanceled, peers.forJob(id)),
  ...records,
};

const perform = ({ id, task }: Job): Promise<Reply> => {
  // The table gives each kind its own handler, which is more than the type of an indexed table can say.
  const handle = handlers[task.kind] as Handler<Task>;
  const isCanceled = (): boolean => Atomics.load(flag, 0) === id;
  return replyTo(id, isCanceled, throwIfCanceled => handle(task, throwIfCanceled, id));
};

port.on('message', async (order: Order) => {
  if ('port' in order) peers.meet(order);
  else port.postMessage(await perform(order));
});
