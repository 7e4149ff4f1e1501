/** A team of two: inviting, joining, seeing less, and being removed while the page is open. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Me } from '../../src/dashboard/wire.ts';
import { domain, openStage, settled } from './dashboard.ts';

const stage = await openStage();
if (stage !== null) {
  const { open, api, post } = stage;
  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const member = 'vi@example.com';

  stage.test('somebody is invited to one site, joins, sees what they may, and is removed', async () => {
    const { teams } = await api<Me>('/app/me');
    await post('/app/sites', { domain: 'other.example', timezone: 'UTC', currency: 'EUR' });
    const owner = await open('/settings?_section=members');
    const part = section(owner, teams[0]!.name);
    await part.getByLabel('E-mail').fill(member);
    await part.getByText('all sites', { exact: true }).last().click();
    await part.getByRole('checkbox', { name: domain }).check();
    await part.getByRole('button', { name: 'Make a link' }).click();
    const link = await part.getByLabel('Link of the invitation').inputValue();
    assert.match(link, /\/invitation#\w{43}$/);
    await part.getByRole('row', { name: new RegExp(member) }).waitFor();

    const page = await open(new URL(link).pathname + new URL(link).hash, {
      isStranger: true,
      tolerated: /status of 40[134]/,
    });
    await page.locator('h1', { hasText: `Join ${teams[0]!.name}` }).waitFor();
    await page.getByLabel('Password').fill('another good one');
    await page.getByRole('button', { name: 'Join' }).click();
    // The only site that they see.
    await page.goto(`${stage.server.url}/`);
    await settled(page);
    assert.match(page.url(), new RegExp(`/sites/${domain}$`));
    await page.goto(`${stage.server.url}/sites/other.example`);
    assert.is(await page.locator('h1').textContent(), 'Page not found');
    await page.goto(`${stage.server.url}/sites/${domain}`);
    await settled(page);
    const links = await page.getByRole('navigation').getByRole('link').allTextContents();
    assert.not.ok(links.some(text => /Visits list|All visits/.test(text)));
    assert.is(await page.getByRole('link', { name: 'Share' }).count(), 0);
    await page.goto(`${stage.server.url}/settings`);
    await settled(page);
    const parts = await page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allTextContents();
    assert.ok(parts.includes('Members') && !parts.includes('API keys') && !parts.includes('Audit'), String(parts));

    await owner.reload();
    await settled(owner);
    await part.getByRole('button', { name: `Change ${member}` }).click();
    await owner.getByRole('button', { name: 'Remove from the team' }).click();
    await owner.getByRole('button', { name: `Remove ${member} now` }).click();
    await part.getByRole('row', { name: new RegExp(member) }).waitFor({ state: 'detached' });
    await page.goto(`${stage.server.url}/sites/${domain}`);
    assert.is(await page.locator('h1').textContent(), 'Page not found');
    await page.goto(`${stage.server.url}/`);
    await page.locator('h1', { hasText: 'You are in no team yet.' }).waitFor();
  });

  stage.test('the audit says who did what', async () => {
    const page = await open('/settings?_section=audit');
    await page.getByRole('row', { name: /ada@example\.com.*removed/ }).waitFor();
  });
}

test.run();
