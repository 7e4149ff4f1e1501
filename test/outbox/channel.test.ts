import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { messagesOf, type ToldAlert } from '../../src/alerts/episode-messages.ts';
import { createOutbound } from '../../src/http/outbound.ts';
import type { ChannelKind } from '../../src/model/alerts/channel-kinds.ts';
import type { AlertEvent, ChannelEvent, ReportEvent } from '../../src/model/alerts/event.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { channelKind, messageIdOf } from '../../src/outbox/channel.ts';
import { channelRequests } from '../../src/outbox/channel-requests.ts';
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

/** What strangers can call a source, a path or an event. */
const hostile = [
  '[Log in](https://evil.example/a_b) https://evil.example',
  '@everyone @here <!channel> <@U1> <https://evil.example|Log in>',
  '```code``` `code` **bold** _it_ ~~gone~~ ||hidden|| \\*',
  'a\n# head\n> quote\n- item\u202e',
  '&'.repeat(1500),
];
const textsOf = hostile.map(name => name.replaceAll('\n', ' ').replace('\u202e', ''));
const linesOf = textsOf.map(name => `utm_source ${name.length > 100 ? `${name.slice(0, 99)}…` : name}: 9 (before: 1)`);

/** The event that an alert with such contributors writes for a channel, or its mail. */
const toldOf = (names: string[], to: Parameters<typeof messagesOf>[1], mailOwners = false) => {
  const told = {
    alert: {
      ...{ id: 1, name: 'Peak', rule: { kind: 'spike', params: {} }, muteToken: 'token', mailOwners },
      channelIds: to.map(({ id }) => id),
    },
    ...{ site: { uuid: 'x', domain: 'shop.example', timezone: 'UTC' }, account, parts: [], event: 'fired', episode: 1 },
    judgement: { value: 90, expected: 30, low: 10, high: 50 },
    window: { from: clock.now - hourMs, to: clock.now },
    contributors: names.map(name => ({ dimension: 'utm_source', name, value: 9, previous: 1 })),
    baseUrl: 'https://stats.example',
  };
  return messagesOf(told as unknown as ToldAlert, to, [{ email: 'ada@a.example', isOwner: true }], mailOwners)[0]!.body;
};
const sentTo = async (kind: ChannelKind, names: string[], text?: string) => {
  const channel = add(kind, `${base}/${kind}/x`, kind === 'webhook' ? 'whsec_AAAA' : null);
  const event = toldOf(names, [channel]) as AlertEvent;
  const body = text === undefined ? event : { ...event, data: { ...event.data, text } };
  assert.is(row(await send(channel.id, body as ChannelEvent)).error, null);
  channels.remove(channel.id);
  return JSON.parse(received.at(-1)!.body);
};
const links = ['https://stats.example/sites/shop.example', 'https://stats.example/mute#token'];
const ampersands = '&'.repeat(1500);

test('Slack links and mentions nothing that strangers name, and takes any text', async () => {
  const { blocks } = await sentTo('slack', hostile);
  const { text, verbatim } = blocks[0].text as { text: string; verbatim: boolean };
  assert.is(verbatim, true);
  assert.equal(
    text.match(/<[^>]*>/g),
    links.map((link, i) => `<${link}|${['Daybook', 'Mute'][i]}>`),
  );
  assert.match(text, /&lt;!channel&gt; &lt;@U1&gt; &lt;https:/);
  assert.match(text, /utm_source (&amp;){99}…: 9 \(before: 1\)\n</);
  for (const long of [ampersands, `a${ampersands}`, '<'.repeat(1500), `${'a'.repeat(1499)}😀`]) {
    const sent = (await sentTo('slack', [], long)).blocks[0].text.text as string;
    assert.ok(sent.length < 3000, `${sent.length} characters`);
    assert.not.match(sent.replace(/&(amp|lt|gt);/g, ''), /&/);
    assert.ok(sent.isWellFormed());
    for (const link of links) assert.ok(sent.includes(`<${link}|`));
  }
});

test('Discord shows what strangers name as it is', async () => {
  const body = await sentTo('discord', hostile);
  assert.equal(body.allowed_mentions, { parse: [] });
  const { title, description, url } = body.embeds[0] as { title: string; description: string; url: string };
  assert.equal([title, url], ['shop.example: Peak', links[0]]);
  const mute = `\n[Mute](${links[1]})`;
  assert.ok(description.endsWith(mute));
  const text = description.slice(0, -mute.length);
  const bare = text.replace(/\\[^a-z\d\s]/gi, '');
  assert.not.match(bare, /[\\`*_~|>[\]()<#]|:\/\/|^[-+]/m);
  assert.equal(text.replace(/\\(.)/g, '$1').replaceAll('\u200b', '').split('\n').slice(1), linesOf);
  const marks = await sentTo('discord', [], '- item\n1. one\n1.5 views\n-# small\n+ item');
  assert.ok(marks.embeds[0].description.startsWith('\\- item\n1\\. one\n1.5 views\n\\-\\# small\n\\+ item\n'));
  for (const long of [ampersands, '['.repeat(1500), `a${'\\'.repeat(1500)}`, `a${'*'.repeat(1500)}`]) {
    const sent = (await sentTo('discord', [], long)).embeds[0].description as string;
    assert.ok(sent.length < 4096 && sent.endsWith(mute), `${sent.length} characters`);
    assert.not.match(sent.slice(0, -mute.length).replace(/\\[^a-z\d\s]/gi, ''), /[\\[*]/);
  }
});

test('Teams gets strangers’ names where it reads no Markdown, and the links as buttons', async () => {
  const { body, actions } = (await sentTo('teams', hostile)).attachments[0].content;
  const lines = body.map(({ type, inlines }: { type: string; inlines: { type: string; text: string }[] }) => {
    assert.equal([type, inlines.length, inlines[0]!.type], ['RichTextBlock', 1, 'TextRun']);
    return inlines[0]!.text;
  });
  assert.equal([lines[0], lines.slice(2)], ['shop.example: Peak', linesOf]);
  assert.equal(
    actions.map(({ type, url }: { type: string; url: string }) => [type, url]),
    links.map(link => ['Action.OpenUrl', link]),
  );
});

test('ntfy, Gotify, Telegram and mail get each name as a bounded line of plain text', async () => {
  const { message: ntfy, click, markdown } = await sentTo('ntfy', hostile);
  assert.equal([ntfy.split('\n').slice(1), click, markdown], [linesOf, links[0], undefined]);
  const { message: long } = await sentTo('ntfy', [], `a${'語'.repeat(1500)}`);
  assert.is(long, `a${'語'.repeat(1333)}`);
  const { message: gotify, extras } = await sentTo('gotify', hostile);
  assert.equal(gotify.split('\n').slice(1), [...linesOf, links[0], `Mute: ${links[1]}`]);
  assert.equal(Object.keys(extras), ['client::notification']);
  const phone = add('telegram', '1', 'token');
  const sending = { id: 'x', event: toldOf(hostile, [phone]) as AlertEvent, now: clock.now };
  const telegram = JSON.parse(channelRequests.telegram(phone, sending).body);
  assert.equal([telegram.text.split('\n').slice(2, -2), telegram.parse_mode], [linesOf, undefined]);
  const mail = toldOf(hostile, [], true) as { subject: string; text: string };
  assert.is(mail.subject, 'shop.example: Peak');
  assert.equal(mail.text.split('\n').slice(1), [...linesOf, '', links[0], '', `Mute: ${links[1]}`]);
  assert.is((await sentTo('webhook', hostile)).data.contributors[4].name, ampersands);
});

test.after(async () => {
  await outbox.close();
  server.closeAllConnections();
  server.close();
});
test.run();
