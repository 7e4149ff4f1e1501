/**
 * Group commit: hits that arrive during one turn of the event loop go into one transaction. Its log
 * is synced in libuv's thread pool while the next batch gathers, and then the hits are
 * acknowledged. The next batch is committed at the end of that turn: a batch costs some 0.1 ms,
 * whatever its size, and it is larger by what came in the turn. No timer delays a hit: a quiet
 * server answers at once, a busy one makes larger batches.
 *
 *     submit -> queue -> one transaction -> one sync -> done
 *
 * Notes (notes.ts) ride along. When the disk fails, everything is refused until it is trusted again
 * (disk-recovery.ts).
 */
import { type Log, reasonOf } from '../log.ts';
import { Histogram } from '../model/histogram.ts';
import type { Outcome } from '../model/outcomes.ts';
import { isLocked } from '../store/database.ts';
import type { LogSync } from '../store/log-sync.ts';
import type { DiskCheck } from '../store/maintenance/disk-check.ts';
import type { Entry, HitRecord, Recorder, VisitRecord } from '../store/write/recorder.ts';
import { type DiskRecovery, diskRecovery } from './disk-recovery.ts';
import { createNotes, type OutcomeNotes } from './notes.ts';

/**
 * Told how an entry ended: its own outcome once it is on disk, else `busy` or `unavailable`. Must
 * not throw.
 */
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
  /** Called with every hit that is on disk. Must not throw. */
  onRecorded?: ((hit: HitRecord) => void) | undefined;
  log: Log;
  /** How long to wait before each try of a disk that fails. */
  retryMs?: number;
}

/**
 * What the writer has done since it started; the histograms and the map are its own and go on
 * counting.
 */
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

export const createWriter = (options: WriterOptions): Writer => new GroupCommit(options);

/** A hit that somebody waits for. */
interface Hit {
  entry: Entry;
  done: Done;
}

interface Batch {
  hits: Hit[];
  notes: Entry[];
}

/**
 * At most one batch is committed or synced at a time; hits are answered in the order they were
 * taken.
 */
class GroupCommit implements Writer {
  readonly #options: WriterOptions;
  readonly #notes: OutcomeNotes;
  readonly #disk: DiskRecovery;
  readonly #answers = new AnswerCount();
  #queue: Hit[] = [];
  #queueBytes = 0;
  #isScheduled = false;
  #isSyncing = false;
  #isPaused = false;
  #isClosed = false;
  readonly #outcomes = new Map<Outcome, number>();
  readonly #commits = new Histogram();
  readonly #syncs = new Histogram();

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#notes = createNotes(() => this.#schedule());
    this.#disk = diskRecovery({
      ...options,
      isPaused: () => this.#isPaused,
      onFailing: () => this.#refuseUnwritten(this.#takeQueue()),
      onRecovered: () => this.#schedule(),
    });
  }

  readonly submit = (entry: Entry, bytes: number, done: Done): void => {
    const { queueMax, queueBytesMax } = this.#options;
    const isFull = this.#queue.length >= queueMax || this.#queueBytes + bytes > queueBytesMax;
    if (isFull || !this.healthy()) {
      this.#loseVisit(entry);
      this.#refuse({ entry, done }, this.healthy() ? 'busy' : 'unavailable');
      return;
    }
    this.#answers.expect();
    this.#queue.push({ entry, done });
    this.#queueBytes += bytes;
    this.#schedule();
  };

  readonly note = (entry: Entry): void => {
    this.#count(entry.outcome);
    this.#notes.add(entry);
  };

  readonly healthy = (): boolean => !this.#disk.isFailing() && !this.#isClosed;

  readonly stats = (): WriterStats => ({
    healthy: this.healthy(),
    queued: this.#queue.length,
    queuedBytes: this.#queueBytes,
    outcomes: this.#outcomes,
    commits: this.#commits,
    syncs: this.#syncs,
  });

  readonly idle = (): Promise<void> => this.#answers.all();

  readonly pause = (): void => {
    this.#isPaused = true;
  };

  readonly resume = (): void => {
    this.#isPaused = false;
    this.#schedule();
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.resume();
    await this.idle();
    // What is left are notes, which need no sync of their own. Whatever is noted from here on is
    // not written.
    this.#commit();
    this.#isPaused = true;
    this.#notes.close();
    this.#disk.close();
    this.#options.logSync.close();
  };

  get #mayCommit(): boolean {
    return !this.#isSyncing && !this.#isPaused && !this.#disk.isFailing();
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#mayCommit) return;
    this.#isScheduled = true;
    setImmediate(() => this.#commit());
  }

  #commit(): void {
    this.#isScheduled = false;
    if (!this.#mayCommit || this.#queue.length + this.#notes.count() === 0) return;
    const batch: Batch = { hits: this.#takeQueue(), notes: this.#notes.take() };
    const began = performance.now();
    const written = this.#write(batch);
    this.#commits.observe((performance.now() - began) / 1000);
    if (written.length > 0) this.#sync(written);
  }

  #takeQueue(): Hit[] {
    const taken = this.#queue;
    this.#queue = [];
    this.#queueBytes = 0;
    return taken;
  }

  /** Returns the hits that were written: all, or those that can be when each entry goes alone. */
  #write(batch: Batch): Hit[] {
    const entries = batch.hits.map(({ entry }) => entry).concat(batch.notes);
    try {
      this.#options.recorder.write(entries);
      return batch.hits;
    } catch (error) {
      this.#options.log('batch-failed', { entries: entries.length, reason: reasonOf(error) });
      if (!isLocked(error)) return this.#writeSingly(batch);
      // To wait for whoever holds the file again for each entry would keep all of them waiting for
      // minutes.
      this.#disk.fail(error);
      this.#refuseUnwritten(batch.hits);
      this.#notes.putBack(batch.notes);
      return [];
    }
  }

  #writeSingly({ hits, notes }: Batch): Hit[] {
    const single = new SingleWrites(this.#options.recorder);
    const written: Hit[] = [];
    const refused: Hit[] = [];
    for (const hit of hits) (single.write(hit.entry) ? written : refused).push(hit);
    const unwritten = notes.filter(entry => !single.write(entry));
    for (const visit of single.unbegun.values()) this.#options.onVisitLost(visit);
    // When not one could be written, it may be the disk and not the entries.
    if (written.length === 0 && unwritten.length === notes.length) this.#disk.probe();
    this.#refuseTaken(refused);
    // A note that is at fault itself would fail every batch to come.
    if (this.#disk.isFailing()) this.#notes.putBack(unwritten);
    return written;
  }

  #sync(hits: Hit[]): void {
    this.#isSyncing = true;
    const began = performance.now();
    this.#options.logSync.sync().then(
      () => {
        this.#isSyncing = false;
        this.#syncs.observe((performance.now() - began) / 1000);
        this.#acknowledge(hits);
        this.#schedule();
      },
      (error: unknown) => {
        this.#isSyncing = false;
        // They are written, but perhaps not for good: whoever sent them is told to try again.
        this.#disk.failSync(error);
        this.#refuseTaken(hits);
      },
    );
  }

  #acknowledge(hits: readonly Hit[]): void {
    for (const { entry, done } of hits) {
      this.#count(entry.outcome);
      if (entry.hit !== undefined) this.#options.onRecorded?.(entry.hit);
      done(entry.outcome);
    }
    this.#answers.add(hits.length);
  }

  #refuse({ entry, done }: Hit, outcome: 'busy' | 'unavailable'): void {
    this.note({ siteId: entry.siteId, at: entry.at, outcome });
    done(outcome);
  }

  /** Refuses hits that were in the queue. */
  #refuseTaken(hits: readonly Hit[]): void {
    for (const hit of hits) this.#refuse(hit, 'unavailable');
    this.#answers.add(hits.length);
  }

  #refuseUnwritten(hits: readonly Hit[]): void {
    for (const { entry } of hits) this.#loseVisit(entry);
    this.#refuseTaken(hits);
  }

  #loseVisit({ visit }: Entry): void {
    if (visit !== undefined) this.#options.onVisitLost(visit);
  }

  #count(outcome: Outcome): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }
}

/** Writes entries one by one, so that one that cannot be written costs only itself. */
class SingleWrites {
  readonly #recorder: Pick<Recorder, 'write'>;
  /** Visits whose first hit could not be written, by id. They begin with their next hit. */
  readonly unbegun = new Map<number, VisitRecord>();

  constructor(recorder: Pick<Recorder, 'write'>) {
    this.#recorder = recorder;
  }

  /** Whether the entry could be written. */
  write(entry: Entry): boolean {
    const visit = entry.visit ?? this.unbegun.get(entry.hit?.visitId ?? 0);
    if (visit !== undefined) entry.visit = visit;
    try {
      this.#recorder.write([entry]);
    } catch {
      // The reason was logged for the batch; here it only matters which entries are at fault.
      if (visit !== undefined) this.unbegun.set(visit.id, visit);
      return false;
    }
    if (visit !== undefined) this.unbegun.delete(visit.id);
    return true;
  }
}

/**
 * Hits expected to be answered, and hits answered, ever. Hits are answered in their order, so
 * whoever waits does for a number.
 */
class AnswerCount {
  #expected = 0;
  #answered = 0;
  #waiting: { until: number; resolve: () => void }[] = [];

  expect(): void {
    this.#expected++;
  }

  add(hits: number): void {
    this.#answered += hits;
    const over = this.#waiting.filter(({ until }) => until <= this.#answered);
    if (over.length === 0) return;
    this.#waiting = this.#waiting.filter(({ until }) => until > this.#answered);
    for (const { resolve } of over) resolve();
  }

  /** Resolves when everything expected so far is answered. */
  all(): Promise<void> {
    const until = this.#expected;
    return this.#answered === until
      ? Promise.resolve()
      : new Promise(resolve => this.#waiting.push({ until, resolve }));
  }
}
