/**
 * What the pool and its threads say to each other, and the threads among themselves: plain data,
 * told apart by `kind`.
 */
import type { MessagePort } from 'node:worker_threads';
import type { DayPart, Part } from '../../store/day/part.ts';
import { QueryCanceled } from '../errors.ts';
import type { Query, Report } from '../query.ts';
import type { Contributions } from '../scanner.ts';
import type { DailyVisitors } from '../visitors/daily-visitors.ts';
import type { Duplicates } from '../visitors/find-duplicates.ts';

/** What the pool tells a thread. */
export type Order = Task | Connect;

/** One query with any number of slices. */
export interface Task {
  kind: 'task';
  /** Ascending from 1 and never given twice, so that no task is taken for a canceled one. */
  id: number;
  query: Query;
}

/** Another thread to share days with: its number, the way to it, and its `canceled`. */
export interface Connect {
  kind: 'connect';
  number: number;
  port: MessagePort;
  canceled: SharedArrayBuffer;
}

/**
 * What one thread asks of another. `id` is that of the task it is for, which waits for one thing at
 * a time.
 */
export type PeerRequest = Contribute | FindDuplicates;

interface Contribute {
  kind: 'contribute';
  id: number;
  query: Query;
  /** The asking thread's list: a day that came since is no part of its answer. */
  days: readonly DayPart[];
}

interface FindDuplicates {
  kind: 'findDuplicates';
  id: number;
  visitors: readonly DailyVisitors[];
  part: Part;
}

export type FoundBy<R extends PeerRequest> = R extends Contribute ? Contributions : Duplicates;

/** How the work of that id ended. */
export type Ended<Result> =
  | { kind: 'done'; id: number; result: Result }
  | { kind: 'failed'; id: number; canceled: boolean; message: string };

/**
 * Does some work and tells how it ended. Whatever goes wrong is told and never thrown: it concerns
 * this work alone.
 */
export const replyTo = async <Result>(
  id: number,
  isCanceled: () => boolean,
  work: (throwIfCanceled: () => void) => Result | Promise<Result>,
): Promise<Ended<Result>> => {
  const throwIfCanceled = (): void => {
    if (isCanceled()) throw new QueryCanceled();
  };
  try {
    return { kind: 'done', id, result: await work(throwIfCanceled) };
  } catch (error) {
    return { kind: 'failed', id, canceled: error instanceof QueryCanceled, message: (error as Error).message };
  }
};

/** What a thread tells the pool. */
export type TaskReply = Ended<Report>;

/** What threads tell each other. */
export type PeerMessage = PeerRequest | Ended<FoundBy<PeerRequest>>;

/** What a thread is started with. */
export interface WorkerSettings {
  dataDir: string;
  cacheBytesMax: number;
  /** Threads that days are divided between. */
  count: number;
  /** One Int32: the id of the newest task that nobody waits for any more. */
  canceled: SharedArrayBuffer;
}
