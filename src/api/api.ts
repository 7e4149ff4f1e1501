/**
 * Answers requests to the API: who may ask, and which error is answered first. Methods are checked
 * before anything else, since hardly anything can be written here; then follow 401, 403, 404, 400
 * (docs/api.md, "Errors").
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { accountTurn } from '../http/account-turn.ts';
import { wholeBody } from '../http/body.ts';
import { HttpError, primaryOnly, primaryOnlyOr } from '../http/errors.ts';
import { fieldsBytesMax, readFields } from '../http/json-body.ts';
import { goneSignal, type JsonReply, type Reply, respond } from '../http/reply.ts';
import { createRouter, type FoundRoute, searchOf } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import { keyActor } from '../model/audit.ts';
import { covers, type Grant } from '../model/grant.ts';
import type { Right } from '../model/rights.ts';
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
import type { SiteDirectory } from '../store/sites.ts';
import type { Stores } from '../store/stores.ts';
import type { AlertStores } from './alerts/changes.ts';
import { type EngineTold, type Run, runFor } from './ask.ts';
import { type Authenticate, askerOf, type Caller, keyAuthenticator } from './auth.ts';
import type { By, ChangeParts } from './changes/by.ts';
import { definitionsOf, segmentFilters } from './definitions.ts';
import type { ReadableSite } from './endpoint.ts';
import { type Exported, exportedBy } from './export.ts';
import type { ReportKeeper } from './report-keeper.ts';
import { ParameterError } from './request/parameters.ts';
import type { ApiCall, ApiRoute } from './route.ts';
import { apiRoutes, unknownRoutes } from './routes.ts';
import type { SettingsApplier } from './settings-applier.ts';
import { viewOfSite } from './site-view.ts';

export interface ApiParts extends Pick<Stores, 'accounts' | 'keys' | 'rates' | 'definitions' | 'notes'> {
  /** Missing where they are another server's. */
  alerting?: AlertStores;
  directory: SiteDirectory;
  engine: QueryEngine;
  now: () => number;
  log: Log;
  /** What makes reports; missing on a server that only answers. */
  reports?: () => ReportKeeper;
  /** What applies settings that a body holds; missing where this server changes nothing. */
  settings?: SettingsApplier;
  /** Where what is written belongs; null where this server writes itself. */
  primaryUrl?: string | null;
  /** What keys change things with; missing where this server changes nothing. */
  changes?: ChangeParts & { originOf: (request: IncomingMessage) => string };
  /** Paths of other products that change the same things. */
  moreRoutes?: readonly ApiRoute[];
  /** Other ways to be known than an API key, tried after it. */
  authenticators?: readonly Authenticate[];
  /** Told of what left the server, as the audit tells it. */
  onExported?: OnExported;
}

export type OnExported = (request: IncomingMessage, exported: Exported) => void;

/** For APIs that stand beside this one: who a key is of, and what they may ask. */
export interface Access {
  callerOf(key: string): Caller | undefined;
  /** Throws HttpError where a key may not read, or the account's plan has no access by programs. */
  refuseUnpaid(caller: Caller): void;
  /** By domain, without rollups. */
  sitesOf(caller: Caller): Site[];
  /** By name, and the sites of each. */
  rollupsOf(caller: Caller): ReturnType<ApiCall['rollups']>;
  /**
   * A site by any of its names, as the caller may read it, and queries about it, which the signal
   * cancels. Throws HttpError when there is none.
   */
  siteFor(caller: Caller, name: string, signal: AbortSignal, right?: Right): { view: ReadableSite; run: Run };
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

export const createApi = (parts: ApiParts): Api => {
  const { accounts, keys, directory, now, log, primaryUrl = null, onExported } = parts;
  const findRoute = createRouter<ApiRoute>([...apiRoutes, ...(parts.moreRoutes ?? []), ...unknownRoutes]);
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

  const siteFor = siteAsker(parts);

  const answer = async (request: IncomingMessage, found: FoundRoute<ApiRoute>, signal: AbortSignal): Promise<Reply> => {
    const { route, parameters, allow } = found;
    if (route === undefined) throw new HttpError('method-not-allowed', {}, { allow });
    const search = searchOf(request.url);
    if (route.access === 'anybody') return route.answer(search);
    directory.refresh();
    const caller = authorize(request, route.takesShare ? search.get('share') : null);
    refuseForbidden(request, caller, route, search);
    const isPublic = caller.grants.some(grant => grant.isPublic);
    if (!isPublic) await accountTurn(caller.account.id);
    if (route.method !== 'GET' && primaryUrl !== null) throw primaryOnly(primaryUrl);
    const engines = new Set<EngineName>();
    const reply = await route.answer({
      ...{ search, replyTo, parameters, notes: parts.notes, now, caller, signal },
      ...{ sites: () => lists.sitesOf(caller), rollups: () => lists.rollupsOf(caller) },
      site: () => siteFor(caller, parameters.id ?? '', signal, route.right, engine => engines.add(engine)),
      ...{ body: () => readFields(request, 'body-too-large', 'bad-body'), text: () => textOf(request) },
      ...{ ...heldHere(parts, isPublic), ...changesBy(parts, caller, request) },
    });
    const site = route.isExport && siteIn(directory, caller, parameters.id ?? '')?.site;
    const exported = site && exportedBy(caller, site, search);
    if (exported !== undefined) onExported?.(request, exported);
    return withEngines(reply, engines);
  };

  const httpErrorOf = (error: unknown): HttpError => {
    const known = knownError(error, primaryUrl);
    if (known === undefined || error instanceof QueryUnavailable) log('query-failed', { reason: reasonOf(error) });
    return known ?? new HttpError('internal');
  };
  const replyTo = (error: unknown): JsonReply => httpErrorOf(error).reply;
  return {
    access: { callerOf: byKey.callerOf, refuseUnpaid: refuseReading, ...lists, siteFor, httpErrorOf },
    handle(request, response, path) {
      const found = findRoute(request.method, path);
      if (found === undefined) return false;
      respond(request, response, answer(request, found, goneSignal(response)).catch(replyTo), log);
      return true;
    },
    async close() {
      byKey.close();
    },
  };
};

/** What only a server has that follows no other. */
const heldHere = (
  { reports, settings, alerting, primaryUrl = null }: ApiParts,
  isPublic: boolean,
): Pick<ApiCall, 'reports' | 'settings' | 'alerting'> => {
  const here = <T>(part: T | undefined): T => {
    if (part === undefined) throw primaryOnlyOr(primaryUrl, 'not-found');
    return part;
  };
  return {
    reports: () => here(reports)(),
    settings: () => here(settings),
    alerting() {
      if (isPublic) throw new HttpError('not-found');
      return here(alerting);
    },
  };
};

/** Finds a site by any of its names, as a caller may read it. Throws HttpError. */
const siteAsker =
  (parts: ApiParts) =>
  (caller: Caller, name: string, signal: AbortSignal, right: Right = 'read', told?: EngineTold): SiteToAsk => {
    const { directory, definitions } = parts;
    const found = siteIn(directory, caller, name);
    if (found === undefined) throw new HttpError('site-not-found');
    const { site, grant } = found;
    // Of several teams, the one of the site decides.
    if (!grant.rights.has(right)) throw new HttpError('not-allowed');
    const saved = definitionsOf(definitions, site.id);
    const always = grant.segment === undefined ? [] : segmentFilters(grant.segment, saved);
    // Without its segment, a public page would show all hits.
    if (always === undefined) throw new HttpError('site-not-found');
    const view = viewOfSite(parts, site, grant, saved);
    return { view, run: runFor(parts, { site, asker: askerOf(grant, caller), always }, signal, told), grant };
  };

interface SiteToAsk {
  view: ReadableSite;
  run: Run;
  grant: Grant;
}

/** What a request changes things with, and as whom. */
export const changesBy = (
  { changes, primaryUrl = null }: Pick<ApiParts, 'changes' | 'primaryUrl'>,
  caller: Caller,
  request: IncomingMessage,
): Pick<ApiCall, 'changes' | 'by' | 'operator'> => {
  const known = () => {
    if (changes !== undefined && caller.key !== undefined) return { parts: changes, key: caller.key };
    throw primaryOnlyOr(primaryUrl, 'needs-key');
  };
  const byIn = (grant: Grant): By => {
    const { parts, key } = known();
    const person = { id: key.madeBy, email: keyActor(key) };
    // To make a key that may change things took proof.
    const of = { request, grant, person, endsAt: key.expiresAt, origin: parts.originOf(request) };
    return { ...of, prove() {} };
  };
  const isOperator = (): boolean => {
    const { parts, key } = known();
    const maker = key.madeBy === null ? undefined : parts.persons.byId(key.madeBy);
    return key.sites === null && maker?.isOperator === true && maker.disabledAt === null;
  };
  const own = caller.grants[0]!;
  return {
    changes: () => known().parts,
    by(team) {
      if (team === undefined || [own.account.name, own.account.uuid].includes(team)) return byIn(own);
      const { parts, key } = known();
      const account = parts.accounts.list().find(({ name, uuid }) => name === team || uuid === team);
      const isOwners = account && isOperator() && parts.members.find(account.id, key.madeBy!)?.role === 'owner';
      if (!isOwners) throw new HttpError('app-no-team');
      return byIn({ ...own, account });
    },
    operator() {
      if (!isOperator()) throw new HttpError('not-allowed');
      return byIn(own);
    },
  };
};

/** What is asked while a reply is sent, as by several questions at once, is not known before. */
const withEngines = (reply: Reply, engines: ReadonlySet<EngineName>): Reply =>
  engines.size === 0 ? reply : { ...reply, headers: { ...reply.headers, 'x-daybook-engine': [...engines].join(', ') } };

/** Of two teams that know a site by this name, the first. */
const siteIn = (
  directory: SiteDirectory,
  { grants }: Caller,
  name: string,
): { site: Site; grant: Grant } | undefined => {
  for (const grant of grants) {
    const site = directory.find(name, grant.account.id);
    if (site !== undefined && covers(grant, site, directory.members)) return { site, grant };
  }
  return undefined;
};

const allOf = (directory: SiteDirectory, { grants }: Caller): Site[] =>
  grants
    .filter(({ rights }) => rights.has('read'))
    .flatMap(grant => directory.ofAccount(grant.account.id).filter(site => covers(grant, site, directory.members)));

const listsIn = (directory: SiteDirectory): Pick<Access, 'sitesOf' | 'rollupsOf'> => ({
  sitesOf: caller => allOf(directory, caller).filter(site => !isRollup(site)),
  rollupsOf: caller =>
    allOf(directory, caller).flatMap(rollup => (isRollup(rollup) ? { rollup, sites: directory.members(rollup) } : [])),
});

const textOf = async (request: IncomingMessage): Promise<string> =>
  (await wholeBody(request, fieldsBytesMax, () => new HttpError('body-too-large'))).toString();

type ProtectedRoute = Exclude<ApiRoute, { access: 'anybody' }>;

/** What the site does not decide. */
const refuseForbidden = (
  request: IncomingMessage,
  caller: Caller,
  { isUnsafeToLink, access, method, right = 'read' }: ProtectedRoute,
  search: URLSearchParams,
): void => {
  if (caller.byKey) refuseUnscoped(caller, right);
  // A page of another host could make a browser write with its cookie.
  if (method !== 'GET' && !caller.byKey) throw new HttpError('needs-key');
  if (caller.byKey) {
    if (access === 'paid-plan') refuseUnpaid(caller);
  } else if (isUnsafeToLink?.(search) && !isFromOwnPage(request)) {
    throw new HttpError('raw-not-linked');
  }
};

/** Throws HttpError where a key has no scope that gives the right. */
const refuseUnscoped = ({ grants }: Caller, right: Right): void => {
  if (grants.some(({ rights }) => rights.has(right))) return;
  const scope = right === 'read' || right === 'notes' ? right : 'manage';
  throw new HttpError('no-scope', { error: `this key may not ${scope === 'notes' ? 'write notes' : scope}`, scope });
};

/** Throws HttpError where a program may not read, for want of a scope or a plan. */
const refuseReading = (caller: Caller): void => {
  refuseUnscoped(caller, 'read');
  refuseUnpaid(caller);
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
