/**
 * What the pool and its workers say to each other: one task in, one reply out, plain data. A new kind of task is a member of
 * `Task`, its result in `Results`, and a row of `handlers` in worker.ts. What workers ask of each other is in peers.ts.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Query, Report } from '../query.ts';
import type { SlotWords } from './core-slots.ts';
import type { RecordResults, RecordTask } from './record-tasks.ts';

export interface ReportTask {
  kind: 'report';
  query: Query;
}

export type Task = ReportTask | RecordTask;

export interface Results extends RecordResults {
  report: Report;
}

export type ResultOf<T extends Task> = Results[T['kind']];

export interface Job {
  /** Ascending from 1, so that no later job can be taken for a canceled one. */
  id: number;
  task: Task;
}

/** Another thread's number, the way to it, and its `canceled`. */
export interface Introduction {
  number: number;
  port: MessagePort;
  canceled: SharedArrayBuffer;
}

/** What the pool sends a thread. */
export type Order = Job | Introduction;

/** How the work of that id ended. */
export type ReplyOf<Result> =
  | { id: number; ok: true; result: Result }
  | { id: number; ok: false; canceled: boolean; message: string };

export type Reply = ReplyOf<ResultOf<Task>>;

/** What a worker is started with. */
export interface WorkerSettings {
  dataDir: string;
  cacheBytesMax: number;
  /** Threads that days are divided between. */
  count: number;
  slots: SlotWords;
  /** One Int32: the id of the newest job that nobody waits for any more. */
  canceled: SharedArrayBuffer;
}
