/** A program asks for access: the page that a person sees, and what the settings say of it then. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { violationsOf } from './axe.ts';
import { domain, openStage } from './dashboard.ts';

/** Addresses of programs are in the settings, so the port has to be known before. */
const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
};

const port = String(await freePort());
const url = `http://127.0.0.1:${port}`;
const stage = await openStage({ flags: { port, 'base-url': url } });

if (stage !== null) {
  const { open } = stage;
  // A page of this host, where no other is asked.
  const redirect = `${url}/docs`;
  const verifier = 'v'.repeat(43);
  const register = async (name: string): Promise<string> => {
    const response = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      body: JSON.stringify({ redirect_uris: [redirect], client_name: name }),
    });
    return ((await response.json()) as { client_id: string }).client_id;
  };
  const asking = (id: string, more: Record<string, string> = {}): string =>
    `/oauth/authorize?${new URLSearchParams({
      ...{ response_type: 'code', client_id: id, redirect_uri: redirect, state: 'x', scope: 'read notes' },
      ...{
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        resource: `${url}/mcp`,
        ...more,
      },
    })}`;

  stage.test('a person sees who asks, chooses a site, and the settings list and end it', async () => {
    const id = await register('Assistant');
    const page = await open(asking(id));
    await page.locator('h1', { hasText: 'Assistant asks for access' }).waitFor();
    assert.match(
      (await page.locator('main').textContent())!,
      new RegExp(`Whoever runs 127\\.0\\.0\\.1:${port} can then read`),
    );
    const allow = page.getByRole('button', { name: 'Allow' });
    assert.is(await page.getByLabel('Write notes on days').isChecked(), false);
    assert.equal(await violationsOf(page), []);
    await page.getByLabel('All sites').uncheck();
    assert.ok(await allow.isDisabled());
    await page.getByLabel(domain, { exact: true }).check();
    await allow.click();
    await page.waitForURL(/\/docs\?code=td_ac_\w+&state=x&iss=/);
    const fields = { grant_type: 'authorization_code', client_id: id, redirect_uri: redirect, code_verifier: verifier };
    const code = new URL(page.url()).searchParams.get('code')!;
    const got = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ ...fields, code }) });
    assert.is(got.status, 200);
    const settings = await open('/settings?_section=programs');
    const row = settings.locator('tbody tr', { hasText: 'Assistant' });
    assert.match((await row.textContent())!, new RegExp(`127\\.0\\.0\\.1:${port}.*${domain}.*never`));
    await row.getByRole('button', { name: 'Revoke Assistant' }).click();
    await row.getByRole('button', { name: 'Revoke Assistant now' }).click();
    await settings.getByText('No programs are connected.').waitFor();
  });

  stage.test('somebody denies, and the program learns no more than that', async () => {
    const page = await open(asking(await register('Another')));
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(/\/docs\?error=access_denied&state=x&iss=/);
  });

  stage.test('a request that lies leads nowhere', async () => {
    const path = asking(await register('Liar'), { redirect_uri: 'https://evil.example/' });
    const page = await open(path, { tolerated: /status of 400/ });
    await page.locator('h1', { hasText: 'This request cannot be used' }).waitFor();
    assert.match((await page.getByRole('alert').textContent())!, /redirect_uri/);
    assert.is(await page.getByRole('button', { name: 'Allow' }).count(), 0);
  });
}
test.run();
