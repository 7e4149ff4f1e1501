/**
 * How the API knows readers of the dashboard: by the cookie of somebody signed in, or by the token
 * of a public page.
 */
import type { IncomingMessage } from 'node:http';
import type { Authenticate, Caller } from '../api/auth.ts';
import { HttpError } from '../http/errors.ts';
import { publicGrant } from '../model/grant.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { Sites } from '../store/sites.ts';
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
    return login && account && { account, grants: login.grants, byKey: false };
  };

/** A person whom a program asks for: it may do no more than they may at this moment. */
export const personCaller =
  ({ sessions }: AppParts) =>
  (personId: number): Caller | undefined => {
    const grants = sessions.grantsOf(personId);
    const account = grants[0]?.account;
    return account && { account, grants, byKey: true };
  };

/** `Authorization: Share <token>`, or `?share=<token>` in a link. */
export const shareAuthenticator =
  ({ sites, accounts }: { sites: Pick<Sites, 'shared'>; accounts: Pick<Accounts, 'byId'> }): Authenticate =>
  (request, share) => {
    const token = share ?? headerToken(request);
    const site = token === undefined ? undefined : sites.shared(token);
    const account = site && accounts.byId(site.accountId);
    return site && account && { account, grants: [publicGrant(account, site)], byKey: false };
  };

const headerToken = (request: IncomingMessage): string | undefined =>
  /^share\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
