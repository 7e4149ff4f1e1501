/**
 * What the pool and its threads say to each other, and the threads among themselves: plain data,
 * told apart by `kind`.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Part } from '../../store/day/part.ts';
import { QueryCanceled, type QueryError, QueryFailed, QueryTooLarge } from '../errors.ts';
import type { Pace } from '../pace.ts';
import type { Query, Report } from '../query.ts';
import type { AskedPart, Contributions } from '../scanner.ts';
import type { DailyVisitors } from '../visitors/daily-visitors.ts';
import type { Duplicates } from '../visitors/find-duplicates.ts';
import type { Asker } from './askers.ts';

/** What the pool tells a thread. */
export type ThreadOrder = Task | Connect;

/** What somebody asked, as all threads that work on it know it. */
export interface Errand {
  /** Never given twice. */
  id: number;
  asker: Asker;
  /** One Int32: 1 once nobody waits for it any more. */
  canceled: SharedArrayBuffer;
}

/** One query with any number of slices. */
export interface Task {
  kind: 'task';
  errand: Errand;
  query: Query;
}

/** Another thread to share days with: its number, the way to it, and its `arrivals`. */
export interface Connect {
  kind: 'connect';
  number: number;
  port: MessagePort;
  arrivals: SharedArrayBuffer;
}

/** What one thread asks of another. A task waits for one thing at a time. */
export type PeerRequest = Contribute | FindDuplicates;

interface Contribute {
  kind: 'contribute';
  errand: Errand;
  query: Query;
  /** The asking thread's list: a day that came since is no part of its answer. */
  days: readonly AskedPart[];
}

interface FindDuplicates {
  kind: 'findDuplicates';
  errand: Errand;
  visitors: readonly DailyVisitors[];
  part: Part;
}

export type FoundBy<R extends PeerRequest> = R extends Contribute ? Contributions : Duplicates;

/** How the work on the errand of that id ended. */
export type Ended<Result> =
  | { kind: 'done'; id: number; result: Result }
  | { kind: 'failed'; id: number; why: 'canceled' | 'too large' | 'broken'; message: string };

export const isCanceled = ({ canceled }: Errand): boolean => Atomics.load(new Int32Array(canceled), 0) === 1;

export const cancel = ({ canceled }: Errand): void => {
  Atomics.store(new Int32Array(canceled), 0, 1);
};

/** Sends a message to a thread, which then knows that one has arrived. */
export const send = <Message>(
  to: { postMessage(message: Message, ports: readonly MessagePort[]): void },
  arrivals: SharedArrayBuffer,
  message: Message,
  ...ports: MessagePort[]
): void => {
  to.postMessage(message, ports);
  Atomics.add(new Int32Array(arrivals), 0, 1);
};

/**
 * Does some work from its first turn on, and tells how it ended. Whatever goes wrong is told and
 * never thrown: it concerns this work alone.
 */
export const replyTo = async <Result>(
  id: number,
  pace: Pace,
  work: (pace: Pace) => Promise<Result>,
): Promise<Ended<Result>> => {
  try {
    await pace.turn();
    return { kind: 'done', id, result: await work(pace) };
  } catch (error) {
    return { kind: 'failed', id, why: whyOf(error), message: (error as Error).message };
  }
};

type Failed = Extract<Ended<never>, { kind: 'failed' }>;

const whyOf = (error: unknown): Failed['why'] => {
  if (error instanceof QueryCanceled) return 'canceled';
  return error instanceof QueryTooLarge ? 'too large' : 'broken';
};

/** The error that some work told of. */
export const errorOf = ({ why, message }: Failed): QueryError => {
  if (why === 'canceled') return new QueryCanceled();
  return why === 'too large' ? new QueryTooLarge() : new QueryFailed(message);
};

/** What a thread tells the pool. */
export type TaskReply = Ended<Report>;

/** What threads tell each other. */
export type PeerMessage = PeerRequest | Ended<FoundBy<PeerRequest>>;

/** What a thread is started with. */
export interface WorkerSettings {
  dataDir: string;
  cacheBytesMax: number;
  /** What the thread may find out for one query, in bytes. */
  foundBytesMax: number;
  /** Threads that days are divided between. */
  count: number;
  /** One Int32: how many messages have been sent to the thread. */
  arrivals: SharedArrayBuffer;
}
