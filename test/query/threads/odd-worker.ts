/** A worker that misbehaves as the site's number says: see pool.test.ts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, threadId } from 'node:worker_threads';
import type { Answer } from '../../../src/query/query.ts';
import { isCanceled, type TaskReply, type ThreadOrder } from '../../../src/query/threads/messages.ts';

const reply = (answer: TaskReply): void => parentPort!.postMessage(answer);

parentPort!.on('message', async (order: ThreadOrder) => {
  if (order.kind === 'connect') return;
  const { errand, query } = order;
  const { id } = errand;
  const behaviour = query.siteId;
  while (behaviour === 2 && !isCanceled(errand)) await nextTurn();
  while (behaviour === 3);
  if (behaviour === 2) return reply({ kind: 'failed', id, why: 'canceled', message: '' });
  if (behaviour === 5) return reply({ kind: 'failed', id, why: 'broken', message: 'it cannot be done' });
  if (behaviour === 4) {
    setImmediate(() => {
      throw new Error('out of the blue');
    });
    return;
  }
  const answer: Answer = { kind: 'firstHit', at: threadId };
  return reply({ kind: 'done', id, result: query.slices.map(({ questions }) => questions.map(() => answer)) });
});
