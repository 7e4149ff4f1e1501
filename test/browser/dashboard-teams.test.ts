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
    await part.getByRole('button', { name: 'Invite someone' }).click();
    await part.getByLabel('E-mail').fill(member);
    await part.getByText('all sites', { exact: true }).last().click();
    await part.getByRole('checkbox', { name: domain }).check();
    await part.getByRole('button', { name: 'Create link' }).click();
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
    await page.waitForURL(url => url.pathname !== '/invitation');
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
    // What somebody sees alone on a page has its own title.
    await page.goto(`${stage.server.url}/sites/${domain}/settings`);
    await section(page, 'Script tag').getByRole('heading', { name: 'Script tag' }).waitFor();
    await page.goto(`${stage.server.url}/settings`);
    await settled(page);
    const parts = await page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allTextContents();
    assert.ok(parts.includes('Members') && !parts.includes('API keys') && !parts.includes('Audit'), String(parts));

    await owner.reload();
    await settled(owner);
    await part.getByRole('button', { name: `Edit ${member}` }).click();
    await owner.getByRole('button', { name: 'Remove from the team' }).click();
    await owner.getByRole('button', { name: `Remove ${member} now` }).click();
    await part.getByRole('row', { name: new RegExp(member) }).waitFor({ state: 'detached' });
    await page.goto(`${stage.server.url}/sites/${domain}`);
    assert.is(await page.locator('h1').textContent(), 'Page not found');
    await page.goto(`${stage.server.url}/`);
    await page.locator('h1', { hasText: 'You are in no team yet.' }).waitFor();
  });

  stage.test('an operator makes a team, keeps somebody out and lets them in again', async () => {
    const page = await open('/settings?_section=server');
    const teams = section(page, 'Teams');
    await teams.getByLabel('Name of the team').fill('Agency');
    await teams.getByRole('button', { name: 'Create team' }).click();
    await teams.getByRole('row', { name: /^Agency 1 0/ }).waitFor();
    const people = section(page, 'People');
    const row = people.getByRole('row', { name: new RegExp(`^${member}`) });
    await row.getByRole('button', { name: `Disable ${member}` }).click();
    await row.getByRole('button', { name: `Disable ${member} now` }).click();
    await row.getByRole('button', { name: `Enable ${member}` }).click();
    await row.getByRole('button', { name: `Disable ${member}` }).waitFor();
    // Nobody keeps themself out.
    assert.is(await people.getByRole('row', { name: /^ada@/ }).getByRole('button').count(), 0);

    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Team', exact: true }).click();
    const agency = section(page, 'Agency');
    await agency.getByLabel('Name of the team').fill('Studio');
    await agency.getByRole('button', { name: 'Save' }).click();
    const studio = section(page, 'Studio');
    await studio.getByText('Remove the team…').click();
    await studio.getByLabel('Type Studio to confirm').fill('Studio');
    await studio.getByRole('button', { name: 'Remove the team now' }).click();
    await studio.waitFor({ state: 'detached' });
    assert.equal(
      (await api<Me>('/app/me')).teams.map(({ name }) => name),
      ['default'],
    );
  });

  stage.test('an owner asks for second factors only once they have one', async () => {
    const page = await open('/settings?_section=teams', { tolerated: /status of 409/ });
    const part = section(page, 'default');
    await part.getByLabel(/^Members need a second factor/).check();
    await part.getByRole('button', { name: 'Save' }).click();
    await part.getByText('Set up a second factor for yourself first.').waitFor();
    assert.is((await api<Me>('/app/me')).teams[0]!.requireSecondFactor, false);
  });

  stage.test('the audit says who did what', async () => {
    const page = await open('/settings?_section=audit');
    await page.getByRole('row', { name: /Removed a member vi@example\.com ada@example\.com/ }).waitFor();
  });
}

test.run();
