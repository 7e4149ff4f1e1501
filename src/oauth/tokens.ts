/** `/oauth/token` and `/oauth/revoke`: what programs get for a code, and for what they had. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { makeToken, type Random } from '../model/ids.ts';
import { dayMs, hourMs } from '../model/time.ts';
import type { OAuthGrant, OAuthStore } from '../store/accounts/oauth.ts';
import { OAuthFailure } from './failure.ts';
import { onlyOne, refuseOtherTarget, scopesOf } from './requests.ts';

const accessMs = hourMs;
const refreshMs = 90 * dayMs;
export const accessPrefix = 'td_at_';
const refreshPrefix = 'td_rt_';

interface TokensParts {
  store: OAuthStore;
  now: () => number;
  random: Random;
  resource: string;
}

const isVerified = (verifier: string, challenge: string): boolean => {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const digest = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const wanted = Buffer.from(challenge);
  return digest.length === wanted.length && timingSafeEqual(digest, wanted);
};

export const createTokens = ({ store, now, random, resource }: TokensParts) => {
  const give = ({ id, scopes }: OAuthGrant) => {
    const [access, refresh] = [accessPrefix + makeToken(random), refreshPrefix + makeToken(random)];
    store.putTokens(id, { access, accessUntil: now() + accessMs, refresh, refreshUntil: now() + refreshMs }, now());
    return {
      ...{ access_token: access, token_type: 'Bearer', expires_in: accessMs / 1000 },
      ...{ refresh_token: refresh, scope: scopes.join(' ') },
    };
  };

  /**
   * Tokens for a code or for a token to renew; undefined where it is good for nothing. Each is good
   * once: one that comes again was stolen, or its thief came first, so all that it gave
   * ends.
   */
  const trade = (kind: 'code' | 'refresh', secret: string, clientId: string, check: (grant: OAuthGrant) => boolean) => {
    const found = store.find(secret, now());
    if (found?.kind === `spent-${kind}`) store.remove(found.grant.id);
    if (found?.kind !== kind || found.grant.clientId !== clientId || !check(found.grant)) return undefined;
    // Both or none, should the machine stop. Nothing comes in between: this thread alone does it.
    return store.atomically(() => {
      store.spend(secret, kind, now() + refreshMs);
      return give(found.grant);
    });
  };

  const tradeFor = (search: URLSearchParams) => {
    const one = (name: string): string => onlyOne(search, name) ?? '';
    const [grantType, clientId] = [one('grant_type'), one('client_id')];
    refuseOtherTarget(search.getAll('resource'), resource);
    if (grantType === 'authorization_code') {
      const [redirect, verifier] = [one('redirect_uri'), one('code_verifier')];
      const isAsked = (grant: OAuthGrant): boolean =>
        grant.redirect === redirect && isVerified(verifier, grant.challenge);
      return trade('code', one('code'), clientId, isAsked);
    }
    if (grantType === 'refresh_token') {
      const wanted = search.has('scope') ? scopesOf(one('scope')) : [];
      const isNarrower = ({ scopes }: OAuthGrant): boolean => wanted.every(scope => scopes.includes(scope));
      return trade('refresh', one('refresh_token'), clientId, isNarrower);
    }
    throw new OAuthFailure('unsupported_grant_type', 'grant_type is authorization_code or refresh_token');
  };

  return {
    /** Throws OAuthFailure. */
    exchange(search: URLSearchParams) {
      const given = tradeFor(search);
      if (given !== undefined) return given;
      throw new OAuthFailure('invalid_grant', 'the code or token is unknown, used, over, or of another program');
    },
    /** Ends all that was given with a token; nothing where it is none (RFC 7009). */
    revoke(token: string): void {
      const found = store.find(token, now());
      if (found !== undefined && found.kind !== 'code') store.remove(found.grant.id);
    },
  };
};
