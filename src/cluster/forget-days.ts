/** A collector forgets days that the cluster has: it is an outbox, and no archive. */
import { setTimeout as wait } from 'node:timers/promises';
import { utcDayOf } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import type { SiteDay } from '../store/day/open/open-days.ts';
import { someRows } from '../store/day/open/some-rows.ts';
import { pruner } from '../store/maintenance/prune.ts';
import { sites as siteStore } from '../store/sites.ts';
import { deleteSome } from '../store/tables.ts';
import type { Cluster } from './cluster.ts';
import type { Proofs } from './prove-days.ts';
import { shippedVersions } from './ship-days.ts';
import { isTaken, readShipped } from './shipped.ts';

export interface ForgetOptions {
  db: Database;
  cluster: Pick<Cluster, 'shipped'>;
  /** What is known of days with rows. */
  proofs: Pick<Proofs, 'proved' | 'unproved'>;
  /** Of this collector, under which it brought days that an earlier version sealed. */
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
/** Rows deleted in one transaction. */
const stepRows = 2000;

/**
 * Deletes the days of all sites that are old enough and there, up to the first that is not;
 * resolves with whether nothing so old is left. Rejects as `send` does, and then has deleted
 * nothing.
 */
export const forgetDays = async (options: ForgetOptions): Promise<boolean> => {
  const { db, proofs, keepDays, recordsBefore, now, signal } = options;
  const oldest = utcDayOf(now) - keepDays;
  const prune = pruner(db);
  if (prune.find(oldest).length === 0) return true;
  const firstUnproved = Math.min(...proofs.unproved.map(({ day }) => day));
  const before = Math.min(oldest, recordsBefore, firstUnproved, await firstDayNotThere(options, oldest));
  const known = new Set(
    siteStore(db)
      .list()
      .map(({ id }) => id),
  );
  const proved = new Set(proofs.proved.map(({ siteId, day }) => `${siteId} ${day}`));
  // Nobody closes days of sites that were removed.
  const rows = someRows(db)
    .openDays()
    .filter(({ siteId, day }) => day < before && (!known.has(siteId) || proved.has(`${siteId} ${day}`)));
  // Whoever came with a cookie is known on, as on a machine that keeps its days.
  for (const steps of [dropRows(db, rows), prune.drop(before, { keepsVisitors: true })])
    for (const _ of steps) {
      if (signal.aborted) return false;
      await wait(restMs);
    }
  // What was proved may be of before the last midnight.
  return prune.find(oldest).length === 0;
};

function* dropRows(db: Database, days: readonly SiteDay[]): Generator<void> {
  // Hits first: a day without visits would be none.
  const drops = (['hit', 'visit'] as const).map(table => db.prepare(deleteSome(db, table, stepRows, 'day = @day')));
  for (const { siteId, day } of days) for (const drop of drops) while (drop.run({ siteId, day }).changes > 0) yield;
}

/** The first sealed day that only one of both has; `before` when there is none earlier. */
const firstDayNotThere = async ({ db, cluster, node }: ForgetOptions, before: number): Promise<number> => {
  const versionsOf = shippedVersions(db);
  let first = before;
  for (const site of siteStore(db).list()) {
    const here = [...versionsOf(site, 0, before - 1)].filter(
      ([, version]) => readShipped(version)?.of.state === 'sealed',
    );
    if (here.length === 0) continue;
    const ofNode = (await cluster.shipped(site.id)).filter(day => day.node === node);
    const there = new Map(ofNode.map(({ day, version }) => [day, version]));
    for (const [day, version] of here) {
      const found = there.get(day) ?? '';
      if (found !== version && !isTaken(found)) first = Math.min(first, day);
    }
  }
  return first;
};
