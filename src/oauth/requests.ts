/** A program's request for access, as it stands in the address of the page that asks a person. */
import type { OAuthClient } from './clients.ts';
import { OAuthFailure } from './failure.ts';
import { isKnownRedirect } from './redirects.ts';

/** What people can give to a program: less than to a key. */
export const grantableScopes = ['read', 'notes'] as const;
export type GrantableScope = (typeof grantableScopes)[number];

export interface AccessRequest {
  client: OAuthClient;
  redirect: string;
  /** SHA-256 of what the program shows when it fetches the tokens (PKCE). */
  challenge: string;
  state: string | undefined;
  scopes: GrantableScope[];
}

const stateCharsMax = 1000;

/** Throws OAuthFailure for a scope that is none. */
export const scopesOf = (text: string | undefined): GrantableScope[] => {
  const names = (text ?? '').split(' ').filter(name => name !== '' && name !== 'offline_access');
  const unknown = names.find(name => !(grantableScopes as readonly string[]).includes(name));
  if (unknown !== undefined) throw new OAuthFailure('invalid_scope', `there is no scope ${unknown.slice(0, 50)}`);
  return [...new Set(['read', ...names])] as GrantableScope[];
};

/** Throws OAuthFailure unless what tokens are for is /mcp of this server (RFC 8707). */
export const refuseOtherTarget = (given: readonly string[], resource: string): void => {
  const isOurs = (each: string): boolean =>
    each === resource || each === `${resource}/` || each === new URL(resource).origin;
  if (!given.every(isOurs)) throw new OAuthFailure('invalid_target', `tokens are only for ${resource}`);
};

/** A field of a query or form, if it is there. Throws OAuthFailure for one that came twice. */
export const onlyOne = (search: URLSearchParams, name: string): string | undefined => {
  const [value, ...more] = search.getAll(name);
  if (more.length > 0) throw new OAuthFailure('invalid_request', `${name} stands there twice`);
  return value;
};

/** Reads the query of the page's address. Rejects with OAuthFailure. */
export const readAccessRequest = async (
  search: URLSearchParams,
  { findClient, resource }: { findClient: (id: string) => Promise<OAuthClient>; resource: string },
): Promise<AccessRequest> => {
  const one = (name: string): string | undefined => onlyOne(search, name);
  const needed = (name: string): string => {
    const value = one(name);
    if (value) return value;
    throw new OAuthFailure('invalid_request', `${name} is missing`);
  };
  const client = await findClient(needed('client_id'));
  const redirect = needed('redirect_uri');
  if (!isKnownRedirect(client.redirects, redirect))
    throw new OAuthFailure('invalid_redirect_uri', 'redirect_uri is none of those that the program named');
  if (needed('response_type') !== 'code') throw new OAuthFailure('unsupported_response_type', 'response_type is code');
  if (one('code_challenge_method') !== 'S256')
    throw new OAuthFailure('invalid_request', 'code_challenge_method is S256');
  const challenge = needed('code_challenge');
  if (!/^[\w-]{43}$/.test(challenge)) throw new OAuthFailure('invalid_request', 'code_challenge is no SHA-256');
  const state = one('state');
  if (state !== undefined && state.length > stateCharsMax)
    throw new OAuthFailure('invalid_request', 'state is too long');
  refuseOtherTarget(search.getAll('resource'), resource);
  return { client, redirect, challenge, state, scopes: scopesOf(one('scope')) };
};
