import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEvaluator, type EvaluatorParts } from '../../src/alerts/evaluator.ts';
import type { AlertRule } from '../../src/model/alerts/kinds.ts';
import type { Outcome } from '../../src/model/outcomes.ts';
import type { HideablePart } from '../../src/model/public-parts.ts';
import { dayMs, hourMs, minuteMs, utcDayOf } from '../../src/model/time.ts';
import { createQueryPool } from '../../src/query/threads/pool.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { alerts as alertStore } from '../../src/store/alerts/alerts.ts';
import { channels as channelStore } from '../../src/store/alerts/channels.ts';
import { definitions } from '../../src/store/definitions.ts';
import { notes } from '../../src/store/notes.ts';
import { type SiteDirectory, siteDirectory } from '../../src/store/sites.ts';
import { type Entry, recorder as recorderOf } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';

const start = Date.parse('2026-11-02T00:00:00Z');

interface World {
  clock: { now: number };
  siteId: number;
  /** Visits with one page view, from one instant to another, so far apart. */
  visits(from: number, to: number, everyMs: number, more?: object, visit?: object): void;
  /** So many hits that ended so. */
  refuse(outcome: Outcome, at: number, hits: number): void;
  crawls(path: string, status: number, from: number, to: number, everyMs: number): void;
  add(rule: AlertRule, settings?: object): number;
  /** A turn each quarter of an hour until then. */
  until(at: number): Promise<void>;
  restart(given: Partial<EvaluatorParts>): void;
  messages(): {
    key: string;
    kind: string;
    target: string;
    body: { type: string; data: { title: string; text: string; url: string } } & { subject: string };
  }[];
  alerts: ReturnType<typeof alertStore>;
  notes(): string[];
  db: ReturnType<typeof temporaryDatabase>['db'];
  directory: SiteDirectory;
}

let visitor = 0;
const worldOf = async (run: (world: World) => Promise<void>): Promise<void> => {
  const { db, dataDir } = temporaryDatabase();
  const site = addSite(db, { createdAt: start });
  const account = accounts(db).named('default', 0);
  const ada = persons(db).add('ada@example.com', start);
  members(db).set({
    accountId: account.id,
    personId: ada.id,
    role: 'owner',
    sites: null,
    hidden: [],
    createdAt: start,
  });
  const directory = siteDirectory(db);
  const recorder = recorderOf(db);
  const engine = createQueryPool({
    ...{ dataDir, workers: 1, cacheBytesMax: 1e8, foundBytesMax: 1e8, deadlineMs: 30_000, waitingMax: 100 },
  });
  const clock = { now: start };
  const stored = alertStore(db);
  const parts = {
    ...{ db, directory, engine, now: () => clock.now, random: randomBytes, wake: () => {}, sendsMail: true },
    ...{
      baseUrl: 'https://stats.example',
      down: null,
      log: (event: string, facts: object) => assert.unreachable(`${event} ${JSON.stringify(facts)}`),
    },
  } as unknown as EvaluatorParts;
  let evaluator = createEvaluator(parts);
  let id = 0;
  const world: World = {
    ...{ clock, siteId: site.id, alerts: stored, db, directory },
    visits(from, to, everyMs, more = {}, source = {}) {
      const entries = [];
      for (let at = from; at < to; at += everyMs) {
        const visitId = ++id;
        const of = { siteId: site.id, day: utcDayOf(at) };
        const hash = Buffer.alloc(8);
        hash.writeUInt32BE(++visitor);
        const visit = visitRecord({ ...of, id: visitId, visitor: hash, ...source });
        entries.push(recordedEntry(hitRecord({ ...of, visitId, at, ...more }), visit));
      }
      recorder.write(entries);
    },
    refuse(outcome, at, hits) {
      recorder.write(Array.from({ length: hits }, () => ({ siteId: site.id, at, outcome })));
    },
    crawls(path, status, from, to, everyMs) {
      const entries: Entry[] = [];
      for (let at = from; at < to; at += everyMs) {
        const of = { siteId: site.id, at };
        entries.push({ ...of, outcome: 'crawler', crawl: { ...of, name: 'Googlebot', path, status } });
      }
      recorder.write(entries);
    },
    add(rule, settings = {}) {
      const madeBy = { madeBy: 'cli', createdAt: clock.now, muteToken: String(Math.random()) };
      const usual = { name: `A ${rule.kind}`, filters: '', channelIds: [], mailOwners: true, enabled: true };
      return stored.add({ siteId: site.id, rule, ...usual, ...madeBy, ...settings })!.id;
    },
    async until(at) {
      for (; clock.now < at; clock.now += 5 * minuteMs) await evaluator.turn();
    },
    restart(given) {
      evaluator = createEvaluator({ ...parts, ...given });
    },
    messages: () =>
      (db.prepare('select key, kind, target, body from outbox order by id').all() as { body: string }[]).map(
        ({ body, ...row }) => ({ ...row, body: JSON.parse(body) }),
      ) as ReturnType<World['messages']>,
    notes: () =>
      notes(db)
        .list(site.id)
        .map(({ date, kind, text }) => `${date} ${kind} ${text}`),
  };
  try {
    await run(world);
  } finally {
    await engine.close();
    db.close();
  }
};

test('a site that falls silent is told of once, and that it is back', () =>
  worldOf(async world => {
    const { visits, until, clock } = world;
    visits(start, start + 21 * dayMs, 15 * minuteMs);
    clock.now = start + 21 * dayMs - hourMs;
    await until(start + 21 * dayMs + 12 * hourMs);
    const [silent] = world.alerts.list(world.siteId);
    assert.equal([silent!.rule.kind, silent!.madeBy, silent!.state!.state], ['silent', 'server', 'firing']);
    const [message, ...others] = world.messages();
    assert.equal(others, []);
    assert.equal(
      [message!.kind, message!.target, message!.body.subject],
      ['mail', 'ada@example.com', 'site1.example: Silent'],
    );
    const hours = (silent!.state!.firedAt! - (start + 21 * dayMs)) / hourMs;
    assert.ok(hours > 1 && hours <= 6, `${hours}`);
    assert.match(world.notes().join(), /2026-11-23 alert Silent: 0/);
    visits(clock.now, clock.now + 2 * hourMs, 15 * minuteMs);
    await until(clock.now + 2 * hourMs);
    assert.equal(
      world
        .messages()
        .map(({ body }) => body.subject)
        .slice(1),
      ['site1.example: Silent is over'],
    );
  }));

test('mail goes to those alone who are members at that moment', () =>
  worldOf(async world => {
    const { visits, until, clock, db } = world;
    visits(start, start + 29 * dayMs, 10 * minuteMs);
    const people = persons(db);
    const ids = ['stays@example.com', 'gone@example.com', 'off@example.com'].map((target, i) => {
      const { id: personId } = people.add(target, 0);
      if (i !== 1) members(db).set({ accountId: 1, personId, role: 'owner', sites: null, hidden: [], createdAt: 0 });
      if (i === 2) people.setDisabled(personId, 1);
      const channel = {
        accountId: 1,
        kind: 'mail',
        name: target,
        target,
        secret: null,
        madeBy: 'cli',
        createdAt: start,
      };
      return channelStore(db).add(channel as Parameters<ReturnType<typeof channelStore>['add']>[0])!.id;
    });
    const spike = { kind: 'spike', params: { metric: 'visits', k: 4.5, hours: 1, floor: 10 } } as const;
    world.add(spike, { channelIds: ids, mailOwners: true });
    const at = start + 28 * dayMs + 10 * hourMs;
    visits(at, at + hourMs, 30_000);
    clock.now = at - hourMs;
    await until(at + 2 * hourMs);
    const targets = new Set(world.messages().map(({ target }) => target));
    assert.equal([...targets].toSorted(), ['ada@example.com', 'stays@example.com']);
  }));

test('without a mail server no mail is written, and other channels are told', () =>
  worldOf(async world => {
    const { visits, until, clock, db } = world;
    visits(start, start + 29 * dayMs, 10 * minuteMs);
    const of = { accountId: 1, secret: null, madeBy: 'cli', createdAt: start };
    const mail = channelStore(db).add({ ...of, kind: 'mail', name: 'mail', target: 'ada@example.com' })!;
    const ntfy = channelStore(db).add({ ...of, kind: 'ntfy', name: 'ntfy', target: 'https://ntfy.example/x' })!;
    const spike = { kind: 'spike', params: { metric: 'visits', k: 4.5, hours: 1, floor: 10 } } as const;
    world.add(spike, { channelIds: [mail.id, ntfy.id], mailOwners: true });
    const at = start + 28 * dayMs + 10 * hourMs;
    visits(at, at + hourMs, 30_000);
    clock.now = at - hourMs;
    world.restart({ sendsMail: false });
    await until(at + 2 * hourMs);
    assert.equal(
      new Set(world.messages().map(({ kind, target }) => `${kind} ${target}`)),
      new Set([`channel ${ntfy.id}`]),
    );
  }));

test('a spike fires with what made it, and no message goes out while it is muted', () =>
  worldOf(async world => {
    const { visits, until, clock, db } = world;
    visits(start, start + 29 * dayMs, 10 * minuteMs);
    const channel = channelStore(db).add({
      ...{
        accountId: 1,
        kind: 'webhook',
        name: 'hook',
        target: 'https://hook.example/',
        secret: 'whsec_AAAA',
        madeBy: 'cli',
        createdAt: start,
      },
    })!;
    const spike = { kind: 'spike', params: { metric: 'visits', k: 4.5, hours: 1, floor: 10 } } as const;
    const drop = { kind: 'drop', params: { metric: 'visits', k: 4.5, hours: 1 } } as const;
    world.add(spike, { channelIds: [channel.id], mailOwners: false });
    const muted = world.add(spike, { name: 'Muted', channelIds: [channel.id] });
    world.alerts.mute(muted, start + 40 * dayMs);
    world.add(drop);
    const at = start + 28 * dayMs + 10 * hourMs;
    visits(at, at + hourMs, 30_000, { path: '/talked-about' });
    clock.now = at - hourMs;
    await until(at + 4 * hourMs);
    const told = world.messages();
    assert.equal(
      told.map(({ kind, target, body }) => [kind, target, body.type]),
      [
        ['channel', String(channel.id), 'alert.fired'],
        ['channel', String(channel.id), 'alert.ended'],
      ],
    );
    const { title, text, url } = told[0]!.body.data;
    assert.is(url, 'https://stats.example/sites/site1.example');
    assert.is(title, 'site1.example: A spike');
    assert.match(text, /\/talked-about/);
    assert.is(world.notes().filter(line => line.includes(' alert ')).length, 2, 'one each, muted or not');
  }));

test('refused hits are told with how they ended, from the hour in which there are enough', () =>
  worldOf(async world => {
    const { visits, until, clock } = world;
    visits(start, start + dayMs, 2 * minuteMs);
    clock.now = start + dayMs - minuteMs;
    await until(start + dayMs + 10 * minuteMs);
    world.refuse('other-host', start + dayMs + 20 * minuteMs, 3);
    world.refuse('rate-limited', start + dayMs + 30 * minuteMs, 25);
    world.refuse('excluded-ip', start + dayMs + 30 * minuteMs, 1000 / 25);
    await until(start + dayMs + hourMs);
    assert.equal(world.messages(), [], 'the hour is not over');
    await until(start + dayMs + 6 * hourMs);
    assert.equal(
      world.messages().map(({ body }) => body.subject),
      ['site1.example: Refused hits', 'site1.example: Refused hits is over'],
    );
    const { text } = world.messages()[0]!.body as unknown as { text: string };
    assert.match(text, /^28 hits refused.*\noutcome rate-limited: 25 \(before: 0\)\noutcome other-host: 3/s);
    assert.equal(world.notes(), ['2026-11-03 alert Refused hits']);
  }));

test('errors of crawlers are told with the pages that they were about', () =>
  worldOf(async world => {
    const { visits, until, clock } = world;
    visits(start, start + 29 * dayMs, hourMs);
    world.crawls('/old', 404, start, start + 29 * dayMs, 10 * minuteMs);
    world.add({ kind: 'errors', params: { of: 'crawls', k: 4.5, hours: 1, floor: 10 } });
    const at = start + 28 * dayMs + 10 * hourMs;
    world.crawls('/shop', 500, at, at + hourMs, minuteMs);
    world.crawls('/', 200, at, at + hourMs, minuteMs / 2);
    clock.now = at - hourMs;
    await until(at + 2 * hourMs);
    const [told] = world.messages();
    assert.is(told!.body.subject, 'site1.example: A errors');
    const { text } = told!.body as unknown as { text: string };
    assert.match(
      text,
      /^\d\d crawls not answered, usually 6 .*\npath \/shop: \d\d \(before: 0\)\npath \/old: 6 \(before: 6\)/s,
    );
  }));

test('a new source is told once on its day, and no more than twice a day', () =>
  worldOf(async world => {
    const { visits, until, clock } = world;
    const from = (referrer: string, at: number, count: number): void =>
      visits(at, at + count * minuteMs, minuteMs, {}, { referrer });
    for (let day = 0; day < 20; day++) from('usual.example', start + day * dayMs + hourMs, 30);
    world.add({ kind: 'new-source', params: { visitors: 10 } });
    const today = start + 20 * dayMs;
    from('usual.example', today, 30);
    from('small.example', today + hourMs, 9);
    from('news.example', today + 2 * hourMs, 30);
    visits(today + 4 * hourMs, today + 5 * hourMs, 2 * minuteMs, {}, { utmSource: 'mail', utmCampaign: 'Autumn' });
    from('third.example', today + 6 * hourMs, 30);
    clock.now = today + minuteMs;
    await until(today + 20 * hourMs);
    const told = () =>
      world
        .messages()
        .filter(({ body }) => body.subject === 'site1.example: A new-source')
        .map(({ body }) => (body as unknown as { text: string }).text.split('\n').slice(0, 3));
    assert.equal(told(), [
      ['a new source (2026-11-22 00:00 – 02:15)', 'referrer news.example: 15 (before: 0)', ''],
      [
        '2 new sources, the largest with 15 visitors (2026-11-22 00:00 – 04:30)',
        'utmSource mail: 15 (before: 0)',
        'utmCampaign Autumn: 15 (before: 0)',
      ],
    ]);
    assert.is(world.notes().filter(line => line.includes('A new-source')).length, 2);
    await until(today + 2 * dayMs);
    assert.is(told().length, 2, 'the day is over');
  }));

test('while no server ran nothing is told, and what came since is judged', () =>
  worldOf(async world => {
    const { visits, until, clock } = world;
    visits(start, start + 22 * dayMs, 2 * minuteMs);
    world.add({ kind: 'drop', params: { metric: 'visits', k: 4.5, hours: 1 } });
    clock.now = start + 22 * dayMs - hourMs;
    await until(start + 22 * dayMs);
    const down = { from: start + 22 * dayMs, to: start + 22 * dayMs + 9 * hourMs };
    clock.now = down.to;
    world.restart({ down });
    visits(down.to, down.to + 3 * hourMs, 2 * minuteMs);
    await until(down.to + 3 * hourMs);
    assert.equal(world.messages(), []);
    const drop = world.alerts.list(world.siteId).find(({ rule }) => rule.kind === 'drop')!;
    assert.is(drop.state!.state, 'calm');
    await until(down.to + 6 * hourMs);
    assert.ok(world.messages().some(({ body }) => body.subject === 'site1.example: A drop'));
  }));

test('goals are told each five minutes, and numbers when they are passed', () =>
  worldOf(async world => {
    const { visits, until, clock, db } = world;
    definitions(db).set(world.siteId, 'goal', 'Thanks', { conditions: 'path=/thanks', value: null }, start);
    world.add({ kind: 'goal', params: { goal: 'Thanks' } });
    world.add({ kind: 'threshold', params: { metric: 'visitors', comparison: 'above', number: 500, minutes: 60 } });
    world.add(
      { kind: 'threshold', params: { metric: 'visitors', comparison: 'below', number: 1, minutes: 1440 } },
      { enabled: false },
    );
    visits(start, start + hourMs, minuteMs);
    visits(start + hourMs, start + hourMs + minuteMs, 6, { path: '/thanks' });
    visits(start + hourMs + 7 * minuteMs, start + hourMs + 8 * minuteMs, 20_000, { path: '/thanks' });
    clock.now = start + 30 * minuteMs;
    await until(start + 4 * hourMs);
    const subjects = world
      .messages()
      .map(({ body }) =>
        `${body.subject} ${/reached in [\d,]+/.exec((body as unknown as { text: string }).text)?.[0] ?? ''}`.trim(),
      );
    assert.equal(
      subjects.filter(one => one.includes('A goal')),
      ['site1.example: A goal reached in 10,000', 'site1.example: A goal reached in 3'],
    );
    assert.equal(
      subjects.filter(one => one.includes('A threshold')),
      ['site1.example: A threshold', 'site1.example: A threshold is over'],
    );
    const keys = world.messages().map(({ key }) => key);
    assert.is(new Set(keys).size, keys.length);
  }));

test('what is hidden from somebody reaches them neither by mail nor by a note', () =>
  worldOf(async world => {
    const { visits, until, clock, db } = world;
    const mailTo = (name: string, hidden: HideablePart[]): number => {
      const email = `${name}@example.com`;
      const { id: personId } = persons(db).add(email, start);
      members(db).set({ accountId: 1, personId, role: 'viewer', sites: null, hidden, createdAt: start });
      const of = {
        accountId: 1,
        kind: 'mail',
        name,
        target: email,
        secret: null,
        madeBy: 'cli',
        createdAt: start,
      } as const;
      return channelStore(db).add(of)!.id;
    };
    const channelIds = [mailTo('bob', ['revenue']), mailTo('eve', [])];
    const told = { channelIds, mailOwners: false };
    const above = { comparison: 'above', minutes: 60 } as const;
    world.add({ kind: 'threshold', params: { ...above, metric: 'revenue', number: 100 } }, { ...told, name: 'Sales' });
    world.add({ kind: 'threshold', params: { ...above, metric: 'visits', number: 10 } }, { ...told, name: 'Visits' });
    visits(start, start + hourMs, minuteMs, {
      type: 'revenue',
      event: 'Purchase',
      revenue: { amount: 4900, currency: 'EUR' },
    });
    visits(start, start + hourMs, minuteMs);
    clock.now = start + 30 * minuteMs;
    await until(start + hourMs);
    assert.equal(
      world
        .messages()
        .map(({ target, body }) => `${target} ${body.subject}`)
        .sort(),
      [
        'bob@example.com site1.example: Visits',
        'eve@example.com site1.example: Sales',
        'eve@example.com site1.example: Visits',
      ],
    );
    const [sales, visited] = world.notes();
    assert.is(sales, '2026-11-02 alert Sales');
    assert.match(visited!, /^2026-11-02 alert Visits: \d+$/);
  }));

test.run();
