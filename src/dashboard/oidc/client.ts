/**
 * Speaks OpenID Connect with the provider. The libraries take 8 MB and 40 ms to load, so this file
 * is loaded when somebody first signs in this way. All that they do not check themselves is checked
 * here: which algorithms sign, for whom a token is, and tokens that end logins.
 */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { isThisMachine } from '../../model/address.ts';
import type { OidcSettings } from '../../model/oidc.ts';
import { isRecord } from '../../model/record.ts';
import { hourMs } from '../../model/time.ts';
import { OidcAway, OidcDenied, OidcRefused } from './errors.ts';

/** What is remembered while somebody is at the provider. */
export interface OidcSecrets {
  state: string;
  nonce: string;
  verifier: string;
  /** Whether they must prove anew who they are. */
  isProof: boolean;
}

/** Who somebody is, as the provider says. */
export interface OidcClaims {
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string;
  /** Undefined where the provider does not say. */
  groups: readonly string[] | undefined;
  /** Of the session at the provider. */
  sid: string | undefined;
}

/** Whose logins end: all of a subject, or those of one session. */
export interface OidcLogout {
  subject: string | undefined;
  sid: string | undefined;
}

export interface OidcClient {
  /** Where to send the browser. Throws OidcAway. */
  begin(redirectUri: string, isProof: boolean): Promise<{ url: URL; secrets: OidcSecrets }>;
  /** Who came back to `url`. Throws OidcAway, OidcDenied and OidcRefused. */
  finish(url: URL, secrets: OidcSecrets): Promise<OidcClaims>;
  /** Where to sign out at the provider; null where it has no such page. Throws OidcAway. */
  endSessionUrl(returnTo: string): Promise<URL | null>;
  /** What a logout token says. Throws OidcAway and OidcRefused. */
  readLogout(token: string): Promise<OidcLogout>;
}

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
/** Clocks may differ by so many seconds. */
const toleranceS = 60;
const answerS = 10;
/** No document or token of a provider is larger. */
const answerBytesMax = 1024 * 1024;
const discoveryMs = hourMs;
/** Whether a provider that was away is back is asked this often. */
const awayMs = 10_000;
/** A logout token is sent at once, and each counts once. */
const logoutS = 300;
const logoutsKept = 10_000;

export const createOidcClient = (settings: OidcSettings, now: () => number): OidcClient => {
  const discovered = createDiscovery(settings, now);
  const seen = new Map<string, number>();

  return {
    async begin(redirectUri, isProof) {
      const { config } = await discovered();
      const verifier = openid.randomPKCECodeVerifier();
      const secrets = { state: openid.randomState(), nonce: openid.randomNonce(), verifier, isProof };
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(isProof && { prompt: 'login', max_age: '0' }),
      });
      return { url, secrets };
    },

    async finish(url, { state, nonce, verifier, isProof }) {
      const { config } = await discovered();
      return asOurs(async () => {
        const tokens = await openid.authorizationCodeGrant(config, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          ...(isProof && { maxAge: 0 }),
        });
        return readClaims(settings, tokens.claims()!, subject =>
          openid.fetchUserInfo(config, tokens.access_token, subject),
        );
      });
    },

    async endSessionUrl(returnTo) {
      const { config } = await discovered();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      return openid.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo });
    },

    async readLogout(token) {
      const { jwks, issuer } = await discovered();
      const { payload } = await asOurs(() =>
        jwtVerify(token, jwks, {
          issuer,
          audience: settings.clientId,
          algorithms,
          clockTolerance: toleranceS,
          maxTokenAge: logoutS,
          requiredClaims: ['jti'],
          currentDate: new Date(now()),
        }),
      );
      const { jti, events, nonce, sub, sid } = payload;
      const isLogout = isRecord(events) && isRecord(events['http://schemas.openid.net/event/backchannel-logout']);
      if (!isLogout || nonce !== undefined || (typeof sub !== 'string' && typeof sid !== 'string'))
        throw new OidcRefused('this is no logout token');
      for (const [id, at] of seen) {
        if (at > now() - (logoutS + 2 * toleranceS) * 1000 && seen.size < logoutsKept) break;
        seen.delete(id);
      }
      if (seen.has(jti!)) throw new OidcRefused('this logout token was used before');
      seen.set(jti!, now());
      return { subject: sub, sid: typeof sid === 'string' ? sid : undefined };
    },
  };
};

interface Discovered {
  config: openid.Configuration;
  issuer: string;
  jwks: JWTVerifyGetKey;
}

/** What the provider says of itself, asked once an hour, and by one request at a time. */
const createDiscovery = (settings: OidcSettings, now: () => number): (() => Promise<Discovered>) => {
  let asked: Promise<Discovered> | undefined;
  let until = 0;
  const ask = async (): Promise<Discovered> => {
    const issuer = new URL(settings.issuer);
    const isLocal = isThisMachine(issuer.hostname);
    const config = await openid.discovery(
      issuer,
      settings.clientId,
      { [openid.clockTolerance]: toleranceS },
      clientAuthOf(settings.clientSecret),
      {
        timeout: answerS,
        [openid.customFetch]: fetchBounded,
        execute: [openid.enableNonRepudiationChecks, ...(isLocal ? [openid.allowInsecureRequests] : [])],
      },
    );
    const { jwks_uri, issuer: named } = config.serverMetadata();
    if (jwks_uri === undefined) throw new OidcAway('the provider names no keys');
    const jwks = createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: answerS * 1000,
      cooldownDuration: 60_000,
      [customFetch]: fetchBounded,
    });
    return { config, issuer: named, jwks };
  };
  return () => {
    if (asked === undefined || now() >= until) {
      until = now() + discoveryMs;
      asked = ask().catch(error => {
        until = now() + awayMs;
        throw error instanceof OidcAway ? error : new OidcAway(reasonOf(error));
      });
      // Whoever waits for it hears of it.
      asked.catch(() => {});
    }
    return asked;
  };
};

/** Sends the secret as the provider wants it. */
const clientAuthOf = (secret: string | null): openid.ClientAuth => {
  if (secret === null) return openid.None();
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
};

/** Fetches at most so many bytes. */
const fetchBounded = async (url: string, options: object): Promise<Response> => {
  const response = await fetch(url, options);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > answerBytesMax) throw new OidcAway('an answer of the provider is too large');
    parts.push(part);
  }
  const { status, headers } = response;
  return new Response(bytes === 0 ? null : Buffer.concat(parts), { status, headers });
};

/** Runs what the libraries do, and throws our errors for theirs. */
const asOurs = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OidcAway || error instanceof OidcRefused) throw error;
    if (error instanceof openid.AuthorizationResponseError) throw new OidcDenied(error.error);
    throw isAway(error) ? new OidcAway(reasonOf(error)) : new OidcRefused(reasonOf(error));
  }
};

/** No answer in time, none at all, or one of a broken server. */
const isAway = (error: unknown): boolean => {
  const { code, name, cause } = error as { code?: string; name?: string; cause?: unknown };
  if (cause instanceof OidcAway || name === 'TimeoutError' || code === 'OAUTH_TIMEOUT') return true;
  if (code === 'ERR_JWKS_TIMEOUT' || (error instanceof TypeError && error.message === 'fetch failed')) return true;
  const { status } = (cause ?? {}) as { status?: number };
  return cause instanceof Response && status !== undefined && status >= 500;
};

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};

/**
 * Reads the claims of an ID token, and asks for more only where something is missing. E-mail and
 * whether it is verified are taken from one answer, never one from each.
 */
const readClaims = async (
  settings: OidcSettings,
  token: openid.IDToken,
  askMore: (subject: string) => Promise<openid.UserInfoResponse>,
): Promise<OidcClaims> => {
  const { clientId, groups, groupsClaim, issuer } = settings;
  if (token.azp !== undefined && token.azp !== clientId) throw new OidcRefused('the token is for another client');
  const needsEmail = typeof token.email !== 'string' || verifiedOf(token, issuer) === undefined;
  const needsGroups = groups !== null && token[groupsClaim] === undefined;
  const info = needsEmail || needsGroups ? await askMore(token.sub) : undefined;
  const source = needsEmail && typeof info?.email === 'string' ? info : token;
  const named = token.name ?? info?.name;
  return {
    subject: token.sub,
    email: typeof source.email === 'string' ? source.email : undefined,
    isEmailVerified: verifiedOf(source, issuer) ?? false,
    name: typeof named === 'string' ? named : '',
    groups: groupsOf(token[groupsClaim] ?? info?.[groupsClaim]),
    sid: typeof token.sid === 'string' ? token.sid : undefined,
  };
};

/**
 * Whether the e-mail is verified; undefined where nobody says. Entra ID has another word for it:
 * `xms_edov`, that the domain's owner is.
 */
const verifiedOf = (claims: Readonly<Record<string, unknown>>, issuer: string): boolean | undefined => {
  if (typeof claims.email_verified === 'boolean') return claims.email_verified;
  const { xms_edov } = claims;
  const isEntra = new URL(issuer).hostname === 'login.microsoftonline.com';
  return isEntra && xms_edov !== undefined ? [true, 1, '1', 'true'].includes(xms_edov as string) : undefined;
};

const groupsOf = (claim: unknown): string[] | undefined => {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter(group => typeof group === 'string') : undefined;
};
