/**
 * What all paths under /app and all pages have in common: who asks, from where, and with which
 * body.
 */
import type { IncomingMessage } from 'node:http';
import { accountTurn } from '../http/account-turn.ts';
import { readBody } from '../http/body.ts';
import { HttpError } from '../http/errors.ts';
import { readJson } from '../http/json-body.ts';
import { json, type Reply } from '../http/reply.ts';
import type { PathParameters, Route } from '../http/router.ts';
import { isRecord } from '../model/record.ts';
import { isHttps } from './cookies.ts';
import type { Body } from './fields.ts';
import type { Login } from './sessions.ts';
import type { DoneBody } from './wire.ts';

export interface Call {
  request: IncomingMessage;
  parameters: PathParameters;
  /** Where the person sees the dashboard, without a slash at its end. */
  origin: string;
  /**
   * Who is signed in at this moment: a login may end while the body is read. Undefined when nobody
   * is.
   */
  login(): Login | undefined;
}

/** `answer` may throw HttpError. */
export interface DashboardRoute extends Route {
  answer(call: Call): Reply | Promise<Reply>;
}

type Answered = Reply | Promise<Reply>;

/** Reads something for somebody who is signed in. */
export const get = (path: string, answer: (call: Call, login: Login) => Answered): DashboardRoute => ({
  method: 'GET',
  path,
  answer: call => inTurn(call, () => answer(call, requireLogin(call))),
});

/** Changes something for somebody who is signed in, before the body is read and still after it. */
export const post = (path: string, answer: (call: Call & { body: Body }, login: Login) => Answered): DashboardRoute =>
  openPost(path, call => inTurn(call, () => answer(call, requireLogin(call))), requireLogin);

const inTurn = async (call: Call, answer: () => Answered): Promise<Reply> => {
  await accountTurn(requireLogin(call).account.id);
  return answer();
};

/** A change by anybody. `refuse` throws before the body of somebody who may not is read. */
export const openPost = (
  path: string,
  answer: (call: Call & { body: Body }) => Answered,
  refuse: (call: Call) => unknown = () => {},
): DashboardRoute => ({
  method: 'POST',
  path,
  async answer(call) {
    refuseForeign(call);
    refuse(call);
    return answer({ ...call, body: await readFields(call.request) });
  },
});

/** Takes bytes from somebody who is signed in, at most so many. */
export const postBytes = (
  path: string,
  bytesMax: number,
  answer: (call: Call & { bytes: Buffer }, login: Login) => Answered,
): DashboardRoute => ({
  method: 'POST',
  path,
  async answer(call) {
    refuseForeign(call, /^application\/octet-stream$/i);
    requireLogin(call);
    const bytes = await readBytes(call.request, bytesMax);
    return answer({ ...call, bytes }, requireLogin(call));
  },
});

/** Takes a form from another server, which proves itself by what the form holds. */
export const postForm = (path: string, answer: (call: Call, form: URLSearchParams) => Answered): DashboardRoute => ({
  method: 'POST',
  path,
  async answer(call) {
    const type = call.request.headers['content-type'] ?? '';
    if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
      throw new HttpError('app-not-json', { error: 'Send a form.' });
    return answer(call, new URLSearchParams((await readBytes(call.request, bodyBytesMax)).toString()));
  },
});

/** A reply whose shape wire.ts gives. */
export const ok = <T extends object>(body: T, headers: Reply['headers'] = {}): Reply => json(200, body, headers);
export const done = (headers: Reply['headers'] = {}): Reply => ok<DoneBody>({ done: true }, headers);

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

const requireLogin = (call: Call): Login => {
  const login = call.login();
  if (login === undefined) throw new HttpError('app-signed-out');
  if (login.lacksFactor && !setUpPaths.test(call.request.url ?? '')) throw new HttpError('app-factor-missing');
  return login;
};
/** What somebody may do who still has to set up a second factor. */
const setUpPaths = /^\/app\/(me|account|totp|passkeys|prove)\b/;

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

/** Long lists of excluded addresses and paths fit in. */
const bodyBytesMax = 64 * 1024;

/** The JSON object of a request. */
const readFields = async (request: IncomingMessage): Promise<Body> => {
  const body = await readJson(request, bodyBytesMax, 'app-too-large');
  if (isRecord(body)) return body;
  throw new HttpError('app-bad-body');
};

/** Never settles when the client goes away: then nobody waits for an answer. */
const readBytes = (request: IncomingMessage, bytesMax: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    readBody(request, bytesMax, bytes =>
      bytes === undefined ? reject(new HttpError('app-too-large')) : resolve(bytes),
    );
  });
