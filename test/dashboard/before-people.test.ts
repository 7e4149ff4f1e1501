/**
 * A data directory of before people signed in, with somebody signed in, a link, a key and a public page: all go on
 * working. The fixtures are those that test/fixtures/ has of earlier versions.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPasswords } from '../../src/dashboard/passwords.ts';
import { packageRoot } from '../../src/package-root.ts';
import { databaseFile } from '../../src/store/database.ts';
import { temporaryDir } from '../helpers.ts';
import { berlin, email, password, startDashboard, tokenOf } from './helpers.ts';

const dir = join(packageRoot, 'test/fixtures');
const names = readdirSync(dir).filter(file => file.endsWith('.json.gz'));
const digest = (token: string): Buffer => createHash('sha256').update(token).digest();
const [loginToken, linkToken, shareToken] = ['l', 'm', 's'].map(letter => letter.repeat(43)) as [
  string,
  string,
  string,
];
const key = `tk_live_${'k'.repeat(32)}`;
const now = Date.UTC(2026, 10, 20, 12);

/** What somebody who used that version left in its database. */
const useOf = async (file: string): Promise<void> => {
  const record = await createPasswords(() => Buffer.alloc(16, 7), { logN: 8, r: 8, p: 1 }).record(password);
  const db = new Sqlite(file);
  db.prepare(`update account set email = ?, password = ? where name = 'default'`).run(email, record);
  db.prepare(`insert into login (digest, account_id, used_at, kind) values (?, 1, ?, 'browser')`).run(
    digest(loginToken),
    now,
  );
  db.prepare('insert into account_link (account_id, digest, expires_at) values (1, ?, ?)').run(
    digest(linkToken),
    now + 3_600_000,
  );
  db.prepare(`insert into api_key (account_id, name, digest, last_four, created_at) values (1, 'k', ?, 'kkkk', 0)`).run(
    digest(key),
  );
  db.prepare(
    `update site set share_token = ?, public_parts = '["events"]', embed_hosts = '["blog.example"]' where id = (select min(id) from site)`,
  ).run(shareToken);
  db.close();
};

for (const name of names) {
  test(`who used a server of ${name} goes on: browser, password, link, key and public page`, async () => {
    const made = JSON.parse(gunzipSync(readFileSync(join(dir, name))).toString());
    const dataDir = temporaryDir();
    writeFileSync(databaseFile(dataDir), gunzipSync(Buffer.from(made.database, 'base64')), { mode: 0o600 });
    await useOf(databaseFile(dataDir));
    const dashboard = await startDashboard({}, dataDir);
    assert.is(dashboard.firstRunPath(), null);

    const browser = dashboard.browser();
    browser.cookie = `daybook=${loginToken}`;
    const me = await browser.get('/app/me');
    assert.equal([me.status, me.json.person.email, me.json.person.isOperator], [200, email, true]);
    assert.equal(
      me.json.teams.map(({ name: team, role }: { name: string; role: string }) => [team, role]),
      [['default', 'owner']],
    );
    const site = me.json.sites.find(({ embedHosts }: { embedHosts: string[] }) => embedHosts.length > 0);
    const stranger = dashboard.browser();
    assert.is((await stranger.post('/app/sign-in', { email, password })).status, 200);
    const byKey = await dashboard.browser().get(`/api/v1/sites/${site.id}/stats`, { authorization: `Bearer ${key}` });
    assert.is(byKey.status, 200);

    const page = await dashboard.browser().get(`/share/${shareToken}`);
    assert.is(page.status, 200);
    assert.match(page.headers.get('content-security-policy')!, /frame-ancestors blog\.example(;|$)/);
    const asked = async (path: string) =>
      (await dashboard.browser().get(`/api/v1/sites/${site.id}/${path}`, { authorization: `Share ${shareToken}` }))
        .status;
    assert.equal([await asked('stats'), await asked('events'), await asked('events?event=a')], [200, 200, 403]);
    const { data } = (await browser.get(`/app/sites/${site.id}/shares`)).json;
    assert.equal(
      data.map(({ name: link, url, parts }: Record<string, unknown>) => [link, url, parts]),
      [['public', `${dashboard.url}/share/${shareToken}`, ['events']]],
    );

    const looked = await dashboard.browser().post('/app/link', { token: linkToken });
    assert.equal([looked.status, looked.json.email], [200, email]);
    const used = { token: linkToken, email, password: 'another password' };
    assert.is((await dashboard.browser().post('/app/link/use', used)).status, 200);
    assert.is((await browser.get('/app/me')).status, 401, 'the link signs out everywhere else');
    await dashboard.close();
  });
}

test('an invitation of before goes on with the right of who made it, and the public page is a link', async () => {
  const dataDir = temporaryDir();
  const made = await startDashboard({}, dataDir);
  const { browser, me } = await made.signedIn();
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const invite = async (to: string) =>
    tokenOf((await browser.post(`/app/teams/${me.teams[0]!.id}/invitations`, { email: to, role: 'viewer' })).json.url);
  const [known, unknown] = [await invite('known@example.com'), await invite('unknown@example.com')];
  const cookie = browser.cookie!;
  await made.close();
  // As version 31 had it.
  const db = new Sqlite(databaseFile(dataDir));
  db.exec(`
    update invitation set invited_by = 'nobody@example.com' where email = 'unknown@example.com';
    alter table invitation drop column made_by;
    drop table share;
    alter table site add column share_token text;
    alter table site add column public_parts text not null default '[]';
    update site set share_token = '${shareToken}';
    pragma user_version = 31`);
  db.close();

  const dashboard = await startDashboard({}, dataDir);
  const look = async (token: string) => (await dashboard.browser().post('/app/invitation', { token })).status;
  assert.equal([await look(known), await look(unknown)], [200, 404]);
  const owner = dashboard.browser();
  owner.cookie = cookie;
  const { data } = (await owner.get(`/app/sites/${id}/shares`)).json;
  assert.equal([data.length, data[0].name, data[0].parts], [1, 'public', []]);
  assert.is((await dashboard.browser().get(`/share/${shareToken}`)).status, 200);
  const { id: next } = (await owner.post('/app/sites', { domain: 'b.example', ...berlin })).json;
  assert.ok(dashboard.directory.find(next)!.id > dashboard.directory.find(id)!.id);
  await dashboard.close();
});

test.run();
