import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { zoneOf } from '../../src/api/request/zone.ts';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { startOfDay } from '../../src/model/calendar.ts';
import { teamGrant } from '../../src/model/grant.ts';
import type { Outcome } from '../../src/model/outcomes.ts';
import { dayMs, hourMs, minuteMs, utcDayOf } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { alerts } from '../../src/store/alerts/alerts.ts';
import { channels } from '../../src/store/alerts/channels.ts';
import { definitions } from '../../src/store/definitions.ts';
import { type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, visitRecord } from '../helpers.ts';
import { now, startApi } from './fixture.ts';

/** Keys that nobody gives more may read. */
const readKey = `tk_live_${'r'.repeat(32)}`;
const manage = `tk_live_${'m'.repeat(32)}`;
const api = await startApi({
  authenticators: [
    ({ headers }) => {
      if (headers['x-test-role'] === undefined) return undefined;
      const role = headers['x-test-role'] as 'viewer' | 'admin';
      return { account, grants: [teamGrant(account, { role, sites: null, hidden: [] })], byKey: false };
    },
  ],
});
const { db } = api;
const account = accounts(db).named('default', 0);
apiKeys(db).add(account.id, 'manage', manage, 0, { scopes: ['manage'], sites: null, expiresAt: null, madeBy: null });
apiKeys(db).add(account.id, 'read', readKey, 0);
const ada = persons(db).add('ada@example.com', 0);
members(db).set({ accountId: account.id, personId: ada.id, role: 'owner', sites: null, hidden: [], createdAt: 0 });
const site = addSite(db, { domain: 'alerts.example' });

const send = async (method: string, path: string, body?: object, key = manage) => {
  const response = await fetch(`${api.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status, // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    body: (await response.json()) as Record<string, any>,
  };
};
const of = `/api/ext/sites/${site.uuid}/alerts`;

test('alerts are added, changed, muted, listed and removed with a key that manages', async () => {
  const spike = {
    kind: 'spike',
    name: 'Peak',
    params: { sensitivity: 'keen' },
    filters: 'country=DE',
    mailOwners: true,
  };
  const { status, body } = await send('POST', of, spike);
  assert.is(status, 200);
  assert.equal(body.params, { metric: 'visits', k: 3.5, hours: null, floor: 10 });
  assert.equal(
    [body.mailOwners, body.enabled, body.state, body.channels, body.madeBy],
    [true, true, null, [], 'API key'],
  );
  const { id } = body as { id: number };
  const changed = await send('POST', `${of}/${id}`, { ...spike, name: 'Peaks', enabled: false });
  assert.equal([changed.body.name, changed.body.enabled], ['Peaks', false]);
  const muted = await send('POST', `${of}/${id}/mute`, { hours: 24 });
  assert.is(muted.body.mutedUntil, new Date(now + dayMs).toISOString());
  assert.equal((await send('POST', `${of}/${id}/mute`, { hours: 5 })).body.allowed, ['0', '1', '24', '168']);
  assert.equal((await send('GET', of)).body.data, [muted.body]);
  assert.is((await send('GET', of, undefined, readKey)).status, 200);
  for (const [method, path, given] of [
    ['POST', of, spike],
    ['POST', `${of}/${id}`, spike],
    ['DELETE', `${of}/${id}`, undefined],
    ['POST', '/api/ext/channels', {}],
    ['GET', '/api/ext/channels', undefined],
  ] as const)
    assert.is((await send(method, path, given, readKey)).status, 403, `${method} ${path}`);
  assert.equal((await send('DELETE', `${of}/${id}`)).body, { done: true });
  assert.is((await send('DELETE', `${of}/${id}`)).status, 404);
  assert.is((await send('POST', `${of}/${id}`, spike)).status, 404);
});

test('what cannot be is refused with the field, and what it could be', async () => {
  definitions(db).set(site.id, 'goal', 'Signup', { conditions: 'event=Signup', value: null }, 0);
  const wrong: [object, string, RegExp | string[]][] = [
    [{ kind: 'spike', params: { k: 1.9 } }, 'k', /2 to 10/],
    [{ kind: 'spike', params: { k: 11 } }, 'k', /2 to 10/],
    [{ kind: 'spike', params: { hours: 2 } }, 'hours', ['1', '3', '6', '24', '72']],
    [{ kind: 'spike', params: { metric: 'bounceRate' } }, 'metric', ['visits', 'pageviews', 'events', 'revenue']],
    [{ kind: 'spikes' }, 'kind', /Did you mean spike/],
    [{ kind: 'spike', params: { number: 3 } }, 'number', ['metric', 'k', 'sensitivity', 'hours', 'floor']],
    [{ kind: 'spike', params: [] }, 'params', /object/],
    [{ kind: 'threshold', params: { metric: 'exits', comparison: 'above', number: 1 } }, 'metric', /is one of/],
    [{ kind: 'threshold', params: { metric: 'lcp', comparison: 'above', number: 1, minutes: 5 } }, 'minutes', /60/],
    [{ kind: 'errors', params: { of: 'people' } }, 'of', ['events', 'crawls']],
    [{ kind: 'errors', params: { of: 'crawls' }, filters: 'country=DE' }, 'filters', ['name', 'path', 'status']],
    [{ kind: 'threshold', params: { metric: 'visits', comparison: 'above' } }, 'number', /number/],
    [{ kind: 'threshold', params: { metric: 'visits', comparison: '>', number: 1 } }, 'comparison', ['above', 'below']],
    [{ kind: 'goal', params: { goal: 'Signups' } }, 'filters', ['Signup']],
    [{ kind: 'refused', params: { percent: 101 } }, 'percent', /0 to 100/],
    [{ kind: 'new-source', params: { visitors: 0 } }, 'visitors', /1 to/],
    [{ kind: 'silent', filters: 'colour=red' }, 'filters', /./],
    [{ kind: 'silent', filters: 'segment=none' }, 'filters', []],
    [{ kind: 'silent', name: '' }, 'name', /1 to 100/],
    [{ kind: 'silent', channels: 'x' }, 'channels', /list/],
    [{ kind: 'silent', enabled: 'yes' }, 'enabled', ['true', 'false']],
  ];
  for (const [given, field, told] of wrong) {
    const { status, body } = await send('POST', of, { name: 'x', ...given });
    assert.equal([status, body.field], [400, field], JSON.stringify([given, body]));
    if (Array.isArray(told)) assert.equal(body.allowed, told, JSON.stringify(given));
    else assert.match(String(body.error), told);
  }
  const other = accounts(db).add('other', 'unlimited', 0);
  const theirs = channels(db).add({
    ...{
      accountId: other.id,
      kind: 'slack',
      name: 's',
      target: 'https://x.example/',
      secret: null,
      madeBy: 'cli',
      createdAt: 0,
    },
  })!;
  assert.is((await send('POST', of, { kind: 'silent', name: 'x', channels: [theirs.id] })).status, 404);
  assert.is((await send('DELETE', `/api/ext/channels/${theirs.id}`)).status, 404);
  assert.is((await send('POST', `/api/ext/channels/${theirs.id}/test`)).status, 404);
});

test('a site has fifty alerts, and the one that the server made stays', async () => {
  const small = addSite(db, { domain: 'small.example' });
  const made = alerts(db).add({
    ...{
      siteId: small.id,
      name: 'Silent',
      rule: { kind: 'silent', params: { hours: 24 } },
      filters: '',
      channelIds: [],
    },
    ...{ mailOwners: true, enabled: true, muteToken: 't', madeBy: 'server', createdAt: 0 },
  })!;
  const path = `/api/ext/sites/${small.uuid}/alerts`;
  for (let i = 1; i < 50; i++) assert.is((await send('POST', path, { kind: 'silent', name: `${i}` })).status, 200);
  assert.match(String((await send('POST', path, { kind: 'silent', name: 'x' })).body.error), /at most 50/);
  assert.match(String((await send('DELETE', `${path}/${made.id}`)).body.error), /switch it off/);
});

test('channels are of the whole team: not for viewers, nor for keys of some sites', async () => {
  const target = 'https://hook.example/y';
  const { body } = await send('POST', '/api/ext/channels', { kind: 'webhook', name: 'whole', target });
  const seenAs = (role: string) => fetch(`${api.base}/api/ext/channels`, { headers: { 'x-test-role': role } });
  assert.equal([(await seenAs('viewer')).status, (await seenAs('admin')).status], [403, 200]);
  const limited = `tk_live_${'l'.repeat(32)}`;
  apiKeys(db).add(account.id, 'limited', limited, 0, { scopes: ['manage'], sites: [site.uuid] });
  const one = `/api/ext/channels/${body.id}`;
  for (const [method, path, given] of [
    ['GET', '/api/ext/channels', undefined],
    ['POST', '/api/ext/channels', { kind: 'webhook', name: 'theirs', target }],
    ['POST', `${one}/test`, undefined],
    ['POST', `${one}/secret`, undefined],
    ['DELETE', one, undefined],
  ] as const)
    assert.is((await send(method, path, given, limited)).status, 403, `${method} ${path}`);
  for (let i = 0; i < 20; i++) assert.is((await send('POST', `${one}/test`)).status, 200);
  assert.is((await send('POST', `${one}/test`)).status, 429, 'tests go before all that waits');
  db.exec("delete from outbox where key like 'test:%'");
  assert.is((await send('DELETE', one)).status, 200);
});

test('channels never show what is secret again', async () => {
  const hook = await send('POST', '/api/ext/channels', {
    kind: 'webhook',
    name: 'hook',
    target: 'https://hook.example/x',
  });
  const secret = String(hook.body.secret);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const slack = 'https://hooks.slack.example/services/T000/B000/abcdefgh1234';
  assert.is((await send('POST', '/api/ext/channels', { kind: 'slack', name: 'slack', target: slack })).status, 200);
  const gotify = { kind: 'gotify', name: 'gotify', target: 'https://gotify.example', secret: 'AppToken99' };
  assert.is((await send('POST', '/api/ext/channels', gotify)).status, 200);
  const renewed = await send('POST', `/api/ext/channels/${hook.body.id}/secret`, {});
  assert.is.not(renewed.body.secret, secret);
  assert.is(renewed.body.oldSecretUntil, new Date(now + dayMs).toISOString());
  const listed = JSON.stringify((await send('GET', '/api/ext/channels')).body);
  for (const hidden of [secret, String(renewed.body.secret), slack, 'AppToken99']) assert.not(listed.includes(hidden));
  assert.match(listed, /slack\.example\/…1234/);
  assert.match(listed, /…en99/);
});

test('channels that cannot be are refused', async () => {
  const wrong: [object, string][] = [
    [{ kind: 'fax', target: 'x' }, 'kind'],
    [{ kind: 'webhook', target: '' }, 'target'],
    [{ kind: 'webhook', target: 'ftp://x.example' }, 'target'],
    [{ kind: 'webhook', target: 'https://user:pass@x.example' }, 'target'],
    [{ kind: 'webhook', target: 'https://x.example', secret: 'mine' }, 'secret'],
    [{ kind: 'mail', target: 'stranger@example.com' }, 'target'],
    [{ kind: 'telegram', target: '-1001', secret: 'x' }, 'secret'],
    [{ kind: 'telegram', target: 'https://t.me/x', secret: `1:${'a'.repeat(30)}` }, 'target'],
    [{ kind: 'gotify', target: 'https://g.example' }, 'secret'],
    [{ kind: 'webhook', target: 'https://x.example', name: 'hook' }, 'name'],
  ];
  for (const [given, field] of wrong) {
    const { status, body } = await send('POST', '/api/ext/channels', { name: 'y', ...given });
    assert.equal([status, body.field], [400, field], JSON.stringify([given, body]));
  }
  const mail = await send('POST', '/api/ext/channels', { kind: 'mail', name: 'mail', target: 'Ada@Example.com' });
  assert.is(mail.body.target, 'ada@example.com');
  assert.equal((await send('POST', `/api/ext/channels/${mail.body.id}/test`, {})).body, { done: true });
  const messages = db.prepare('select kind, target from outbox').all();
  assert.equal(messages, [{ kind: 'mail', target: 'ada@example.com' }]);
});

test('an alert says when it would have fired', async () => {
  const busy = addSite(db, { domain: 'busy.example' });
  const entries = [];
  let id = 1_000_000;
  const begin = now - 60 * dayMs;
  const spikeAt = Math.floor(now / hourMs) * hourMs - 8 * dayMs;
  for (let at = begin; at < now; at += at >= spikeAt && at < spikeAt + hourMs ? 15_000 : 2 * minuteMs) {
    const visitId = ++id;
    const on = { siteId: busy.id, day: utcDayOf(at) };
    const visitor = Buffer.alloc(8);
    visitor.writeUInt32BE(visitId);
    entries.push(recordedEntry(hitRecord({ ...on, visitId, at }), visitRecord({ ...on, id: visitId, visitor })));
  }
  recorder(db).write(entries);
  const path = `/api/ext/sites/${busy.uuid}/alerts/try`;
  const spike = await send('POST', path, { kind: 'spike', params: { hours: 1 } }, readKey);
  assert.is(spike.status, 200, JSON.stringify(spike.body));
  assert.is(spike.body.count, 1);
  const [firing] = spike.body.data as { from: string; value: number; expected: number }[];
  assert.ok(firing!.value > 70 && firing!.expected === 30, JSON.stringify(firing));
  const above = { kind: 'threshold', params: { metric: 'visits', comparison: 'above', number: 200, minutes: 60 } };
  assert.is((await send('POST', path, above)).body.count, 1);
  assert.is((await send('POST', path, { kind: 'silent' })).body.count, 0);
  assert.is((await send('POST', path, { kind: 'drop', params: { k: 99 } })).status, 400);
});

/** The hours in which an alert is told, the newest first, by whether each is out; null: not known. */
const toldAt = (outs: readonly (boolean | null)[]): number[] => {
  const told: number[] = [];
  let calm = 3;
  for (const [hour, isOut] of outs.entries()) {
    if (isOut === null) continue;
    if (isOut && calm >= 3 && told.filter(one => one > hour - 24).length < 2) told.unshift(hour);
    calm = isOut ? 0 : calm + 1;
  }
  return told;
};

const hourName = (hour: number): string => new Date(hour * hourMs).toISOString().slice(0, 19);

test('refused hits are told by the hour, where they are enough and enough of those that arrived', async () => {
  const tried = addSite(db, { domain: 'refused.example' });
  const hour0 = Math.floor(now / hourMs) - 42 * 24;
  const chance = chanceFrom(39);
  const hours = Array.from({ length: 42 * 24 }, (): [Outcome, number][] => {
    const isBad = chance.below(40) === 0;
    return [
      ['recorded', chance.below(60)],
      ['crawler', chance.below(10)],
      ['other-host', isBad ? chance.below(40) : chance.below(3)],
      ['rate-limited', isBad ? chance.below(20) : 0],
    ];
  });
  // At once: many transactions would keep the server of this process from its connections.
  recorder(db).write(
    hours.flatMap((counted, i) =>
      counted.flatMap(([outcome, hits]) =>
        Array.from({ length: hits }, () => ({ siteId: tried.id, at: (hour0 + i) * hourMs + 1, outcome })),
      ),
    ),
  );
  const refused = hours.map(([, , host, limited]) => host![1] + limited![1]);
  const isOut = hours.map((counted, i) => {
    const arrived = counted.reduce((sum, [, hits]) => sum + hits, 0);
    return refused[i]! >= 20 && refused[i]! >= 0.1 * arrived;
  });
  const fired = toldAt(isOut).map(i => ({ from: hourName(hour0 + i + 1), value: refused[i]! }));
  assert.ok(fired.length > 5, `${fired.length}`);
  const path = `/api/ext/sites/${tried.uuid}/alerts/try`;
  const { body } = await send('POST', path, { kind: 'refused' }, readKey);
  assert.is(body.count, fired.length);
  assert.equal(
    body.data.map(({ from, value }: { from: string; value: number }) => ({ from, value })),
    fired,
  );
  assert.is((await send('POST', path, { kind: 'refused', params: { percent: 100 } })).body.count, 0);
  const filtered = await send('POST', path, { kind: 'refused', filters: 'country=DE' });
  assert.equal([filtered.status, filtered.body.field], [400, 'filters']);
});

test('a new source is told on its day, and what was there in the 90 days before is not new', async () => {
  const timezone = 'Europe/Berlin';
  const tried = addSite(db, { domain: 'sources.example', timezone });
  const { local, instant } = zoneOf(timezone);
  const begin = (daysAgo: number): number => instant(startOfDay(local(now)) - daysAgo * dayMs);
  const chance = chanceFrom(3);
  /** By day ago, how many visitors each source brought. */
  const brought = new Map<string, number>();
  const entries: Entry[] = [];
  let id = 5_000_000;
  const bring = (daysAgo: number, source: { referrer?: string; utmCampaign?: string }, visitors: number): void => {
    const name = source.referrer ?? source.utmCampaign!;
    brought.set(`${daysAgo} ${name}`, visitors);
    const end = Math.min(now, begin(daysAgo - 1));
    for (let i = 0; i < visitors; i++) {
      const at = begin(daysAgo) + Math.floor(((i + 0.5) / visitors) * (end - begin(daysAgo)));
      const on = { siteId: tried.id, day: utcDayOf(at) };
      const visitor = Buffer.alloc(8);
      visitor.writeUInt32BE(++id);
      const visit = visitRecord({ ...on, id, visitor, ...source });
      entries.push(recordedEntry(hitRecord({ ...on, visitId: id, at }), visit));
    }
  };
  const names = Array.from({ length: 30 }, (_, i) => `s${i}.example`);
  for (let daysAgo = 140; daysAgo >= 0; daysAgo--)
    for (const [i, name] of names.entries()) {
      if (chance.below(i < 3 ? 2 : 60) > 0) continue;
      bring(daysAgo, i % 2 === 0 ? { referrer: name } : { utmCampaign: name }, 1 + chance.below(9));
    }
  bring(5, { referrer: 'slow.example' }, 2);
  bring(4, { referrer: 'slow.example' }, 9);
  recorder(db).write(entries);
  const visitorsOn = (daysAgo: number, name: string): number => brought.get(`${daysAgo} ${name}`) ?? 0;
  const found: { from: string; sources: string[] }[] = [];
  for (let daysAgo = 0; daysAgo <= 42; daysAgo++) {
    const isNew = (name: string): boolean =>
      visitorsOn(daysAgo, name) >= 5 &&
      visitorsOn(daysAgo + 1, name) < 5 &&
      Array.from({ length: 89 }, (_, i) => daysAgo + 2 + i).every(day => visitorsOn(day, name) === 0);
    const sources = [...names, 'slow.example'].filter(isNew);
    if (sources.length > 0) found.push({ from: new Date(local(begin(daysAgo))).toISOString().slice(0, 19), sources });
  }
  assert.ok(found.length > 3 && found.some(({ sources }) => sources.includes('slow.example')), JSON.stringify(found));
  const path = `/api/ext/sites/${tried.uuid}/alerts/try`;
  const { body } = await send('POST', path, { kind: 'new-source', params: { visitors: 5 } }, readKey);
  assert.equal(
    body.data.map(({ from, sources }: { from: string; sources: string[] }) => ({ from, sources: sources.toSorted() })),
    found.map(({ from, sources }) => ({ from, sources: sources.toSorted() })),
  );
  assert.is(body.count, found.length);
});

test('web vitals are compared by their 75th percentile, where there are enough reports', async () => {
  const tried = addSite(db, { domain: 'slow.example' });
  const chance = chanceFrom(75);
  const hour0 = Math.floor(now / hourMs) - 42 * 24;
  const reports = Array.from({ length: 42 * 24 }, (): number[] => {
    const slow = chance.below(30) === 0 ? 4 : 1;
    return Array.from({ length: chance.below(40) }, () => slow * (500 + chance.below(1000)));
  });
  const vitals = { path: '/', device: 'mobile', inp: null, cls: null, fcp: null, ttfb: null };
  recorder(db).write(
    reports.flatMap((lcps, i) =>
      lcps.map((lcp): Entry => {
        const of = { siteId: tried.id, at: (hour0 + i) * hourMs + chance.below(hourMs) };
        return { ...of, outcome: 'recorded', vital: { ...of, ...vitals, lcp } };
      }),
    ),
  );
  const on = { siteId: tried.id, day: utcDayOf(hour0 * hourMs), visitId: 9_000_000, at: hour0 * hourMs };
  recorder(db).write([recordedEntry(hitRecord(on), visitRecord({ ...on, id: on.visitId }))]);
  const p75 = reports.map(lcps =>
    lcps.length < 20 ? null : lcps.toSorted((a, b) => a - b)[Math.ceil(0.75 * lcps.length) - 1]!,
  );
  const isOut = p75.map(value => (value === null ? null : value > 2500));
  const fired = toldAt(isOut).map(i => [hourName(hour0 + i + 1), p75[i]]);
  assert.ok(fired.length > 5, `${fired.length}`);
  const path = `/api/ext/sites/${tried.uuid}/alerts/try`;
  const above = { metric: 'lcp', comparison: 'above', number: 2500 };
  const { body } = await send('POST', path, { kind: 'threshold', params: above }, readKey);
  assert.equal(
    body.data.map(({ from, value }: { from: string; value: number }) => [from, value]),
    fired,
  );
  const desktop = await send('POST', path, { kind: 'threshold', params: above, filters: 'device=desktop' });
  assert.equal([desktop.status, desktop.body.count], [200, 0]);
});

test('what crawlers are answered with 4xx and 5xx is compared with what is usual', async () => {
  const tried = addSite(db, { domain: 'crawled.example' });
  const bad = Math.floor(now / hourMs) * hourMs - 3 * dayMs;
  const entries: Entry[] = [];
  const crawl = (at: number, status: number, path: string): void => {
    const of = { siteId: tried.id, at };
    entries.push({ ...of, outcome: 'crawler', crawl: { ...of, name: 'Googlebot', path, status } });
  };
  for (let at = now - 91 * dayMs; at < now; at += 10 * minuteMs) {
    crawl(at, 404, '/old');
    for (let i = 0; i < 3; i++) crawl(at + i, 200, '/');
  }
  for (let i = 0; i < 60; i++) crawl(bad + i * 20_000, i % 2 === 0 ? 500 : 404, '/shop');
  for (let i = 0; i < 60; i++) crawl(bad + dayMs + i * 20_000, 200, '/shop');
  recorder(db).write(entries);
  const on = { siteId: tried.id, day: utcDayOf(now - 91 * dayMs), visitId: 9_100_000, at: now - 91 * dayMs };
  recorder(db).write([recordedEntry(hitRecord(on), visitRecord({ ...on, id: on.visitId }))]);
  const path = `/api/ext/sites/${tried.uuid}/alerts/try`;
  const asked = { kind: 'errors', params: { of: 'crawls', hours: 1 } };
  const { body } = await send('POST', path, asked, readKey);
  assert.is(body.count, 1, JSON.stringify(body));
  const [{ from, value, expected }] = body.data;
  assert.ok(Date.parse(`${from}Z`) > bad && value > 30 && expected === 6, JSON.stringify(body.data));
  assert.is((await send('POST', path, { ...asked, filters: 'path!=/shop' })).body.count, 0);
  assert.is((await send('POST', path, { ...asked, filters: 'status=500' })).body.count, 1);
});

test.after(api.close);
test.run();
