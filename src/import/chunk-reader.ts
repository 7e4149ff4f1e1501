/** Reads chunks of one table: in this thread, or in those that large files have for it. */

import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { openGeo } from '../collect/geo.ts';
import { type HitFormat, isLineFormat } from '../compat/import-format.ts';
import type { SideTables } from '../compat/import-rows.ts';
import type { Log } from '../log.ts';
import type { Site } from '../model/site.ts';
import { startWorker } from '../start-worker.ts';
import type { Between } from './between.ts';
import type { Chunk } from './chunks.ts';
import { formatNamed } from './formats.ts';
import { lineReader, type ReadBatch } from './line-reader.ts';
import { openPastPipeline, type PastSalts } from './past-pipeline.ts';
import { ImportProblem } from './problem.ts';
import { siteRows } from './site-rows.ts';
import { type Notation, readRows } from './tables.ts';

/** What to read; plain data. */
export interface ReadTask {
  site: Site;
  format: string;
  /** Name of the table, and how it is written. */
  file: string;
  writing: Notation;
  /** What the first row names as its site (site-rows.ts). */
  firstSite: string;
  /** Databases in place of those that ship, or null. */
  geo: { geoDb: string | null; geoAsnDb: string | null };
  salts: PastSalts;
  /** UTC milliseconds. */
  now: number;
  between: Between;
}

export interface ChunkReader {
  /** Reads a chunk. Rejects with ImportProblem. */
  read(chunk: Chunk): Promise<ReadBatch>;
  close(): Promise<void>;
}

/** Reads in this thread. */
export const openChunkReader = async (task: ReadTask, sides: SideTables, log: Log): Promise<ChunkReader> => {
  const { site, file, writing, salts, now, between } = task;
  const format = formatNamed(task.format) as HitFormat;
  const geo = isLineFormat(format) ? await openGeo({ ...task.geo, log }) : null;
  const reader = lineReader({ site, pipeline: openPastPipeline(site, geo, salts), now: () => now, between });
  const close = async (): Promise<void> => geo?.close();
  if (isLineFormat(format)) {
    const read = format.lines(site);
    return {
      async read({ bytes }) {
        for (const line of linesIn(bytes)) reader.add(read(line));
        return reader.take();
      },
      close,
    };
  }
  const read = format.rows(site, sides);
  const isMeant = siteRows(site, format.siteColumn, task.firstSite);
  return {
    async read(chunk) {
      readRows(chunk, writing, file, row => reader.add(isMeant(row) ? read(row) : 'unknown-site'));
      return reader.take();
    },
    close,
  };
};

/** Lines without their ends. Bytes that are no UTF-8 become U+FFFD. */
const linesIn = (bytes: Uint8Array): string[] => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return text.includes('\r') ? lines.map(line => (line.endsWith('\r') ? line.slice(0, -1) : line)) : lines;
};

export type ReadReply = { batch: ReadBatch } | { problem: string; isExpected: boolean };

/** Lines are objects for a moment each. */
const nurseryMb = 8;

/** More would take more memory, and wait for the thread that gathers what they read. */
const readersMax = 2;

/**
 * Reads in threads of its own, chunk by chunk in turn, while this thread gathers what is in them.
 * What is read comes in the order of the calls.
 */
export const startChunkReaders = (task: ReadTask): ChunkReader => {
  const readers = Array.from({ length: Math.min(readersMax, availableParallelism()) }, () => startReader(task));
  let next = 0;
  return {
    read: chunk => readers[next++ % readers.length]!.read(chunk),
    async close() {
      await Promise.all(readers.map(reader => reader.close()));
    },
  };
};

const startReader = (task: ReadTask): ChunkReader => {
  const worker: Worker = startWorker('import-worker', task, nurseryMb);
  const waiting: { resolve: (batch: ReadBatch) => void; reject: (error: Error) => void }[] = [];
  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.on('message', (reply: ReadReply) => {
    if ('batch' in reply) waiting.shift()!.resolve(reply.batch);
    else fail(reply.isExpected ? new ImportProblem(reply.problem) : new Error(reply.problem));
  });
  worker.on('error', fail);
  return {
    read: ({ bytes, line }) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        waiting.push({ resolve, reject });
        worker.postMessage({ bytes, line });
      }),
    async close() {
      await worker.terminate();
    },
  };
};
