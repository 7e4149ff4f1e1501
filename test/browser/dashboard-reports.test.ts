/** Reports in the settings of a site, with a mail server that takes them, and how their mail looks. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DefinitionLists, Failure, ReportList } from '../../src/dashboard/wire.ts';
import { reportBlockNames } from '../../src/model/reports.ts';
import { startSmtp, textOf } from '../outbox/smtp-server.ts';
import { violationsOf } from './axe.ts';
import { domain, email, openStage, settled } from './dashboard.ts';

const smtp = await startSmtp();
test.after(() => smtp.close());
const env = {
  SMTP_URL: `smtp://127.0.0.1:${smtp.server.port}`,
  MAIL_FROM: 'Daybook <reports@stats.example>',
  SMTP_TLS: 'none',
};
const stage = await openStage({ demo: { days: 40, hits: 2000 }, env });
if (stage !== null) {
  const { open, api, post, site, server } = stage;
  const path = `/app/sites/${site.id}/reports`;
  const settings = `/sites/${domain}/settings?_section=reports`;
  const partOf = (page: Page): Locator => page.getByRole('region', { name: 'Reports' });
  const stored = async () => (await api<ReportList>(path)).data;
  /** The next mail, once it is there. */
  const nextMail = async (taken: number) => {
    for (let i = 0; i < 1000 && smtp.mails.length === taken; i++) await wait(20);
    return smtp.mails[taken]!;
  };

  stage.test('a report is added, looked at, sent at once, paused, changed and removed', async () => {
    await post<DefinitionLists>(`/app/sites/${site.id}/definitions`, {
      ...{ kind: 'segment', name: 'Germany', filters: 'country=DE' },
    });
    const team = `/app/teams/${site.team}/channels`;
    await post(team, { kind: 'slack', name: 'hook', target: 'https://hooks.example/x' });
    // What steers the browser looks into the frame, which lets no script run.
    const page = await open(settings, { tolerated: /status of 400|Blocked script/ });
    const part = partOf(page);
    await part.getByText('No reports yet.').waitFor();
    assert.is(await part.getByText('No mail server is set').count(), 0);

    await part.getByRole('button', { name: 'New report' }).click();
    const dialog = page.getByRole('dialog');
    const add = dialog.getByRole('button', { name: 'Add report' });
    await dialog.getByLabel('Name').fill('Fridays');
    await dialog.getByLabel('Weekday').selectOption('Friday');
    await dialog.getByLabel('Hour').selectOption('17:00');
    await dialog.getByLabel('Other addresses').fill('bob');
    await add.click();
    assert.match((await dialog.getByRole('alert').textContent())!, /bob/);
    await dialog.getByLabel('Other addresses').fill('Bob@b.example');
    await dialog.getByText('They get what the public page shows').click();
    await dialog.getByRole('checkbox', { name: /^Revenue/ }).check();
    await dialog.getByText('They get what the public page shows, and 1 part more').waitFor();
    await dialog.getByLabel('hook (Slack, Mattermost, Rocket.Chat)').check();
    await dialog.getByLabel('Attach the numbers as a file (CSV)').check();
    await dialog.getByLabel('Segment').selectOption('Germany');
    await dialog.getByLabel('Language').selectOption('Deutsch');
    await dialog.getByText(/\d+ sections/).click();
    await dialog.getByLabel('Countries').uncheck();
    await add.click();
    await dialog.waitFor({ state: 'detached' });
    const row = part.getByRole('row').filter({ hasText: 'Fridays' });
    await row.getByText('Each Friday at 17:00').waitFor();
    await row.getByText('Asked, no answer yet: 1').waitFor();
    await row.getByText('Gets it: 1').waitFor();
    const [added] = await stored();
    assert.equal(
      [added!.cadence, added!.weekday, added!.hour, added!.filters, added!.language],
      ['week', 5, 17, 'segment=Germany', 'de'],
    );
    assert.not.ok(added!.blocks.includes('countries'));
    assert.equal([added!.parts, added!.channels.length, added!.csv], [['revenue'], 1, true]);
    assert.equal(added!.recipients.map(({ email: to }) => to).sort(), [email, 'bob@b.example']);
    const question = await nextMail(0);
    assert.equal(question.to, ['bob@b.example']);
    assert.match(textOf(question), /Berichte von marigold\.example/);

    await row.getByRole('button', { name: 'Edit Fridays' }).click();
    await dialog.getByRole('button', { name: 'Preview' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { level: 1 }).filter({ hasText: domain }).waitFor();
    assert.is(await page.locator('iframe').getAttribute('sandbox'), '');
    await dialog.getByText('As text').click();
    await dialog.locator('pre').filter({ hasText: domain }).waitFor();
    await page.keyboard.press('Escape');

    await row.getByRole('button', { name: 'Edit Fridays' }).click();
    await dialog.getByRole('button', { name: 'Send to me now' }).click();
    await dialog.getByText(`On its way to ${email}.`).waitFor();
    const mail = await nextMail(1);
    assert.equal(mail.to, [email]);
    // The hour of this week’s has not come yet.
    assert.match(textOf(mail), /^marigold\.example, 6\.–12\. Nov\. 2026\n.*segment=Germany/);
    assert.match(mail.raw, /filename="?marigold\.example_2026-11-06_2026-11-12\.csv/);
    assert.match(htmlOf(mail.raw), /<h1[^>]*>marigold\.example/);
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await dialog.getByRole('button', { name: 'Resume' }).waitFor();
    await row.getByText('Paused').waitFor();
    assert.is((await stored())[0]!.pausedFor, 'person');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByRole('button', { name: 'Pause' }).waitFor();
    await dialog.getByRole('combobox', { name: 'How often' }).selectOption('Monthly');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('On the first of each month at 17:00').waitFor();
    assert.is((await stored())[0]!.recipients.find(each => !each.isMember)!.state, 'asked', 'who was asked stays so');

    await row.getByRole('button', { name: 'Edit Fridays' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove Fridays now' }).click();
    await part.getByText('No reports yet.').waitFor();
    assert.equal(await stored(), []);
  });

  stage.test('the mail’s page may be framed by the dashboard alone, and runs and leads nowhere', async () => {
    const { data } = await post<ReportList>(path, { name: 'Framed', recipients: [email] });
    const page = await open(settings);
    const response = await page.context().request.get(`${server.url}${path}/${data[0]!.id}/mail`);
    const policy = response.headers()['content-security-policy']!;
    assert.match(policy, /default-src 'none'.*frame-ancestors 'self'.*sandbox$/);
    assert.is((await fetch(`${server.url}${path}/${data[0]!.id}/mail`)).status, 401);
    await post(`${path}/${data[0]!.id}/remove`, {});
  });

  stage.test('what is wrong with a report is said by field, in the language of whoever asked', async () => {
    const { request } = (await open(settings)).context();
    const headers = { origin: server.url, 'accept-language': 'fr' };
    for (const [field, body, error] of [
      ['recipients', { recipients: ['bob'] }, 'Indiquez de 1 à 100 adresses, chacune comme ada@example.com.'],
      ['blocks', { recipients: [email], blocks: [] }, 'Choisissez au moins une rubrique.'],
      ['filters', { recipients: [email], filters: 'segment=Nowhere' }, 'Ces filtres ne peuvent pas être enregistrés.'],
    ] as const) {
      const refused = await request.post(`${server.url}${path}`, { headers, data: { name: 'Wrong', ...body } });
      const said = (await refused.json()) as Failure;
      assert.equal([refused.status(), said.error, said.field], [400, error, field]);
    }
    assert.equal(await stored(), []);
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const width of [390, 700]) {
      stage.test(`a mail is as wide as the window of ${width} px and can be read, ${theme}`, async () => {
        const blocks = reportBlockNames;
        const { data } = await post<ReportList>(path, { name: 'Looks', cadence: 'month', blocks, recipients: [email] });
        const { id } = data.at(-1)!;
        const taken = smtp.mails.length;
        await post(`${path}/${id}/send`, {});
        const html = htmlOf((await nextMail(taken)).raw);
        await post(`${path}/${id}/remove`, {});
        const page = await open('/settings', { theme, width });
        await settled(page);
        // Not the page's own policy, which allows no style of a mail.
        const shown = await page.context().newPage();
        await shown.setViewportSize({ width, height: 900 });
        await shown.emulateMedia({ colorScheme: theme });
        await shown.setContent(html);
        assert.match(await shown.title(), new RegExp(domain));
        const wide = await shown.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} px wide`);
        const ground = await shown.evaluate(() => getComputedStyle(document.body).backgroundColor);
        assert.is(ground, theme === 'light' ? 'rgb(244, 245, 247)' : 'rgb(20, 23, 28)');
        assert.equal(await violationsOf(shown, true), []);
        await shown.close();
      });
    }
  }
}

/** The part of HTML of a mail, decoded. */
const htmlOf = (raw: string): string => {
  const part = raw.slice(raw.search(/Content-Type: text\/html/i));
  const [head, body] = [part.slice(0, part.indexOf('\r\n\r\n')), part.slice(part.indexOf('\r\n\r\n') + 4)];
  const own = body.split('\r\n--')[0]!;
  if (/base64/i.test(head)) return Buffer.from(own, 'base64').toString();
  const bytes = own
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};

test.run();
