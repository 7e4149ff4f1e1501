/**
 * `/mcp`: assistants ask here, by the Model Context Protocol. This is what stands before the
 * protocol: who may ask, how often, and from where. Nobody learns here what the API would not tell.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from '../api/api.ts';
import type { Caller } from '../api/auth.ts';
import { refuseHidden } from '../api/endpoint.ts';
import { addNote } from '../api/notes.ts';
import { accountTurn } from '../http/account-turn.ts';
import { HttpError, primaryOnly } from '../http/errors.ts';
import { jsonBytes } from '../http/json-body.ts';
import type { Handle } from '../http/listener.ts';
import { createRateLimit, refuseWaiting } from '../http/rate-limit.ts';
import { type JsonReply, type Reply, respond } from '../http/reply.ts';
import type { Log } from '../log.ts';
import { isLoopbackHost } from '../model/address.ts';
import { bearerToken } from '../model/headers.ts';
import { isRollup, type Site } from '../model/site.ts';
import { minuteMs } from '../model/time.ts';
import { trackingTag } from '../model/tracking-tag.ts';
import type { Notes } from '../store/notes.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { HttpHandler } from './protocol.ts';
import type { Assistant, ToolRight, WritingRight } from './tool.ts';

export interface McpParts {
  access: Access;
  directory: Pick<SiteDirectory, 'refresh'>;
  notes: Notes;
  /** Where people reach the dashboard; null where only requests tell. */
  baseUrl: string | null;
  /** Where browsers reach the collector; null for the dashboard's own address. */
  collectorUrl: () => string | null;
  /** Origins of pages, besides the dashboard's own, that may ask. */
  origins: readonly string[];
  /** Whether single visits may be read here. */
  showsVisits: boolean;
  /** Adds a site to an account, or gives that of the domain; null where nobody adds any. */
  addSite: ((accountId: number, given: Parameters<Assistant['addSite']>[0]) => Site) | null;
  /** Null where programs need a key. */
  programs?: ProgramAccess | null;
  /** Where what is written belongs; null where this server writes itself. */
  primaryUrl?: string | null;
  /** UTC milliseconds. */
  now: () => number;
  log: Log;
}

const bodyBytesMax = 256 * 1024;
/** Of a key or a program in a minute, so that a model that loops costs little. */
const callsMax = 120;

/** Throws HttpError for a page or a name that this server is not meant for (DNS rebinding). */
const refuseForeign = ({ headers }: IncomingMessage, { baseUrl, origins }: McpParts): void => {
  const { host, origin } = headers;
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  if (baseUrl !== null && name !== new URL(baseUrl).hostname && !isLoopbackHost(name))
    throw new HttpError('mcp-foreign-host');
  const own = [baseUrl, `http://${host}`, ...origins];
  if (origin !== undefined && !own.includes(origin)) throw new HttpError('mcp-foreign-origin');
};

/** For a page that may ask: others cannot read the answer. */
const corsHeaders = ({ headers }: IncomingMessage, { origins }: McpParts): Record<string, string> =>
  headers.origin !== undefined && origins.includes(headers.origin)
    ? {
        'access-control-allow-origin': headers.origin,
        'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name',
        'access-control-expose-headers': 'www-authenticate, mcp-protocol-version, retry-after',
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'origin',
      }
    : {};

export const originOf = ({ headers }: IncomingMessage, baseUrl: string | null): string =>
  baseUrl ?? `http://${headers.host ?? 'localhost'}`;

/** As the library takes a request. */
const webRequest = ({ headers }: IncomingMessage, body: Buffer, signal: AbortSignal): Request => {
  const named = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;
  const given = named.flatMap(name =>
    headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]],
  );
  return new Request('http://localhost/mcp', { method: 'POST', headers: given, body: body as never, signal });
};

const replyOf = async (response: Response): Promise<Reply> => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  body: await response.text(),
});

/** Who calls, and what of their rights this call has. */
export interface Called {
  caller: Caller;
  /** UUIDs of the only sites; null: all that the caller may read. */
  only: ReadonlySet<string> | null;
  /** What it may change, where the caller may. */
  may: ReadonlySet<WritingRight>;
}

/** For keys, which have scopes of their own. */
export const everything: Called['may'] = new Set(['notes', 'sites']);

/** Access that people gave to programs. */
export interface ProgramAccess {
  /** What a token was given for, and by which name; undefined where it is good for nothing. */
  find(token: string): (Called & { name: string }) | undefined;
  /** What a program without a good token is told. */
  challenge: string;
}

/** What a call may see and do, by the rights of this moment. */
export const assistantFor = (
  { caller, only, may }: Called,
  {
    access,
    notes,
    collectorUrl,
    addSite,
    showsVisits,
    now,
    primaryUrl = null,
  }: Omit<McpParts, 'origins' | 'directory' | 'log' | 'baseUrl' | 'programs'>,
  origin: string,
  signal: AbortSignal,
): Assistant => {
  const adding = caller.grants.find(({ rights, sites }) => sites === null && rights.has('sites'));
  const can: Record<ToolRight, boolean> = {
    visits: showsVisits && caller.grants.some(({ hidden }) => !hidden.has('visits')),
    notes: may.has('notes') && caller.grants.some(({ rights }) => rights.has('notes')),
    sites: may.has('sites') && adding !== undefined && addSite !== null,
  };
  const isMeant = ({ uuid }: Site): boolean => only === null || only.has(uuid);
  return {
    sites: () => access.sitesOf(caller).filter(isMeant),
    // Its numbers less those of the sites that are meant would be those of the others.
    rollups: () => access.rollupsOf(caller).filter(({ sites }) => sites.every(isMeant)),
    teamOf: ({ accountId }) => caller.grants.find(({ account }) => account.id === accountId)!.account.name,
    site(name) {
      const found = access.siteFor(caller, name, signal);
      const { site } = found.view;
      const isWhole = isRollup(site) ? found.view.members().every(isMeant) : isMeant(site);
      if (!isWhole) throw new HttpError('site-not-found');
      return found;
    },
    origin,
    tagOf: ({ publicKey }: Site) => trackingTag(collectorUrl() ?? origin, publicKey),
    may: new Set((Object.keys(can) as ToolRight[]).filter(right => can[right])),
    addNote(site, note) {
      if (primaryUrl !== null) throw primaryOnly(primaryUrl);
      // In the team of this very site.
      refuseHidden(access.siteFor(caller, site.uuid, signal, 'notes').view, 'notes');
      return JSON.parse((addNote(notes, site.id, note, now()) as JsonReply).body);
    },
    addSite(given) {
      if (primaryUrl !== null) throw primaryOnly(primaryUrl);
      return addSite!(adding!.account.id, given);
    },
    now: now(),
  };
};

export const createMcp = (parts: McpParts): { handle: Handle } => {
  const { access, directory, baseUrl, programs = null, now, log } = parts;
  const calls = createRateLimit({ now, max: callsMax, windowMs: minuteMs });
  let loaded: Promise<HttpHandler> | undefined;
  const load = (): Promise<HttpHandler> =>
    (loaded ??= import('./protocol.ts').then(({ httpHandler }) => httpHandler()));

  const calledBy = (request: IncomingMessage): Called & { name: string } => {
    const token = bearerToken(request.headers.authorization);
    const caller = token === undefined ? undefined : access.callerOf(token);
    if (caller !== undefined) return { caller, only: null, may: everything, name: token! };
    const given = token === undefined ? undefined : programs?.find(token);
    if (given !== undefined) return given;
    const challenge = programs && `${programs.challenge}${token === undefined ? '' : ', error="invalid_token"'}`;
    throw new HttpError('no-key', {}, challenge ? { 'www-authenticate': challenge } : {});
  };

  const answer = async (request: IncomingMessage, signal: AbortSignal): Promise<Reply> => {
    refuseForeign(request, parts);
    if (request.method === 'OPTIONS' && request.headers.origin !== undefined)
      return { status: 204, headers: { 'access-control-allow-methods': 'POST' }, body: '' };
    if (request.method !== 'POST') throw new HttpError('method-not-allowed', {}, { allow: 'POST' });
    directory.refresh();
    const { name, ...called } = calledBy(request);
    const { caller } = called;
    access.refuseUnpaid(caller);
    if (!caller.grants.some(({ rights }) => rights.has('read')))
      throw new HttpError('no-scope', { error: 'this key may not read', scope: 'read' });
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) throw new HttpError('mcp-not-json');
    refuseWaiting(calls.take(name), 'mcp-too-many');
    const body = await jsonBytes(request, bodyBytesMax, 'mcp-too-large');
    await accountTurn(caller.account.id);
    const assistant = assistantFor(called, parts, originOf(request, baseUrl), signal);
    const handle = await load();
    return replyOf(await handle(webRequest(request, body, signal), { assistant, httpErrorOf: access.httpErrorOf }));
  };

  return {
    handle(request, response: ServerResponse, path) {
      if (path !== '/mcp') return false;
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const reply = answer(request, gone.signal)
        .catch(error => access.httpErrorOf(error).reply)
        .then(({ headers, ...rest }) => ({ ...rest, headers: { ...headers, ...corsHeaders(request, parts) } }));
      respond(request, response, reply, log);
      return true;
    },
  };
};
