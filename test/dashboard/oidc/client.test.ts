import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createOidcClient } from '../../../src/dashboard/oidc/client.ts';
import { OidcAway, OidcDenied, OidcRefused } from '../../../src/dashboard/oidc/errors.ts';
import type { OidcSettings } from '../../../src/model/oidc.ts';
import { clientId, clientSecret, type Liar, lies, startLiar } from './liar.ts';

const redirectUri = 'http://localhost:8080/sign-in/oidc/callback';
const settingsOf = (issuer: string, more: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer,
  clientId,
  clientSecret,
  name: 'Provider',
  scopes: 'openid email',
  create: 'invited',
  domains: [],
  role: 'viewer',
  account: 'default',
  groupsClaim: 'groups',
  groups: null,
  isOnly: false,
  lastsMs: 3_600_000,
  ...more,
});

/** As a browser goes: to the provider, and back. */
const wayOf = async (liar: Liar, more: Partial<OidcSettings> = {}, isProof = false) => {
  const client = createOidcClient(settingsOf(liar.issuer, more), Date.now);
  const { url, secrets } = await client.begin(redirectUri, isProof);
  const response = await fetch(url, { redirect: 'manual' });
  const back = new URL(response.headers.get('location')!);
  return { client, secrets, back, finish: () => client.finish(back, secrets) };
};

const failureOf = async (work: () => Promise<unknown>): Promise<Error | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
};

test('an honest provider says who somebody is', async () => {
  const liar = await startLiar();
  const { finish } = await wayOf(liar);
  const claims = { subject: 'sub-1', email: 'ada@example.com', isEmailVerified: true, name: '' };
  assert.equal(await finish(), { ...claims, groups: undefined, sid: 'sid-1' });
  assert.is(liar.asked.get('/userinfo'), undefined, 'nothing was missing');
  await liar.close();
});

test('no lie is believed', async () => {
  const liar = await startLiar();
  assert.ok(Object.keys(lies).length >= 25);
  for (const [name, lie] of Object.entries(lies)) {
    liar.lie = lie;
    const failure = await failureOf(async () => (await wayOf(liar)).finish());
    assert.ok(failure instanceof OidcRefused || failure instanceof OidcAway, `${name}: ${failure}`);
  }
  liar.lie = {};
  assert.is((await (await wayOf(liar)).finish()).subject, 'sub-1', 'the truth still is');
  await liar.close();
});

test('a code counts once, and only with the secret of its own browser', async () => {
  const liar = await startLiar();
  const { client, back, secrets, finish } = await wayOf(liar);
  await finish();
  assert.instance(await failureOf(finish), OidcRefused);
  const [one, other] = [await wayOf(liar), await wayOf(liar)];
  const swapped = new URL(one.back);
  swapped.searchParams.set('code', other.back.searchParams.get('code')!);
  assert.instance(await failureOf(() => client.finish(swapped, one.secrets)), OidcRefused, 'the verifier of another');
  // A provider that does not look at the verifier: the nonce is still that of the other browser.
  liar.lie = { isLax: true };
  const [third, fourth] = [await wayOf(liar), await wayOf(liar)];
  const mixed = new URL(third.back);
  mixed.searchParams.set('code', fourth.back.searchParams.get('code')!);
  assert.instance(await failureOf(() => client.finish(mixed, third.secrets)), OidcRefused, 'the nonce of another');
  assert.ok(back.searchParams.get('state') === secrets.state);
  await liar.close();
});

test('what the token lacks is asked for, and e-mail and its verification come from one answer', async () => {
  const liar = await startLiar();
  liar.user = { sub: 'sub-1' };
  liar.lie = { userinfo: user => ({ ...user, email: 'bo@example.com', email_verified: true, groups: ['a', 7, 'b'] }) };
  const groups = { groups: [] };
  const { email, isEmailVerified, groups: found } = await (await wayOf(liar, groups)).finish();
  assert.equal([email, isEmailVerified, found], ['bo@example.com', true, ['a', 'b']]);
  // The token says another e-mail, and not that it is verified.
  liar.user = { sub: 'sub-1', email: 'ada@example.com' };
  liar.lie = { userinfo: () => ({ sub: 'sub-1', email_verified: true }) };
  const mixed = await (await wayOf(liar)).finish();
  assert.equal([mixed.email, mixed.isEmailVerified], ['ada@example.com', false]);
  liar.user = { sub: 'sub-1', email: 'ada@example.com', email_verified: 'true' };
  assert.is((await (await wayOf(liar)).finish()).isEmailVerified, false, 'a text is no yes');
  await liar.close();
});

test('a provider’s own no is told by its code', async () => {
  const liar = await startLiar();
  liar.lie = {
    back(parameters) {
      parameters.delete('code');
      parameters.set('error', 'access_denied');
      parameters.set('error_description', '<script>');
    },
  };
  const failure = await failureOf(async () => (await wayOf(liar)).finish());
  assert.instance(failure, OidcDenied);
  assert.is((failure as OidcDenied).code, 'access_denied');
  await liar.close();
});

test('proof is asked for anew, and old proof is none', async () => {
  const liar = await startLiar();
  const { client, finish } = await wayOf(liar, {}, true);
  const { url } = await client.begin(redirectUri, true);
  assert.equal([url.searchParams.get('prompt'), url.searchParams.get('max_age')], ['login', '0']);
  await finish();
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  for (const lie of [{ auth_time: hourAgo }, { auth_time: undefined }]) {
    liar.lie = { claims: claims => ({ ...claims, ...lie }) };
    assert.instance(await failureOf(async () => (await wayOf(liar, {}, true)).finish()), OidcRefused);
  }
  await liar.close();
});

test('a provider that is away is asked again, and one that is there once an hour', async () => {
  const liar = await startLiar();
  let now = Date.now();
  const client = createOidcClient(settingsOf(liar.issuer), () => now);
  const discoveries = () => liar.asked.get('/.well-known/openid-configuration') ?? 0;
  await Promise.all([1, 2, 3].map(() => client.begin(redirectUri, false)));
  assert.is(discoveries(), 1);
  now += 3_599_000;
  await client.begin(redirectUri, false);
  assert.is(discoveries(), 1);
  now += 2000;
  await client.begin(redirectUri, false);
  assert.is(discoveries(), 2);

  liar.lie = { metadata: () => ({}) };
  now += 3_600_000;
  for (let i = 0; i < 3; i++) assert.instance(await failureOf(() => client.begin(redirectUri, false)), OidcAway);
  assert.is(discoveries(), 3, 'strangers do not make it ask');
  liar.lie = {};
  now += 10_000;
  await client.begin(redirectUri, false);
  await liar.close();
  const gone = createOidcClient(settingsOf(liar.issuer), Date.now);
  assert.instance(await failureOf(() => gone.begin(redirectUri, false)), OidcAway);
});

test('a server that breaks while it gives out tokens is away, and refuses nobody', async () => {
  const liar = await startLiar();
  liar.lie = { token: response => response.writeHead(502).end('bad gateway') };
  assert.instance(await failureOf(async () => (await wayOf(liar)).finish()), OidcAway);
  await liar.close();
});

test('a logout token ends logins once, and no other token does', async () => {
  const liar = await startLiar();
  const client = createOidcClient(settingsOf(liar.issuer), Date.now);
  const token = await liar.logoutToken();
  assert.equal(await client.readLogout(token), { subject: 'sub-1', sid: undefined });
  assert.instance(await failureOf(() => client.readLogout(token)), OidcRefused, 'used before');
  assert.equal(await client.readLogout(await liar.logoutToken({ sub: undefined, sid: 'sid-1' })), {
    ...{ subject: undefined, sid: 'sid-1' },
  });
  const seconds = Math.floor(Date.now() / 1000);
  const rows: [string, Promise<string> | string][] = [
    ['another issuer', liar.logoutToken({ iss: 'https://evil.example' })],
    ['another audience', liar.logoutToken({ aud: 'another' })],
    ['a nonce, so it is an ID token', liar.logoutToken({ nonce: 'n' })],
    ['no event', liar.logoutToken({ events: {} })],
    ['events that are a list', liar.logoutToken({ events: ['http://schemas.openid.net/event/backchannel-logout'] })],
    ['nobody', liar.logoutToken({ sub: undefined })],
    ['no id', liar.logoutToken({ jti: undefined })],
    ['too old', liar.logoutToken({ iat: seconds - 1000, exp: undefined })],
    ['of the future', liar.logoutToken({ iat: seconds + 1000 })],
    ['no moment', liar.logoutToken({ iat: undefined })],
    ['over', liar.logoutToken({ exp: seconds - 100 })],
    ['another key', liar.logoutToken({}, liar.otherKey)],
    ['no token', 'abc'],
  ];
  for (const [name, bad] of rows) {
    const failure = await failureOf(async () => client.readLogout(await bad));
    assert.instance(failure, OidcRefused, name);
  }
  assert.is(liar.asked.get('/jwks'), 1, 'keys are asked for once');
  await liar.close();
});

test('the page for signing out is the provider’s, where it has one', async () => {
  const liar = await startLiar();
  const url = await createOidcClient(settingsOf(liar.issuer), Date.now).endSessionUrl('http://localhost:8080/sign-in');
  assert.is(url?.pathname, '/end');
  assert.is(url?.searchParams.get('post_logout_redirect_uri'), 'http://localhost:8080/sign-in');
  liar.lie = { metadata: ({ end_session_endpoint: _, ...all }) => all };
  assert.is(await createOidcClient(settingsOf(liar.issuer), Date.now).endSessionUrl('http://localhost:8080/'), null);
  await liar.close();
});

test.run();
