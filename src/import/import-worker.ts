/** The thread that reads the lines of a large file. */
import { parentPort, workerData } from 'node:worker_threads';
import { noSides } from '../compat/import-rows.ts';
import { stepBack, waitingWork } from '../step-back.ts';
import { openChunkReader, type ReadReply, type ReadTask } from './chunk-reader.ts';
import type { Chunk } from './chunks.ts';
import { ImportProblem } from './problem.ts';

stepBack(waitingWork);
const port = parentPort!;
// What is wrong with the databases of places was told by the thread that began to read.
const reader = openChunkReader(workerData as ReadTask, noSides, () => {});

port.on('message', async ({ bytes, line }: { bytes: Uint8Array; line: number }) => {
  let reply: ReadReply;
  try {
    const chunk: Chunk = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), line };
    reply = { batch: await (await reader).read(chunk) };
  } catch (error) {
    reply = { problem: (error as Error).message, isExpected: error instanceof ImportProblem };
  }
  port.postMessage(reply, 'batch' in reply ? [reply.batch.hits.words.buffer as ArrayBuffer] : []);
});
