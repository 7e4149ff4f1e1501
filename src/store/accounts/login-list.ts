/** Where people are signed in: what they see of it, and ending it from afar. */
import type { Database } from '../database.ts';
import { digestOf } from './digest.ts';
import { isBrowserOver, type LoginBounds, type LoginTimes, usualBounds } from './logins.ts';

/** A row of a person’s list. */
export interface ListedLogin extends LoginTimes {
  /** Tells nothing of the token. */
  id: string;
  label: string;
}

export interface LoginLists {
  /** The browsers that a person is signed in with, the last used first. */
  list(personId: number, now: number): ListedLogin[];
  /** The id of a token in that list. */
  idOf(token: string): string;
  /** Ends one of that list. False where there is none. */
  endListed(personId: number, id: string): boolean;
  /** Ends all browsers’ but the one of this token. */
  endOthers(personId: number, token: string): void;
  /** Ends the logins of a session at a provider. */
  endSid(sid: string): void;
  /** Ends those that a person began at a provider. */
  endProvided(personId: number): void;
}

export const loginLists = (db: Database, bounds: LoginBounds = usualBounds): LoginLists => {
  const list = db.prepare(
    `select digest, label, method, begun_at as begunAt, used_at as usedAt from login
     where person_id = ? and kind = 'browser' order by used_at desc, begun_at desc`,
  );
  const endOthers = db.prepare("delete from login where person_id = ? and kind = 'browser' and digest <> ?");
  const endSid = db.prepare('delete from login where sid = ?');
  const endProvided = db.prepare("delete from login where person_id = ? and method = 'oidc'");
  const endDigest = db.prepare('delete from login where digest = ?');
  return {
    list: (personId, now) =>
      (list.all(personId) as (ListedLogin & { digest: Buffer })[])
        .filter(login => !isBrowserOver(login, bounds, now))
        .map(({ digest, ...login }) => ({ ...login, id: idOfDigest(digest) })),
    idOf: token => idOfDigest(digestOf(token)),
    endListed(personId, id) {
      const found = (list.all(personId) as { digest: Buffer }[]).find(({ digest }) => idOfDigest(digest) === id);
      if (found !== undefined) endDigest.run(found.digest);
      return found !== undefined;
    },
    endOthers(personId, token) {
      endOthers.run(personId, digestOf(token));
    },
    endSid(sid) {
      endSid.run(sid);
    },
    endProvided(personId) {
      endProvided.run(personId);
    },
  };
};

const idOfDigest = (digest: Buffer): string => digest.subarray(0, 8).toString('hex');
