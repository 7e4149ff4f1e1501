/** Files of settings: faults with their place, all or nothing, and twice the same is no change. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SettingsChange } from '../../src/api/settings-applier.ts';
import { readConfig } from '../../src/config.ts';
import { createPasswords } from '../../src/dashboard/passwords.ts';
import { BadFile, provision } from '../../src/provision/provision.ts';
import { provisioningOf } from '../../src/roles/provisioning.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { auditStore } from '../../src/store/accounts/audit.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { alerts } from '../../src/store/alerts/alerts.ts';
import { channels } from '../../src/store/alerts/channels.ts';
import type { Database } from '../../src/store/database.ts';
import { definitions } from '../../src/store/definitions.ts';
import { provisioned } from '../../src/store/provisioned.ts';
import { rates } from '../../src/store/rates.ts';
import { reports } from '../../src/store/reports.ts';
import { shares } from '../../src/store/shares.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite, temporaryDatabase, temporaryDir } from '../helpers.ts';
import { repeat } from '../repeat.ts';

const key = `tk_live_${'k'.repeat(32)}`;
const slack = 'https://hooks.slack.example/services/T0/B0/secret';
const env = { ORDER: 'event=Order', EMPTY: '', SLACK: slack, SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.example' };
const passwordCost = { logN: 8, r: 8, p: 1 };

const shop = `version: 1
teams:
  - name: shop
    plan: pro
    members:
      - { email: ada@shop.example, role: owner }
      - { email: agency@x.example, role: viewer, sites: [shop.example], hidden: [revenue, visits] }
    keys:
      - { name: grafana, scopes: [read], sites: [shop.example], value: "${key}", expires: 2027-12-31 }
    sites:
      - domain: shop.example
        id: 5b0f6a52-7c1e-4c58-9d2c-0d6a3f6f2d11
        publicKey: pk_live_${'p'.repeat(24)}
        timezone: Europe/Berlin
        currency: EUR
        aliases: [matomo:1]
        excludedIps: [10.0.0.0/8]
        excludedPaths: ["/admin/**"]
        keepDays: 730
        goals: [ { name: Order, conditions: "\${ORDER}", value: 1900 } ]
        segments: [ { name: Germany, filters: "country=DE" } ]
        funnels: [ { name: Checkout, steps: ["path=/cart", "event=Order"] } ]
        shares: [ { name: board, password: "correct horse battery", parts: [events], segment: Germany, expires: 2027-12-31 } ]
        alerts:
          - { name: Quiet, kind: silent, params: { hours: 6 }, channels: [ops] }
          - { name: Busy, kind: threshold, params: { metric: visits, comparison: above, number: 100 }, filters: "segment=Germany" }
        reports:
          - { name: Weekly, cadence: week, hour: 7, recipients: [boss@other.example, ada@shop.example], blocks: [pages, figures] }
    channels:
      - { name: ops, kind: slack, target: "\${SLACK}" }
      - { name: mail, kind: mail, target: Ada@shop.example }
      - { name: bot, kind: telegram, target: "@ops", secret: "123456:ABCDEFGHIJKLMNOPQRSTUVWX" }
    rollups: [ { name: all, sites: [shop.example] } ]
rates: [ { from: USD, to: EUR, rate: 0.92 } ]
`;

/** By database: to prepare its statements takes longer than most of these tests' work. */
const remember = <T>(make: (db: Database) => T): ((db: Database) => T) => {
  const made = new WeakMap<Database, T>();
  return db => {
    if (!made.has(db)) made.set(db, make(db));
    return made.get(db)!;
  };
};
const partsOf = remember(db =>
  provisioningOf({ db, env, config: readConfig(env, {}), now: () => 1, random: randomBytes, passwordCost }),
);

const apply = async (db: Database, text: string, isDry = false): Promise<SettingsChange[]> => {
  const file = join(temporaryDir(), 'daybook.yaml');
  writeFileSync(file, text);
  return (await provision({ ...partsOf(db), file, isDry })).changes;
};
const faultsOf = async (db: Database, text: string) => {
  try {
    await apply(db, text);
  } catch (error) {
    assert.instance(error, BadFile);
    return (error as BadFile).faults;
  }
  return [];
};
/** All that files change. */
const stateOf = (db: Database): string => readerOf(db)();
const readerOf = remember(db => {
  const [ofSites, ofAccounts, ofMembers, ofDefinitions] = [sites(db), accounts(db), members(db), definitions(db)];
  const [ofShares, ofAlerts, ofReports, ofChannels] = [shares(db), alerts(db), reports(db), channels(db)];
  const lists = [ofAccounts, persons(db), apiKeys(db), rates(db), provisioned(db)];
  const tables = ['report_recipient', 'outbox'].map(name => db.prepare(`select * from ${name}`));
  return () => {
    const all = ofSites.list();
    return JSON.stringify([
      all.map(({ id, visitorKey, ...site }) => site),
      all.map(({ id }) => (['goal', 'segment', 'funnel'] as const).map(kind => ofDefinitions.list(id, kind))),
      ofAccounts.list().map(({ id }) => [ofMembers.ofAccount(id), ofChannels.list(id)]),
      lists.map(each => each.list()),
      all.map(({ id }) => [ofShares.ofSite(id), ofAlerts.list(id), ofReports.ofSite(id)]),
      tables.map(rows => rows.all()),
    ]);
  };
});

test('a file makes what it says, and twice the same changes nothing', async () => {
  const { db } = temporaryDatabase();
  const dry = await apply(db, shop, true);
  assert.equal([accounts(db).list(), persons(db).list()], [[], []], 'nothing was made');
  const changes = await apply(db, shop);
  assert.equal(changes, dry, 'what was told');
  assert.ok(changes.every(({ action }) => action === 'add'));
  assert.not.match(JSON.stringify(changes), /tk_live|hooks.slack|correct horse|123456/, 'secrets are not told');
  const [team] = accounts(db).list();
  const site = sites(db)
    .list()
    .find(({ domain }) => domain === 'shop.example')!;
  assert.equal([team!.name, team!.plan, site.timezone, site.keepDays], ['shop', 'pro', 'Europe/Berlin', 730]);
  assert.equal(definitions(db).list(site.id, 'goal')[0]!.body, { conditions: 'event=Order', value: 1900 });
  assert.equal(apiKeys(db).find(key)!.sites, [site.uuid]);
  const viewer = members(db)
    .ofAccount(team!.id)
    .find(({ role }) => role === 'viewer')!;
  assert.equal([viewer.sites, viewer.hidden], [[site.uuid], ['revenue', 'visits']]);

  const link = shares(db).ofSite(site.id)[0]!;
  assert.equal([link.parts, link.segment], [['events'], 'Germany']);
  assert.ok(await createPasswords(randomBytes).matches('correct horse battery', link.password!, 'known'));
  const [ops, ...others] = ['ops', 'mail', 'bot'].map(
    name =>
      channels(db)
        .list(team!.id)
        .find(channel => channel.name === name)!,
  );
  assert.equal([ops!.target, ...others.map(({ target }) => target)], [slack, 'ada@shop.example', '@ops']);
  const [quiet, busy] = alerts(db).list(site.id);
  assert.equal([quiet!.rule, quiet!.channelIds], [{ kind: 'silent', params: { hours: 6 } }, [ops!.id]]);
  assert.equal([busy!.filters, busy!.rule.kind, busy!.enabled], ['segment=Germany', 'threshold', true]);
  const [report] = reports(db).ofSite(site.id);
  assert.equal([report!.name, report!.hour, report!.blocks], ['Weekly', 7, ['figures', 'pages']]);
  assert.equal(
    reports(db)
      .recipients(report!.id)
      .map(({ email, confirmedAt }) => [email, confirmedAt]),
    [
      ['ada@shop.example', 1],
      ['boss@other.example', null],
    ],
    'who is no member is asked',
  );

  const state = stateOf(db);
  assert.equal(await apply(db, shop), []);
  assert.is(stateOf(db), state);
  assert.is(auditStore(db).list({ action: 'provisioned', limit: 9 }).length, 1);
});

test('what a file made and no longer names goes, but no site, and nothing that people made', async () => {
  const { db } = temporaryDatabase();
  await apply(db, shop);
  const site = sites(db)
    .list()
    .find(({ domain }) => domain === 'shop.example')!;
  definitions(db).set(site.id, 'goal', 'By hand', { conditions: 'event=x', value: null }, 0);
  const changes = await apply(
    db,
    'version: 1\nteams: [ { name: shop, members: [ { email: ada@shop.example, role: owner } ] } ]',
  );
  assert.ok(changes.every(({ action }) => action === 'remove'));
  assert.equal(
    definitions(db)
      .list(site.id, 'goal')
      .map(({ name }) => name),
    ['By hand'],
  );
  assert.equal(
    sites(db)
      .list()
      .map(({ domain }) => domain),
    ['shop.example'],
    'the rollup went, the site stayed',
  );
  assert.equal([apiKeys(db).list(), rates(db).list(), members(db).ofAccount(site.accountId).length], [[], [], 1]);
  const ofSite = [shares(db).ofSite(site.id), alerts(db).list(site.id), reports(db).ofSite(site.id)];
  assert.equal([...ofSite, channels(db).list(site.accountId)], [[], [], [], []]);
});

test('what was there before the file is changed by it, but stays when the file no longer names it', async () => {
  const { db } = temporaryDatabase();
  const site = addSite(db, { domain: 'old.example' });
  definitions(db).set(site.id, 'segment', 'Mine', { filters: 'country=FR' }, 0);
  const text = (inside: string) =>
    `version: 1\nteams: [ { name: default, sites: [ { domain: old.example${inside} } ] } ]`;
  await apply(db, text(', timezone: Asia/Tokyo, segments: [ { name: Mine, filters: "country=DE" } ]'));
  assert.equal(definitions(db).list(site.id, 'segment')[0]!.body, { filters: 'country=DE' });
  assert.equal(await apply(db, text('')), []);
  assert.equal([sites(db).list()[0]!.timezone, definitions(db).list(site.id, 'segment').length], ['Asia/Tokyo', 1]);
});

test('a site is renamed by its id', async () => {
  const { db } = temporaryDatabase();
  await apply(db, shop);
  const [change, ...others] = await apply(
    db,
    shop.replaceAll('shop.example', 'store.example').replace(/(ada)@store/gi, '$1@shop'),
  );
  assert.equal(others, []);
  assert.equal(change!.fields, { domain: ['shop.example', 'store.example'] });
});

/** In place of what, what, and what is said of it. */
const faults: [was: string, is: string, says: RegExp][] = [
  ['version: 1', 'version: 2', /reads version 1/],
  ['version: 1', 'x: 1', /needs version: 1|There is no x/],
  ['teams:\n', 'taems:\n', /There is no taems here. Did you mean teams\?/],
  ['rates: [', 'rate: [', /There is no rate here. Did you mean rates\?/],
  ['name: shop\n', 'nmae: shop\n', /There is no nmae here. Did you mean name\?|needs name/],
  ['plan: pro', 'plan: gold', /There is no plan "gold"/],
  ['plan: pro', 'plan: [pro]', /plan must be a text/],
  ['plan: pro', 'plan: "${PLAN}"', /environment has no PLAN/],
  ['plan: pro', 'plan: "${EMPTY}"', /environment has no EMPTY/],
  ['plan: pro', 'plan: "${file:/nowhere/plan}"', /The file \/nowhere\/plan cannot be read/],
  ['plan: pro', 'plan: "${9}"', /is no reference/],
  ['plan: pro', 'requireSecondFactor: maybe', /must be true or false/],
  ['plan: pro', 'paln: pro', /Did you mean plan\?/],
  ['plan: pro', 'oidc: x', /There is no oidc here/],
  ['role: owner', 'role: king', /A role is one of/],
  ['role: owner', 'rule: owner', /Did you mean role\?/],
  ['ada@shop.example', 'ada', /"ada" is not an e-mail address/],
  ['{ email: ada@shop.example, role: owner }', 'ada@shop.example', /must be names with values/],
  ['role: viewer, sites: [shop.example]', 'role: viewer, sites: [shop.exampel]', /no site shop.exampel/],
  ['role: viewer, sites', 'role: admin, sites', /admin sees all of a team/],
  ['hidden: [revenue, visits]', 'hidden: [money]', /What can be hidden is/],
  ['scopes: [read]', 'scopes: [reed]', /A scope is one of/],
  ['scopes: [read]', 'scopes: read', /scopes must be a list/],
  [key, 'tk_live_short', /A key is tk_live_/],
  ['2027-12-31', '31.12.2027', /Write a day like/],
  ['timezone: Europe/Berlin', 'timezone: Europe/Berlinn', /Did you mean Europe\/Berlin\?/],
  ['timezone: Europe/Berlin', 'timezon: Europe/Berlin', /Did you mean timezone\?/],
  ['currency: EUR', 'currency: EURO', /There is no currency "EURO"/],
  ['domain: shop.example', 'domain: "shop example"', /is not a domain/],
  ['5b0f6a52-', '5b0f-', /is not a UUID/],
  ['publicKey: pk_live_p', 'publicKey: pk_p', /A public key is/],
  ['aliases: [matomo:1]', 'aliases: ["matomo:x"]', /is not an alias/],
  ['excludedIps: [10.0.0.0/8]', 'excludedIps: [10.0.0.0/64]', /neither an address nor a range/],
  ['excludedPaths: ["/admin/**"]', 'excludedPaths: ["admin"]', /is not a path/],
  ['keepDays: 730', 'keepDays: soon', /./],
  ['value: 1900', 'value: -1', /whole number of minor units/],
  ['conditions: "${ORDER}"', 'conditions: "evnt=Order"', /There is no filter evnt/],
  ['conditions: "${ORDER}"', 'condition: "x"', /Did you mean conditions\?/],
  ['filters: "country=DE"', 'filters: ""', /needs a filter/],
  ['steps: ["path=/cart", "event=Order"]', 'steps: []', /./],
  ['steps: ["path=/cart", "event=Order"]', 'steps: ["pth=/cart"]', /./],
  ['{ name: all, sites: [shop.example] }', '{ name: all, sites: [] }', /Name a site/],
  ['rate: 0.92', 'rate: 0', /is not a rate/],
  ['rate: 0.92', 'rate: 0.92, rate: 1', /rate stands twice/],
  [
    '{ from: USD, to: EUR, rate: 0.92 }',
    '{ from: USD, to: EUR, rate: 1 }, { from: USD, to: EUR, rate: 2 }',
    /stands twice/,
  ],
  ['    members:', '  members:', /./],
  ['    rollups: [', '    channel: [', /There is no channel here. Did you mean channels\?/],
  ['goals: [ {', 'goals: { {', /./],
];

/** The same, and at what each is found. */
const faultsAt: [was: string, is: string, says: RegExp, at: string][] = [
  ['shares: [ {', 'shars: [ {', /There is no shars here. Did you mean shares\?/, 'shars'],
  ['parts: [events]', 'parts: [evnts]', /can be shown|one of|There is no/, '[evnts]'],
  ['parts: [events]', 'prats: [events]', /Did you mean parts\?/, 'prats'],
  ['segment: Germany,', 'segment: France,', /There is no segment France/, 'France'],
  ['expires: 2027-12-31 } ]\n        alerts', 'expires: tomorrow } ]\n        alerts', /./, 'tomorrow'],
  ['"correct horse battery"', 'short', /at least/, 'short'],
  [
    '"correct horse battery"',
    '"${file:/nowhere/board}"',
    /file \/nowhere\/board cannot be read/,
    '"${file:/nowhere/board}"',
  ],
  ['"correct horse battery"', '["x"]', /password must be a text/, '["x"]'],
  ['kind: silent', 'kind: slient', /kind is one of .* Did you mean silent\?/, 'slient'],
  ['kind: silent', 'knid: silent', /There is no knid here. Did you mean kind\?/, 'knid'],
  ['kind: silent, ', '', /What is new in alerts needs kind/, '{ name: Quiet'],
  ['hours: 6', 'hours: 0', /hours is a number from 1 to 720/, 'hours: 0'],
  ['hours: 6', 'huors: 6', /takes no huors. Did you mean hours\?/, 'huors'],
  ['params: { hours: 6 }', 'params: 6', /params must be names with values/, '6, channels'],
  ['params: { hours: 6 }', 'params: { hours: [[[[[1]]]]] }', /holds too much/, '{ hours: [['],
  ['channels: [ops] }', 'channels: [osp] }', /no channel osp. Did you mean ops\?/, '[osp]'],
  ['channels: [ops] }', 'channels: ops }', /channels must be a list/, 'ops }\n'],
  ['metric: visits', 'metric: vists', /metric is one of .* Did you mean visits\?/, 'metric: vists'],
  ['number: 100', 'number: many', /number is a number from 0/, 'number: many'],
  ['"segment=Germany"', '"segment=France"', /France/, '"segment=France"'],
  ['"segment=Germany"', '"contry=DE"', /contry/, '"contry=DE"'],
  ['"segment=Germany" }', '"segment=Germany", enabled: perhaps }', /enabled must be true or false/, 'perhaps'],
  ['cadence: week', 'cadence: weekly', /cadence is one of .* Did you mean week\?/, 'weekly'],
  ['cadence: week', 'candence: week', /Did you mean cadence\?/, 'candence'],
  ['hour: 7', 'hour: 24', /hour is a whole number from 0 to 23/, '24, recipients'],
  ['hour: 7', 'hour: "7"', /hour is a whole number/, '"7"'],
  ['boss@other.example', 'boss', /is not an e-mail/, '[boss,'],
  ['recipients: [boss@other.example, ada@shop.example]', 'filters: ""', /has recipients or channels/, '{ name: Weekly'],
  ['blocks: [pages, figures]', 'blocks: [paegs]', /blocks is one of .* Did you mean pages\?/, '[paegs]'],
  ['kind: slack', 'kind: slak', /A channel is one of .* Did you mean slack\?/, 'slak'],
  ['"${SLACK}"', 'hooks.slack.example', /begins with https/, 'hooks.slack'],
  ['"${SLACK}"', '"${SLAKC}"', /environment has no SLAKC/, '"${SLAKC}"'],
  ['target: Ada@shop.example', 'target: eve@shop.example', /Mail goes to members of the team/, 'eve@'],
  ['123456:ABC', '123456-ABC', /token of a bot/, '"123456-ABC'],
  ['name: bot', 'name: ops', /ops stands twice in channels/, '{ name: ops, kind: telegram'],
];

test('a report names channels of its team by their names', async () => {
  const { db } = temporaryDatabase();
  const text = shop.replace('hour: 7,', 'hour: 7, channels: [bot],');
  await apply(db, text);
  const site = sites(db)
    .list()
    .find(({ domain }) => domain === 'shop.example')!;
  const bot = channels(db)
    .list(site.accountId)
    .find(({ name }) => name === 'bot')!;
  assert.equal(reports(db).ofSite(site.id)[0]!.channels, [bot.id]);
  assert.equal(await apply(db, text), []);
  const unknown = await faultsOf(db, shop.replace('hour: 7,', 'hour: 7, channels: [bto],'));
  assert.match(unknown[0]!.sentence, /no channel bto. Did you mean bot\?/);
});

test(`${faultsAt.length} faults of what tells people are found where they are`, async () => {
  const [{ db }, { db: empty }] = [temporaryDatabase(), temporaryDatabase()];
  await apply(db, shop);
  for (const [was, is, says, at] of faultsAt) {
    const [before, after, ...more] = shop.split(was);
    assert.ok(after !== undefined && more.length === 0, `${was} stands once`);
    const text = before + is + after;
    for (const one of [db, empty]) {
      const state = stateOf(one);
      const found = await faultsOf(one, text);
      // What is there already needs no more than what changes.
      if (found.length === 0 && one === db && /needs kind|recipients or channels/.test(String(says))) continue;
      const lines = text.slice(0, text.lastIndexOf(at, before!.length + is.length)).split('\n');
      const place = { line: lines.length, column: lines.at(-1)!.length + 1 };
      assert.equal({ line: found[0]?.line, column: found[0]?.column }, place, `${is}: ${JSON.stringify(found)}`);
      assert.match(found[0]!.sentence, says, is);
      assert.is(stateOf(one), state, is);
    }
  }
});

test(`${faults.length} faults are named with line and column, and change nothing`, async () => {
  const { db } = temporaryDatabase();
  await apply(db, shop);
  const state = stateOf(db);
  for (const [was, is, says] of faults) {
    assert.ok(shop.includes(was), was);
    const text = shop.replace(was, () => is);
    const found = await faultsOf(db, text);
    assert.ok(found.length > 0, is);
    assert.match(found.map(({ sentence }) => sentence).join(' '), says, is);
    const line = shop.slice(0, shop.indexOf(was)).split('\n').length;
    // What stands in a list is known by its first line; what is not YAML, by where it ends.
    const near = found.some(at => at.line <= line + 25 && at.column >= 1 && at.line >= 1);
    assert.ok(near, `${is}: ${JSON.stringify(found)}`);
    if (/must|There is no/.test(String(says)) && !/version|needs/.test(String(says)))
      assert.ok(
        found.some(at => at.line === line || at.line === line + 1),
        `${is}: ${JSON.stringify(found)}`,
      );
    assert.is(stateOf(db), state, is);
  }
});

test('all faults of a file are told at once, in their order', async () => {
  const { db } = temporaryDatabase();
  const text = shop
    .replace('plan: pro', 'plan: gold')
    .replace('role: owner', 'role: king')
    .replace('rate: 0.92', 'rate: x');
  assert.equal((await faultsOf(db, text)).length, 3);
  assert.equal(accounts(db).list(), []);
});

test('what cannot be done in the middle leaves nothing', async () => {
  const { db } = temporaryDatabase();
  const state = stateOf(db);
  const two = `${shop.replace('rates:', `  - { name: second, sites: [ { domain: b.example, aliases: [matomo:1] } ] }\nrates:`)}`;
  const found = await faultsOf(db, two);
  assert.match(found[0]!.sentence, /matomo:1 is a name of another site/);
  assert.is(found[0]!.line, two.split('\n').findIndex(line => line.includes('b.example')) + 1);
  assert.is(stateOf(db), state);
  assert.match((await faultsOf(db, shop.replace('role: owner', 'role: editor')))[0]!.sentence, /needs an owner/);
  assert.is(stateOf(db), state);
});

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const listOf = <T>(one: fc.Arbitrary<T>, by: (one: T) => string) => fc.uniqueArray(one, { selector: by, maxLength: 4 });
const words = (of: readonly string[]) => fc.subarray([...of], { minLength: 1 });
const anyAlert = fc.record(
  {
    ...{ name: word, kind: fc.constantFrom('silent', 'errors', 'spike', 'drop') },
    ...{ filters: word.map(name => `path^=/${name}`), channels: fc.constant(['ops']) },
    ...{ mailOwners: fc.boolean(), enabled: fc.boolean() },
  },
  { requiredKeys: ['name', 'kind'] },
);
const anyReport = fc.record(
  {
    ...{ name: word, recipients: words(['a@example.com', 'b@example.com', 'owner@example.org']) },
    ...{ cadence: fc.constantFrom('day', 'week', 'month', 'quarter'), hour: fc.integer({ min: 0, max: 23 }) },
    ...{ blocks: words(['figures', 'pages', 'goals']), language: fc.constantFrom('en', 'de', 'fr') },
    ...{ skipEmpty: fc.boolean(), isPaused: fc.boolean(), filters: word.map(name => `path^=/${name}`) },
  },
  { requiredKeys: ['name', 'recipients'] },
);
const anyShare = fc.record(
  {
    ...{ name: word, parts: words(['events', 'revenue']), expires: fc.constantFrom('', '2020-01-31', '2030-12-31') },
    password: fc.constantFrom('', 'correct horse battery'),
  },
  { requiredKeys: ['name'] },
);
const named = ({ name }: { name: string }): string => name;

const anySite = fc.record(
  {
    domain: word.map(name => `${name}.example`),
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Tokyo'),
    currency: fc.constantFrom('EUR', 'USD', 'JPY'),
    senderHits: fc.option(fc.integer({ min: 1, max: 999_999 })),
    excludedPaths: fc.uniqueArray(
      word.map(name => `/${name}/**`),
      { maxLength: 3 },
    ),
    excludedIps: fc.uniqueArray(fc.ipV4(), { maxLength: 3 }),
    goals: listOf(
      fc.record({ name: word, conditions: word.map(name => `event=${name}`), value: fc.nat() }),
      ({ name }) => name,
    ),
    segments: listOf(fc.record({ name: word, filters: word.map(name => `path^=/${name}`) }), ({ name }) => name),
    funnels: listOf(
      fc.record({
        name: word,
        steps: fc.array(
          word.map(name => `path=/${name}`),
          { minLength: 2, maxLength: 4 },
        ),
      }),
      ({ name }) => name,
    ),
    shares: listOf(anyShare, named),
    alerts: listOf(anyAlert, named),
    reports: listOf(anyReport, named),
  },
  { requiredKeys: ['domain'] },
);
const anyTeam = fc.record({
  name: word,
  requireSecondFactor: fc.boolean(),
  channels: fc
    .constantFrom('https://a.example/x', 'https://b.example/y')
    .map(target => [{ name: 'ops', kind: 'webhook', target }]),
  sites: listOf(anySite, ({ domain }) => domain),
  members: listOf(
    fc.record({ email: word.map(name => `${name}@example.com`), role: fc.constantFrom('viewer', 'editor', 'admin') }),
    ({ email }) => email,
  ).map(all => [{ email: 'owner@example.org', role: 'owner' }, ...all]),
});
const anyFile = fc.record({
  version: fc.constant(1),
  teams: listOf(anyTeam, ({ name }) => name),
  rates: listOf(
    fc.record({
      from: fc.constantFrom('USD', 'EUR'),
      to: fc.constantFrom('GBP', 'JPY'),
      rate: fc.integer({ min: 1, max: 99 }),
    }),
    ({ from, to }) => from + to,
  ),
});

test('any files one after the other: each applied again is an empty diff', async () => {
  const { db } = temporaryDatabase();
  const check = async (file: object): Promise<void> => {
    const text = JSON.stringify(file, null, 1);
    const told = await apply(db, text, true);
    assert.equal(
      (await apply(db, text)).map(({ path }) => path),
      told.map(({ path }) => path),
    );
    const state = stateOf(db);
    assert.equal(await apply(db, text), []);
    assert.is(stateOf(db), state);
  };
  await fc.assert(fc.asyncProperty(anyFile, check), { numRuns: 16 * repeat });
});

test('any damage to a file leaves all as it was, or is a file', async () => {
  const { db } = temporaryDatabase();
  await apply(db, shop);
  const damage = fc.tuple(
    fc.nat(shop.length),
    fc.nat(6),
    fc.constantFrom('', ':', '- ', '{', ']', '"', 'x', '\n', '\t', '*a'),
  );
  await fc.assert(
    fc.asyncProperty(damage, async ([at, length, is]) => {
      const state = stateOf(db);
      const found = await faultsOf(db, shop.slice(0, at) + is + shop.slice(at + length));
      if (found.length > 0) assert.is(stateOf(db), state);
      for (const { line, column, sentence } of found) assert.ok(line >= 1 && column >= 1 && sentence !== '');
    }),
    { numRuns: 60 * repeat },
  );
});

test.run();
