/** How far a node has brought the hits of its open days to the cluster, for the next start. */
import type { Database } from './database.ts';

export interface Forwarded {
  /** 0 for the primary, `collectorsNode` for a collector. Another one begins anew. */
  node: number;
  /** All hits up to this id are there. */
  hitId: number;
  /** The greatest that was used. */
  revision: number;
}

export const forwardedStore = (db: Database) => {
  const select = db.prepare('select node, hit_id as hitId, revision from forwarded');
  const last = (): Forwarded | undefined => select.get() as Forwarded | undefined;
  const replace = db.prepare(
    `insert or replace into forwarded (one, node, hit_id, revision, removed) values (1, @node, @hitId, @revision, '')`,
  );
  return {
    /** As it was written last, of whichever node; undefined where nothing was sent. */
    last,
    get(node: number) {
      const known = last();
      return known?.node === node ? known : { node, hitId: 0, revision: 0 };
    },
    set: (forwarded: Forwarded): void => void replace.run(forwarded),
  };
};
