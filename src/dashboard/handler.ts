/** Answers requests to pages, their files and /app, whichever of them a server has. */
import type { IncomingMessage } from 'node:http';
import type { Auditor } from '../api/changes/auditor.ts';
import { HttpError } from '../http/errors.ts';
import type { Handle } from '../http/listener.ts';
import { type Reply, respond } from '../http/reply.ts';
import { createRouter, type FoundRoute } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import type { Language } from '../model/locale.ts';
import { acceptedLanguage } from './accepted-language.ts';
import type { DashboardCall } from './allow.ts';
import type { ServerTexts } from './assets.ts';
import { type DashboardRoute, originOf } from './route.ts';
import type { Login } from './sessions.ts';
import type { DashboardWorld } from './world.ts';

export interface HandlerParts extends Pick<DashboardWorld, 'baseUrl' | 'log'> {
  routes: readonly DashboardRoute[];
  /** The page of every other path. */
  missing: DashboardRoute;
  directory: DashboardCall['directory'];
  auditor: Pick<Auditor, 'note' | 'noteRefused'>;
  loginOf: (request: IncomingMessage) => Login | undefined;
  /** What the server itself says, in each language. */
  said: ServerTexts;
}

export const pageHandler = ({
  routes,
  missing,
  directory,
  auditor,
  baseUrl,
  loginOf,
  said,
  log,
}: HandlerParts): Handle => {
  const findRoute = createRouter(routes);
  const notFound: FoundRoute<DashboardRoute> = { route: missing, parameters: {}, allow: '' };

  const answer = async (request: IncomingMessage, found: FoundRoute<DashboardRoute>): Promise<Reply> => {
    const { route, parameters, allow } = found;
    if (route === undefined) throw new HttpError('app-method-not-allowed', {}, { allow });
    directory.refresh();
    const origin = originOf(request, baseUrl);
    const reply = await route.answer({
      request,
      parameters,
      origin,
      directory,
      note: audited => auditor.note({ ...audited, request }),
      login: () => loginOf(request),
    });
    return { ...reply, headers: { ...reply.headers, ...transportHeaders(origin) } };
  };

  const languageOf = (request: IncomingMessage): Language =>
    loginOf(request)?.person.locale.language ?? acceptedLanguage(request.headers['accept-language']);

  return (request, response, path) => {
    const found = findRoute(request.method, path) ?? (asksForPage(request) ? notFound : undefined);
    if (found === undefined) return false;
    const reply = answer(request, found).catch(error => {
      const login = loginOf(request);
      const isRefused = error instanceof HttpError && error.code === 'app-not-allowed';
      if (isRefused && login !== undefined) auditor.noteRefused(request, login);
      return failureReply(error, said[languageOf(request)], log);
    });
    respond(request, response, reply, log);
    return true;
  };
};

/** A dashboard on https shall not be asked for in the clear again by browsers for a year. */
const transportHeaders = (origin: string): Record<string, string> =>
  origin.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};

/** Browsers say so when somebody goes to an address. */
const asksForPage = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '');

const failureReply = (error: unknown, texts: ServerTexts[Language], log: Log): Reply => {
  if (error instanceof HttpError) return replyIn(texts, error);
  log('dashboard-failed', { reason: reasonOf(error) });
  return replyIn(texts, new HttpError('app-failed'));
};

/**
 * The reply of an error in the language of whoever asked. In English an error speaks for itself;
 * the texts of other languages have a sentence for each code (`failure.app-taken`), and for each
 * field that holds a value of no use (`failure.domain`).
 */
const replyIn = (texts: Readonly<Record<string, string>>, { code, field, reply }: HttpError): Reply => {
  const saysField = field !== undefined && ['app-bad-value', 'bad-report', 'bad-alert'].includes(code);
  const text = texts[`failure.${saysField ? field : code}`];
  return text === undefined ? reply : { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), error: text }) };
};
