/**
 * What a collector of an earlier version sent of open days is there under its number. Before it
 * sends hits as a set, that goes: all of it is here, and comes again.
 */
import type { Database } from '../store/database.ts';
import { someRows } from '../store/day/open/some-rows.ts';
import { forwardedStore } from '../store/forwarded.ts';
import type { Cluster } from './cluster.ts';
import { collectorsNode } from './schema.ts';

/** Rejects as `send` does; the next call goes on. */
export const handOver = async (db: Database, cluster: Pick<Cluster, 'drop'>): Promise<void> => {
  const store = forwardedStore(db);
  const last = store.last();
  if (last === undefined || last.node === collectorsNode) return;
  for (const of of someRows(db).openDays()) await cluster.drop({ ...of, node: last.node });
  store.set({ ...last, node: collectorsNode, hitId: 0 });
};
