/**
 * What people did, row by row. Each row holds the SHA-256 of the chain of the row before and of
 * itself, so that a row that was changed or taken out shows. Rows that are too old go from the
 * beginning, and a row `pruned` at the end says how far, with the chain that goes on from there.
 */
import { createHash } from 'node:crypto';
import type { AuditAction, AuditEvent, AuditRow } from '../../model/audit.ts';
import { dayMs } from '../../model/time.ts';
import type { Database } from '../database.ts';

export interface AuditFilter {
  accountId?: number | undefined;
  personId?: number | undefined;
  action?: AuditAction | undefined;
  /** Rows with a smaller id, in UTC milliseconds not before `since`. */
  before?: number | undefined;
  since?: number | undefined;
  limit: number;
}

export type AuditStore = ReturnType<typeof auditStore>;

const noChain = Buffer.alloc(32);

export const auditStore = (db: Database) => {
  const fields = 'id, at, account_id as accountId, person_id as personId, actor, action, subject, details, network';
  const last = db.prepare('select id, chain from audit order by id desc limit 1');
  const insert = db.prepare(
    `insert into audit (id, at, account_id, person_id, actor, action, subject, details, network, chain)
     values (@id, @at, @accountId, @personId, @actor, @action, @subject, @details, @network, @chain)`,
  );
  const nextId = db.prepare(`select coalesce((select seq from sqlite_sequence where name = 'audit'), 0) + 1`).pluck();
  const list = db.prepare(
    `select ${fields} from audit where (@accountId is null or account_id = @accountId)
     and (@personId is null or person_id = @personId) and (@action is null or action = @action)
     and (@before is null or id < @before) and (@since is null or at >= @since) order by id desc limit @limit`,
  );
  const newestOf = db.prepare('select id, chain from audit where at < ? order by id desc limit 1');
  const removeTo = db.prepare('delete from audit where id <= ?');
  const all = db.prepare(`select ${fields}, chain from audit order by id`);

  const add = db.transaction((event: AuditEvent): AuditRow => {
    const before = (last.get() as Pick<ChainRow, 'chain'> | undefined)?.chain ?? noChain;
    const row = { ...event, id: nextId.get() as number };
    insert.run({ ...row, details: JSON.stringify(event.details), chain: chainOf(before, row) });
    return row;
  });
  return {
    add: (event: AuditEvent) => add.immediate(event),
    /** The newest first. */
    list: (filter: AuditFilter) =>
      (
        list.all({ accountId: null, personId: null, action: null, before: null, since: null, ...filter }) as StoredRow[]
      ).map(rowOf),
    /** Deletes what is older than so many days; 0: nothing. */
    prune(days: number, now: number) {
      if (days === 0) return;
      db.transaction(() => {
        const until = newestOf.get(now - days * dayMs) as Pick<ChainRow, 'id' | 'chain'> | undefined;
        if (until === undefined) return;
        const details = { through: until.id, chain: until.chain.toString('hex') };
        add({ ...byServer(now), action: 'pruned', subject: '', details });
        removeTo.run(until.id);
      }).immediate();
    },
    /** The id of the first row whose chain is broken; null where all is as it was written. */
    firstBroken(): { rows: number; broken: number | null } {
      const rows = all.all() as ChainRow[];
      const first = rows[0];
      let chain = first === undefined ? noChain : chainBefore(rows, first.id);
      for (const row of rows) {
        if (chain === undefined || !chainOf(chain, rowOf(row)).equals(row.chain))
          return { rows: rows.length, broken: row.id };
        chain = row.chain;
      }
      return { rows: rows.length, broken: null };
    },
  };
};

/** Who acts where nobody does. */
const byServer = (at: number): Omit<AuditEvent, 'action' | 'subject' | 'details'> => ({
  ...{ at, accountId: null, personId: null, actor: 'server', network: '' },
});

type StoredRow = Omit<AuditRow, 'details'> & { details: string };
type ChainRow = StoredRow & { chain: Buffer };

const rowOf = ({ id, at, accountId, personId, actor, action, subject, details, network }: StoredRow): AuditRow => ({
  ...{ id, at, accountId, personId, actor, action, subject, network },
  details: JSON.parse(details) as AuditRow['details'],
});

const chainOf = (before: Buffer, row: AuditRow): Buffer => {
  const { id, at, accountId, personId, actor, action, subject, details, network } = row;
  const text = JSON.stringify([id, at, accountId, personId, actor, action, subject, details, network]);
  return createHash('sha256').update(before).update(text).digest();
};

/** The chain that the first row goes on from: none, or of what was pruned; undefined if broken. */
const chainBefore = (rows: readonly ChainRow[], first: number): Buffer | undefined => {
  if (first === 1) return noChain;
  for (const row of rows.toReversed()) {
    if (row.action !== 'pruned') continue;
    const { through, chain } = JSON.parse(row.details) as { through: number; chain: string };
    if (through === first - 1) return Buffer.from(chain, 'hex');
  }
  return undefined;
};
