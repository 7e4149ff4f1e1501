/** A worker that misbehaves as the site's number says: see pool.test.ts. */
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { Answer } from '../../../src/query/query.ts';
import type { Order, TaskReply, WorkerSettings } from '../../../src/query/threads/messages.ts';

const flag = new Int32Array((workerData as WorkerSettings).canceled);
const reply = (answer: TaskReply): void => parentPort!.postMessage(answer);

parentPort!.on('message', (order: Order) => {
  if (order.kind === 'connect') return;
  const { id, query } = order;
  const behaviour = query.siteId;
  while (behaviour === 2 && Atomics.load(flag, 0) !== id);
  while (behaviour === 3);
  if (behaviour === 2) return reply({ kind: 'failed', id, canceled: true, message: '' });
  if (behaviour === 5) return reply({ kind: 'failed', id, canceled: false, message: 'it cannot be done' });
  if (behaviour === 4) {
    setImmediate(() => {
      throw new Error('out of the blue');
    });
    return;
  }
  const answer: Answer = { kind: 'firstHit', at: threadId };
  return reply({ kind: 'done', id, result: query.slices.map(({ questions }) => questions.map(() => answer)) });
});
