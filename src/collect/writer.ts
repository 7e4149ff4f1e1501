/**
 * Group commit: hits that arrive during one turn of the event loop go into one transaction, whose log is then synced in
 * libuv's thread pool while the next batch gathers; only then are they acknowledged. That next batch is committed first
 * and its sync begun, so that the disk never waits for answers to be sent. There is no timer in a hit's way: a quiet
 * server answers at once, a busy one makes larger batches.
 *
 *     submit -> queue -> one transaction -> one sync -> done
 *
 * Notes, the counts of ignored and refused hits that nobody waits for, ride along with the next batch or follow within
 * a second.
 */
import { type Log, reasonOf } from '../log.ts';
import { Histogram } from '../model/histogram.ts';
import type { Outcome } from '../model/outcomes.ts';
import { isLocked, type LogSync } from '../store/database.ts';
import type { DiskCheck } from '../store/maintenance/disk-check.ts';
import type { Entry, Recorder, VisitRecord } from '../store/write/recorder.ts';

/** Told how an entry ended: its own outcome once it is on disk, else `busy` or `unavailable`. Must not throw. */
export type Done = (outcome: Outcome) => void;

export interface WriterOptions {
  recorder: Pick<Recorder, 'write'>;
  logSync: LogSync;
  diskCheck: DiskCheck;
  /** Hits that may wait, and the bytes of their requests. */
  queueMax: number;
  queueBytesMax: number;
  /** Called with every visit that was begun and then not written. */
  onVisitLost: (visit: VisitRecord) => void;
  log: Log;
}

/** What the writer has done since it started; the histograms and the map are its own and go on counting. */
export interface WriterStats {
  healthy: boolean;
  /** Hits that wait for the disk, and the bytes of their requests. */
  queued: number;
  queuedBytes: number;
  /** Hits by how they ended. */
  outcomes: ReadonlyMap<Outcome, number>;
  /** Seconds that writing a batch took, and that the disk took to make it durable. */
  commits: Histogram;
  syncs: Histogram;
}

export interface Writer {
  /** Writes an entry and tells when it is on disk. `bytes` is the size of its request. */
  submit(entry: Entry, bytes: number, done: Done): void;
  /** Writes an entry that nobody waits for. */
  note(entry: Entry): void;
  /** Whether hits can be written, as far as is known. */
  healthy(): boolean;
  stats(): WriterStats;
  /** Resolves when everything submitted so far is on disk or refused. */
  idle(): Promise<void>;
  /** Commits wait, hits gather, until `resume`. */
  pause(): void;
  resume(): void;
  /** Refuses what comes from now on, writes what waits, and lets go of the log. */
  close(): Promise<void>;
}

/** Notes follow after this even when no hit comes, and at once when they are many. */
const notesDelayMs = 1000;
const notesSoon = 1000;
/** Beyond this, while the disk takes nothing, counts are lost: some 30 MB of them. */
const notesMax = 100_000;
/** How often a failing disk is tried again. */
const recoveryMs = 1000;

interface Waiting {
  entry: Entry;
  /** Null for a note. */
  done: Done | null;
}

export const createWriter = (options: WriterOptions): Writer => {
  const { recorder, logSync, diskCheck, queueMax, queueBytesMax, onVisitLost, log } = options;
  let queue: Waiting[] = [];
  let queueBytes = 0;
  let notes: Waiting[] = [];
  let notesTimer: NodeJS.Timeout | undefined;
  let recoveryTimer: NodeJS.Timeout | undefined;
  let scheduled = false;
  let syncing = false;
  let paused = false;
  let failing = false;
  /** A sync failed, so that nothing which follows in the log can be promised to anyone before it is begun anew. */
  let logInDoubt = false;
  let closed = false;
  /**
   * Hits taken into the queue and hits answered, ever. Batches are answered in their order, so idle() waits for a
   * number.
   */
  let taken = 0;
  let answered = 0;
  let idling: { until: number; resolve: () => void }[] = [];
  const ended = new Map<Outcome, number>();
  const commits = new Histogram();
  const syncs = new Histogram();

  const count = (outcome: Outcome): void => {
    ended.set(outcome, (ended.get(outcome) ?? 0) + 1);
  };

  const schedule = (): void => {
    if (scheduled || syncing || paused || failing) return;
    scheduled = true;
    setImmediate(commit);
  };

  const commit = (): void => {
    scheduled = false;
    if (syncing || paused || failing) return;
    const batch = queue.concat(notes);
    if (batch.length === 0) return;
    queue = [];
    queueBytes = 0;
    notes = [];
    clearTimeout(notesTimer);
    notesTimer = undefined;
    const began = performance.now();
    const hits = write(batch).filter(({ done }) => done !== null);
    commits.observe((performance.now() - began) / 1000);
    if (hits.length > 0) sync(hits);
  };

  /** Gives what of the batch was written: all of it, or what can be when each entry goes alone. */
  const write = (batch: Waiting[]): Waiting[] => {
    try {
      recorder.write(batch.map(({ entry }) => entry));
      return batch;
    } catch (error) {
      log('batch-failed', { entries: batch.length, reason: reasonOf(error) });
      if (!isLocked(error)) return writeSingly(batch);
      // To wait for whoever holds the file once more for each entry would keep all of them waiting for minutes.
      fail(error);
      refuseUnwritten(batch);
      return [];
    }
  };

  const writeSingly = (batch: Waiting[]): Waiting[] => {
    const written: Waiting[] = [];
    const refused: Waiting[] = [];
    /** Visits whose first hit was refused, by id: they begin with their next one. */
    const unbegun = new Map<number, VisitRecord>();
    for (const waiting of batch) {
      const { entry } = waiting;
      const visit = entry.visit ?? unbegun.get(entry.hit?.visitId ?? 0);
      if (visit !== undefined) entry.visit = visit;
      try {
        recorder.write([entry]);
        written.push(waiting);
        if (visit !== undefined) unbegun.delete(visit.id);
      } catch {
        // The reason was logged for the batch; all that is wanted here is which entries are at fault.
        refused.push(waiting);
        if (visit !== undefined) unbegun.set(visit.id, visit);
      }
    }
    for (const visit of unbegun.values()) onVisitLost(visit);
    // When not one could be written, it may be the disk and not the entries.
    if (written.length === 0) askDisk();
    refuseTaken(refused.filter(({ done }) => done !== null));
    // A note that is at fault itself would fail every batch to come.
    if (failing) notes = notes.concat(refused.filter(({ done }) => done === null));
    return written;
  };

  const sync = (hits: Waiting[]): void => {
    syncing = true;
    const began = performance.now();
    logSync.sync().then(
      () => {
        syncing = false;
        syncs.observe((performance.now() - began) / 1000);
        // The next batch first, so that the disk works on it while these are answered.
        if (queue.length + notes.length > 0) commit();
        acknowledge(hits);
      },
      (error: unknown) => {
        syncing = false;
        // They are written, but perhaps not for good: whoever sent them is told to try again.
        logInDoubt = true;
        fail(error);
        refuseTaken(hits);
      },
    );
  };

  const acknowledge = (hits: Waiting[]): void => {
    for (const { entry, done } of hits) {
      count(entry.outcome);
      done!(entry.outcome);
    }
    settle(hits.length);
  };

  const settle = (hits: number): void => {
    answered += hits;
    if (idling.length === 0) return;
    const over = idling.filter(({ until }) => until <= answered);
    idling = idling.filter(({ until }) => until > answered);
    for (const { resolve } of over) resolve();
  };

  const refuse = (entry: Entry, done: Done, outcome: 'busy' | 'unavailable'): void => {
    note({ siteId: entry.siteId, at: entry.at, outcome });
    done(outcome);
  };

  const refuseTaken = (hits: Waiting[]): void => {
    for (const { entry, done } of hits) refuse(entry, done!, 'unavailable');
    settle(hits.length);
  };

  const note = (entry: Entry): void => {
    count(entry.outcome);
    if (notes.length >= notesMax) return;
    notes.push({ entry, done: null });
    if (notes.length >= notesSoon) schedule();
    else notesTimer ??= setTimeout(schedule, notesDelayMs).unref();
  };

  const askDisk = (): void => {
    try {
      diskCheck.write();
    } catch (error) {
      fail(error);
    }
  };

  const fail = (error: unknown): void => {
    if (failing) return;
    failing = true;
    log('disk-failing', { reason: reasonOf(error) });
    recoveryTimer = setInterval(recover, recoveryMs).unref();
    const waiting = queue;
    queue = [];
    queueBytes = 0;
    refuseUnwritten(waiting);
  };

  /** None of these was written. Notes stay until they can be. */
  const refuseUnwritten = (waiting: Waiting[]): void => {
    for (const { entry } of waiting) if (entry.visit !== undefined) onVisitLost(entry.visit);
    refuseTaken(waiting.filter(({ done }) => done !== null));
    notes = notes.concat(waiting.filter(({ done }) => done === null));
  };

  const recover = (): void => {
    if (paused) return;
    try {
      // Not after a write that failed: what copies the log to elsewhere may hold on to it for ever.
      if (logInDoubt) diskCheck.renewLog();
      diskCheck.write();
    } catch {
      // That it fails was logged when it began, and /health says so all the while.
      return;
    }
    logSync.sync().then(
      () => {
        if (!failing) return;
        failing = false;
        logInDoubt = false;
        clearInterval(recoveryTimer);
        log('disk-recovered');
        schedule();
      },
      () => {
        logInDoubt = true;
      },
    );
  };

  const idle = (): Promise<void> =>
    answered === taken ? Promise.resolve() : new Promise(resolve => idling.push({ until: taken, resolve }));

  return {
    submit(entry, bytes, done) {
      const isFull = queue.length >= queueMax || queueBytes + bytes > queueBytesMax;
      if (isFull || failing || closed) {
        if (entry.visit !== undefined) onVisitLost(entry.visit);
        refuse(entry, done, failing || closed ? 'unavailable' : 'busy');
        return;
      }
      taken++;
      queue.push({ entry, done });
      queueBytes += bytes;
      schedule();
    },
    note,
    healthy: () => !failing && !closed,
    stats: () => ({
      healthy: !failing && !closed,
      queued: queue.length,
      queuedBytes: queueBytes,
      outcomes: ended,
      commits,
      syncs,
    }),
    idle,
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      schedule();
    },
    async close() {
      closed = true;
      paused = false;
      schedule();
      await idle();
      // What is left are notes, which need no sync of their own. Whatever is noted from here on is not written.
      commit();
      paused = true;
      clearTimeout(notesTimer);
      clearInterval(recoveryTimer);
      logSync.close();
    },
  };
};
