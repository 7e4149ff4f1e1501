import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutbound } from '../../src/http/outbound.ts';
import type { ChannelKind } from '../../src/model/alerts/channel-kinds.ts';
import type { AlertEvent, ChannelEvent, ReportEvent } from '../../src/model/alerts/event.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { channelKind, messageIdOf } from '../../src/outbox/channel.ts';
import { startOutbox } from '../../src/outbox/sender.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { channels as channelStore } from '../../src/store/alerts/channels.ts';
import { outboxStore } from '../../src/store/outbox.ts';
import { temporaryDatabase } from '../helpers.ts';

const { db } = temporaryDatabase();
const account = accounts(db).named('default', 0);
const channels = channelStore(db);
const store = outboxStore(db);
const clock = { now: Date.parse('2026-11-20T12:00:00Z') };

interface Received {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}
const received: Received[] = [];
let answer = { status: 200, bytes: 0 };
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  received.push({ url: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() });
  if (answer.status === 302) response.setHeader('location', '/elsewhere');
  response.writeHead(answer.status).end(Buffer.alloc(answer.bytes));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const outbound = createOutbound({ isPrivateAllowed: true, allow: [] });
const outbox = startOutbox({
  ...{ db, kinds: { channel: channelKind({ db, outbound, now: () => clock.now }) } },
  ...{ now: () => clock.now, log: () => {} },
});

const event: AlertEvent = {
  type: 'alert.fired',
  timestamp: '2026-11-20T12:00:00.000Z',
  data: {
    ...{ team: 'default', site: { id: 'x', domain: 'shop.example' }, alert: { id: 1, name: 'Peak', kind: 'spike' } },
    ...{ value: 90, expected: 30, low: 10, high: 50, contributors: [] },
    window: { from: '2026-11-20T11:00:00.000Z', to: '2026-11-20T12:00:00.000Z', timezone: 'UTC' },
    ...{ url: 'https://stats.example/shop.example', muteUrl: 'https://stats.example/mute/t' },
    ...{ title: 'shop.example: Peak <!here> @everyone', text: '90 visits & more' },
  },
};

const made: ReportEvent = {
  type: 'report.made',
  timestamp: '2026-11-23T07:00:00.000Z',
  data: {
    ...{ team: 'default', site: { id: 'x', domain: 'shop.example' }, report: { id: 1, name: 'Weekly' } },
    window: { from: '2026-11-16', to: '2026-11-22', timezone: 'UTC' },
    ...{ figures: { visitors: { value: 105, previous: 245 } }, currency: 'EUR' },
    ...{ url: 'https://stats.example/sites/shop.example', title: 'shop.example: 105 visitors', text: 'Visitors: 105' },
  },
};

let number = 0;
const add = (kind: ChannelKind, target: string, secret: string | null = null) =>
  channels.add({
    accountId: account.id,
    kind,
    name: `c${++number}`,
    target,
    secret,
    madeBy: 'cli',
    createdAt: clock.now,
  })!;

/** Sends, and waits until what is due was tried. */
const send = async (channelId: number, body: ChannelEvent = event): Promise<string> => {
  const key = `test:${++number}`;
  store.add({ key, kind: 'channel', accountId: account.id, target: String(channelId), body }, clock.now);
  await tried(key, 1);
  return key;
};
const row = (key: string) =>
  db.prepare('select tries, ended_at as endedAt, error, next_at as nextAt from outbox where key = ?').get(key) as {
    tries: number;
    endedAt: number | null;
    error: string | null;
    nextAt: number;
  };
const tried = async (key: string, tries: number): Promise<void> => {
  outbox.wake();
  for (let i = 0; i < 6000 && row(key).endedAt === null && row(key).tries < tries; i++)
    await new Promise(resolve => setTimeout(resolve, 10));
};

test('a webhook is signed as Standard Webhooks say, with both secrets for a day after a new one', async () => {
  const [secret, next] = [1, 2].map(fill => `whsec_${Buffer.alloc(32, fill).toString('base64')}`) as [string, string];
  const { id } = add('webhook', `${base}/hook`, secret);
  const verify = (key: string, signedBy: string[]): void => {
    const { headers, body } = received.at(-1)!;
    const stamp = String(Math.floor(clock.now / 1000));
    assert.equal([headers['webhook-id'], headers['webhook-timestamp']], [messageIdOf(key), stamp]);
    const expected = signedBy.map(one => {
      const hmac = createHmac('sha256', Buffer.from(one.slice(6), 'base64'));
      return `v1,${hmac.update(`${headers['webhook-id']}.${stamp}.${body}`).digest('base64')}`;
    });
    assert.is(headers['webhook-signature'], expected.join(' '));
    assert.equal(JSON.parse(body), event);
  };
  verify(await send(id), [secret]);
  assert.is(channels.byId(id)!.verifiedAt, clock.now);
  channels.setSecret(id, next, clock.now + dayMs);
  verify(await send(id), [next, secret]);
  clock.now += dayMs;
  verify(await send(id), [next]);
});

test('a receiver that is down for a day gets the message once, with the same id', async () => {
  const { id } = add('webhook', `${base}/down`, `whsec_${Buffer.alloc(32).toString('base64')}`);
  received.length = 0;
  answer = { status: 503, bytes: 0 };
  const key = await send(id);
  for (let tries = 1; row(key).nextAt < clock.now + dayMs && tries < 9; ) {
    clock.now = row(key).nextAt;
    await tried(key, ++tries);
  }
  assert.ok(received.length > 6, `${received.length} tries`);
  assert.ok(channels.byId(id)!.failingSince !== null);
  answer = { status: 200, bytes: 0 };
  received.splice(0, received.length - 1);
  clock.now = row(key).nextAt;
  await tried(key, 99);
  assert.equal([received.length, new Set(received.map(({ headers }) => headers['webhook-id'])).size], [2, 1]);
  assert.equal([row(key).error, channels.byId(id)!.failingSince, channels.byId(id)!.lastError], [null, null, null]);
  clock.now += 3 * dayMs;
  await tried(key, 99);
  assert.is(received.length, 2);
});

test('who answers 410 is switched off at once, and who fails for five days', async () => {
  const gone = add('webhook', `${base}/gone`, 'whsec_AAAA');
  answer = { status: 410, bytes: 0 };
  const key = await send(gone.id);
  assert.match(row(key).error!, /410/);
  assert.is(channels.byId(gone.id)!.disabledAt, clock.now);
  const asked = received.length;
  assert.match(row(await send(gone.id)).error!, /switched off/);
  assert.is(received.length, asked);
  answer = { status: 500, bytes: 0 };
  const failing = add('webhook', `${base}/failing`, 'whsec_AAAA');
  await send(failing.id);
  clock.now += 5 * dayMs - hourMs;
  await send(failing.id);
  assert.is(channels.byId(failing.id)!.disabledAt, null);
  clock.now += hourMs;
  await send(failing.id);
  assert.is(channels.byId(failing.id)!.disabledAt, clock.now);
  assert.is(channels.byId(failing.id)!.lastError, 'answers 500');
});

test('redirects are not followed, and long answers do no harm', async () => {
  const { id } = add('slack', `${base}/redirect`);
  answer = { status: 302, bytes: 0 };
  received.length = 0;
  assert.is(row(await send(id)).error, 'answers 302');
  assert.equal(
    received.map(({ url }) => url),
    ['/redirect'],
  );
  answer = { status: 200, bytes: 10_000_000 };
  assert.is(row(await send(id)).error, null);
});

test('each kind gets what it takes', async () => {
  answer = { status: 200, bytes: 0 };
  const bodyOf = async (
    kind: ChannelKind,
    path: string,
    secret: string | null = null,
  ): Promise<[Received, unknown]> => {
    await send(add(kind, `${base}${path}`, secret).id);
    const one = received.at(-1)!;
    return [one, JSON.parse(one.body)];
  };
  const [, slack] = (await bodyOf('slack', '/slack')) as [Received, { blocks: { text: { text: string } }[] }];
  assert.match(slack.blocks[0]!.text.text, /&lt;!here&gt;.*\n90 visits &amp; more\n<https:\/\/stats/);
  const [, discord] = (await bodyOf('discord', '/discord')) as [
    Received,
    { allowed_mentions: object; content: string },
  ];
  assert.equal([discord.allowed_mentions, discord.content], [{ parse: [] }, '']);
  const [, teams] = (await bodyOf('teams', '/teams')) as [Received, { attachments: { content: { type: string } }[] }];
  assert.is(teams.attachments[0]!.content.type, 'AdaptiveCard');
  const [ntfyAsked, ntfy] = (await bodyOf('ntfy', '/up/topic', 'tk_1')) as [Received, { topic: string; click: string }];
  assert.equal([ntfyAsked.url, ntfyAsked.headers.authorization], ['/up/', 'Bearer tk_1']);
  assert.equal([ntfy.topic, ntfy.click], ['topic', event.data.url]);
  const [gotify] = await bodyOf('gotify', '/g/', 'app');
  assert.equal([gotify.url, gotify.headers['x-gotify-key']], ['/g/message', 'app']);
});

test('a report is told to each kind with its figures and a link, and nothing to mute', async () => {
  answer = { status: 200, bytes: 0 };
  const kinds = ['webhook', 'slack', 'discord', 'teams', 'ntfy', 'gotify'] as const;
  for (const kind of kinds) {
    const key = await send(add(kind, `${base}/${kind}`, kind === 'webhook' ? 'whsec_AAAA' : 'x').id, made);
    assert.is(row(key).error, null, kind);
    const { body } = received.at(-1)!;
    for (const part of [made.data.url, 'Visitors: 105', made.data.title])
      assert.ok(body.includes(part), `${kind} ${part}`);
    assert.not.match(body, /mute/i);
    if (kind === 'webhook') assert.equal(JSON.parse(body), made);
  }
});

test.after(async () => {
  await outbox.close();
  server.closeAllConnections();
  server.close();
});
test.run();
