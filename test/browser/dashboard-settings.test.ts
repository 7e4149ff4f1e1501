/** Settings as people change them: the site, its public page, API keys, the account. */
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatNumber } from '../../src/dashboard/app/format.ts';
import type { Keys, Me, ShareList, SiteView } from '../../src/dashboard/wire.ts';
import { domain, email, goTo, openStage, password, settled } from './dashboard.ts';
import type { Stats } from './told.ts';

const stage = await openStage({ demo: { days: 3, hits: 300 } });
if (stage !== null) {
  const { open, api, post, server, site } = stage;
  const settings = `/sites/${domain}/settings`;
  const section = (page: Page, name: string): Locator => page.getByRole('region', { name });
  const save = async (part: Locator, name = 'Save'): Promise<void> => {
    await part.getByRole('button', { name, exact: true }).click();
    await part.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
  };
  const pathOf = (page: Page): string => new URL(page.url()).pathname;
  const stored = async (): Promise<SiteView> =>
    (await api<Me>('/app/me')).sites.find(({ id }) => id === site.id) as SiteView;

  stage.test('site settings show errors beside their field and keep what is right', async () => {
    const page = await open(settings, { tolerated: /status of 400/ });
    const part = section(page, 'Site');
    await part.getByLabel('Time zone').fill('Europe/Berlni');
    await part.getByRole('button', { name: 'Save' }).click();
    assert.is(
      await part.getByRole('alert').textContent(),
      'There is no time zone "Europe/Berlni". Did you mean Europe/Berlin?',
    );
    assert.is(await part.getByLabel('Time zone').getAttribute('aria-invalid'), 'true');
    await part.getByLabel('Time zone').fill('asia/tokyo');
    await part.getByLabel('Currency').fill('jpy');
    await save(part);
    const { timezone, currency, domain: kept } = await stored();
    assert.equal([timezone, currency, kept], ['Asia/Tokyo', 'JPY', domain]);

    // Nothing to save while nothing differs.
    assert.is(await part.getByRole('button').count(), 0);
    await part.getByLabel('Domain').fill('other.example');
    await part.getByRole('button', { name: 'Discard' }).click();
    assert.is(await part.getByLabel('Domain').inputValue(), domain);
    await part.getByLabel('Domain').fill('renamed.example');
    await save(part);
    assert.is(pathOf(page), '/sites/renamed.example/settings');
    await part.getByLabel('Domain').fill(domain);
    await save(part);
    assert.is(pathOf(page), settings);
  });

  stage.test('identity mode and exclusions can be changed', async () => {
    const page = await open(`${settings}?_section=tracking`, { tolerated: /status of 400/ });
    const identity = section(page, 'Identity');
    assert.ok(await identity.getByLabel('Without cookies').isChecked());
    await identity.getByLabel('With a cookie').check();
    await save(identity);
    const excluded = section(page, 'Exclusions');
    await excluded.getByLabel('Addresses').fill('203.0.113.9\n10.0.0.0/40');
    await excluded.getByRole('button', { name: 'Save' }).click();
    assert.match((await excluded.getByRole('alert').textContent())!, '"10.0.0.0/40" is neither an address nor a range');
    await excluded.getByLabel('Addresses').fill('203.0.113.9\n\n 10.0.0.0/8 ');
    await excluded.getByLabel('Paths').fill('/admin/**');
    await save(excluded);
    const aliases = section(page, 'Aliases');
    await aliases.getByLabel('Names').fill('matomo:x');
    await aliases.getByRole('button', { name: 'Save' }).click();
    assert.match((await aliases.getByRole('alert').textContent())!, '"matomo:x" is not an alias');
    await aliases.getByLabel('Names').fill('matomo:1\nold.example');
    await save(aliases);
    assert.equal((await stored()).aliases, ['matomo:1', 'old.example']);
    const senders = section(page, 'Senders');
    await senders.getByLabel('Hits per second').fill('many');
    await senders.getByRole('button', { name: 'Save' }).click();
    assert.match((await senders.getByRole('alert').textContent())!, '"many" is not a number of hits');
    await senders.getByLabel('Hits per second').fill(' 20 ');
    await save(senders);
    const { senderHits, senderBurst } = await stored();
    assert.equal([senderHits, senderBurst], [20, null]);
    const { identityMode, excludedIps, excludedPaths } = await stored();
    assert.equal([identityMode, excludedIps, excludedPaths], ['cookie', ['203.0.113.9', '10.0.0.0/8'], ['/admin/**']]);
    await page.reload();
    await settled(page);
    assert.ok(await identity.getByLabel('With a cookie').isChecked());
    assert.is(await excluded.getByLabel('Paths').inputValue(), '/admin/**');
  });

  stage.test('without a mail server, reports say which setting names one', async () => {
    const page = await open(`${settings}?_section=reports`);
    await section(page, 'Reports')
      .getByText(/^No mail server is set: SMTP_URL\./)
      .waitFor();
  });

  stage.test('hits are removed after a look at what goes, and put back', async () => {
    const hitsOf = async (): Promise<number> =>
      (await api<Stats>(`/api/v1/sites/${site.id}/stats?range=30d`)).pageviews;
    const before = await hitsOf();
    const page = await open(`${settings}?_section=spam`);
    const part = section(page, 'Remove hits');
    await part.getByText('Choose the days and at least one filter').waitFor();
    await part.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Operator').selectOption('starts with');
    await dialog.getByRole('textbox').fill('/');
    await dialog.getByRole('button', { name: 'Filter', exact: true }).click();
    await part.getByText(/^Hits to be removed: [\d,]+\. Visits: [\d,]+\. Visitors: [\d,]+\.$/).waitFor();
    await part.getByRole('button', { name: 'Remove…' }).click();
    await part.getByRole('button', { name: 'Cancel' }).click();
    await part.getByRole('button', { name: 'Remove…' }).click();
    await part.getByRole('button', { name: /^Remove [\d,]+ hits now$/ }).click();
    const row = part
      .getByRole('table', { name: 'Removed hits' })
      .getByRole('row')
      .filter({ hasText: 'Page starts with /' });
    await row.getByRole('button', { name: 'Put back' }).and(part.locator(':enabled')).waitFor();
    assert.is(await hitsOf(), 0);
    await row.getByRole('button', { name: 'Put back' }).click();
    await row.waitFor({ state: 'detached' });
    assert.is(await hitsOf(), before);
    assert.ok(before > 0);
  });

  stage.test('files are tried, imported and taken back', async () => {
    const page = await open(`${settings}?_section=imports`);
    const part = section(page, 'Imports');
    const lines = ['/old', '/older'].map(path =>
      JSON.stringify({ at: '2026-01-05T12:00:00Z', visitor: path, hit: { u: `https://${domain}${path}` } }),
    );
    const file = { name: 'past.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(lines.join('\n')) };
    await part.getByLabel('Files').setInputFiles(file);
    await part.getByRole('button', { name: 'Check files' }).click();
    const found = part.getByRole('region', { name: 'What the import found' });
    await found.getByText('Check only: nothing was imported. Lines: 2, days: 1.').waitFor();
    await found.getByRole('row', { name: 'stored and synced to disk 2' }).waitFor();
    assert.is(await part.getByText('No imports yet.').count(), 1);
    await part.getByRole('button', { name: 'Import', exact: true }).click();
    // Exactly: the sentence of the try, which stands there until then, ends alike.
    await found.getByText('Imported. Lines: 2, days: 1.', { exact: true }).waitFor();
    const january = 'from=2026-01-01&to=2026-01-31';
    const pageviews = async (): Promise<number> =>
      (await api<Stats>(`/api/v1/sites/${site.id}/stats?${january}`)).pageviews;
    assert.is(await pageviews(), 2);
    await part.getByRole('button', { name: 'Undo the import of past.ndjson…' }).click();
    await part.getByRole('button', { name: 'Undo import', exact: true }).click();
    await part.getByText('No imports yet.').waitFor();
    assert.is(await pageviews(), 0);
  });

  stage.test('a public page can be made, seen by strangers, renewed and removed', async () => {
    // A link of before, to a place on one long page.
    const page = await open(`${settings}#share`);
    const part = section(page, 'Public pages');
    await part.getByText('No links yet').waitFor();
    await part.getByRole('button', { name: 'New link' }).click();
    await part.getByLabel('Name', { exact: true }).fill('Press');
    await part.getByRole('button', { name: 'Create link' }).click();
    const first = await part.getByLabel('Public address').inputValue();
    const dialog = page.getByRole('dialog', { name: 'Press' });
    const edit = async (change: () => Promise<void>): Promise<void> => {
      await part.getByRole('button', { name: 'Edit Press' }).click();
      await change();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    assert.match(first, /\/share\/[\dA-Za-z]{43}$/);

    // Open pages ask on when their address has died.
    const asStranger = { isStranger: true, tolerated: /status of 401/ };
    const seen = await open(new URL(first).pathname, asStranger);
    assert.is(await seen.locator('h1').textContent(), `${domain}: Overview`);
    assert.ok(
      Number((await seen.locator('[data-metric="visitors"] .figure-value').textContent())!.replace(',', '')) > 0,
    );
    assert.is(await seen.locator('meta[name="robots"]').getAttribute('content'), 'noindex, nofollow');
    const offered = await seen.getByRole('navigation', { name: 'Site' }).getByRole('link').allTextContents();
    assert.equal(offered, ['Overview', 'Behaviour', 'Visits', 'Technical']);
    assert.is(await seen.locator('[data-metric="revenue"]').count(), 0);
    assert.is(await seen.getByRole('region', { name: 'Events', exact: true }).count(), 0);
    await seen.getByRole('link', { name: 'Visits', exact: true }).click();
    await settled(seen);
    assert.is(pathOf(seen), `${new URL(first).pathname}/realtime`);
    await seen.getByRole('link', { name: 'Behaviour' }).click();
    await settled(seen);
    const behaviour = seen.getByRole('navigation', { name: 'Behaviour' }).getByRole('link');
    assert.equal(await behaviour.allTextContents(), ['Funnels', 'Journeys']);
    await behaviour.getByText('Journeys').click();
    await settled(seen);
    assert.is(await seen.locator('.failed').count(), 0);

    // It shows numbers, and more as its owner says.
    const shares = new URL(first).pathname;
    const tabs = async (): Promise<string[]> => {
      const overview = await open(shares, asStranger);
      await overview.getByRole('region', { name: 'Pages' }).getByRole('button', { name: 'More' }).click();
      return overview.getByRole('region', { name: 'Pages' }).getByRole('link').allTextContents();
    };
    assert.not.ok((await tabs()).includes('Query string'));
    const hidden = await open(`${shares}/health`, asStranger);
    assert.is(await hidden.locator('h1').textContent(), 'Page not found');
    await edit(async () => {
      await dialog.getByText('Shows only numbers').click();
      for (const name of ['Query strings', 'Health', 'Crawlers', 'Revenue', 'Events'])
        await dialog.getByRole('checkbox', { name: new RegExp(`^${name}`) }).check();
    });
    const [link] = (await api<ShareList>(`/app/sites/${site.id}/shares`)).data;
    assert.equal(link!.parts.toSorted(), ['crawlers', 'events', 'outcomes', 'queries', 'revenue']);
    const whole = await open(shares, asStranger);
    await whole.locator('[data-metric="revenue"]').click();
    await settled(whole);
    for (const name of ['events', 'crawlers'] as const) {
      await goTo(whole, name);
      assert.is(await whole.locator('.failed').count(), 0, name);
    }
    assert.ok((await tabs()).includes('Query string'));
    const health = await open(`${shares}/health`, asStranger);
    assert.is(await health.locator('h1').textContent(), `${domain}: Health`);

    await part.getByRole('button', { name: 'Edit Press' }).click();
    await dialog.getByRole('button', { name: 'New address' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.is(await dialog.getByLabel('Public address').inputValue(), first);
    await dialog.getByRole('button', { name: 'New address' }).click();
    await dialog.getByRole('button', { name: 'Replace the address now' }).click();
    await dialog.waitFor({ state: 'detached' });
    await part.getByRole('button', { name: 'Edit Press' }).click();
    const second = await dialog.getByLabel('Public address').inputValue();
    assert.is.not(second, first);
    const gone = { isStranger: true, tolerated: /status of (401|404)/ };
    assert.is(await (await open(new URL(first).pathname, gone)).locator('h1').textContent(), 'Page not found');
    assert.is(await (await open(new URL(second).pathname, gone)).locator('h1').textContent(), `${domain}: Overview`);

    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('Nobody can open its address any more.').waitFor();
    await dialog.getByRole('button', { name: 'Remove this link now' }).click();
    await part.getByText('No links yet').waitFor();
    assert.is(await (await open(new URL(second).pathname, gone)).locator('h1').textContent(), 'Page not found');
  });

  stage.test('a link of a segment asks for a password, and shows that segment alone', async () => {
    await post(`/app/sites/${site.id}/definitions`, { kind: 'segment', name: 'Germans', filters: 'country=DE' });
    const page = await open(`${settings}?_section=share`);
    const part = section(page, 'Public pages');
    await part.getByRole('button', { name: 'New link' }).click();
    await part.getByLabel('Name', { exact: true }).fill('Client');
    await part.getByLabel('Segment').selectOption('Germans');
    // What is counted besides hits is of no segment.
    await part.getByText('Shows only numbers').click();
    assert.is(await part.getByRole('checkbox', { name: /^Crawlers/ }).count(), 0);
    await part.getByLabel('Password').fill('a long password');
    await part.getByRole('button', { name: 'Create link' }).click();
    const address = await part.getByLabel('Public address').inputValue();
    await part.getByRole('row', { name: /Client Asks for a password Germans/ }).waitFor();

    const seen = await open(new URL(address).pathname, { isStranger: true, tolerated: /status of (400|401|404)/ });
    assert.is(await seen.locator('h1').textContent(), 'This page asks for a password');
    assert.not.match(await seen.content(), domain);
    await seen.getByLabel('Password').fill('not the password');
    await seen.getByRole('button', { name: 'Open' }).click();
    await seen.getByText('This password is wrong.').waitFor();
    await seen.getByLabel('Password').fill('a long password');
    await seen.getByRole('button', { name: 'Open' }).click();
    await seen.getByText('This page shows a part of the site’s visits.').waitFor();
    const { visitors } = await api<Stats>(`/api/v1/sites/${site.id}/stats?country=DE`);
    const shown = seen.locator('[data-metric="visitors"] .figure-value');
    await shown.waitFor();
    assert.is(await shown.textContent(), formatNumber(visitors));
    const technical = seen.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Technical' });
    assert.is(await technical.count(), 0);

    // Taken away, it opens nothing, whatever the browser was told before.
    await part.getByRole('button', { name: 'Edit Client' }).click();
    const dialog = page.getByRole('dialog', { name: 'Client' });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove this link now' }).click();
    await part.getByText('No links yet').waitFor();
    await seen.reload();
    await seen.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  stage.test('an API key is shown once, and revoked after a question', async () => {
    const page = await open('/settings');
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'API keys' }).click();
    const part = section(page, 'API keys');
    await part.getByRole('button', { name: 'New API key' }).click();
    const name = part.getByLabel('Key name');
    await name.fill('Grafana');
    // Selecting text ends beside the dialog, which stays; a click there closes it.
    const { x, y } = (await name.boundingBox())!;
    await page.mouse.move(x + 20, y + 10);
    await page.mouse.down();
    await page.mouse.move(5, y + 10);
    await page.mouse.up();
    assert.is(await name.inputValue(), 'Grafana');
    await page.mouse.click(5, y + 10);
    await name.waitFor({ state: 'detached' });
    await part.getByRole('button', { name: 'New API key' }).click();
    await name.fill('Grafana');
    await part.getByRole('button', { name: 'Create API key' }).click();
    const key = await part.getByLabel('New API key').inputValue();
    assert.match(key, /^tk_live_\w{32}$/);
    const answers = async () =>
      (await fetch(`${server.url}/api/v1/sites`, { headers: { authorization: `Bearer ${key}` } })).status;
    assert.is(await answers(), 200);
    // The first question stands there, and a shell gets an answer to it.
    const command = await part.getByLabel('First request').inputValue();
    assert.match(command, key);
    const { stdout } = await promisify(exec)(`${command.replace('curl', 'curl -s')}`);
    assert.is(typeof (JSON.parse(stdout) as Stats).visitors, 'number');

    await page.reload();
    await settled(page);
    assert.not.match(await page.content(), key);
    const row = part.getByRole('row', { name: /Grafana/ });
    assert.match((await row.textContent())!, key.slice(-4));
    await row.getByRole('button', { name: 'Revoke Grafana' }).click();
    await row.getByRole('button', { name: 'Cancel' }).click();
    assert.is(await answers(), 200);
    await row.getByRole('button', { name: 'Revoke Grafana' }).click();
    await row.getByRole('button', { name: 'Revoke Grafana now' }).click();
    await row.waitFor({ state: 'detached' });
    assert.is(await answers(), 401);
  });

  stage.test('changing e-mail or password takes no password just after signing in', async () => {
    const keysPage = await open('/settings?_section=keys');
    const keys = section(keysPage, 'API keys');
    await keys.getByRole('button', { name: 'New API key' }).click();
    await keys.getByLabel('Key name').fill('Lost');
    await keys.getByRole('button', { name: 'Create API key' }).click();
    await keys.getByRole('button', { name: 'Revoke Lost' }).waitFor();

    const page = await open('/settings?_section=sign-in', { tolerated: /status of 400/ });
    const mail = section(page, 'E-mail');
    await mail.getByLabel('E-mail').fill('new@example.com');
    await save(mail, 'Change e-mail');

    const part = section(page, 'Password');
    await part.getByLabel('New password').fill('sunshine');
    await part.getByRole('button', { name: 'Change password' }).click();
    assert.match((await part.getByRole('alert').textContent())!, 'one of the first that anybody would guess');
    await part.getByLabel('New password').fill('another one');
    await part.getByLabel('Revoke all API keys').check();
    await save(part, 'Change password');
    assert.not(await part.getByLabel('Revoke all API keys').isChecked());
    assert.equal((await api<Keys>('/app/keys')).data, []);
    await page.goto(`${server.url}/settings?_section=keys`);
    await section(page, 'API keys').getByText('No API keys yet.').waitFor();

    const signIn = async (as: object): Promise<number> => {
      const headers = { 'content-type': 'application/json', origin: server.url };
      return (await fetch(`${server.url}/app/sign-in`, { method: 'POST', headers, body: JSON.stringify(as) })).status;
    };
    assert.is(await signIn({ email, password }), 401);
    assert.is(await signIn({ email: 'new@example.com', password: 'another one' }), 200);
  });

  stage.test('deleting data or a site takes typing the domain', async () => {
    const page = await open(`${settings}?_section=delete`);
    const reset = page.getByRole('form', { name: 'Reset' });
    const remove = page.getByRole('form', { name: 'Remove' });
    const typed = `Type ${domain} to confirm`;
    assert.is(await reset.getByLabel(typed).count(), 0);
    const action = reset.getByRole('button', { name: 'Delete all data' });
    await action.click();
    assert.ok(await action.isDisabled());
    await reset.getByLabel(typed).fill('marigold');
    assert.ok(await action.isDisabled());
    await reset.getByLabel(typed).fill(domain);
    await action.click();
    await reset.getByText('All data is deleted.').waitFor();
    assert.is((await api<{ visitors: number }>(`/api/v1/sites/${site.id}/stats?range=all`)).visitors, 0);
    await page.goto(`${server.url}/sites/${domain}`);
    await page.getByText('No hits yet').waitFor();

    await page.goto(`${server.url}${settings}?_section=delete`);
    await remove.getByRole('button').click();
    await remove.getByLabel(typed).fill(domain);
    await remove.getByRole('button', { name: 'Remove the site' }).click();
    await page.waitForURL(url => url.pathname !== settings);
    await settled(page);
    assert.not((await api<Me>('/app/me')).sites.some(({ id }) => id === site.id));
    const gone = await open(settings, { tolerated: /status of 404/ });
    assert.is(await gone.locator('h1').textContent(), 'Page not found');
  });
}

test.run();
