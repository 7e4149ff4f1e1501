/**
 * What all paths under /app and all pages have in common: who asks, from where, and with which
 * body.
 */
import type { IncomingMessage } from 'node:http';
import type { Audited } from '../api/changes/auditor.ts';
import { accountTurn } from '../http/account-turn.ts';
import { wholeBody } from '../http/body.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { fieldsBytesMax, readFields } from '../http/json-body.ts';
import { json, type Reply } from '../http/reply.ts';
import type { PathParameters, Route } from '../http/router.ts';
import type { AuditAction } from '../model/audit.ts';
import { type Allowed, allow, type DashboardCall, type OnSite, type RouteRight, requireLogin } from './allow.ts';
import { isHttps } from './cookies.ts';
import type { Login } from './sessions.ts';

export interface Call extends DashboardCall {
  request: IncomingMessage;
  parameters: PathParameters;
  /** Where the person sees the dashboard, without a slash at its end. */
  origin: string;
  /** Writes down what is done. */
  note(audited: Omit<Audited, 'request'>): void;
  /**
   * Who is signed in at this moment: a login may end while the body is read. Undefined when nobody
   * is.
   */
  login(): Login | undefined;
}

/** `answer` may throw HttpError. */
export interface DashboardRoute extends Route {
  /** What it takes to use it. */
  right: RouteRight;
  answer(call: Call): Reply | Promise<Reply>;
}

type Answered = Reply | Promise<Reply>;

/** Reads something for somebody who may. */
export const get = <const Path extends string, const R extends Exclude<RouteRight, 'anybody'>>(
  path: Path,
  right: R,
  answer: (call: Call, allowed: Allowed<Path, R>) => Answered,
): DashboardRoute => ({
  method: 'GET',
  path,
  right,
  answer: call => inTurn(call, () => answer(call, allow<Path, R>(call, right))),
});

/** Changes something for somebody who may, before the body is read and still after it. */
export const post = <const Path extends string, const R extends Exclude<RouteRight, 'anybody'>>(
  path: Path,
  right: R,
  answer: (call: Call & { body: Body }, allowed: Allowed<Path, R>) => Answered,
): DashboardRoute => ({
  ...openPost(
    path,
    call =>
      inTurn(call, async () => {
        const allowed = allow<Path, R>(call, right, call.body);
        const reply = await answer(call, allowed);
        noteDone(path, call, allowed);
        return reply;
      }),
    call => allow(call, right),
  ),
  right,
});

/** What changes are called in the audit; others say it themselves, or are not worth it. */
const audited: Readonly<Record<string, AuditAction>> = {
  '/app/account/email': 'email-changed',
  '/app/account/password': 'password-changed',
  '/app/sites/:site': 'site-changed',
  '/app/sites/:site/reset': 'site-reset',
  '/app/sites/:site/remove': 'site-removed',
  '/app/sites/:site/imports': 'imported',
  '/app/sites/:site/imports/:import/undo': 'import-undone',
  '/app/sites/:site/removals': 'hits-removed',
  '/app/sites/:site/removals/:removal/undo': 'hits-put-back',
  '/app/rollups': 'site-added',
  '/app/rollups/:site': 'site-changed',
  '/app/rollups/:site/remove': 'site-removed',
};

const noteDone = (path: string, { body, note }: Call & { body: Body }, by: Login): void => {
  const action = audited[path];
  if (action === undefined) return;
  const { account, site } = by as Partial<OnSite>;
  const named = [site?.domain, body.name].find(name => typeof name === 'string') as string;
  // Which settings, but not to what: they may hold addresses.
  const details = action === 'site-changed' ? { settings: Object.keys(body).slice(0, 20) } : {};
  const subject = (named ?? '').slice(0, 253);
  note({ person: by.person, accountId: account?.id ?? null, action, subject, details });
};

const inTurn = async (call: Call, answer: () => Answered): Promise<Reply> => {
  await personTurn(requireLogin(call));
  return answer();
};

/** Those of one team take turns; those of none have one together. */
export const personTurn = ({ grants }: Login): Promise<void> => accountTurn(grants[0]?.account.id ?? 0);

/** A change by anybody. `refuse` throws before the body of somebody who may not is read. */
export const openPost = (
  path: string,
  answer: (call: Call & { body: Body }) => Answered,
  refuse: (call: Call) => unknown = () => {},
): DashboardRoute => ({
  method: 'POST',
  path,
  right: 'anybody',
  async answer(call) {
    refuseForeign(call);
    refuse(call);
    return answer({ ...call, body: await readFields(call.request, 'app-too-large', 'app-bad-body') });
  },
});

/** Takes bytes from somebody who may, at most so many. */
export const postBytes = <const Path extends string, const R extends Exclude<RouteRight, 'anybody'>>(
  path: Path,
  right: R,
  bytesMax: number,
  answer: (call: Call & { bytes: Buffer }, allowed: Allowed<Path, R>) => Answered,
): DashboardRoute => ({
  method: 'POST',
  path,
  right,
  async answer(call) {
    refuseForeign(call, /^application\/octet-stream$/i);
    allow(call, right);
    const bytes = await readBytes(call.request, bytesMax);
    return answer({ ...call, bytes }, allow<Path, R>(call, right));
  },
});

/** Takes a form from another server, which proves itself by what the form holds. */
export const postForm = (path: string, answer: (call: Call, form: URLSearchParams) => Answered): DashboardRoute => ({
  method: 'POST',
  path,
  right: 'anybody',
  async answer(call) {
    const type = call.request.headers['content-type'] ?? '';
    if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
      throw new HttpError('app-not-json', { error: 'Send a form.' });
    return answer(call, new URLSearchParams((await readBytes(call.request, fieldsBytesMax)).toString()));
  },
});

/** Refuses all requests to a path. */
export const refusing = (path: string, why: () => HttpError): DashboardRoute[] =>
  (['GET', 'POST'] as const).map(method => ({
    ...{ method, path, right: 'anybody' },
    answer() {
      throw why();
    },
  }));

/** A reply whose shape wire.ts gives. */
export const ok = <T extends object>(body: T, headers: Reply['headers'] = {}): Reply => json(200, body, headers);

/**
 * The address at which the client sees the dashboard, without a slash at its end: BASE_URL, or else
 * what the request says. Clients that forge it fool only themselves. Throws HttpError where `Host`
 * is none.
 */
export const originOf = (request: IncomingMessage, baseUrl: string | null): string => {
  if (baseUrl !== null) return baseUrl;
  const origin = `${isHttps(request, baseUrl) ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || url.href !== `${url.origin}/`) throw new HttpError('app-bad-host');
  return origin;
};

/**
 * Throws HttpError unless a page of this host sent the request. A browser sends the cookie along
 * with a form or a fetch of any page. But it also names the page's origin, and it asks before it
 * sends JSON across origins, which is never allowed here. SameSite=Lax is the third wall.
 */
const refuseForeign = ({ request, origin }: Call, typed = /^application\/json\s*(;|$)/i): void => {
  const { origin: sender, host, 'sec-fetch-site': site, 'content-type': type } = request.headers;
  const isOwn = (address: string): boolean => {
    const from = URL.canParse(address) ? new URL(address) : undefined;
    return from !== undefined && (from.origin === new URL(origin).origin || from.host === host);
  };
  const isTold = sender !== undefined || site !== undefined;
  if (!isTold || (sender !== undefined && !isOwn(sender)) || (site !== undefined && site !== 'same-origin')) {
    throw new HttpError('app-foreign-page', { error: `Use the dashboard at ${origin} for this.` });
  }
  if (!typed.test(type ?? '')) throw new HttpError('app-not-json');
};

const readBytes = (request: IncomingMessage, bytesMax: number): Promise<Buffer> =>
  wholeBody(request, bytesMax, () => new HttpError('app-too-large'));
