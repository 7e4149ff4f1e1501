/** Alerts of a site and channels of a team, as people add, change, mute and remove them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AlertList, TriedAlert } from '../../src/dashboard/wire.ts';
import { hourMs } from '../../src/model/time.ts';
import { until } from '../tools/conditions.ts';
import { noon, openStage } from './dashboard.ts';

const stage = await openStage({ flags: { 'outbound-private': 'on' } });
if (stage !== null) {
  const { open, api, post, site } = stage;
  const listed = async () => (await api<AlertList>(`/api/ext/sites/${site.id}/alerts`)).data;

  stage.test('an alert says when it would have fired, and is changed, paused, muted and removed', async () => {
    const page = await open(`/sites/${site.domain}/settings?_section=alerts`);
    const form = page.getByRole('form', { name: 'New alert' });
    await page.getByRole('button', { name: 'New alert' }).click();
    await page.getByText(/^No mail server is set: SMTP_URL\./).waitFor();
    const spike = { metric: 'visits', k: 3.5, hours: 24, floor: 10 };
    const asked = { kind: 'spike', params: spike, filters: '' };
    const { count } = await post<TriedAlert>(`/app/sites/${site.id}/alerts/try`, asked);
    await form.getByLabel('Sensitivity').selectOption('3.5');
    await form.getByLabel('Window').selectOption('24');
    const times = count === 1 ? 'once' : `${count} times`;
    const told = count === 0 ? 'It would not have fired' : `It would have fired ${times} in the last six weeks.`;
    await form.getByText(told).waitFor();
    assert.is(await form.getByRole('listitem').count(), Math.min(count, 5));
    await form.getByLabel('Name').fill('Peak');
    await form.getByRole('button', { name: 'Add alert' }).click();
    const row = page.getByRole('row', { name: /Peak/ });
    await row.getByText('Not judged yet').waitFor();
    const [added] = await listed();
    assert.equal([added!.name, added!.params, added!.mailOwners, added!.enabled], ['Peak', spike, true, true]);

    await page.getByRole('button', { name: 'Change Peak' }).click();
    const dialog = page.getByRole('dialog', { name: 'Peak' });
    assert.is(await dialog.getByLabel('Window').inputValue(), '24');
    await dialog.getByLabel('Kind').selectOption('threshold');
    await dialog.getByLabel('What is counted').selectOption('revenue');
    await dialog.getByLabel('Amount in EUR').fill('1.50');
    await dialog.getByLabel('Name').fill('Sales');
    await dialog.getByText(/It would have fired (\d+ times|once)/).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change Sales' }).click();
    const sales = page.getByRole('dialog', { name: 'Sales' });
    assert.is(await sales.getByLabel('Amount in EUR').inputValue(), '1.50');
    const [changed] = await listed();
    assert.equal(changed!.params, { metric: 'revenue', comparison: 'above', number: 150, minutes: 60 });

    await sales.getByRole('button', { name: 'Mute for a day' }).click();
    await sales.getByText(/Muted until/).waitFor();
    assert.is((await listed())[0]!.mutedUntil, new Date(noon + 24 * hourMs).toISOString());
    await sales.getByRole('button', { name: 'Unmute' }).click();
    await sales.getByText('Not judged yet').waitFor();
    await sales.getByRole('button', { name: 'Pause' }).click();
    await sales.getByText('Paused').waitFor();
    assert.is((await listed())[0]!.enabled, false);
    await sales.getByRole('button', { name: 'Resume' }).waitFor();
    await sales.getByRole('button', { name: 'Remove', exact: true }).click();
    await sales.getByRole('button', { name: 'Remove Sales now' }).click();
    await page.getByText('No alerts yet.').waitFor();
    assert.equal(await listed(), []);
  });

  stage.test('alerts of refused hits and new sources say when they would have fired', async () => {
    const page = await open(`/sites/${site.domain}/settings?_section=alerts`);
    const form = page.getByRole('form', { name: 'New alert' });
    await page.getByRole('button', { name: 'New alert' }).click();
    const tried = (asked: object) => post<TriedAlert>(`/app/sites/${site.id}/alerts/try`, { filters: '', ...asked });
    await form.getByLabel('Kind').selectOption('new-source');
    await form.getByLabel('Visitors in a day, at least').fill('1');
    const sources = await tried({ kind: 'new-source', params: { visitors: 1 } });
    assert.ok(sources.count > 0, 'the sample has a source that is new');
    await form
      .getByRole('listitem')
      .filter({ hasText: sources.data[0]!.sources.join(', ') })
      .first()
      .waitFor();
    await form.getByLabel('Kind').selectOption('refused');
    assert.is(await form.getByLabel('Filters').count(), 0);
    await form.getByLabel('Refused hits in an hour, at least').fill('5');
    await form.getByLabel('Percent of the hits that arrived, at least').fill('0');
    const refused = await tried({ kind: 'refused', params: { hits: 5, percent: 0 } });
    await form.getByText(refused.count === 0 ? 'It would not have fired' : /It would have fired/).waitFor();
    await form.getByRole('button', { name: 'Add alert' }).click();
    await page.getByRole('row', { name: /Refused hits/ }).waitFor();
    const [added] = await listed();
    assert.equal([added!.kind, added!.params, added!.filters], ['refused', { hits: 5, percent: 0 }, '']);
    await page.getByRole('button', { name: 'Change Refused hits' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refused hits' });
    assert.is(await dialog.getByLabel('Refused hits in an hour, at least').inputValue(), '5');
    await dialog.getByLabel('Kind').selectOption('errors');
    const triedWith = async (text: string): Promise<void> => {
      const answer = await page.waitForResponse(
        response => response.url().endsWith('/alerts/try') && response.request().postData()!.includes(text),
      );
      assert.is(answer.status(), 200);
      await dialog.getByText(/would (not )?have fired/).waitFor();
    };
    await Promise.all([triedWith('"crawls"'), dialog.getByLabel('What is counted').selectOption('crawls')]);
    await dialog.getByLabel('Kind').selectOption('threshold');
    await dialog.getByLabel('Window').selectOption('5');
    await dialog.getByLabel('What is counted').selectOption('lcp');
    assert.is(await dialog.getByLabel('Window').inputValue(), '60', 'vitals need an hour');
    await Promise.all([triedWith('2500'), dialog.getByLabel('Milliseconds').fill('2500')]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const lcp = { metric: 'lcp', comparison: 'above', number: 2500, minutes: 60 };
    assert.equal((await listed())[0]!.params, lcp);
    await post<unknown>(`/app/sites/${site.id}/alerts/${added!.id}/remove`, {});
  });

  stage.test('a channel shows its secret once, and sends a test', async () => {
    const received: { type: string; signature: string }[] = [];
    const receiver = createServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      received.push({ type: JSON.parse(text).type, signature: String(request.headers['webhook-signature']) });
      response.end();
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    try {
      const page = await open('/settings?_section=channels', { tolerated: /status of 400/ });
      const form = page.getByRole('form', { name: 'New channel' });
      await page.getByRole('button', { name: 'New channel' }).click();
      await form.getByLabel('Name').fill('Robot');
      await form.getByLabel('Target').fill('nowhere');
      await form.getByRole('button', { name: 'Add channel' }).click();
      await form.getByText('The address begins with https://.').waitFor();
      await form.getByLabel('Target').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
      await form.getByRole('button', { name: 'Add channel' }).click();
      const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
      assert.match(secret, /^whsec_/);
      await page.getByText('Nothing sent yet').waitFor();
      await page.getByRole('button', { name: 'Send a test to Robot' }).click();
      await page.getByText('A test is on its way.').waitFor();
      await until('the test has arrived', () => received.length === 1);
      assert.is(received[0]!.type, 'test');
      assert.match(received[0]!.signature, /^v1,/);
      await until('it is known to have arrived', async () => {
        await page.reload();
        return page.getByText('Works').isVisible();
      });
      assert.is(await page.getByLabel('Secret', { exact: true }).count(), 0);
      await page.getByRole('button', { name: 'Remove Robot' }).click();
      await page.getByRole('button', { name: 'Remove Robot now' }).click();
      await page.getByText('No channels yet.').waitFor();
    } finally {
      receiver.close();
    }
  });
}

test.run();
