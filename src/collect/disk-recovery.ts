/**
 * What happens between a write or sync that failed and the next one that is promised to anyone: the
 * disk is tried again each second until a write goes through and is synced.
 *
 * A failed sync leaves the log in doubt. Nobody knows which of its pages are on disk, and a log is
 * good only up to its first bad page, so it is emptied before anything that follows in it counts.
 */
import { type Log, reasonOf } from '../log.ts';
import type { LogSync } from '../store/log-sync.ts';
import type { DiskCheck } from '../store/maintenance/disk-check.ts';

const retryMsDefault = 1000;

export type DiskRecovery = ReturnType<typeof diskRecovery>;

export interface DiskRecoveryOptions {
  logSync: Pick<LogSync, 'sync'>;
  diskCheck: DiskCheck;
  log: Log;
  /** How long to wait before each try. */
  retryMs?: number;
  /** While commits are paused the disk is not tried. */
  isPaused: () => boolean;
  onFailing: () => void;
  onRecovered: () => void;
}

export const diskRecovery = (options: DiskRecoveryOptions) => {
  const { logSync, diskCheck, log, retryMs = retryMsDefault, isPaused, onFailing, onRecovered } = options;
  let isFailing = false;
  let isLogInDoubt = false;
  let timer: NodeJS.Timeout | undefined;

  /**
   * A write failed: tries the disk until it takes one. Does nothing when the disk was failing
   * already.
   */
  const fail = (error: unknown): void => {
    if (isFailing) return;
    isFailing = true;
    log('disk-failing', { reason: reasonOf(error) });
    timer = setInterval(retry, retryMs).unref();
    onFailing();
  };

  const retry = (): void => {
    if (isPaused()) return;
    try {
      // Not after a write that failed: a program that copies the log elsewhere may hold on to it
      // for ever.
      if (isLogInDoubt) diskCheck.renewLog();
      diskCheck.write();
    } catch {
      // The failure was logged when it began, and /health reports it all the while.
      return;
    }
    logSync.sync().then(recover, () => {
      isLogInDoubt = true;
    });
  };

  const recover = (): void => {
    if (!isFailing) return;
    isFailing = false;
    isLogInDoubt = false;
    clearInterval(timer);
    log('disk-recovered');
    onRecovered();
  };

  return {
    isFailing: (): boolean => isFailing,
    fail,
    /** A sync failed: as `fail`, and the log is in doubt. */
    failSync(error: unknown): void {
      isLogInDoubt = true;
      fail(error);
    },
    /** Finds out whether the disk takes a write, and `fail`s when it does not. */
    probe(): void {
      try {
        diskCheck.write();
      } catch (error) {
        fail(error);
      }
    },
    close: (): void => clearInterval(timer),
  };
};
