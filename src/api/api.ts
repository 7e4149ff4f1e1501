/**
 * Answers requests to the API: who may ask, and which error is answered first. Methods are checked
 * before anything else, since hardly anything can be written here; then follow 401, 403, 404, 400
 * (docs/api.md, "Errors").
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { accountTurn } from '../http/account-turn.ts';
import { HttpError, primaryOnly } from '../http/errors.ts';
import { readJson } from '../http/json-body.ts';
import { type JsonReply, type Reply, respond } from '../http/reply.ts';
import { createRouter, type FoundRoute } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import { isRecord } from '../model/record.ts';
import { isRollup, type Site } from '../model/site.ts';
import {
  QueryBusy,
  QueryCanceled,
  QueryIncomplete,
  QueryTimeout,
  QueryTooLarge,
  QueryUnavailable,
  QueryUnsupported,
} from '../query/errors.ts';
import type { EngineName, QueryEngine } from '../query/query-engine.ts';
import type { Accounts, ApiKeys } from '../store/accounts/accounts.ts';
import type { Definitions } from '../store/definitions.ts';
import type { Notes } from '../store/notes.ts';
import type { Rates } from '../store/rates.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { type EngineTold, type Run, runFor } from './ask.ts';
import { type Authenticate, askerOf, type Caller, keyAuthenticator, mayRead } from './auth.ts';
import { definitionsOf } from './definitions.ts';
import { type ReadableSite, readableSite } from './endpoint.ts';
import { ParameterError } from './request/parameters.ts';
import type { ApiCall, ApiRoute } from './route.ts';
import { apiRoutes, unknownRoutes } from './routes.ts';

export interface ApiParts {
  accounts: Accounts;
  keys: ApiKeys;
  rates: Rates;
  definitions: Definitions;
  notes: Notes;
  directory: SiteDirectory;
  engine: QueryEngine;
  now: () => number;
  log: Log;
  /** Where what is written belongs; null where this server writes itself. */
  primaryUrl?: string | null;
  /** Other ways to be known than an API key, tried after it. */
  authenticators?: readonly Authenticate[];
}

/** For APIs that stand beside this one: who a key is of, and what they may ask. */
export interface Access {
  callerOf(key: string): Caller | undefined;
  /** Throws HttpError where the account's plan has no access by programs. */
  refuseUnpaid(caller: Caller): void;
  /** By domain, without rollups. */
  sitesOf(caller: Caller): Site[];
  /** By name, and the sites of each. */
  rollupsOf(caller: Caller): ReturnType<ApiCall['rollups']>;
  /**
   * A site by any of its names, as the caller may read it, and queries about it, which the signal
   * cancels. Throws HttpError when there is none.
   */
  siteFor(caller: Caller, name: string, signal: AbortSignal): { view: ReadableSite; run: Run };
  /** What an error is answered with; an unexpected one is logged. */
  httpErrorOf(error: unknown): HttpError;
}

export interface Api {
  access: Access;
  /** Answers a request to one of the API's paths; false, and nothing done, for any other path. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** Writes what is still to be written. Requests under way are the server's to wait for. */
  close(): Promise<void>;
}

const findRoute = createRouter<ApiRoute>([...apiRoutes, ...unknownRoutes]);

export const createApi = (parts: ApiParts): Api => {
  const { accounts, keys, directory, now, log, primaryUrl = null } = parts;
  const byKey = keyAuthenticator({
    keys,
    accounts,
    now,
    onStampFailed: error => log('stamp-failed', { reason: reasonOf(error) }),
  });
  const authenticators: readonly Authenticate[] = [byKey.authenticate, ...(parts.authenticators ?? [])];

  const lists = listsIn(directory);

  const authorize = (request: IncomingMessage, share: string | null): Caller => {
    for (const authenticate of authenticators) {
      const caller = authenticate(request, share);
      if (caller !== undefined) return caller;
    }
    throw new HttpError('no-key');
  };

  const siteFor = (caller: Caller, idOrKey: string, signal: AbortSignal, told?: EngineTold): SiteToAsk => {
    const site = directory.find(idOrKey, caller.account.id);
    if (site === undefined || !mayRead(caller, site)) throw new HttpError('site-not-found');
    const notes = () => parts.notes.list(site.id);
    const members = () => (isRollup(site) ? directory.members(site) : [site]);
    const view = readableSite(site, caller, now(), definitionsOf(parts.definitions, site.id), { notes, members });
    return { view, run: runFor(parts, site, askerOf(caller), signal, told) };
  };

  const answer = async (request: IncomingMessage, found: FoundRoute<ApiRoute>, signal: AbortSignal): Promise<Reply> => {
    const { route, parameters, allow } = found;
    if (route === undefined) throw new HttpError('method-not-allowed', {}, { allow });
    const search = new URLSearchParams(/\?.*/s.exec(request.url ?? '')?.[0]);
    if (route.access === 'anybody') return route.answer(search);
    directory.refresh();
    const caller = authorize(request, route.takesShare ? search.get('share') : null);
    refuseForbidden(request, caller, route, search);
    if (caller.siteId === null) await accountTurn(caller.account.id);
    if (route.method !== 'GET' && primaryUrl !== null) throw primaryOnly(primaryUrl);
    const engines = new Set<EngineName>();
    const reply = await route.answer({
      ...{ search, replyTo, parameters, notes: parts.notes },
      ...{ sites: () => lists.sitesOf(caller), rollups: () => lists.rollupsOf(caller) },
      site: () => siteFor(caller, parameters.id ?? '', signal, engine => engines.add(engine)),
      body: () => bodyOf(request),
    });
    return withEngines(reply, engines);
  };

  const httpErrorOf = (error: unknown): HttpError => {
    const known = knownError(error, primaryUrl);
    if (known === undefined || error instanceof QueryUnavailable) log('query-failed', { reason: reasonOf(error) });
    return known ?? new HttpError('internal');
  };
  const replyTo = (error: unknown): JsonReply => httpErrorOf(error).reply;
  return {
    access: { callerOf: byKey.callerOf, refuseUnpaid, ...lists, siteFor, httpErrorOf },
    handle(request, response, path) {
      const found = findRoute(request.method, path);
      if (found === undefined) return false;
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      respond(request, response, answer(request, found, gone.signal).catch(replyTo), log);
      return true;
    },
    async close() {
      byKey.close();
    },
  };
};

interface SiteToAsk {
  view: ReadableSite;
  run: Run;
}

/** What is asked while a reply is sent, as by several questions at once, is not known before. */
const withEngines = (reply: Reply, engines: ReadonlySet<EngineName>): Reply =>
  engines.size === 0 ? reply : { ...reply, headers: { ...reply.headers, 'x-daybook-engine': [...engines].join(', ') } };

const listsIn = (directory: SiteDirectory): Pick<Access, 'sitesOf' | 'rollupsOf'> => ({
  sitesOf: caller => directory.ofAccount(caller.account.id).filter(site => !isRollup(site) && mayRead(caller, site)),
  rollupsOf: caller =>
    directory.ofAccount(caller.account.id).flatMap(rollup => {
      const isRead = isRollup(rollup) && mayRead(caller, rollup);
      return isRead ? { rollup, sites: directory.members(rollup) } : [];
    }),
});

/** A note is short. */
const bodyBytesMax = 16 * 1024;

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const body = await readJson(request, bodyBytesMax, 'body-too-large');
  if (isRecord(body)) return body;
  throw new HttpError('bad-body');
};

type ProtectedRoute = Exclude<ApiRoute, { access: 'anybody' }>;

/** What the site does not decide. */
const refuseForbidden = (
  request: IncomingMessage,
  caller: Caller,
  { isUnsafeToLink, access, method }: ProtectedRoute,
  search: URLSearchParams,
): void => {
  // A page of another host could make a browser write with its cookie.
  if (method !== 'GET' && !caller.byKey) throw new HttpError('needs-key');
  if (caller.byKey) {
    if (access === 'paid-plan') refuseUnpaid(caller);
  } else if (isUnsafeToLink?.(search) && !isFromOwnPage(request)) {
    throw new HttpError('raw-not-linked');
  }
};

const refuseUnpaid = ({ account }: Caller): void => {
  if (account.plan === 'hobby') throw new HttpError('no-paid-plan');
};

/** Browsers say so; pages of other hosts cannot. */
const isFromOwnPage = ({ headers }: IncomingMessage): boolean => headers['sec-fetch-site'] === 'same-origin';

const knownError = (error: unknown, primaryUrl: string | null): HttpError | undefined => {
  if (error instanceof HttpError) return error;
  if (error instanceof ParameterError) return new HttpError('bad-parameter', error.body);
  if (error instanceof QueryUnsupported)
    return primaryUrl === null ? new HttpError('not-in-cluster', { error: error.message }) : primaryOnly(primaryUrl);
  if (error instanceof QueryTimeout) return new HttpError('query-timeout');
  if (error instanceof QueryTooLarge) return new HttpError('query-too-large');
  if (error instanceof QueryBusy) return new HttpError('query-busy');
  if (error instanceof QueryIncomplete) return new HttpError('query-unavailable', { error: error.message });
  if (error instanceof QueryUnavailable) return new HttpError('query-unavailable');
  if (error instanceof QueryCanceled) return new HttpError('shutting-down');
  return undefined;
};
