/** From `npm start` on an empty directory to the first hit, as somebody lives it who has the link that was printed. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { email, noon, openStage, password, settled } from './dashboard.ts';

const stage = await openStage({ demo: null, keepsPages: false });
if (stage !== null) {
  const { open, server } = stage;
  const firstRunPath = server.firstRunUrl!.slice(server.url.length);
  const userAgent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

  const pathOf = (page: Page): string => page.url().slice(server.url.length);
  const fill = async (page: Page, fields: Record<string, string>): Promise<void> => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
  };
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).click();
  const alertOf = async (page: Page): Promise<string> => {
    await page.getByRole('alert').waitFor();
    return (await page.getByRole('alert').textContent())!;
  };

  stage.test('without the link every page explains where to find it', async () => {
    for (const path of ['/', '/sign-in', '/first-run']) {
      const page = await open(path);
      assert.is(pathOf(page), '/first-run');
      assert.is(await page.locator('h1').textContent(), 'You need a link');
    }
    const page = await open('/first-run#made-up', { tolerated: /status of 404/ });
    assert.is(await alertOf(page), 'This link has expired or was already used.');
  });

  stage.test('the link leads to a password, a site, its tag and the first hit', async () => {
    const page = await open(firstRunPath, { tolerated: /status of 40[04]/ });
    await page.locator('h1', { hasText: 'Welcome to Daybook' }).waitFor();
    await page.locator('[name="email"]:focus').waitFor();

    await fill(page, { 'E-mail': 'ada@b@c', Password: password });
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      form.noValidate = true;
    });
    await press(page, 'Continue');
    assert.match(await alertOf(page), '"ada@b@c" is not an e-mail address');
    assert.is(await page.getByLabel('E-mail').getAttribute('aria-invalid'), 'true');
    await fill(page, { 'E-mail': email });
    await page.keyboard.press('Enter');

    await page.locator('h1', { hasText: 'Add your first site' }).waitFor();
    await page.locator('[name="domain"]:focus').waitFor();
    // Whoever goes back to the link, or reloads it, needs no other.
    const link = await page.context().newPage();
    for (const path of [firstRunPath, '/first-run']) {
      await link.goto(server.url + path);
      await link.locator('h1', { hasText: 'You are signed in' }).waitFor();
    }
    await link.getByRole('link', { name: 'Open dashboard' }).click();
    await link.locator('h1', { hasText: 'Add your first site' }).waitFor();
    await link.close();
    // Whoever comes back before there is a site is asked for it again.
    await page.goto(`${server.url}/`);
    await page.locator('h1', { hasText: 'Add your first site' }).waitFor();
    assert.is(await page.getByLabel('Time zone').inputValue(), 'America/New_York', 'the browser’s own');
    assert.is(await page.getByLabel('Currency').inputValue(), 'USD');
    await fill(page, { Domain: 'https://Shop.Example/' });
    await press(page, 'Add site');

    await page.locator('h1', { hasText: 'shop.example' }).waitFor();
    const tag = await page.getByLabel('Script tag').inputValue();
    const [, publicKey] = /^<script defer src="([^"]*)\/t\.js" data-site="(pk_live_\w{24})"><\/script>$/
      .exec(tag)!
      .slice(1);
    await page.getByText('Waiting for the first hit…').waitFor();
    await page.reload();
    await page.getByText('Waiting for the first hit…').waitFor();
    assert.is(await page.getByLabel('Script tag').inputValue(), tag);

    const send = (u: string, headers: Record<string, string>) =>
      fetch(`${server.collectorUrl}/e`, { method: 'POST', headers, body: JSON.stringify({ s: publicKey, u }) });
    // One that is not recorded is told, with its reason.
    assert.is((await send('https://shop.example/', { 'user-agent': 'Googlebot/2.1' })).status, 202);
    await page.getByText(/1 hit ended as crawler/).waitFor();

    // Whoever looks at the numbers meanwhile sees them come.
    const numbers = await page.context().newPage();
    await numbers.clock.setFixedTime(noon);
    await numbers.goto(`${server.url}/sites/shop.example`);
    await numbers.getByText('Waiting for the first hit…').waitFor();
    const visitors = numbers.locator('[data-metric="visitors"] .figure-value');
    assert.is(await visitors.textContent(), '0');

    assert.is((await send('https://shop.example/', { 'user-agent': userAgent })).status, 202);
    await page.getByText('The first hit has arrived.').waitFor();
    await numbers.getByText('The first hit has arrived.').waitFor();
    await visitors.getByText('1', { exact: true }).waitFor();
    assert.is(await numbers.getByLabel('Script tag').count(), 0);
    await numbers.close();

    await page.getByRole('link', { name: 'Open dashboard' }).click();
    await settled(page);
    assert.is(pathOf(page), '/sites/shop.example');
    assert.is(await page.locator('[data-metric="visitors"] .figure-value').textContent(), '1');
    await page.goto(`${server.url}/`);
    assert.is(pathOf(page), '/sites/shop.example');
  });

  stage.test('the link works once', async () => {
    const page = await open(firstRunPath, { tolerated: /status of 404/ });
    assert.is(await alertOf(page), 'This link has expired or was already used.');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.locator('h1', { hasText: 'Sign in' }).waitFor();
  });

  stage.test('people sign in on the page they wanted, and out again', async () => {
    const page = await open('/sites/shop.example/events?range=7d', { tolerated: /status of 401/ });
    assert.is(pathOf(page), `/sign-in?next=${encodeURIComponent('/sites/shop.example/events?range=7d')}`);
    await fill(page, { 'E-mail': email, Password: 'wrong horse' });
    await press(page, 'Sign in');
    assert.is(await alertOf(page), 'The e-mail or the password is wrong.');
    await fill(page, { Password: password });
    await press(page, 'Sign in');
    await page.waitForURL('**/sites/shop.example/events?range=7d');
    await settled(page);

    const cookies = async () =>
      (await page.context().cookies()).map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]).sort();
    const known = ['daybook-known-1', true, 'Lax'];
    assert.equal(await cookies(), [['daybook', true, 'Lax'], known]);
    assert.is(await page.evaluate(() => document.cookie), '');

    await page.goto(`${server.url}/settings`);
    await press(page, 'Sign out');
    await page.waitForURL('**/sign-in');
    assert.equal(await cookies(), [known]);
    await page.goto(`${server.url}/sites/shop.example`);
    assert.match(pathOf(page), /^\/sign-in\?next=/);
  });

  stage.test('an address of another host in `next` is ignored', async () => {
    const page = await open('/sign-in?next=//evil.example/');
    await fill(page, { 'E-mail': email, Password: password });
    await press(page, 'Sign in');
    await page.waitForURL(url => url.pathname !== '/sign-in');
    await page.locator('h1').waitFor();
    assert.ok(page.url().startsWith(`${server.url}/`));
  });

  stage.test('too many attempts show the time to wait', async () => {
    const page = await open('/sign-in', { tolerated: /status of (401|429)/ });
    for (let i = 0; i < 10; i++) {
      await fetch(`${server.url}/app/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url },
        body: JSON.stringify({ email: 'eve@example.com', password: 'guess' }),
      });
    }
    await fill(page, { 'E-mail': 'eve@example.com', Password: 'guess again' });
    await press(page, 'Sign in');
    assert.is(await alertOf(page), 'Too many attempts. Try again in 15 minutes.');
  });
}

test.run();
