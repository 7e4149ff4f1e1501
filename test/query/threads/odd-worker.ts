/** A worker that misbehaves as the site's number says, or a question for the visit `broken` or `deadly`: see pool.test.ts. */
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { Answer } from '../../../src/query/query.ts';
import type { Order, Reply, WorkerSettings } from '../../../src/query/threads/messages.ts';

const flag = new Int32Array((workerData as WorkerSettings).canceled);
const reply = (answer: Reply): void => parentPort!.postMessage(answer);

parentPort!.on('message', (order: Order) => {
  if ('port' in order) return;
  const { id, task } = order;
  const behaviour = task.kind === 'report' ? task.query.siteId : task.siteId;
  while (behaviour === 2 && Atomics.load(flag, 0) !== id);
  while (behaviour === 3);
  if (behaviour === 2) return reply({ id, ok: false, canceled: true, message: '' });
  if (behaviour === 5) return reply({ id, ok: false, canceled: false, message: 'it cannot be done' });
  const slices = task.kind === 'report' ? task.query.slices : [];
  const asks = slices.flatMap(slice => slice.questions);
  const isAbout = (id: string): boolean => asks.some(ask => ask.kind === 'visitHits' && ask.id === id);
  if (behaviour === 4 || isAbout('deadly')) {
    setImmediate(() => {
      throw new Error('out of the blue');
    });
    return;
  }
  if (isAbout('broken')) return reply({ id, ok: false, canceled: false, message: 'it is broken' });
  const answer: Answer = { kind: 'edges', firstAt: threadId, lastAt: asks.length };
  return reply({
    id,
    ok: true,
    result: slices.map(slice => slice.questions.map(() => answer)),
  });
});
