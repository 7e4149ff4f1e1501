/**
 * Messages that leave this server, each once by its key. They are written in the transaction that
 * makes them due and sent after it (src/outbox/), so none is lost or made twice by a restart.
 */
import { createHash } from 'node:crypto';
import { dayMs } from '../model/time.ts';
import type { Database } from './database.ts';
import { rowValues } from './row-values.ts';

export interface NewMessage {
  /** What it is about and for whom: a second one of the same key is not written. */
  key: string;
  /** How it leaves: a name of `OutboxKinds`. */
  kind: string;
  /** The team that sends it; null for none. */
  accountId: number | null;
  /** An e-mail, or what else the kind sends to. */
  target: string;
  /** JSON, as the kind takes it. It is forgotten when the message has ended. */
  body: object;
  /** A person waits for it: it goes before all that waits. */
  isUrgent?: boolean;
}

export interface OutboxMessage extends Omit<NewMessage, 'isUrgent' | 'body'> {
  id: number;
  body: unknown;
  /** UTC milliseconds. */
  createdAt: number;
  /** How many tries have failed. */
  tries: number;
}

/** What became of a message. */
export interface OutboxState {
  key: string;
  /** When it was sent or given up, UTC milliseconds; null while it waits. */
  endedAt: number | null;
  /** Why the last try failed; null for one that was sent or not tried yet. */
  error: string | null;
}

/** What mails have attached. */
export interface OutboxFile {
  /** As `fileDigest` says; mails name it by this. */
  digest: string;
  content: string;
}

export interface OutboxStore {
  /** Returns false, and writes nothing, where there is or was one of its key. */
  add(message: NewMessage, now: number): boolean;
  /** Those of a kind that are to be tried now, the longest due first. */
  due(kind: string, now: number, limit: number): OutboxMessage[];
  sent(id: number, now: number): void;
  /** Gives it up. */
  failed(id: number, reason: string, now: number): void;
  again(id: number, reason: string, nextAt: number): void;
  /** How many of a kind were sent after `since`. */
  sentAfter(kind: string, since: number): number;
  /** How many of a kind wait. */
  waiting(kind: string): number;
  /** How many of a team were written after `since` whose key begins with `prefix`. */
  writtenAfter(accountId: number, prefix: string, since: number): number;
  /** The newest ones whose key begins with `prefix`, which holds no wildcard. */
  latest(prefix: string, limit: number): OutboxState[];
  /** Gives up what a kind has not sent for so long. Returns how many that were. */
  giveUp(kind: string, keepMs: number, now: number): number;
  /** Keeps a file for mails of the same transaction: without one that waits, it goes. */
  keepFile(file: OutboxFile, now: number): void;
  /** Undefined where it is kept no longer. */
  file(digest: string): string | undefined;
  /** Forgets what ended long ago. */
  prune(now: number): void;
  /** Forgets some of the files that no mail waits for. Returns whether there may be more. */
  pruneFiles(now: number): boolean;
}

/** Messages that ended are known for so long, so that their keys count once. */
const keptMs = 90 * dayMs;
/** Longer than any mail waits. */
const fileKeptMs = 7 * dayMs;
/** Deleted at once, for hits. */
const prunedMax = 2000;
/** Of 5 MB each. */
const prunedFilesMax = 20;
const reasonCharsMax = 500;

export const fileDigest = (content: string): string => createHash('sha256').update(content).digest('hex');

const rows = rowValues<OutboxMessage>({ body: 'json' });

export const outboxStore = (db: Database): OutboxStore => {
  const insert = db.prepare(
    `insert into outbox (key, kind, account_id, target, body, created_at, next_at)
     values (@key, @kind, @accountId, @target, @body, @now, @nextAt) on conflict (key) do nothing`,
  );
  const due = db.prepare(
    `select id, key, kind, account_id as accountId, target, body, created_at as createdAt, tries from outbox
     where kind = ? and ended_at is null and next_at <= ? order by next_at, id limit ?`,
  );
  const end = db.prepare(`update outbox set ended_at = ?, error = ?, body = '{}' where id = ? and ended_at is null`);
  const again = db.prepare('update outbox set tries = tries + 1, error = ?, next_at = ? where id = ?');
  const sentAfter = db.prepare('select count(*) from outbox where ended_at > ? and kind = ? and error is null').pluck();
  const waiting = db.prepare('select count(*) from outbox where kind = ? and ended_at is null').pluck();
  const latest = db.prepare(
    `select key, ended_at as endedAt, error from outbox where key >= @prefix and key < @prefix || char(0x10ffff)
     order by id desc limit @limit`,
  );
  const writtenAfter = db
    .prepare(
      `select count(*) from outbox where key >= @prefix and key < @prefix || char(0x10ffff)
       and account_id = @accountId and created_at > @since`,
    )
    .pluck();
  const giveUp = db.prepare(
    `update outbox set ended_at = @now, error = coalesce(error, 'It could not be sent for too long.'), body = '{}'
     where kind = @kind and ended_at is null and created_at < @before`,
  );
  const prune = db.prepare(
    `delete from outbox where id in (select id from outbox where ended_at < ? order by ended_at limit ${prunedMax})`,
  );
  const keepFile = db.prepare(
    `insert into outbox_file (digest, content, kept_until) values (@digest, @content, @keptUntil)
     on conflict (digest) do update set kept_until = @keptUntil`,
  );
  const file = db.prepare('select content from outbox_file where digest = ?').pluck();
  // The mails that wait are read once, and not at all where there is no file.
  const pruneFiles = db.prepare(
    `delete from outbox_file where digest in (
       select digest from outbox_file
       where kept_until < ? or digest not in (
         select body ->> '$.attached.digest' from outbox
         where kind = 'mail' and ended_at is null and body ->> '$.attached.digest' is not null)
       limit ${prunedFilesMax})`,
  );
  return {
    add: ({ isUrgent = false, ...message }, now) =>
      insert.run({ ...rows.stored(message), now, nextAt: isUrgent ? 0 : now }).changes > 0,
    due: (kind, now, limit) => rows.all(due.all(kind, now, limit)),
    sent: (id, now) => void end.run(now, null, id),
    failed: (id, reason, now) => void end.run(now, reason.slice(0, reasonCharsMax), id),
    again: (id, reason, nextAt) => void again.run(reason.slice(0, reasonCharsMax), nextAt, id),
    sentAfter: (kind, since) => sentAfter.get(since, kind) as number,
    waiting: kind => waiting.get(kind) as number,
    writtenAfter: (accountId, prefix, since) => writtenAfter.get({ accountId, prefix, since }) as number,
    latest: (prefix, limit) => latest.all({ prefix, limit }) as OutboxState[],
    giveUp: (kind, keepMs, now) => giveUp.run({ kind, now, before: now - keepMs }).changes,
    keepFile: ({ digest, content }, now) => void keepFile.run({ digest, content, keptUntil: now + fileKeptMs }),
    file: digest => file.get(digest) as string | undefined,
    prune: now => void prune.run(now - keptMs),
    pruneFiles: now => pruneFiles.run(now).changes === prunedFilesMax,
  };
};
