import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stats } from '../../src/dashboard/app/answers.ts';
import { formatNumber } from '../../src/dashboard/app/format.ts';
import { domain, email, openStage, password, settled } from './dashboard.ts';

const browserAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const sendHit = (url: string, hit: object): Promise<Response> =>
  fetch(`${url}/e`, { method: 'POST', headers: { 'user-agent': browserAgent }, body: JSON.stringify(hit) });
const signIn = async (page: Page, secret = password): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

const empty = await openStage({ demo: null });
if (empty !== null) {
  empty.test('the first run: a link, an account, a site, its tag, and its first hit', async () => {
    const { open, server } = empty;
    const { pathname, hash } = new URL(server.firstRunUrl!);
    const page = await open('/', { isStranger: true, tolerated: /status of 40[04]/ });
    assert.is(await page.locator('h1').textContent(), 'This needs a link');
    // Somebody opens the link in the same tab.
    await page.goto(server.url + pathname + hash);
    await page.reload();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Begin' }).click();

    await page.getByRole('heading', { name: 'Add your first site' }).waitFor();
    assert.is(await page.getByLabel('Time zone').inputValue(), 'America/New_York');
    assert.is(await page.getByLabel('Currency').inputValue(), 'USD');
    await page.getByLabel('Domain').fill('https://shop.example/');
    await page.getByLabel('Time zone').fill('Mars/Base');
    await page.getByRole('button', { name: 'Add the site' }).click();
    await page.locator('.field-error').waitFor();
    assert.is(await page.getByLabel('Time zone').getAttribute('aria-invalid'), 'true');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Add the site' }).click();

    await page.getByRole('heading', { name: 'shop.example' }).waitFor();
    const tag = await page.getByLabel('Script tag').inputValue();
    const [, key] = /data-site="(pk_live_\w+)"/.exec(tag)!;
    assert.match(tag, `src="${server.url}/t.js"`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    assert.is(await page.evaluate(() => navigator.clipboard.readText()), tag);

    assert.match((await page.locator('.waiting').textContent())!, 'Waiting for the first hit');
    await sendHit(server.url, { s: key, u: 'https://shop.example/', b: 1 });
    await page.getByText('1 hit came and ended as automation').waitFor();
    await sendHit(server.url, { s: key, u: 'https://shop.example/' });
    await page.getByText('The first hit is received.').waitFor();
    await page.getByRole('link', { name: 'To the numbers' }).click();
    await settled(page);
    assert.is(new URL(page.url()).pathname, '/sites/shop.example');
    assert.is(await page.locator('[data-metric="visitors"] .figure-value').textContent(), '1');

    await page.goto(server.url + pathname + hash);
    await page.reload();
    assert.match((await page.getByRole('alert').textContent())!, /link/i);
  });
}

const stage = await openStage({ demo: { days: 10, hits: 1500 } });
if (stage !== null) {
  const { open, server, site, api } = stage;
  const home = `/sites/${domain}`;
  const refused = /status of 4\d\d/;
  const named = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  stage.test('who is not signed in signs in, and goes where they were going', async () => {
    const page = await open(`${home}/visits?range=7d`, { isStranger: true, tolerated: refused });
    assert.is(new URL(page.url()).pathname, '/sign-in');
    await signIn(page, 'wrong password');
    await page.getByRole('alert').waitFor();
    await signIn(page);
    await page.locator('.table.visits').waitFor();
    assert.is(new URL(page.url()).pathname + new URL(page.url()).search, `${home}/visits?range=7d`);

    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(server.url + home);
    assert.is(new URL(page.url()).pathname, '/sign-in');
  });

  stage.test('nobody is led to another host after signing in', async () => {
    const page = await open('/sign-in?next=https://elsewhere.example/', { isStranger: true });
    await signIn(page);
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    assert.is(new URL(page.url()).href, `${server.url}/`);
  });

  stage.test('a session that ended leads to signing in again', async () => {
    const page = await open(home, { tolerated: refused });
    await page.context().clearCookies();
    await page.keyboard.press('4');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page);
    await page.locator('.headline .figures').waitFor();
    assert.is(new URL(page.url()).search, '?range=7d');
  });

  stage.test('all sites, and the way to each', async () => {
    const page = await open('/');
    assert.equal(await page.locator('.site-name').allTextContents(), [domain, 'papertrail.example']);
    const { visitors } = await api<Stats>(`/api/v1/sites/${site.id}/stats?range=7d`);
    assert.is(await page.locator('.site-numbers strong').first().textContent(), formatNumber(visitors));
    await page.getByRole('link', { name: domain }).click();
    await settled(page);
    await page.getByLabel('Switch site').selectOption('papertrail.example');
    await settled(page);
    assert.is(new URL(page.url()).pathname, '/sites/papertrail.example');
  });

  stage.test('the site: its name, zone and currency', async () => {
    const page = await open(`${home}/settings`, { tolerated: refused });
    const form = named(page, 'Site');
    await form.getByLabel('Domain').fill('papertrail.example');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.locator('.field-error').waitFor();
    await form.getByLabel('Domain').fill('renamed.example');
    await form.getByLabel('Time zone').fill('Asia/Kathmandu');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/sites/renamed.example/settings');
    assert.is(await page.getByLabel('Switch site').inputValue(), 'renamed.example');
    const stats = await api<Stats>(`/api/v1/sites/${site.id}/stats`);
    assert.is(stats.timezone, 'Asia/Kathmandu');
    await named(page, 'Site').getByLabel('Domain').fill(domain);
    await named(page, 'Site').getByLabel('Time zone').fill('Europe/Berlin');
    await named(page, 'Site').getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**${home}/settings`);
  });

  stage.test('identity and exclusions hold from the next hit on', async () => {
    const page = await open(`${home}/settings`, { tolerated: refused });
    const mode = async () => ((await (await fetch(`${server.url}/c/${site.publicKey}`)).json()) as { m: string }).m;
    const identity = named(page, 'Identity');
    await identity.getByLabel('With a cookie').check();
    await identity.getByRole('button', { name: 'Save' }).click();
    await identity.getByText('Saved.').waitFor();
    assert.is(await mode(), 'cookie');
    await identity.getByLabel('Without cookies').check();
    await identity.getByRole('button', { name: 'Save' }).click();
    await identity.getByText('Saved.').waitFor();
    assert.is(await mode(), 'hash');

    const excluded = named(page, 'Excluded');
    await excluded.getByLabel('Addresses').fill('not an address');
    await excluded.getByRole('button', { name: 'Save' }).click();
    await excluded.locator('.field-error').waitFor();
    await excluded.getByLabel('Addresses').fill('198.51.100.7\n2001:db8::/32');
    await excluded.getByLabel('Paths').fill('/admin/**');
    await excluded.getByRole('button', { name: 'Save' }).click();
    await excluded.getByText('Saved.').waitFor();
    const { headers } = await sendHit(server.url, { s: site.publicKey, u: `https://${domain}/admin/users/7` });
    assert.is(headers.get('x-daybook'), 'ignored; reason=excluded-path');
  });

  stage.test('a public page: read-only, without visits, at a new address, withdrawn', async () => {
    const page = await open(`${home}/settings`);
    const section = named(page, 'Public page');
    await section.getByRole('button', { name: 'Make a public page' }).click();
    const address = section.getByLabel('Public address');
    await address.waitFor();
    const first = new URL(await address.inputValue()).pathname;

    const public_ = await open(`${first}?range=7d`, { isStranger: true });
    const { visitors } = await api<Stats>(`/api/v1/sites/${site.id}/stats?range=7d`);
    assert.is(await public_.locator('[data-metric="visitors"] .figure-value').textContent(), formatNumber(visitors));
    const links = await public_.getByRole('navigation', { name: 'Site' }).getByRole('link').allTextContents();
    assert.equal(links, ['Overview', 'Events', 'Realtime', 'Web vitals', 'Crawlers', 'Health']);
    assert.is(await public_.getByRole('link', { name: 'Account' }).count(), 0);
    await public_.getByRole('link', { name: 'Events', exact: true }).click();
    await public_.locator('.table.events').waitFor();
    assert.is(new URL(public_.url()).pathname, `${first}/events`);
    const [download] = await Promise.all([
      public_.waitForEvent('download'),
      public_.getByLabel('Export these numbers as CSV').click(),
    ]);
    assert.match(download.suggestedFilename(), /-7d-/);
    await public_.close();

    await section.getByRole('button', { name: 'New address' }).click();
    await page.waitForFunction(
      old => !document.querySelector<HTMLTextAreaElement>('[aria-label="Public address"]')!.value.endsWith(old),
      first,
    );
    const second = new URL(await address.inputValue()).pathname;
    const old = await open(first, { isStranger: true, tolerated: refused });
    assert.is(await old.locator('h1').textContent(), 'There is nothing here');
    await section.getByRole('button', { name: 'Withdraw' }).click();
    await section.getByRole('button', { name: 'Make a public page' }).waitFor();
    const withdrawn = await open(second, { isStranger: true, tolerated: refused });
    assert.is(await withdrawn.locator('h1').textContent(), 'There is nothing here');
  });

  stage.test('API keys: made, shown once, used, revoked', async () => {
    const page = await open('/settings');
    const section = named(page, 'API keys');
    await section.getByLabel('Name of a new key').fill('Reports');
    await section.getByRole('button', { name: 'Make a key' }).click();
    const key = await section.getByLabel('New API key').inputValue();
    assert.match(key, /^tk_live_\w{32}$/);
    const ask = () => fetch(`${server.url}/api/v1/sites`, { headers: { authorization: `Bearer ${key}` } });
    assert.is((await ask()).status, 200);
    await page.reload();
    const row = section.locator('tbody tr', { hasText: 'Reports' });
    await row.waitFor();
    assert.is(await row.locator('code').textContent(), key.slice(-4));
    assert.not.match(await page.content(), key);
    await row.getByRole('button', { name: 'Revoke Reports' }).click();
    await row.getByRole('button', { name: 'Revoke Reports now' }).click();
    await section.getByText('There is none yet.').waitFor();
    assert.is((await ask()).status, 401);
  });

  stage.test('the account: e-mail and password, each with the password in use', async () => {
    const page = await open('/settings', { tolerated: refused });
    const change = named(page, 'E-mail');
    await change.getByLabel('E-mail').fill('grace@example.com');
    await change.getByLabel('Password').fill('not it at all');
    await change.getByRole('button', { name: 'Change the e-mail' }).click();
    await change.locator('.field-error').waitFor();
    await change.getByLabel('Password').fill(password);
    await change.getByRole('button', { name: 'Change the e-mail' }).click();
    await change.getByText('Saved.').waitFor();
    await change.getByLabel('E-mail').fill(email);
    await change.getByLabel('Password').fill(password);
    await change.getByRole('button', { name: 'Change the e-mail' }).click();
    await change.getByText('Saved.').waitFor();

    const renewed = named(page, 'Password');
    await renewed.getByLabel('Present password').fill(password);
    await renewed.getByLabel('New password').fill('another horse');
    await renewed.getByRole('button', { name: 'Change the password' }).click();
    await renewed.getByText('Saved.').waitFor();
    const stranger = await open('/sign-in', { isStranger: true });
    await signIn(stranger, 'another horse');
    await stranger.getByRole('heading', { name: 'Sites' }).waitFor();
  });

  stage.test('another site is added, reset and removed, each by typing its name', async () => {
    const page = await open('/settings/add-site', { tolerated: refused });
    await page.getByLabel('Domain').fill('third.example');
    await page.getByRole('button', { name: 'Add the site' }).click();
    await page.getByRole('link', { name: 'To the numbers' }).click();
    await page.getByRole('heading', { name: 'Nothing was recorded yet' }).waitFor();
    const tag = await page.getByLabel('Script tag').inputValue();
    const [, key] = /data-site="(pk_live_\w+)"/.exec(tag)!;
    await sendHit(server.url, { s: key, u: 'https://third.example/' });
    await page.getByText('The first hit is received.').waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    const reset = page.getByRole('form', { name: 'Reset' });
    assert.ok(await reset.getByRole('button').isDisabled());
    await reset.getByLabel('Type third.example to confirm').fill('third.exampl');
    assert.ok(await reset.getByRole('button').isDisabled());
    await reset.getByLabel('Type third.example to confirm').fill('third.example');
    await reset.getByRole('button', { name: 'Delete all data' }).click();
    await reset.getByText('All data is deleted.').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Nothing was recorded yet' }).waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    const remove = page.getByRole('form', { name: 'Remove' });
    await remove.getByLabel('Type third.example to confirm').fill('third.example');
    await remove.getByRole('button', { name: 'Remove the site' }).click();
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    assert.equal(await page.locator('.site-name').allTextContents(), [domain, 'papertrail.example']);
    assert.is((await sendHit(server.url, { s: key, u: 'https://third.example/' })).status, 404);
  });

  stage.test('a path that leads nowhere says so', async () => {
    for (const path of ['/sites/nobody.example', `${home}/nothing`, '/share/nothing']) {
      const page = await open(path, { tolerated: refused });
      assert.is(await page.locator('h1').textContent(), 'There is nothing here', path);
    }
  });
}

test.run();
