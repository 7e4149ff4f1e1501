/** A provider of OpenID Connect that can be told to lie, in one way at a time. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';

type Claims = Record<string, unknown>;
export interface Lie {
  /** Changes the claims of the ID token. */
  claims?: (claims: Claims) => Claims;
  /** Signs the ID token in another way. */
  sign?: (claims: Claims, liar: Liar) => Promise<string> | string;
  /** What the code’s redirection says besides. */
  back?: (parameters: URLSearchParams, liar: Liar) => void;
  /** Changes what the provider says of itself. */
  metadata?: (metadata: Claims, liar: Liar) => Claims;
  userinfo?: (claims: Claims) => Claims;
  /** Gives out tokens for a code that was used, and whatever the verifier is. */
  isLax?: boolean;
  /** Answers the request for a token in its own way. */
  token?: (response: ServerResponse) => void;
}

export interface Liar {
  issuer: string;
  lie: Lie;
  /** Who is signed in at the provider. */
  user: Claims;
  /** Requests by path. */
  asked: Map<string, number>;
  key: CryptoKey;
  /** Of nobody. */
  otherKey: CryptoKey;
  publicPem: string;
  sign(claims: Claims, key?: CryptoKey, header?: Partial<JWTHeaderParameters>): Promise<string>;
  logoutToken(claims?: Claims, key?: CryptoKey): Promise<string>;
  close(): Promise<void>;
}

export const clientId = 'daybook';
export const clientSecret = 'a secret of the client';
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** `clock` is what the provider takes for now, in milliseconds. */
export const startLiar = async (clock: () => number = Date.now): Promise<Liar> => {
  const { privateKey: key, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const { privateKey: otherKey } = await generateKeyPair('RS256');
  const codes = new Map<string, { nonce: string; challenge: string; redirectUri: string; maxAge: string | null }>();
  const seconds = (): number => Math.floor(clock() / 1000);

  const metadata = (): Claims => ({
    issuer: liar.issuer,
    authorization_endpoint: `${liar.issuer}/authorize`,
    token_endpoint: `${liar.issuer}/token`,
    userinfo_endpoint: `${liar.issuer}/userinfo`,
    jwks_uri: `${liar.issuer}/jwks`,
    end_session_endpoint: `${liar.issuer}/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
  });

  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const code = randomUUID();
    const redirectUri = query.get('redirect_uri')!;
    const [nonce, challenge] = [query.get('nonce')!, query.get('code_challenge')!];
    codes.set(code, { nonce, challenge, redirectUri, maxAge: query.get('max_age') });
    const back = new URLSearchParams({ code, state: query.get('state')!, iss: liar.issuer });
    liar.lie.back?.(back, liar);
    response.writeHead(303, { location: `${redirectUri}?${back}` }).end();
  };

  const token = async (
    form: URLSearchParams,
    { headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    if (liar.lie.token !== undefined) return liar.lie.token(response);
    const refuse = (error: string): void => json(response, { error }, 400);
    const basic = `Basic ${Buffer.from(`${clientId}:${encodeURIComponent(clientSecret).replaceAll('%20', '+')}`).toString('base64')}`;
    if (headers.authorization !== basic) return refuse('invalid_client');
    const code = codes.get(form.get('code')!);
    const challenge = createHash('sha256').update(form.get('code_verifier')!).digest('base64url');
    const isRight = code?.challenge === challenge && code.redirectUri === form.get('redirect_uri');
    if (!isRight && !liar.lie.isLax) return refuse('invalid_grant');
    if (!liar.lie.isLax) codes.delete(form.get('code')!);
    const { sub, email, email_verified } = liar.user;
    const claims = {
      ...{ iss: liar.issuer, aud: clientId, sub, email, email_verified, ...liar.user, nonce: code?.nonce },
      ...{ iat: seconds(), exp: seconds() + 300, ...(code?.maxAge && { auth_time: seconds() }) },
    };
    const told = liar.lie.claims?.(claims) ?? claims;
    const id_token = await (liar.lie.sign?.(told, liar) ?? liar.sign(told));
    json(response, { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url!, liar.issuer);
    liar.asked.set(pathname, (liar.asked.get(pathname) ?? 0) + 1);
    if (pathname === '/.well-known/openid-configuration')
      return json(response, liar.lie.metadata?.(metadata(), liar) ?? metadata());
    if (pathname === '/jwks') {
      const jwk = { ...(await exportJWK(publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
      return json(response, { keys: [jwk] });
    }
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/userinfo') return json(response, liar.lie.userinfo?.(liar.user) ?? liar.user);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return token(new URLSearchParams(Buffer.concat(chunks).toString()), request, response);
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const sign: Liar['sign'] = (claims, by = key, header = {}) =>
    new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(by);
  const liar: Liar = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lie: {},
    user: { sub: 'sub-1', email: 'ada@example.com', email_verified: true, sid: 'sid-1' },
    asked: new Map(),
    ...{ key, otherKey, publicPem: await exportSPKI(publicKey), sign },
    logoutToken: (claims = {}, by = key) =>
      sign(
        {
          ...{ iss: liar.issuer, aud: clientId, iat: seconds(), exp: seconds() + 120, jti: randomUUID() },
          ...{ sub: liar.user.sub, events: { [logoutEvent]: {} } },
          ...claims,
        },
        by,
        { typ: 'logout+jwt' },
      ),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return liar;
};

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (claims: Claims, header: object): string => `${encoded(header)}.${encoded(claims)}.`;
const hs256 = (claims: Claims, secret: string): string => {
  const text = `${encoded({ alg: 'HS256', kid: 'one' })}.${encoded(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const now = (): number => Math.floor(Date.now() / 1000);
const says = (claims: Claims): Lie => ({ claims: all => ({ ...all, ...claims }) });
const lacks = (name: string): Lie => ({ claims: ({ [name]: _, ...others }) => others });

/** Each is refused, whoever somebody says that they are. */
export const lies: Record<string, Lie> = {
  'another issuer': says({ iss: 'https://evil.example' }),
  'no issuer': lacks('iss'),
  'another audience': says({ aud: 'another-client' }),
  'audiences with another authorized party': says({ aud: [clientId, 'another'], azp: 'another' }),
  'another authorized party': says({ azp: 'another' }),
  'audiences without an authorized party': says({ aud: [clientId, 'another'] }),
  'another nonce': says({ nonce: 'another' }),
  'no nonce': lacks('nonce'),
  'no signature': { sign: claims => unsigned(claims, { alg: 'none' }) },
  'no signature, in other words': { sign: claims => unsigned(claims, { alg: 'nOnE', kid: 'one' }) },
  'a signature by the public key': { sign: (claims, { publicPem }) => hs256(claims, publicPem) },
  'a signature by the client’s secret': { sign: claims => hs256(claims, clientSecret) },
  'a signature by another key': { sign: (claims, { sign, otherKey }) => sign(claims, otherKey) },
  'a signature by a key that the token brings': {
    async sign(claims, { sign }) {
      const { privateKey, publicKey } = await generateKeyPair('RS256');
      return sign(claims, privateKey, { jwk: await exportJWK(publicKey) });
    },
  },
  'a signature by a key at another address': {
    sign: (claims, { sign, otherKey }) => sign(claims, otherKey, { jku: 'https://evil.example/jwks' }),
  },
  'claims that were changed after they were signed': {
    async sign(claims, { sign }) {
      const [header, , signature] = (await sign({ ...claims, sub: 'somebody else' })).split('.');
      return [header, encoded(claims), signature].join('.');
    },
  },
  'a token that is over': { claims: claims => ({ ...claims, iat: now() - 3600, exp: now() - 120 }) },
  'a token of the future': { claims: claims => ({ ...claims, nbf: now() + 3600 }) },
  'a token that never ends': lacks('exp'),
  'a token without its moment': lacks('iat'),
  nobody: lacks('sub'),
  'a state of another browser': { back: back => back.set('state', 'another') },
  'no state': { back: back => back.delete('state') },
  'a code of another provider': { back: back => back.set('iss', 'https://evil.example') },
  'a code of no provider': { back: back => back.delete('iss') },
  'somebody else in the answer about the user': {
    claims: ({ email: _, ...claims }) => claims,
    userinfo: user => ({ ...user, sub: 'sub-2' }),
  },
  'a token that is no token': { sign: () => 'abc' },
  'no ID token': {
    token: response => json(response, { access_token: 'access', token_type: 'Bearer' }),
  },
  'an answer without end': { token: response => json(response, { access_token: 'x'.repeat(2 * 1024 * 1024) }) },
  'another provider’s name': { metadata: all => ({ ...all, issuer: 'https://evil.example' }) },
};
