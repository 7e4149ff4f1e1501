/** The server's side of its copies: when to copy, when to prove a copy, and how that went. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Log, reasonOf } from '../../log.ts';
import { version } from '../../package-root.ts';
import { type AskedThread, askedThread } from '../../start-worker.ts';
import { deleteDatabase, StoreError } from '../database.ts';
import { isDue } from './clock.ts';
import type { CopyReply, CopyRequest, CopySettings } from './copy-worker.ts';
import type { PointsKept } from './keep.ts';
import type { PlaceSettings } from './place.ts';
import { proofFile } from './verify.ts';

export interface CopyOptions {
  dataDir: string;
  to: PlaceSettings;
  keep: PointsKept;
  /** Rest between two copies. */
  everyMs: number;
  /** Rest between two proofs; 0 never proves. */
  verifyMs: number;
  /** Bits of pages that changed (page-watch.ts). */
  changed: SharedArrayBuffer;
  now: () => number;
  random: (bytes: number) => Buffer;
  log: Log;
}

/** What there is to know of the copies; times are UTC milliseconds, null before the first. */
export interface CopyStats {
  /** The place holds the database as it was then, or some milliseconds later. */
  copiedAt: number | null;
  /** When a copy was last verified, and of when that was. */
  verifiedAt: number | null;
  verifiedPoint: number | null;
  /** Why the last try failed, a sentence; null where it did not. */
  failure: string | null;
  /** Whether it watches, after a restore, if the server that was copied still runs (owner.ts). */
  waiting: boolean;
  /** Bytes and pages sent since the start. */
  bytes: number;
  pages: number;
}

export interface Copies {
  stats(): CopyStats;
  /** Copies once more what was written last, for at most `patienceMs`. */
  finish(patienceMs: number): Promise<void>;
  /** To be called before the database is closed. */
  close(): Promise<void>;
}

/** After this long a proof that failed is tried again: what was damaged was copied anew. */
const verifyRetryMs = 10 * 60_000;

/** What can fail, each for itself. */
type Work = 'copy' | 'verify';

/** What a thread may take to end. */
const endMs = 1000;

type CopyThread = AskedThread<CopyRequest, CopyReply>;

/** Kept over restarts. A copy of the database does not have it. */
const idOf = (dataDir: string, random: (bytes: number) => Buffer): string => {
  const file = join(dataDir, 'backup.id');
  const found = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (/^[0-9a-f]{16}$/.test(found)) return found;
  const id = random(8).toString('hex');
  writeFileSync(file, id, { mode: 0o600 });
  return id;
};

interface ProofOptions extends Pick<CopyOptions, 'now' | 'verifyMs'> {
  prover: CopyThread;
  copier: CopyThread;
  stats: CopyStats;
  end: (what: Work, failure: string | null) => void;
}

/** A function that begins a proof when one is due. Its thread ends with it: it reads much. */
const proofs = ({ prover, copier, now, verifyMs, stats, end }: ProofOptions): (() => void) => {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  const verify = async (): Promise<void> => {
    try {
      const reply = await prover.ask({ kind: 'verify', now: now(), restMs: verifyMs });
      if (reply.kind !== 'verified' || reply.verified === null) return;
      if (reply.bad.length > 0) copier.tell({ kind: 'distrust', packs: reply.bad });
      if (reply.problems.length > 0) throw new StoreError(reply.problems[0]);
      Object.assign(stats, { verifiedAt: reply.verified.at, verifiedPoint: reply.verified.point });
      end('verify', null);
    } catch (error) {
      lookedAt = now() - verifyMs + verifyRetryMs;
      end('verify', reasonOf(error));
    } finally {
      await prover.close(endMs);
      isRunning = false;
    }
  };
  return () => {
    if (verifyMs === 0 || isRunning || !isDue(now(), lookedAt, verifyMs)) return;
    [lookedAt, isRunning] = [now(), true];
    void verify();
  };
};

/** A thread that copies, or proves copies. */
const copyThreads = ({ dataDir, keep, changed, to, random }: CopyOptions): (() => CopyThread) => {
  const id = idOf(dataDir, random);
  const settingsOf = (): CopySettings => {
    const owner = { id, process: random(8).toString('hex'), host: hostname() };
    return { dataDir, keep, changed, to, owner, version };
  };
  return () => askedThread<CopyRequest, CopyReply>('copy', settingsOf);
};

export const startCopies = (options: CopyOptions): Copies => {
  const { dataDir, everyMs, verifyMs, now, log } = options;
  // A proof may have been interrupted.
  deleteDatabase(proofFile(dataDir));
  const thread = copyThreads(options);
  const [copier, prover] = [thread(), thread()];
  const stats: CopyStats = {
    ...{ copiedAt: null, verifiedAt: null, verifiedPoint: null, failure: null },
    ...{ waiting: false, bytes: 0, pages: 0 },
  };
  const stop = new AbortController();

  let isClosing = false;
  const failures: Record<Work, string | null> = { copy: null, verify: null };
  /** A copy that is made does not mean that it can be verified. */
  const end = (what: Work, failure: string | null): void => {
    // A thread that is ended with the server fails at nothing.
    if (isClosing) return;
    if (failure !== null && failures[what] !== failure) log('copy-failed', { what, reason: failure });
    failures[what] = failure;
    stats.failure = failures.copy ?? failures.verify;
  };

  /** How long to rest until the next. */
  const copy = async (): Promise<number> => {
    try {
      const reply = await copier.ask({ kind: 'copy', now: now() });
      stats.waiting = reply.kind === 'waiting';
      if (reply.kind === 'waiting') return Math.min(everyMs, reply.restMs);
      if (reply.kind !== 'copied') return everyMs;
      stats.bytes += reply.bytes;
      stats.pages += reply.pages;
      if (failures.copy !== null || stats.copiedAt === null) log('copied', { pages: reply.pages, bytes: reply.bytes });
      stats.copiedAt = reply.at;
      end('copy', null);
    } catch (error) {
      stats.waiting = false;
      end('copy', reasonOf(error));
    }
    return everyMs;
  };

  const prove = proofs({ prover, copier, now, verifyMs, stats, end });
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const started = now();
      const restMs = await copy();
      if (failures.copy === null && !stats.waiting) prove();
      // A clock that stepped back does not make it longer.
      const rest = Math.min(restMs, Math.max(0, restMs - (now() - started)));
      await wait(rest, undefined, { ref: false, signal: stop.signal }).catch(() => {});
    }
  };
  const running = run();

  return {
    stats: () => ({ ...stats }),
    async finish(patienceMs) {
      stop.abort();
      const last = running.then(copy).then(() => !stats.waiting);
      if (await Promise.race([last, wait(patienceMs, false, { ref: false })])) return;
      end('copy', 'The server ended before the last copy was made.');
    },
    async close() {
      isClosing = true;
      await Promise.all([copier.close(endMs), prover.close(endMs)]);
      deleteDatabase(proofFile(dataDir));
    },
  };
};
