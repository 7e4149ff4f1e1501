/** A collector forgets days that the cluster has whole: it is an outbox, and no archive. */
import { setTimeout as wait } from 'node:timers/promises';
import { utcDayOf } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { pruner } from '../store/maintenance/prune.ts';
import { sites as siteStore } from '../store/sites.ts';
import type { Cluster } from './cluster.ts';
import { shippedVersions } from './ship-days.ts';
import { isTaken } from './shipped.ts';

export interface ForgetOptions {
  db: Database;
  cluster: Pick<Cluster, 'shipped'>;
  node: number;
  /** Days before today that stay, at least 1: questions about them may still be compared. */
  keepDays: number;
  /** What is recorded besides hits of the days before it is there. */
  recordsBefore: number;
  /** UTC milliseconds. */
  now: number;
  signal: AbortSignal;
}

/** Between two steps, for the hits that come meanwhile. */
const restMs = 10;

/**
 * Deletes the days of all sites that are old enough and there as they are here, or another node's
 * by now, up to the first that is not; resolves with whether there is none such. Rejects as `send`
 * does, and then has deleted nothing.
 */
export const forgetDays = async (options: ForgetOptions): Promise<boolean> => {
  const { db, keepDays, recordsBefore, now, signal } = options;
  const oldest = utcDayOf(now) - keepDays;
  const prune = pruner(db);
  const found = prune.find(oldest);
  if (found.length === 0) return true;
  const before = Math.min(oldest, recordsBefore, await firstDayNotThere(options, oldest));
  // Whoever came with a cookie is known on, as on a machine that keeps its days.
  for (const _ of prune.drop(before, { keepsVisitors: true })) {
    if (signal.aborted) break;
    await wait(restMs);
  }
  return before === oldest;
};

/** The first day that only one of both has; `before` when there is none earlier. */
const firstDayNotThere = async ({ db, cluster, node }: ForgetOptions, before: number): Promise<number> => {
  const versionsOf = shippedVersions(db);
  let first = before;
  for (const site of siteStore(db).list()) {
    const here = versionsOf(site, 0, before - 1);
    if (here.size === 0) continue;
    const ofNode = (await cluster.shipped(site.id)).filter(day => day.node === node);
    const there = new Map(ofNode.map(({ day, version }) => [day, version]));
    for (const [day, version] of here) {
      const found = there.get(day) ?? '';
      if (found !== version && !isTaken(found)) first = Math.min(first, day);
    }
  }
  return first;
};
