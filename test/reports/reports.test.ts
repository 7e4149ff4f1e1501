import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ask } from '../../src/api/ask.ts';
import { planExport } from '../../src/api/export.ts';
import { stats } from '../../src/api/stats.ts';
import type { ReportEvent } from '../../src/model/alerts/event.ts';
import { noLocaleChoice } from '../../src/model/locale.ts';
import type { MailBody } from '../../src/model/mail.ts';
import { usualBlocks } from '../../src/model/reports.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { auditStore } from '../../src/store/accounts/audit.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { channels as channelStore } from '../../src/store/alerts/channels.ts';
import { definitions } from '../../src/store/definitions.ts';
import { notes } from '../../src/store/notes.ts';
import { outboxStore } from '../../src/store/outbox.ts';
import { reports } from '../../src/store/reports.ts';
import { shares } from '../../src/store/shares.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { addMember, addVisits, openScene, origin } from './scene.ts';

// A Friday. The week before ended on the 15th.
const start = Date.parse('2026-11-20T12:00:00Z');
const monday = Date.parse('2026-11-23T07:00:00Z');
const by = { personId: null, name: 'ada@a.example' };

/** With one kind of space: which ones a language has is its own. */
const plain = (text: string): string => text.replace(/[\u2009\u202f\u00a0]/g, ' ');

const begin = (given = {}) => {
  const clock = { now: start };
  const scene = openScene({ dataDir: temporaryDir(), now: () => clock.now, ...given });
  const site = addSite(scene.db, { domain: 'shop.example', timezone: 'Europe/Berlin' });
  const mails = (prefix = 'report:'): { key: string; target: string; body: MailBody }[] =>
    outboxStore(scene.db)
      .due('mail', clock.now, 1000)
      .filter(({ key }) => key.startsWith(prefix)) as never;
  return { ...scene, clock, site, mails };
};

const week = (db: ReturnType<typeof begin>['db'], siteId: number) => {
  for (let day = 9; day <= 22; day++) {
    const at = Date.UTC(2026, 10, day, 12);
    addVisits(db, siteId, at, day < 16 ? 30 : 10, { referrer: 'google.com', country: 'DE' }, '/pricing');
    addVisits(db, siteId, at, 5, { country: 'FR' }, '/');
  }
};

test('a report is written once a period, when it is due, for each who may see it', async () => {
  const { db, keeper, dueReports, viewOf, site, clock, mails, close } = begin();
  try {
    week(db, site.id);
    addMember(db, site.accountId, 'ada@a.example');
    const added = keeper.add(viewOf(site), { name: 'Weekly', recipients: ['Ada@a.example', 'out@b.example'] }, by) as {
      nextAt: string;
      recipients: object[];
    };
    assert.is(added.nextAt, new Date(monday).toISOString());
    assert.equal(added.recipients, [
      { email: 'ada@a.example', isMember: true, state: 'gets', lastSending: null, error: null },
      { email: 'out@b.example', isMember: false, state: 'asked', lastSending: null, error: null },
    ]);
    assert.is(mails('report-ask:').length, 1, 'who is outside is asked');
    clock.now = monday - 1;
    await dueReports.makeDue();
    assert.equal(mails(), []);
    clock.now = monday;
    for (let i = 0; i < 3; i++) await dueReports.makeDue();
    assert.equal(
      mails().map(({ key, target }) => [key, target]),
      [['report:1:2026-11-16_2026-11-22:ada@a.example', 'ada@a.example']],
    );
    const { body } = mails()[0]!;
    assert.is(plain(body.subject), 'shop.example, 16 – 22 Nov 2026: 105 visitors (−57.1%)');
    assert.match(body.text, /Source: google\.com +−140/);
    assert.match(body.text, /\/pricing +70 +−66\.7%/);
    assert.match(body.text, new RegExp(`${origin}/sites/shop\\.example\\?from=2026-11-16&to=2026-11-22`));
    assert.match(body.unsubscribeUrl!, /^https:\/\/stats\.example\/mail\/\w{43}$/);
    assert.ok(body.html!.length < 90_000);
    const [view] = keeper.list(viewOf(site)) as { lastPeriod: string; nextAt: string }[];
    assert.equal(
      [view!.lastPeriod, view!.nextAt],
      ['2026-11-16_2026-11-22', new Date(monday + 7 * dayMs).toISOString()],
    );
  } finally {
    await close();
  }
});

test('after a stop the newest period is sent late, and the others are counted as skipped', async () => {
  const { db, keeper, dueReports, viewOf, site, clock, mails, close } = begin();
  try {
    week(db, site.id);
    addMember(db, site.accountId, 'ada@a.example');
    keeper.add(viewOf(site), { name: 'Daily', cadence: 'day', recipients: ['ada@a.example'] }, by);
    clock.now = monday + 5 * hourMs;
    await dueReports.makeDue();
    assert.equal(
      mails().map(({ key }) => key),
      ['report:1:2026-11-22_2026-11-22:ada@a.example'],
    );
    assert.is((keeper.list(viewOf(site)) as { skipped: number }[])[0]!.skipped, 2);
  } finally {
    await close();
  }
});

test('another zone of the site moves what is next', async () => {
  const { db, keeper, dueReports, viewOf, site, directory, clock, close } = begin();
  try {
    addMember(db, site.accountId, 'ada@a.example');
    keeper.add(viewOf(site), { name: 'Weekly', recipients: ['ada@a.example'] }, by);
    directory.refresh();
    sites(db).set(site.id, { ...site, timezone: 'Pacific/Apia' });
    directory.reload();
    await dueReports.makeDue();
    const [view] = keeper.list(viewOf({ ...site, timezone: 'Pacific/Apia' })) as { nextAt: string }[];
    assert.is(view!.nextAt, '2026-11-22T19:00:00.000Z');
    assert.ok(clock.now < Date.parse(view!.nextAt));
  } finally {
    await close();
  }
});

test('each gets what they may see: hidden parts, and outside what the public page shows', async () => {
  const { db, keeper, dueReports, viewOf, site, clock, mails, close } = begin({ mailDomains: ['b.example'] });
  try {
    week(db, site.id);
    definitions(db).set(site.id, 'goal', 'Bought', { conditions: 'path=/pricing', value: null }, 1);
    notes(db).add(site.id, 'person', '2026-11-18', 'A secret note', 1);
    addMember(db, site.accountId, 'all@a.example');
    addMember(db, site.accountId, 'some@a.example', { hidden: ['notes'] });
    const recipients = ['all@a.example', 'some@a.example', 'out@b.example'];
    keeper.add(viewOf(site), { name: 'Weekly', recipients, blocks: [...usualBlocks, 'sites'] }, by);
    clock.now = monday;
    await dueReports.makeDue();
    const of = (target: string): string => mails().find(mail => mail.target === target)!.body.text;
    assert.match(of('all@a.example'), /A secret note/);
    assert.match(of('all@a.example'), /Bought +70 +66\.7%/);
    for (const target of ['some@a.example', 'out@b.example']) assert.not.match(of(target), /secret/);
    assert.match(of('some@a.example'), /ALL SITES/);
    assert.not.match(of('out@b.example'), /ALL SITES|stats\.example\/sites/);
    assert.match(of('out@b.example'), /Visitors +105/);
  } finally {
    await close();
  }
});

test('what is hidden from one reader keeps a report from nobody else', async () => {
  const { db, keeper, dueReports, viewOf, site, clock, mails, close } = begin({ mailDomains: ['b.example'] });
  try {
    week(db, site.id);
    addMember(db, site.accountId, 'all@a.example');
    addMember(db, site.accountId, 'some@a.example', { hidden: ['events'] });
    const recipients = ['all@a.example', 'some@a.example', 'out@b.example'];
    keeper.add(viewOf(site), { name: 'Signups', recipients, filters: 'event!=Signup' }, by);
    clock.now = monday;
    await dueReports.makeDue();
    assert.equal(
      mails().map(({ target }) => target),
      ['all@a.example'],
    );
  } finally {
    await close();
  }
});

test('others get the parts that are ticked, too', async () => {
  const { db, keeper, dueReports, viewOf, site, clock, mails, close } = begin({ mailDomains: ['b.example'] });
  try {
    week(db, site.id);
    notes(db).add(site.id, 'person', '2026-11-18', 'Sale begins', 1);
    addMember(db, site.accountId, 'some@a.example', { hidden: ['notes'] });
    const recipients = ['out@b.example', 'some@a.example'];
    const added = keeper.add(viewOf(site), { name: 'Weekly', recipients, parts: ['notes'] }, by);
    assert.equal(added.parts, ['notes']);
    clock.now = monday;
    await dueReports.makeDue();
    const of = (target: string): string => mails().find(mail => mail.target === target)!.body.text;
    assert.match(of('out@b.example'), /Sale begins/);
    assert.not.match(of('some@a.example'), /Sale begins/, 'members see what they may see');
    keeper.change(viewOf(site), '1', { parts: [] }, by);
    clock.now += 7 * dayMs;
    notes(db).add(site.id, 'person', '2026-11-25', 'Sale ends', 1);
    await dueReports.makeDue();
    const later = mails().filter(({ target, key }) => target === 'out@b.example' && key.includes('2026-11-23'));
    assert.equal(
      later.map(({ body }) => /Sale/.test(body.text)),
      [false],
    );
  } finally {
    await close();
  }
});

test('a report has the export of its period attached, once for all who see the same', async () => {
  const { db, api, keeper, dueReports, viewOf, callerOf, site, clock, mails, signal, close } = begin({
    mailDomains: ['b.example'],
  });
  try {
    week(db, site.id);
    notes(db).add(site.id, 'person', '2026-11-18', 'A secret note', 1);
    for (const email of ['a@a.example', 'b@a.example']) addMember(db, site.accountId, email);
    const recipients = ['a@a.example', 'b@a.example', 'out@b.example'];
    keeper.add(viewOf(site), { name: 'Weekly', recipients, csv: true, filters: 'country=DE' }, by);
    clock.now = monday;
    await dueReports.makeDue();
    const files = Object.fromEntries(mails().map(({ target, body }) => [target, body.attached!]));
    assert.is(files['a@a.example']!.name, 'shop.example_2026-11-16_2026-11-22.csv');
    assert.is(files['a@a.example']!.digest, files['b@a.example']!.digest);
    const { view, run } = api.access.siteFor(callerOf(site), site.uuid, signal);
    const search = new URLSearchParams('country=DE&from=2026-11-16&to=2026-11-22');
    const exported = [...(await ask(planExport(search, view), run)).body].join('');
    const fileOf = (target: string): string => outboxStore(db).file(files[target]!.digest)!;
    assert.is(fileOf('a@a.example'), exported);
    assert.match(exported, /^Summary,[^,\n]*visitors,70\r?$/im);
    assert.match(exported, /A secret note/);
    assert.not.match(fileOf('out@b.example'), /secret/);
  } finally {
    await close();
  }
});

test('twenty who get one file write it once, a preview writes none, and one who asks has it kept anew', async () => {
  const { db, keeper, dueReports, viewOf, callerOf, site, clock, mails, signal, close } = begin();
  try {
    week(db, site.id);
    const recipients = Array.from({ length: 20 }, (_, i) => `${i}@a.example`);
    for (const email of recipients) addMember(db, site.accountId, email);
    keeper.add(viewOf(site), { name: 'Weekly', recipients, csv: true }, by);
    const written: number[] = [];
    db.function('noted', () => written.push(clock.now));
    for (const change of ['insert', 'update'])
      db.exec(`create temp trigger noted_${change} after ${change} on outbox_file begin select noted(); end`);
    clock.now = monday;
    await dueReports.makeDue();
    assert.is(mails().length, 20);
    assert.is(new Set(mails().map(({ body }) => body.attached!.digest)).size, 1);
    assert.equal(written, [monday]);

    const { id } = (keeper.list(viewOf(site)) as { id: number }[])[0]!;
    const caller = callerOf(site);
    const seen = await keeper.preview(viewOf(site), String(id), caller, signal);
    assert.is((seen as MailBody).attached, undefined);
    assert.is(written.length, 1);
    clock.now += 60_000;
    const store = outboxStore(db);
    for (const { id: mail } of store.due('mail', clock.now, 100)) store.sent(mail, clock.now);
    store.pruneFiles(clock.now);
    assert.is(db.prepare('select count(*) from outbox_file').pluck().get(), 0);
    await keeper.sendNow(viewOf(site), String(id), { caller, email: 'me@a.example', locale: noLocaleChoice }, signal);
    store.pruneFiles(clock.now);
    assert.ok(store.file(mails('report-now:')[0]!.body.attached!.digest));
  } finally {
    await close();
  }
});

const addChannel = (
  db: ReturnType<typeof begin>['db'],
  accountId: number,
  kind: 'slack' | 'mail',
  name: string = kind,
) =>
  channelStore(db).add({
    ...{ accountId, kind, name, secret: null, madeBy: 'cli', createdAt: 0 },
    target: kind === 'mail' ? 'ada@a.example' : 'https://hooks.example/x',
  })!;

test('channels are told the headline figures of a period once, also without a mail server', async () => {
  const { db, api, keeper, dueReports, viewOf, callerOf, site, clock, mails, signal, close } = begin({
    sendsMail: false,
  });
  try {
    week(db, site.id);
    addMember(db, site.accountId, 'ada@a.example');
    const [on, off] = [addChannel(db, site.accountId, 'slack'), addChannel(db, site.accountId, 'slack', 'off')];
    channelStore(db).disable(off.id, 1);
    keeper.add(viewOf(site), { name: 'Weekly', channels: [on.id, off.id], filters: 'country=DE' }, by);
    keeper.add(viewOf(site), { name: 'By mail', recipients: ['ada@a.example'] }, by);
    clock.now = monday;
    for (let i = 0; i < 2; i++) await dueReports.makeDue();
    const told = outboxStore(db).due('channel', clock.now, 10);
    assert.equal(
      told.map(({ key, target }) => [key, target]),
      [[`report:1:2026-11-16_2026-11-22:channel:${on.id}`, String(on.id)]],
    );
    const { type, data } = told[0]!.body as ReportEvent;
    assert.is(type, 'report.made');
    assert.is(plain(data.title), 'shop.example, 16 – 22 Nov 2026: 70 visitors (−66.7%)');
    assert.match(plain(data.text), /^Only hits with country=DE\nVisitors: 70 \(−66\.7%\)\nVisits: 70 /);
    assert.is(data.url, `${origin}/sites/shop.example?from=2026-11-16&to=2026-11-22&country=DE`);
    assert.equal(data.window, { from: '2026-11-16', to: '2026-11-22', timezone: 'Europe/Berlin' });
    const { view, run } = api.access.siteFor(callerOf(site), site.uuid, signal);
    const search = new URLSearchParams('country=DE&from=2026-11-16&to=2026-11-22&compare=previous');
    const answer = (await ask(stats.plan(search, view) as never, run)) as Record<string, number>;
    for (const [name, { value }] of Object.entries(data.figures)) assert.is(value, answer[name], name);
    assert.is(data.figures.visitors!.previous, 210);
    assert.equal(mails(), [], 'what goes by mail waits for a mail server');
    channelStore(db).remove(off.id);
    assert.equal(keeper.list(viewOf(site))[0]!.channels, [on.id]);
    assert.equal(keeper.change(viewOf(site), '1', { hour: 9 }, by).channels, [on.id]);
  } finally {
    await close();
  }
});

test('a report names channels of its own team that are none of mail', async () => {
  const { db, keeper, viewOf, site, close } = begin();
  try {
    const other = accounts(db).add('other', 'pro', 0);
    const [foreign, mail] = [addChannel(db, other.id, 'slack'), addChannel(db, site.accountId, 'mail')];
    const refused = (channels: number[]) => {
      try {
        keeper.add(viewOf(site), { name: 'A', channels }, by);
      } catch (error) {
        const { status, body } = (error as { reply: { status: number; body: string } }).reply;
        return [status, JSON.parse(body).field];
      }
      throw new Error('it was taken');
    };
    assert.equal(refused([foreign.id]), [404, 'channels']);
    assert.equal(refused([999]), [404, 'channels']);
    assert.equal(refused([mail.id]), [400, 'channels']);
    assert.equal(refused([]), [400, 'recipients']);
  } finally {
    await close();
  }
});

test('others get no more than a link shows, also when none is open', async () => {
  const { db, keeper, dueReports, viewOf, site, clock, mails, close } = begin({ mailDomains: ['b.example'] });
  try {
    week(db, site.id);
    definitions(db).set(site.id, 'segment', 'French', { filters: 'country=FR' }, 1);
    const link = { name: 'French', parts: [], segment: 'French', password: null, expiresAt: start - 1 };
    shares(db).add(site.id, 'x'.repeat(43), link, 1);
    keeper.add(viewOf(site), { name: 'Weekly', recipients: ['out@b.example'] }, by);
    clock.now = monday;
    await dueReports.makeDue();
    assert.match(mails()[0]!.body.text, /Visitors +35\b/);
  } finally {
    await close();
  }
});

test('who loses the site is off the list, a site that is gone has no reports, a lost segment pauses', async () => {
  const { db, keeper, dueReports, viewOf, site, directory, clock, mails, close } = begin();
  try {
    week(db, site.id);
    const ada = addMember(db, site.accountId, 'ada@a.example');
    const bob = addMember(db, site.accountId, 'bob@a.example');
    const eve = addMember(db, site.accountId, 'eve@a.example');
    definitions(db).set(site.id, 'segment', 'Germans', { filters: 'country=DE' }, 1);
    const recipients = ['ada@a.example', 'bob@a.example', 'eve@a.example'];
    keeper.add(viewOf(site), { name: 'One', recipients, filters: 'segment=Germans' }, { ...by, personId: ada });
    members(db).remove(site.accountId, bob);
    persons(db).setDisabled(eve, 5);
    clock.now = monday;
    await dueReports.makeDue();
    assert.equal(
      mails().map(({ target }) => target),
      ['ada@a.example'],
    );
    assert.match(mails()[0]!.body.text, /Visitors +70/);
    const [view] = keeper.list(viewOf(site)) as { recipients: { state: string }[] }[];
    assert.equal(
      view!.recipients.map(({ state }) => state),
      ['gets', 'no-access', 'no-access'],
    );
    const audit = auditStore(db).list({ action: 'report-changed', limit: 10 });
    assert.equal(audit.map(({ subject }) => subject).toSorted(), ['One', 'bob@a.example', 'eve@a.example']);

    definitions(db).remove(site.id, 'segment', 'Germans');
    clock.now += 7 * dayMs;
    for (let i = 0; i < 2; i++) await dueReports.makeDue();
    const paused = mails('report-paused:');
    assert.equal(
      paused.map(({ target, body }) => [target, body.subject]),
      [['ada@a.example', 'The report “One” of shop.example is paused']],
    );
    assert.is((keeper.list(viewOf(site)) as { pausedFor: string }[])[0]!.pausedFor, 'filters');

    keeper.change(viewOf(site), '1', { filters: '', isPaused: false }, by);
    sites(db).remove(site.id);
    directory.reload();
    clock.now += 7 * dayMs;
    await dueReports.makeDue();
    assert.is(mails().length, 1, 'nothing more of it');
  } finally {
    await close();
  }
});

test('what cannot be a report is refused with its field and what it may be', async () => {
  const { keeper, viewOf, site, close } = begin();
  try {
    const whole = { name: 'A', recipients: ['a@b.example'] };
    const refused = (body: object): { field?: string; allowed?: string[]; error: string } => {
      try {
        keeper.add(viewOf(site), body, by);
      } catch (error) {
        return JSON.parse((error as { reply: { body: string } }).reply.body);
      }
      throw new Error('it was taken');
    };
    for (const [given, field] of [
      [{ name: '' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ cadence: 'year' }, 'cadence'],
      [{ weekday: 0 }, 'weekday'],
      [{ hour: 24 }, 'hour'],
      [{ hour: '8' }, 'hour'],
      [{ language: 'it' }, 'language'],
      [{ blocks: ['visits'] }, 'blocks'],
      [{ recipients: [] }, 'recipients'],
      [{ recipients: ['no mail'] }, 'recipients'],
      [{ recipients: Array.from({ length: 101 }, (_, i) => `${i}@a.example`) }, 'recipients'],
      [{ filters: 'nonsense=1' }, 'filters'],
      [{ filters: 'segment=None' }, 'filters'],
      [{ filters: 'range=7d' }, 'filters'],
    ] as const)
      assert.is(refused({ ...whole, ...given }).field, field, JSON.stringify(given).slice(0, 100));
    assert.ok(refused({ ...whole, blocks: ['x'] }).allowed!.includes('figures'));
    assert.ok(refused({ ...whole, unknown: 1 }).allowed!.includes('cadence'));
    for (let i = 0; i < 50; i++) keeper.add(viewOf(site), { name: `${i}`, recipients: ['a@b.example'] }, by);
    assert.match(refused(whole).error, /at most 50/);
  } finally {
    await close();
  }
});

test('addresses outside are asked a hundred times a day at most', async () => {
  const { keeper, viewOf, site, mails, close } = begin();
  try {
    const recipients = Array.from({ length: 100 }, (_, i) => `${i}@b.example`);
    keeper.add(viewOf(site), { name: 'A', recipients }, by);
    assert.is(mails('report-ask:').length, 100);
    assert.throws(() => keeper.add(viewOf(site), { name: 'B', recipients: ['more@b.example'] }, by), /Too many mails/);
    assert.is(keeper.list(viewOf(site)).length, 1, 'nothing of it is kept');
  } finally {
    await close();
  }
});

test('names with line breaks, markup and other directions make no header, tag or line', async () => {
  const { db, keeper, viewOf, site, callerOf, signal, close } = begin();
  try {
    const nasty = '<img src=x onerror=alert(1)>\r\nBcc: eve@a.example\u202E\u2028 & "quotes"';
    const at = Date.UTC(2026, 10, 12, 12);
    addVisits(db, site.id, at, 3, { referrer: nasty, country: 'ZZ' }, `/${nasty}`);
    definitions(db).set(site.id, 'goal', nasty, { conditions: 'path^=/', value: null }, 1);
    notes(db).add(site.id, 'person', '2026-11-12', nasty, 1);
    keeper.add(viewOf(site), { name: nasty.replace(/\p{Cc}/gu, ''), recipients: ['a@b.example'] }, by);
    const { subject, text, html } = await keeper.preview(viewOf(site), '1', callerOf(site), signal);
    assert.not.match(subject, /[\r\n\u2028]/);
    assert.not.match(text, /^Bcc/m);
    assert.not.match(text, /\u202e/i);
    assert.not.match(html!, /<img/i);
    assert.match(html!, /&lt;img src=x/);
  } finally {
    await close();
  }
});

test('the longest report is at most 90 KB', async () => {
  const { db, keeper, viewOf, site, callerOf, signal, close } = begin();
  try {
    const long = (i: number): string => `${'&"漢'.repeat(60)}${i}`;
    for (let day = 1; day <= 31; day++)
      addVisits(
        db,
        site.id,
        Date.UTC(2026, 9, day, 12),
        2,
        { referrer: long(day), country: 'DE', utmCampaign: long(day) },
        `/${long(day)}`,
      );
    for (let i = 0; i < 40; i++) {
      definitions(db).set(site.id, 'goal', long(i).slice(0, 90), { conditions: 'path^=/', value: null }, i);
      notes(db).add(site.id, 'person', '2026-10-12', long(i), i);
      addSite(db, { domain: `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}${i}.example` });
    }
    const report = { name: 'A', cadence: 'month', recipients: ['a@b.example'], blocks: [...usualBlocks, 'sites'] };
    keeper.add(viewOf(site), report, by);
    const { text, html } = await keeper.preview(viewOf(site), '1', callerOf(site), signal);
    const bytes = [text, html!].map(each => Buffer.byteLength(each));
    assert.ok(bytes[1]! > 20_000 && bytes[1]! <= 90_000, `${bytes}`);
  } finally {
    await close();
  }
});

test('reports of people in other languages and formats, and none for a period without visitors', async () => {
  const { db, keeper, dueReports, viewOf, site, clock, mails, close } = begin();
  try {
    week(db, site.id);
    const none = { firstDay: null, clock: null };
    for (const [email, language, region] of [
      ['de@a.example', 'de', null],
      ['ch@a.example', 'de', 'CH'],
      ['fr@a.example', 'fr', null],
    ] as const)
      persons(db).setLocale(addMember(db, site.accountId, email), { language, region, ...none });
    const recipients = ['de@a.example', 'ch@a.example', 'fr@a.example'];
    keeper.add(viewOf(site), { name: 'Weekly', recipients }, by);
    const empty = addSite(db, { domain: 'empty.example' });
    keeper.add(viewOf(empty), { name: 'Empty', recipients, skipEmpty: true }, by);
    clock.now = monday + hourMs;
    await dueReports.makeDue();
    const subjects = Object.fromEntries(mails().map(({ target, body }) => [target, plain(body.subject)]));
    assert.is(subjects['de@a.example'], 'shop.example, 16.–22. Nov. 2026: 105 Besucher (−57,1 %)');
    assert.is(subjects['ch@a.example'], 'shop.example, 16.–22. Nov. 2026: 105 Besucher (−57.1%)');
    assert.match(subjects['fr@a.example']!, /^shop\.example, 16 ?– ?22 nov\. 2026 : 105 visiteurs \(−57,1/);
    assert.is(mails().length, 3);
    assert.is(reports(db).ofSite(empty.id)[0]!.period, '2026-11-16_2026-11-22');
  } finally {
    await close();
  }
});

test.run();
