/** Sends what is in the outbox, a few at a time of each kind, in a running server. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Log, reasonOf } from '../log.ts';
import { hourMs, minuteMs } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { type OutboxMessage, outboxStore } from '../store/outbox.ts';
import { KindHeld, MessageRefused, type OutboxKind, type OutboxKinds } from './kinds.ts';

export interface OutboxParts {
  db: Database;
  kinds: OutboxKinds;
  /** UTC milliseconds. */
  now: () => number;
  log: Log;
}

export interface KindStats {
  /** Since the start. */
  sent: number;
  failed: number;
  waiting: number;
  /** Why nothing of it leaves now; null where it does. */
  failure: string | null;
}

export interface Outbox {
  /** Looks at once for what is due. */
  wake(): void;
  /** By kind. */
  stats(): Record<string, KindStats>;
  /** Messages under way stay in line. */
  close(): Promise<void>;
}

const atOnce = 4;
/** Other processes write messages, too. */
const lookMs = 1000;
const holdMs = [minuteMs, 5 * minuteMs, 30 * minuteMs];
const atLeast = <T>(list: readonly T[], i: number): T => list[Math.min(i, list.length - 1)]!;

export const startOutbox = ({ db, kinds, now, log }: OutboxParts): Outbox => {
  const store = outboxStore(db);
  const stop = new AbortController();
  let tidiedAt = Number.NEGATIVE_INFINITY;
  let hasFiles = false;
  let isWoken = false;
  const wake = (): void => {
    if (isWoken) return;
    isWoken = true;
    // After the transaction of whoever wakes it.
    setImmediate(() => {
      isWoken = false;
      look();
    });
  };
  const lanes = Object.entries(kinds).map(([name, kind]) =>
    openLane({ name, kind, store, now, log, stop: stop.signal, wake }),
  );
  const look = (): void => {
    if (stop.signal.aborted) return;
    try {
      if (now() - tidiedAt >= hourMs) {
        tidiedAt = now();
        for (const [name, { keepMs }] of Object.entries(kinds)) store.giveUp(name, keepMs, now());
        store.prune(now());
        hasFiles = true;
      }
      for (const lane of lanes) lane.fill();
      // Some a look until none is left.
      if (hasFiles) hasFiles = store.pruneFiles(now());
    } catch (error) {
      // Another program may hold the file: the next look comes soon.
      log('outbox-failed', { reason: reasonOf(error) });
    }
  };
  const timer = setInterval(look, lookMs).unref();
  return {
    wake,
    stats: () => Object.fromEntries(lanes.map(({ name, stats }) => [name, stats()])),
    async close() {
      clearInterval(timer);
      stop.abort();
      await Promise.all(lanes.map(lane => lane.ended()));
    },
  };
};

interface LaneParts extends Pick<OutboxParts, 'now' | 'log'> {
  name: string;
  kind: OutboxKind;
  store: ReturnType<typeof outboxStore>;
  stop: AbortSignal;
  /** Looks for more once there is room. */
  wake: () => void;
}

/** The messages of one kind. */
const openLane = ({ name, kind, store, now, log, stop, wake }: LaneParts) => {
  const { perHour = Number.POSITIVE_INFINITY } = kind;
  const running = new Map<number, Promise<void>>();
  const counts = { sent: 0, failed: 0 };
  /** Nothing leaves before `until`, after so many failures in a row. */
  let held = { until: 0, times: 0, reason: null as string | null };

  const hold = (reason: string): void => {
    // Those that were under way beside the first one say the same.
    if (now() < held.until) return;
    held = { until: now() + atLeast(holdMs, held.times), times: held.times + 1, reason };
    log(`${name}-failed`, { reason });
  };
  const giveUp = (id: number, reason: string): void => {
    store.failed(id, reason, now());
    counts.failed++;
    log('message-failed', { kind: name, id, reason });
  };
  /** As all that is written here: done in one statement, or not at all. */
  const onError = ({ id, tries, createdAt }: OutboxMessage, error: unknown): void => {
    if (stop.aborted) return;
    const reason = reasonOf(error);
    const nextAt = now() + atLeast(kind.retryMs, tries);
    if (error instanceof KindHeld) hold(reason);
    else if (error instanceof MessageRefused || nextAt > createdAt + kind.keepMs) giveUp(id, reason);
    else store.again(id, reason, nextAt);
  };
  const onSent = ({ id }: OutboxMessage): void => {
    store.sent(id, now());
    held = { until: 0, times: 0, reason: null };
    counts.sent++;
  };
  const send = async (message: OutboxMessage): Promise<void> => {
    const mark = await kind.deliver(message, stop).then(
      () => () => onSent(message),
      error => () => onError(message, error),
    );
    // Another program may hold the file. A message that was sent and not marked is sent again.
    while (true) {
      try {
        mark();
        break;
      } catch (error) {
        log('outbox-failed', { reason: reasonOf(error) });
        if (stop.aborted) break;
        await wait(lookMs, undefined, { ref: false });
      }
    }
    running.delete(message.id);
    wake();
  };
  /** Begins as many as may be under way; one alone to see whether what failed works again. */
  const fill = (): void => {
    if (stop.aborted || now() < held.until) return;
    const most = held.reason === null ? atOnce : 1;
    const left = perHour - (Number.isFinite(perHour) ? store.sentAfter(name, now() - hourMs) : 0);
    const room = Math.min(most, left);
    if (running.size >= room) return;
    for (const message of store.due(name, now(), room + running.size)) {
      if (running.size >= room) return;
      if (!running.has(message.id)) running.set(message.id, send(message));
    }
  };
  return {
    name,
    fill,
    stats: (): KindStats => ({ ...counts, waiting: store.waiting(name), failure: held.reason }),
    ended: () => Promise.all(running.values()),
  };
};
