/** A provider that many servers run, from its package. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { minuteMs } from '../../../src/model/time.ts';
import { type Browser, email, startDashboard, type TestDashboard } from '../helpers.ts';
import { clientId, clientSecret } from './liar.ts';

const baseUrl = 'http://localhost:8080';

/** The provider, and somebody who is signed in to it at once, in a browser with its own cookies. */
const startProvider = async (dashboard: () => TestDashboard) => {
  let provider: Provider;
  const server = createServer((request, response) => {
    if (request.url!.startsWith('/interaction'))
      return void provider.interactionFinished(request, response, { login: { accountId: 'sub-1' } });
    provider.callback()(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${baseUrl}/sign-in/oidc/callback`],
        post_logout_redirect_uris: [`${baseUrl}/sign-in`],
        backchannel_logout_uri: `${issuer}/to-daybook`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { email: ['email', 'email_verified'] },
    cookies: { keys: ['one'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId, email, email_verified: true }),
    }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }: { oidc: { session: { accountId: string } } }) => {
      const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
    // What the provider would send to the address that people reach.
    async fetch(url: URL, options: RequestInit) {
      if (String(url).endsWith('/to-daybook'))
        return fetch(`${dashboard().url}/sign-in/oidc/backchannel`, {
          method: 'POST',
          body: String(options.body),
          headers: form,
        });
      return fetch(url, options);
    },
  });
  const cookies = new Map<string, string>();
  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(pair => pair.join('=')).join('; ');
    const answer = await fetch(new URL(url, issuer), {
      redirect: 'manual',
      ...init,
      headers: { ...init.headers, cookie },
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  /** Follows the provider’s own redirections, and gives the first that leads elsewhere. */
  const follow = async (url: string): Promise<string> => {
    const { headers } = await ask(url);
    const next = new URL(headers.get('location')!, issuer);
    return next.origin === issuer ? follow(next.href) : next.href;
  };
  const close = (): Promise<void> =>
    new Promise(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { issuer, ask, follow, close };
};
const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('somebody signs in with a real provider, proves it anew, and signs out of both', async () => {
  let dashboard: TestDashboard;
  const provider = await startProvider(() => dashboard);
  dashboard = await startDashboard({
    baseUrl,
    oidc: {
      ...{
        issuer: provider.issuer,
        clientId,
        clientSecret,
        name: 'Provider',
        scopes: 'openid email',
        create: 'invited',
      },
      ...{ domains: ['example.com'], role: 'viewer', account: 'default', groupsClaim: 'groups', groups: null },
      ...{ isOnly: false, lastsMs: 3_600_000 },
    },
  });
  await dashboard.signedIn();
  dashboard.clock.now = Date.now();
  const come = async (browser: Browser, path = '/sign-in/oidc'): Promise<string | null> => {
    const there = await browser.get(path);
    const back = await provider.follow(there.headers.get('location')!);
    return (await browser.get(back.replace(baseUrl, ''))).headers.get('location');
  };
  const browser = dashboard.browser();
  assert.is(await come(browser), '/');
  assert.is((await browser.get('/app/me')).json.person.email, email);

  dashboard.clock.now += 10 * minuteMs;
  const change = async () => (await browser.post('/app/account/email', { email })).status;
  assert.is(await change(), 403);
  assert.is(await come(browser, '/sign-in/oidc?prove=1&next=%2Fsettings'), '/settings');
  assert.is(await change(), 200);

  // Somebody else’s browser of the same person ends with the session at the provider.
  dashboard.clock.now = Date.now();
  const other = dashboard.browser();
  await come(other);
  const { next } = (await browser.post('/app/sign-out')).json;
  const page = await (await provider.ask(next)).text();
  const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(page)!;
  const ended = await provider.ask('/session/end/confirm', {
    method: 'POST',
    headers: form,
    body: String(new URLSearchParams({ xsrf: xsrf!, logout: 'yes' })),
  });
  assert.match(ended.headers.get('location') ?? '', `${baseUrl}/sign-in`);
  assert.is((await other.get('/app/me')).status, 401, 'the provider told us');
  await dashboard.close();
  await provider.close();
});

test.run();
