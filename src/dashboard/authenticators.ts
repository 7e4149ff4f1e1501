/**
 * How the API knows people who are signed in: by their cookie, or because a program asks for them.
 * Readers of public pages are known by share-door.ts.
 */
import type { Authenticate, Caller } from '../api/auth.ts';
import { HttpError } from '../http/errors.ts';
import type { AppParts } from './parts.ts';

/**
 * The cookie counts only where nothing else was sent: a public page shows its owner what it shows
 * everybody else.
 */
export const cookieAuthenticator =
  ({ sessions }: AppParts): Authenticate =>
  (request, share) => {
    if (share !== null || request.headers.authorization !== undefined) return undefined;
    const login = sessions.loginOf(request);
    if (login?.lacksFactor) throw new HttpError('app-factor-missing');
    const account = login?.grants[0]?.account;
    const by = login && { personId: login.person.id, actor: login.person.email };
    return by && account && { account, grants: login.grants, byKey: false, by };
  };

/** A person whom a program asks for: it may do no more than they may at this moment. */
export const personCaller =
  ({ persons, sessions }: AppParts) =>
  (personId: number): Caller | undefined => {
    const grants = sessions.grantsOf(personId);
    const account = grants[0]?.account;
    const by = { personId, actor: persons.byId(personId)?.email ?? '' };
    return account && { account, grants, byKey: true, by };
  };
