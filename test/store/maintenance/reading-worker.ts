/** A query thread whose questions take 50 ms each, all the while reading from the log: see checkpoints.test.ts. */
import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { Order, Reply, WorkerSettings } from '../../../src/query/threads/messages.ts';
import { openReader } from '../../../src/store/database.ts';

const { dataDir } = workerData as WorkerSettings;
const db = openReader(dataDir);
const pause = new Int32Array(new SharedArrayBuffer(4));
const questionMs = 50;

const read = db.transaction(() => {
  db.prepare('select count(*) from site').get();
  Atomics.wait(pause, 0, 0, questionMs);
});

parentPort!.on('message', (order: Order) => {
  if ('port' in order) return;
  const { id } = order;
  read();
  const reply: Reply = { id, ok: true, result: [[{ kind: 'edges', firstAt: threadId, lastAt: null }]] };
  parentPort!.postMessage(reply);
});
