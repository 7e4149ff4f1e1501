/** Who asks: by a key of Daybook, or by the token that an account's password gave. */
import type { IncomingMessage } from 'node:http';
import type { Access } from '../../api/api.ts';
import type { Caller, ProgramLogins } from '../../api/auth.ts';
import { json, type Reply } from '../../http/reply.ts';
import { bearerToken } from '../../model/headers.ts';
import { isRecord } from '../../model/record.ts';
import type { Account } from '../../model/site.ts';
import { isoTime } from '../../model/time.ts';
import type { QuestionCall, QuestionRoute } from '../question-family.ts';
import { badRequest, errorReply, unauthorized } from './errors.ts';

/** Throws HttpError. */
export const callerOf = (request: IncomingMessage, access: Access, logins: ProgramLogins): Caller => {
  for (const key of keysOf(request)) {
    const known = access.callerOf(key);
    if (known !== undefined) return known;
    // A program asks, as with a key: the plan decides.
    const person = logins.callerOf(key);
    if (person !== undefined) return person;
  }
  throw unauthorized();
};

/** The keys and tokens that a request brings. */
const keysOf = ({ headers }: IncomingMessage): string[] =>
  [headers['x-umami-api-key'], bearerToken(headers.authorization)].filter(
    key => typeof key === 'string' && key !== '',
  ) as string[];

const uuidOf = (id: number): string => `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;

/** The account as the owner of websites. */
export const userOf = ({ id, name }: Account): { id: string; username: string } => ({ id: uuidOf(id), username: name });

const wholeUserOf = (account: Account): object => ({
  ...userOf(account),
  role: 'user',
  createdAt: isoTime(account.createdAt),
  isAdmin: false,
  teams: [],
});

const login: QuestionRoute = {
  method: 'POST',
  path: '/api/auth/login',
  access: 'anybody',
  async answer({ request, body, logins }): Promise<Reply> {
    logins.refuseTired(request);
    const given = await body();
    const { username, password } = isRecord(given) ? given : {};
    if (typeof username !== 'string' || typeof password !== 'string') {
      throw badRequest('username and password must be texts.');
    }
    const found = await logins.begin(request, username, password);
    if (found === undefined) return errorReply(unauthorized(), 'incorrect-username-password');
    return json(200, { token: found.token, user: wholeUserOf(found.account) });
  },
};

const logout: QuestionRoute = {
  method: 'POST',
  path: '/api/auth/logout',
  access: 'key',
  // A key of Daybook is revoked in the settings, and not by a client that is done with it.
  answer({ request, logins }) {
    for (const key of keysOf(request)) logins.end(key);
    return json(200, { ok: true });
  },
};

const verified = ({ caller }: QuestionCall): Reply => json(200, wholeUserOf(caller.account));

export const authRoutes: readonly QuestionRoute[] = [
  login,
  logout,
  { method: 'POST', path: '/api/auth/verify', access: 'key', answer: verified },
  // As clients of earlier versions ask.
  { method: 'GET', path: '/api/auth/verify', access: 'key', answer: verified },
  {
    method: 'GET',
    path: '/api/me',
    access: 'key',
    answer: ({ caller }) => json(200, { user: wholeUserOf(caller.account) }),
  },
];
