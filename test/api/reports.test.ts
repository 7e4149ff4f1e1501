/** Reports by programs, over HTTP, on the whole server; and the links in their mail. */

import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeApiKey } from '../../src/model/ids.ts';
import type { KeyScope } from '../../src/model/scopes.ts';
import { apiKeys } from '../../src/store/accounts/accounts.ts';
import { addSite } from '../helpers.ts';
import { headerOf, startSmtp, textOf } from '../outbox/smtp-server.ts';
import { addVisits } from '../reports/scene.ts';
import { startTestServer } from '../start-server.ts';

const start = Date.parse('2026-11-20T12:00:00Z');
const monday = Date.parse('2026-11-23T07:00:00Z');
const base = 'https://stats.example';

const until = async (holds: () => boolean): Promise<void> => {
  for (let i = 0; i < 6000 && !holds(); i++) await wait(10);
  assert.ok(holds());
};

const begin = async () => {
  const smtp = await startSmtp();
  const clock = { now: start };
  const env = { SMTP_URL: `smtp://127.0.0.1:${smtp.server.port}`, BASE_URL: base };
  const flags = { 'mail-from': 'Daybook <reports@stats.example>', 'smtp-tls': 'none' };
  const server = await startTestServer({ env, flags, now: () => clock.now });
  const site = addSite(server.db, { domain: 'shop.example', timezone: 'Europe/Berlin' });
  const keyOf = (scopes: KeyScope[]): string => {
    const key = makeApiKey(randomBytes);
    apiKeys(server.db).add(site.accountId, 'k', key, 0, { scopes });
    return key;
  };
  const ask = async (key: string, path: string, method = 'GET', body?: object) => {
    const answer = await fetch(`${server.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const close = async (): Promise<void> => {
    await server.close();
    await smtp.close();
  };
  return { smtp, clock, server, site, keyOf, ask, close };
};

test('a program adds, changes, previews and removes reports, and those outside say yes first', async () => {
  const { smtp, clock, server, site, keyOf, ask, close } = await begin();
  try {
    for (let day = 9; day <= 22; day++)
      addVisits(server.db, site.id, Date.UTC(2026, 10, day, 12), day, { country: 'DE' });
    const [reader, manager] = [keyOf(['read']), keyOf(['manage'])];
    const path = `/ext/sites/${site.uuid}/reports`;
    assert.equal([(await ask(reader, path)).status, (await ask(reader, path)).body.scope], [403, 'manage']);
    const bad = await ask(manager, path, 'POST', { name: 'A', recipients: ['a@b.example'], cadence: 'never' });
    assert.equal([bad.status, bad.body.field, bad.body.allowed], [400, 'cadence', ['day', 'week', 'month', 'quarter']]);
    const added = await ask(manager, path, 'POST', { name: 'Weekly', recipients: ['out@b.example'] });
    assert.equal([added.status, added.body.id, added.body.recipients[0].state], [200, 1, 'asked']);

    await until(() => smtp.mails.length === 1);
    const [asked] = smtp.mails;
    assert.match(headerOf(asked!, 'Subject')!, /Do you want reports of shop\.example/);
    const link = /https:\/\/stats\.example(\/mail\/\w+)/.exec(textOf(asked!))![1]!;
    const page = await fetch(server.url + link);
    const html = await page.text();
    assert.match(html, /<button[^>]*name="confirm"/);
    assert.match(page.headers.get('content-security-policy')!, /form-action 'self'/);
    const stateOf = async (): Promise<string> => (await ask(manager, path)).body.data[0].recipients[0].state;
    assert.is(await stateOf(), 'asked', 'looking changes nothing');
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    assert.is((await fetch(server.url + link, { ...form, body: 'confirm=1' })).status, 200);
    assert.is(await stateOf(), 'gets');

    clock.now = monday;
    await until(() => smtp.mails.length === 2);
    const mail = smtp.mails[1]!;
    const { body: stats } = await ask(reader, `/v1/sites/${site.uuid}/stats?from=2026-11-16&to=2026-11-22`);
    assert.match(textOf(mail), new RegExp(`Visitors +${stats.visitors} `));
    assert.match(textOf(mail), new RegExp(`Page views +${stats.pageviews} `));
    assert.match(textOf(mail), new RegExp(` ${stats.previous.visitors}\n`));
    assert.is(headerOf(mail, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
    const stop = /<https:\/\/stats\.example(\/mail\/\w+)>/.exec(headerOf(mail, 'List-Unsubscribe')!)![1]!;
    const oneClick = new FormData();
    oneClick.set('List-Unsubscribe', 'One-Click');
    assert.is((await fetch(server.url + stop, { method: 'POST', body: oneClick })).status, 200);
    const [listed] = (await ask(manager, path)).body.data;
    assert.equal([listed.recipients[0].state, listed.recipients[0].lastSending], ['unsubscribed', 'sent']);

    const { body: preview } = await ask(manager, `${path}/1/preview`, 'POST');
    assert.match(preview.text, new RegExp(`Visitors +${stats.visitors} `));
    const changed = await ask(manager, `${path}/1`, 'POST', { cadence: 'day', hour: 23, isPaused: true });
    assert.equal([changed.body.cadence, changed.body.nextAt, changed.body.pausedFor], ['day', null, 'person']);
    assert.equal((await ask(manager, `${path}/1`, 'DELETE')).body, { done: true });
    assert.is((await ask(manager, `${path}/1`, 'DELETE')).status, 404);
    const gone = await fetch(server.url + stop, { headers: { 'accept-language': 'de' } });
    assert.is(gone.status, 404);
    assert.match(await gone.text(), /gilt nicht mehr/);
  } finally {
    await close();
  }
});

test.run();
