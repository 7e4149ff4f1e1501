/** Where teams want to be told (model/alerts/channel-kinds.ts). */
import type { ChannelKind } from '../../model/alerts/channel-kinds.ts';
import { channelsMax } from '../../model/alerts/kinds.ts';
import type { Database } from '../database.ts';
import { insertInto, selected } from '../row-values.ts';
import { orUniqueViolation } from '../unique-violation.ts';

export interface Channel {
  id: number;
  accountId: number;
  kind: ChannelKind;
  name: string;
  target: string;
  secret: string | null;
  /** Signs too until `oldUntil`. */
  oldSecret: string | null;
  oldUntil: number | null;
  /** When a message first arrived, UTC milliseconds, as below. */
  verifiedAt: number | null;
  failingSince: number | null;
  disabledAt: number | null;
  lastError: string | null;
  madeBy: string;
  createdAt: number;
}

export type NewChannel = Pick<Channel, 'accountId' | 'kind' | 'name' | 'target' | 'secret' | 'madeBy' | 'createdAt'>;

export interface Channels {
  list(accountId: number): Channel[];
  byId(id: number): Channel | undefined;
  /** Undefined where the team has as many as it may have. Throws UniqueViolation. */
  add(channel: NewChannel): Channel | undefined;
  /** Another way, of which nothing is known yet. */
  set(id: number, way: Pick<Channel, 'kind' | 'target' | 'secret'>): void;
  remove(id: number): void;
  /** A new secret; the old one signs too until `oldUntil`. */
  setSecret(id: number, secret: string, oldUntil: number): void;
  /** A message arrived. */
  arrived(id: number, now: number): void;
  /** One did not. Returns since when none does. */
  failed(id: number, reason: string, now: number): number;
  disable(id: number, now: number): void;
  /** Sends again. */
  enable(id: number): void;
}

const newNames = ['accountId', 'kind', 'name', 'target', 'secret', 'madeBy', 'createdAt'];
const stateNames = ['oldSecret', 'oldUntil', 'verifiedAt', 'failingSince', 'disabledAt', 'lastError'];
const select = `select ${selected(['id', ...newNames, ...stateNames])} from channel`;
const reasonCharsMax = 300;

export const channels = (db: Database): Channels => {
  const ofAccount = db.prepare(`${select} where account_id = ? order by name`);
  const byId = db.prepare(`${select} where id = ?`);
  const count = db.prepare('select count(*) from channel where account_id = ?').pluck();
  const insert = db.prepare(`${insertInto('channel', newNames)} returning id`);
  const update = db.prepare(
    `update channel set kind = @kind, target = @target, secret = @secret, old_secret = null, old_until = null,
     verified_at = null, failing_since = null, disabled_at = null, last_error = null where id = @id`,
  );
  const remove = db.prepare('delete from channel where id = ?');
  const setSecret = db.prepare('update channel set old_secret = secret, secret = ?, old_until = ? where id = ?');
  const arrived = db.prepare(
    'update channel set verified_at = coalesce(verified_at, ?), failing_since = null, last_error = null where id = ?',
  );
  const failed = db
    .prepare(
      'update channel set failing_since = coalesce(failing_since, ?), last_error = ? where id = ? returning failing_since',
    )
    .pluck();
  const disable = db.prepare('update channel set disabled_at = ? where id = ?');
  const enable = db.prepare(
    'update channel set disabled_at = null, failing_since = null, last_error = null where id = ?',
  );
  const find = (id: number) => byId.get(id) as Channel | undefined;
  return {
    list: accountId => ofAccount.all(accountId) as Channel[],
    byId: find,
    add: db.transaction((channel: NewChannel) => {
      if ((count.get(channel.accountId) as number) >= channelsMax) return undefined;
      const { id } = orUniqueViolation(
        () => insert.get(channel) as { id: number },
        () => `There is a channel ${channel.name} already.`,
      );
      return find(id);
    }) as Channels['add'],
    set: (id, { kind, target, secret }) => void update.run({ id, kind, target, secret }),
    remove: id => void remove.run(id),
    setSecret: (id, secret, oldUntil) => void setSecret.run(secret, oldUntil, id),
    arrived: (id, now) => void arrived.run(now, id),
    failed: (id, reason, now) => (failed.get(now, reason.slice(0, reasonCharsMax), id) as number | undefined) ?? now,
    disable: (id, now) => void disable.run(now, id),
    enable: id => void enable.run(id),
  };
};
