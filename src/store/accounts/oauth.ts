/**
 * Access that people gave to programs. Codes and tokens are kept as digests; each grant has its own
 * rows of both, so that ending it ends them all.
 */
import { dayMs, minuteMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { insertInto, rowValues, selected } from '../row-values.ts';
import { digestOf } from './digest.ts';

export interface OAuthGrant {
  id: number;
  personId: number;
  clientId: string;
  clientName: string;
  /** Where its codes are sent. */
  redirect: string;
  challenge: string;
  scopes: string[];
  /** UUIDs of the only sites; null for all that the person may read, those to come too. */
  sites: string[] | null;
  createdAt: number;
  lastUsedAt: number | null;
}

interface RegisteredClient {
  id: string;
  name: string;
  redirects: string[];
}

/** What a secret is good for. One that is spent is kept as long as it would have been good. */
type SecretKind = 'code' | 'spent-code' | 'access' | 'refresh' | 'spent-refresh';

export interface OAuthStore {
  atomically<T>(run: () => T): T;
  /** Undefined for an id that was not given out, or was not used for a day. */
  client(id: string): RegisteredClient | undefined;
  /** False, and nothing done, where there are too many. */
  addClient(client: RegisteredClient, now: number): boolean;
  add(grant: Omit<OAuthGrant, 'id' | 'lastUsedAt'>, code: string): OAuthGrant;
  find(secret: string, now: number): { grant: OAuthGrant; kind: SecretKind } | undefined;
  /** It stays known until then, so that whoever shows it again is noticed. */
  spend(secret: string, kind: 'code' | 'refresh', until: number): void;
  /** In the place of the grant's earlier access token. */
  putTokens(
    grantId: number,
    tokens: { access: string; accessUntil: number; refresh: string; refreshUntil: number },
    now: number,
  ): void;
  stamp(grantId: number, now: number): void;
  ofPerson(personId: number): OAuthGrant[];
  /** With all its codes and tokens. */
  remove(grantId: number): void;
}

const codeMs = minuteMs;
const clientsMax = 1000;
/** Programs that nobody gave access to within a day are forgotten. */
const unusedMs = dayMs;
const grantsMax = 100;
/** Of a grant: two days of hourly renewal. */
const spentMax = 50;

const clients = rowValues<RegisteredClient>({ redirects: 'json' });
const { read, all, stored } = rowValues<OAuthGrant>({ scopes: 'json', sites: 'json' });

const newNames = ['personId', 'clientId', 'clientName', 'redirect', 'challenge', 'scopes', 'sites', 'createdAt'];
const fields = `oauth_grant.id, ${selected([...newNames, 'lastUsedAt'])}`;

/** Programs that registered. */
const programs = (db: Database): Pick<OAuthStore, 'client' | 'addClient'> => {
  const findClient = db.prepare('select id, name, redirects from oauth_client where id = ?');
  const countClients = db.prepare('select count(*) from oauth_client').pluck();
  const endUnused = db.prepare(
    `delete from oauth_client where created_at <= ? and not exists (select 1 from oauth_grant where client_id = oauth_client.id)`,
  );
  const insertClient = db.prepare(
    'insert into oauth_client (id, name, redirects, created_at) values (@id, @name, @redirects, @now)',
  );
  return {
    client: id => clients.one(findClient.get(id)),
    addClient: db.transaction((client: RegisteredClient, now: number) => {
      endUnused.run(now - unusedMs);
      if ((countClients.get() as number) >= clientsMax) return false;
      insertClient.run({ ...clients.stored(client), now });
      return true;
    }),
  };
};

export const oauthStore = (db: Database): OAuthStore => {
  const insert = db.prepare(`${insertInto('oauth_grant', newNames)} returning ${fields}`);
  const endSurplus = db.prepare(
    `delete from oauth_grant where id in
     (select id from oauth_grant where person_id = ? order by coalesce(last_used_at, created_at) desc limit -1 offset ${grantsMax})`,
  );
  const insertSecret = db.prepare('insert into oauth_secret (digest, grant_id, kind, expires_at) values (?, ?, ?, ?)');
  const findSecret = db.prepare(
    `select kind, ${fields} from oauth_secret join oauth_grant on oauth_grant.id = grant_id where digest = ? and expires_at > ?`,
  );
  const spend = db.prepare('update oauth_secret set kind = ?, expires_at = ? where digest = ?');
  const endSpent = db.prepare(
    `delete from oauth_secret where digest in (select digest from oauth_secret
     where grant_id = ? and kind = 'spent-refresh' order by expires_at desc limit -1 offset ${spentMax})`,
  );
  const endAccess = db.prepare("delete from oauth_secret where grant_id = ? and kind = 'access'");
  const endOver = db.prepare('delete from oauth_secret where expires_at <= ?');
  // A grant without a secret that is still good can never be used again.
  const endEmpty = db.prepare(
    'delete from oauth_grant where not exists (select 1 from oauth_secret where grant_id = oauth_grant.id)',
  );
  const stamp = db.prepare('update oauth_grant set last_used_at = ? where id = ?');
  const ofPerson = db.prepare(
    `select ${fields} from oauth_grant where person_id = ?
     and exists (select 1 from oauth_secret where grant_id = oauth_grant.id and kind = 'refresh' and expires_at > 0) order by id`,
  );
  const remove = db.prepare('delete from oauth_grant where id = ?');
  const endOld = (now: number): void => {
    endOver.run(now);
    endEmpty.run();
  };
  return {
    atomically: run => db.transaction(run).immediate(),
    ...programs(db),
    add: db.transaction((grant: Omit<OAuthGrant, 'id' | 'lastUsedAt'>, code: string) => {
      const { createdAt, personId } = grant;
      endOld(createdAt);
      const added = read(insert.get(stored(grant)));
      insertSecret.run(digestOf(code), added.id, 'code', createdAt + codeMs);
      endSurplus.run(personId);
      return added;
    }),
    find(secret, now) {
      const row = findSecret.get(digestOf(secret), now) as { kind: SecretKind } | undefined;
      if (row === undefined) return undefined;
      const { kind, ...grant } = row;
      return { kind, grant: read(grant) };
    },
    spend: (secret, kind, until) => void spend.run(`spent-${kind}`, until, digestOf(secret)),
    putTokens(grantId, { access, accessUntil, refresh, refreshUntil }, now) {
      endAccess.run(grantId);
      endSpent.run(grantId);
      endOld(now);
      insertSecret.run(digestOf(access), grantId, 'access', accessUntil);
      insertSecret.run(digestOf(refresh), grantId, 'refresh', refreshUntil);
    },
    stamp: (grantId, now) => void stamp.run(now, grantId),
    ofPerson: personId => all(ofPerson.all(personId)),
    remove: grantId => void remove.run(grantId),
  };
};
