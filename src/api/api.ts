/**
 * Answers requests to the API: who may ask, and which status an error has. The order of checks is 401, 403, 404, 400 (docs/api.md, "Errors");
 * what is no GET is refused before any of them, since nothing here can be written to.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Log, reasonOf } from '../log.ts';
import { filterFields } from '../model/filters.ts';
import { siteSummary } from '../model/site.ts';
import { QueryBusy, QueryCanceled, QueryTimeout } from '../query/errors.ts';
import type { QueryPool } from '../query/threads/pool.ts';
import type { Accounts, ApiKeys, Rates } from '../store/accounts/accounts.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { answersTo } from './answers.ts';
import { ask, runFor } from './ask.ts';
import { type Authenticate, type Caller, keyAuthenticator, mayRead, mayReadVisits } from './auth.ts';
import { siteView } from './endpoint.ts';
import { exportsVisits, planExport } from './export.ts';
import { openApi } from './openapi.ts';
import { type JsonReply, json, jsonWithList, Refusal, type Reply, send } from './reply.ts';
import { ParameterError, parseParameters } from './request/parameters.ts';
import { type Route, routeOf, siteEndpoints, sitesPath } from './routes.ts';

export interface ApiParts {
  accounts: Accounts;
  keys: ApiKeys;
  rates: Rates;
  directory: SiteDirectory;
  pool: Pick<QueryPool, 'run'>;
  now: () => number;
  log: Log;
  /** Other ways to be known than an API key, tried after it. */
  authenticators?: readonly Authenticate[];
}

export interface Api {
  /** Answers a request to one of the API's paths; false, and nothing done, when the path is none of them. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** Writes what is still to be written. Requests under way are the server's to wait for. */
  close(): Promise<void>;
}

export const createApi = (parts: ApiParts): Api => {
  const { accounts, keys, directory, now, log } = parts;
  const byKey = keyAuthenticator({
    keys,
    accounts,
    now,
    onStampFailed: error => log('stamp-failed', { reason: reasonOf(error) }),
  });
  const authenticators: readonly Authenticate[] = [byKey.authenticate, ...(parts.authenticators ?? [])];

  const authorize = (request: IncomingMessage, share: string | null): Caller => {
    for (const authenticate of authenticators) {
      const caller = authenticate(request, share);
      if (caller !== undefined) return caller;
    }
    throw new Refusal(401, 'Missing or invalid API key', { 'www-authenticate': 'Bearer' });
  };

  const answer = async (request: IncomingMessage, route: Route, signal: AbortSignal): Promise<Reply> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Refusal(405, 'method not allowed', { allow: 'GET, HEAD' });
    }
    if (route.kind === 'description') return json(200, openApi);

    directory.refresh();
    const search = new URLSearchParams(/\?.*/s.exec(request.url ?? '')?.[0]);
    const caller = authorize(request, route.kind === 'export' ? search.get('share') : null);
    if (tellsOfVisits(route, search) && !mayReadVisits(caller)) throw new Refusal(403, 'single visits are not public');
    if (caller.byKey && caller.account.plan === 'hobby' && route.kind !== 'export') {
      throw new Refusal(403, 'API access requires a paid plan');
    }
    if (route.kind === 'unknown') throw new Refusal(404, 'not found');
    if (route.kind === 'sites') {
      parseParameters(search, {}, filterFields);
      const readable = directory.ofAccount(caller.account.id).filter(site => mayRead(caller, site));
      return json(200, { data: readable.map(siteSummary) });
    }
    const site = directory.find(route.site);
    if (site === undefined || !mayRead(caller, site)) throw new Refusal(404, 'site not found');
    const view = siteView(site, caller, now());
    const run = runFor(parts.pool, parts.rates, site, signal);
    if (route.kind === 'answers') {
      return answersTo(search, { view, run, endpoints: siteEndpoints[sitesPath]!, refusal });
    }
    if (route.kind === 'export') return ask(planExport(search, view), run);
    return jsonWithList(await ask(route.endpoint.plan(search, view), run));
  };

  const refusal = (error: unknown): JsonReply => {
    if (error instanceof Refusal) return error.reply;
    if (error instanceof ParameterError) return json(400, error.body);
    if (error instanceof QueryTimeout) return json(503, { error: 'query took too long' });
    if (error instanceof QueryBusy) return json(503, { error: 'too many queries' }, { 'retry-after': '1' });
    if (error instanceof QueryCanceled) return json(503, { error: 'shutting down' });
    log('query-failed', { reason: reasonOf(error) });
    return json(500, { error: 'internal error' });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse, route: Route): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const reply = await answer(request, route, gone.signal).catch(refusal);
    if (!response.destroyed) await send(request, response, reply);
  };

  return {
    handle(request, response, path) {
      const route = routeOf(path);
      if (route === undefined) return false;
      serve(request, response, route).catch(error => {
        log('answer-failed', { reason: reasonOf(error) });
        response.destroy();
      });
      return true;
    },
    async close() {
      byKey.close();
    },
  };
};

const tellsOfVisits = (route: Route, search: URLSearchParams): boolean =>
  route.kind === 'export' ? exportsVisits(search) : route.kind === 'endpoint' && route.endpoint.isPrivate === true;
