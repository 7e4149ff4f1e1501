/** The request that each kind of channel takes: where to, and what it says. */
import { createHmac } from 'node:crypto';
import type { ChannelKind } from '../model/alerts/channel-kinds.ts';
import type { ChannelEvent } from '../model/alerts/event.ts';
import { clip } from '../model/clip.ts';
import type { Channel } from '../store/alerts/channels.ts';

export interface ChannelRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A message on its way: its key, and when it is sent, UTC milliseconds. */
export interface Sending {
  id: string;
  event: ChannelEvent;
  now: number;
}

/** Below the bounds of all kinds, which count what is sent: marks, entities and addresses, too. */
const textCharsMax = 1500;
const titleCharsMax = 250;
/** Of ntfy, which counts bytes and may refuse what is longer than 4096. */
const ntfyBytesMax = 4000;

const textOf = ({ data }: ChannelEvent): string => clip(data.text, textCharsMax);
const muteUrlOf = ({ data }: ChannelEvent): string => ('muteUrl' in data ? data.muteUrl : '');
const isBad = ({ type }: ChannelEvent): boolean => type === 'alert.fired' || type === 'alert.reminder';

const jsonTo = (url: string, body: object, headers: Record<string, string> = {}): ChannelRequest => ({
  ...{ url, body: JSON.stringify(body) },
  headers: { 'content-type': 'application/json', ...headers },
});

/** `v1,` and the HMAC of a message (Standard Webhooks), with a secret that begins with `whsec_`. */
export const signatureOf = (secret: string, id: string, timestamp: number, body: string): string => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
};

const webhook = ({ target, secret, oldSecret, oldUntil }: Channel, { id, event, now }: Sending): ChannelRequest => {
  const timestamp = Math.floor(now / 1000);
  const request = jsonTo(target, event);
  const secrets = [secret, oldSecret !== null && (oldUntil ?? 0) > now ? oldSecret : null];
  const signatures = secrets.flatMap(one => (one === null ? [] : signatureOf(one, id, timestamp, request.body)));
  const signed = {
    ...{ 'webhook-id': id, 'webhook-timestamp': String(timestamp) },
    'webhook-signature': signatures.join(' '),
  };
  return { ...request, headers: { ...request.headers, ...signed } };
};

/** Slack reads & < > as its own marks. No entity is cut in half. */
const forSlack = (text: string, charsMax: number): string =>
  clip(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'), charsMax).replace(/&[a-z]*$/, '');

const slack = ({ target }: Channel, { event }: Sending): ChannelRequest => {
  const { title, url } = event.data;
  const links = [url && `<${url}|Daybook>`, muteUrlOf(event) && `<${muteUrlOf(event)}|Mute>`].filter(Boolean);
  const [head, text] = [forSlack(title, titleCharsMax), forSlack(event.data.text, textCharsMax)];
  const lines = [`*${head}*`, text, links.join(' · ')].filter(Boolean).join('\n');
  // Verbatim: addresses and names of channels in it become no links.
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: lines, verbatim: true } }];
  return jsonTo(target, { text: head, blocks });
};

/**
 * Discord reads Markdown, and links addresses unless something invisible breaks them. No mark is
 * left without what it escapes.
 */
const forDiscord = (text: string, charsMax: number): string => {
  const escaped = text.replace(/[\\`*_~|>[\]()<#]|(?<=^\s*)[-+]|(?<=^\s*\d+)\.(?=\s)/gm, '\\$&');
  return clip(escaped.replaceAll('://', ':\u200b//'), charsMax).replace(/((?:\\\\)*)\\?$/, '$1');
};

const discord = ({ target }: Channel, { event }: Sending): ChannelRequest => {
  const { title, url } = event.data;
  const mute = muteUrlOf(event) && `\n[Mute](${muteUrlOf(event)})`;
  const embed = {
    title: forDiscord(title, titleCharsMax),
    description: `${forDiscord(event.data.text, textCharsMax)}${mute}`,
    ...(url && { url }),
    color: isBad(event) ? 0xd97706 : 0x2563eb,
  };
  return jsonTo(target, { content: '', embeds: [embed], allowed_mentions: { parse: [] } });
};

/** No TextBlock: it reads Markdown, and Teams on phones shows the backslashes that escape it. */
const teamsLine = (text: string, look: object): object => ({
  ...{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...look }] },
  spacing: 'small',
});

const teams = ({ target }: Channel, { event }: Sending): ChannelRequest => {
  const { title, url } = event.data;
  const actions = [
    { title: 'Daybook', url },
    { title: 'Mute', url: muteUrlOf(event) },
  ];
  const content = {
    ...{ $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4' },
    body: [
      teamsLine(title, { weight: 'bolder' }),
      ...textOf(event)
        .split('\n')
        .filter(Boolean)
        .map(line => teamsLine(line, {})),
    ],
    actions: actions.filter(action => action.url !== '').map(action => ({ type: 'Action.OpenUrl', ...action })),
  };
  return jsonTo(target, {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  });
};

const plainText = (event: ChannelEvent): string =>
  [textOf(event), event.data.url, muteUrlOf(event) && `Mute: ${muteUrlOf(event)}`].filter(Boolean).join('\n');

const telegram = ({ target, secret }: Channel, { event }: Sending): ChannelRequest =>
  jsonTo(`https://api.telegram.org/bot${secret}/sendMessage`, {
    ...{ chat_id: target, text: `${event.data.title}\n${plainText(event)}` },
    link_preview_options: { is_disabled: true },
  });

const ntfy = ({ target, secret }: Channel, { event }: Sending): ChannelRequest => {
  const { origin, pathname } = new URL(target);
  const at = pathname.lastIndexOf('/');
  const { title, url } = event.data;
  const bytes = Buffer.from(textOf(event)).subarray(0, ntfyBytesMax);
  // A stream leaves out a character that was cut in half.
  const text = new TextDecoder().decode(bytes, { stream: true });
  const message = {
    ...{ topic: pathname.slice(at + 1), title, message: text, priority: isBad(event) ? 4 : 3 },
    ...(url && { click: url }),
    ...(muteUrlOf(event) && { actions: [{ action: 'view', label: 'Mute', url: muteUrlOf(event) }] }),
  };
  return jsonTo(
    `${origin}${pathname.slice(0, at + 1)}`,
    message,
    secret === null ? {} : { authorization: `Bearer ${secret}` },
  );
};

const gotify = ({ target, secret }: Channel, { event }: Sending): ChannelRequest =>
  jsonTo(
    `${target.replace(/\/+$/, '')}/message`,
    {
      ...{ title: event.data.title, message: plainText(event), priority: isBad(event) ? 7 : 4 },
      ...(event.data.url && { extras: { 'client::notification': { click: { url: event.data.url } } } }),
    },
    { 'x-gotify-key': secret ?? '' },
  );

/** By kind; mail leaves as mail. */
export const channelRequests: Record<
  Exclude<ChannelKind, 'mail'>,
  (channel: Channel, sending: Sending) => ChannelRequest
> = { webhook, slack, discord, teams, telegram, ntfy, gotify };
