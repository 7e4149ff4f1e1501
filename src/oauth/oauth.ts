/**
 * Access for programs that have no key: a person gives it on a page, and the program gets tokens
 * for /mcp (OAuth 2.1, with the advice of RFC 9700). Here are the paths that programs ask; the page
 * is the dashboard's.
 */
import type { IncomingMessage } from 'node:http';
import { parseJson, wholeBody } from '../http/body.ts';
import { HttpError } from '../http/errors.ts';
import type { Handle } from '../http/listener.ts';
import type { Outbound } from '../http/outbound.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { json, type Reply, respond } from '../http/reply.ts';
import { createRouter, type Route } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import { makeToken, type Random } from '../model/ids.ts';
import { isRecord } from '../model/record.ts';
import { hourMs } from '../model/time.ts';
import type { OAuthGrant, OAuthStore } from '../store/accounts/oauth.ts';
import { clientFinder, readClient } from './clients.ts';
import { OAuthFailure } from './failure.ts';
import { withQuery } from './redirects.ts';
import { type AccessRequest, type GrantableScope, grantableScopes, readAccessRequest } from './requests.ts';
import { accessPrefix, createTokens } from './tokens.ts';

export interface OAuthParts {
  store: OAuthStore;
  /** Where people reach the dashboard: the issuer, and the host of /mcp. */
  issuer: string;
  /** Names the network of a client, by which registrations are bounded. */
  networkOf: (request: IncomingMessage) => string;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
  log: Log;
  /** Asks hosts that programs name. */
  outbound: Outbound;
}

export interface OAuth {
  handle: Handle;
  /** What a program asks a person for. Rejects with OAuthFailure. */
  read(search: URLSearchParams): Promise<AccessRequest>;
  /** Gives it access. The address to go to, which has the code. */
  allow(request: AccessRequest, given: { personId: number; scopes: GrantableScope[]; sites: string[] | null }): string;
  /** The address to go to when nothing is given. */
  deny(request: AccessRequest): string;
  /** What a token of /mcp was given for. */
  grantOf(token: string): OAuthGrant | undefined;
  /** Of a person, with tokens that are still good. */
  grants: Pick<OAuthStore, 'ofPerson' | 'remove'>;
  /** What a program without a good token is told. */
  challenge: string;
}

const bodyBytesMax = 16 * 1024;
/** In an hour: of one network, and networks. */
const [registrationsMax, registeringMax] = [20, 10_000];
const stampMs = 60_000;

type OAuthRoute = Route & { answer(request: IncomingMessage): Reply | Promise<Reply> };

const bodyOf = (request: IncomingMessage): Promise<Buffer> =>
  wholeBody(request, bodyBytesMax, () => new OAuthFailure('invalid_request', 'the body is too large'));

const formOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new OAuthFailure('invalid_request', 'content-type is application/x-www-form-urlencoded');
  return new URLSearchParams((await bodyOf(request)).toString());
};

/** What programs find out by themselves (RFC 8414, RFC 9728). */
const metadataOf = (issuer: string, resource: string) => ({
  resource: {
    resource,
    authorization_servers: [issuer],
    scopes_supported: grantableScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Daybook',
    resource_documentation: `${issuer}/docs/mcp`,
  },
  server: {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    registration_endpoint: `${issuer}/oauth/register`,
    scopes_supported: grantableScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs/mcp`,
  },
});

const failureReply = (error: unknown, log: Log): Reply => {
  if (error instanceof HttpError) return error.reply;
  if (!(error instanceof OAuthFailure)) {
    log('oauth-failed', { reason: reasonOf(error) });
    return new HttpError('internal').reply;
  }
  const status = error.code === 'temporarily_unavailable' ? 429 : 400;
  const wait = status === 429 ? { 'retry-after': String(hourMs / 1000) } : {};
  return json(status, { error: error.code, error_description: error.message }, wait);
};

/** What programs ask. */
const routesOf = (parts: OAuthParts, resource: string): OAuthRoute[] => {
  const { store, issuer, networkOf, now, random } = parts;
  const registering = createRateLimit({ now, max: registrationsMax, windowMs: hourMs, keysMax: registeringMax });
  const metadata = metadataOf(issuer, resource);
  const tokens = createTokens({ store, now, random, resource });

  const register = async (request: IncomingMessage): Promise<Reply> => {
    if (registering.take(networkOf(request)) > 0)
      throw new OAuthFailure('temporarily_unavailable', 'too many programs were registered from here: wait an hour');
    const given = parseJson(await bodyOf(request));
    if (!isRecord(given)) throw new OAuthFailure('invalid_client_metadata', 'send a JSON object');
    const client = readClient(`td_cl_${makeToken(random)}`, given, 'A program without a name');
    if (!store.addClient(client, now()))
      throw new OAuthFailure('temporarily_unavailable', 'too many programs are registered and unused');
    return json(201, {
      ...{ client_id: client.id, client_id_issued_at: Math.floor(now() / 1000), client_name: client.name },
      ...{ redirect_uris: client.redirects, token_endpoint_auth_method: 'none' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    });
  };

  const document = (path: string, body: object): OAuthRoute => ({ method: 'GET', path, answer: () => json(200, body) });
  return [
    document('/.well-known/oauth-protected-resource', metadata.resource),
    document('/.well-known/oauth-protected-resource/mcp', metadata.resource),
    document('/.well-known/oauth-authorization-server', metadata.server),
    { method: 'POST', path: '/oauth/register', answer: register },
    {
      method: 'POST',
      path: '/oauth/token',
      answer: async request => json(200, tokens.exchange(await formOf(request))),
    },
    {
      method: 'POST',
      path: '/oauth/revoke',
      async answer(request) {
        tokens.revoke((await formOf(request)).get('token') ?? '');
        return json(200, {});
      },
    },
  ];
};

export const createOAuth = (parts: OAuthParts): OAuth => {
  const { store, issuer, now, random, log, outbound } = parts;
  const resource = `${issuer}/mcp`;
  const findClient = clientFinder({ store, now, outbound });
  const findRoute = createRouter(routesOf(parts, resource));

  const handle: Handle = (request, response, path) => {
    const found = findRoute(request.method, path);
    if (found === undefined) return false;
    const { route, allow } = found;
    const answer = async (): Promise<Reply> => {
      if (route === undefined) throw new HttpError('method-not-allowed', {}, { allow });
      return route.answer(request);
    };
    respond(
      request,
      response,
      answer().catch(error => failureReply(error, log)),
      log,
    );
    return true;
  };

  const stampUse = (grantId: number): void => {
    try {
      store.stamp(grantId, now());
    } catch (error) {
      // A full disk must not keep anybody from reading.
      log('stamp-failed', { reason: reasonOf(error) });
    }
  };

  return {
    handle,
    read: search => readAccessRequest(search, { findClient, resource }),
    allow({ client, redirect, challenge, state }, { personId, scopes, sites }) {
      const code = `td_ac_${makeToken(random)}`;
      const facts = { clientId: client.id, clientName: client.name, redirect, challenge, createdAt: now() };
      store.add({ ...facts, personId, scopes, sites }, code);
      return withQuery(redirect, { code, state, iss: issuer });
    },
    deny: ({ redirect, state }) => withQuery(redirect, { error: 'access_denied', state, iss: issuer }),
    grantOf(token) {
      const found = token.startsWith(accessPrefix) ? store.find(token, now()) : undefined;
      if (found?.kind !== 'access') return undefined;
      const { grant } = found;
      if ((grant.lastUsedAt ?? 0) <= now() - stampMs) stampUse(grant.id);
      return grant;
    },
    grants: store,
    challenge: `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp", scope="read"`,
  };
};
