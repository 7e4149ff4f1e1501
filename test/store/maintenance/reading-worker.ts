/** A query thread whose questions take 50 ms each, all the while reading from the log: see checkpoints.test.ts. */
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { Report } from '../../../src/query/query.ts';
import type { TaskReply, ThreadOrder, WorkerSettings } from '../../../src/query/threads/messages.ts';
import { openReader } from '../../../src/store/database.ts';

const { dataDir } = workerData as WorkerSettings;
const db = openReader(dataDir);
const pause = new Int32Array(new SharedArrayBuffer(4));
const questionMs = 50;

const read = db.transaction(() => {
  db.prepare('select count(*) from site').get();
  Atomics.wait(pause, 0, 0, questionMs);
});

parentPort!.on('message', (order: ThreadOrder) => {
  if (order.kind === 'connect') return;
  const { id } = order.errand;
  read();
  const result: Report = [[{ kind: 'firstHit', at: threadId }]];
  const reply: TaskReply = { kind: 'done', id, result };
  parentPort!.postMessage(reply);
});
