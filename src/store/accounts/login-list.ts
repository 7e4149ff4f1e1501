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

export type LoginLists = ReturnType<typeof loginLists>;

export const loginLists = (db: Database, bounds: LoginBounds = usualBounds) => {
  const list = db.prepare(
    `select digest, label, method, begun_at as begunAt, used_at as usedAt from login
     where person_id = ? and kind = 'browser' order by used_at desc, begun_at desc`,
  );
  const endOthers = db.prepare("delete from login where person_id = ? and kind = 'browser' and digest <> ?");
  const endSid = db.prepare('delete from login where sid = ?');
  const endProvided = db.prepare("delete from login where person_id = ? and method = 'oidc'");
  const endDigest = db.prepare('delete from login where digest = ?');
  return {
    /** The browsers that a person is signed in with, the last used first. */
    list: (personId: number, now: number): ListedLogin[] =>
      (list.all(personId) as (ListedLogin & { digest: Buffer })[])
        .filter(login => !isBrowserOver(login, bounds, now))
        .map(({ digest, ...login }) => ({ ...login, id: idOfDigest(digest) })),
    /** The id of a token in that list. */
    idOf: (token: string) => idOfDigest(digestOf(token)),
    /** Ends one of that list. False where there is none. */
    endListed(personId: number, id: string) {
      const found = (list.all(personId) as { digest: Buffer }[]).find(({ digest }) => idOfDigest(digest) === id);
      if (found !== undefined) endDigest.run(found.digest);
      return found !== undefined;
    },
    /** Ends all browsers’ but the one of this token. */
    endOthers: (personId: number, token: string): void => void endOthers.run(personId, digestOf(token)),
    /** Ends the logins of a session at a provider. */
    endSid: (sid: string): void => void endSid.run(sid),
    /** Ends those that a person began at a provider. */
    endProvided: (personId: number): void => void endProvided.run(personId),
  };
};

const idOfDigest = (digest: Buffer): string => digest.subarray(0, 8).toString('hex');
