/** The kinds of channels that messages of alerts go to, and what each takes. */
import { FieldError } from '../fields.ts';
import { suggestion } from '../nearest.ts';

export interface ChannelRow {
  label: string;
  /** What `target` is. */
  target: string;
  /** What `secret` is; missing where there is none. */
  secret?: string;
  /** The address itself lets anybody send, so that it is not shown again. */
  isTargetSecret?: true;
  /** Whether a server must be named, which some have of their own. */
  isAddress?: true;
}

export const channelKinds = {
  mail: { label: 'Mail', target: 'The e-mail of a member of the team' },
  webhook: { label: 'Webhook', target: 'The address that takes it (Standard Webhooks)', isAddress: true },
  slack: {
    label: 'Slack, Mattermost, Rocket.Chat',
    target: 'The address of the incoming webhook',
    isTargetSecret: true,
    isAddress: true,
  },
  discord: { label: 'Discord', target: 'The address of the webhook', isTargetSecret: true, isAddress: true },
  teams: { label: 'Teams', target: 'The address of the workflow', isTargetSecret: true, isAddress: true },
  telegram: { label: 'Telegram', target: 'The id of the chat', secret: 'The token of the bot' },
  ntfy: {
    label: 'ntfy',
    target: 'The address of the topic, such as https://ntfy.sh/my-topic',
    secret: 'An access token, if the topic needs one',
    isAddress: true,
  },
  gotify: {
    label: 'Gotify',
    target: 'The address of the server',
    secret: 'The token of the application',
    isAddress: true,
  },
} as const satisfies Record<string, ChannelRow>;

export type ChannelKind = keyof typeof channelKinds;
export const channelKindNames = Object.keys(channelKinds) as ChannelKind[];

const textMax = 2000;

export interface ChannelGiven {
  kind: ChannelKind;
  target: string;
  /** Null where the kind has none, or where one is made here. */
  secret: string | null;
}

/** Throws FieldError. */
export const channelKindOf = (given: unknown): ChannelKind => {
  const kind = channelKindNames.find(each => each === given);
  if (kind !== undefined) return kind;
  const meant = typeof given === 'string' ? suggestion(given, channelKindNames) : '';
  throw new FieldError('kind', `A channel is one of ${channelKindNames.join(', ')}.${meant}`, channelKindNames);
};

/** What somebody says of a channel. Throws FieldError. */
export const channelOf = (given: Readonly<Record<string, unknown>>): ChannelGiven => {
  const kind = channelKindOf(given.kind);
  const row: ChannelRow = channelKinds[kind];
  const textIn = (field: 'target' | 'secret'): string => {
    const { [field]: value = '' } = given;
    if (typeof value === 'string' && value.length <= textMax && !/[\p{Cc}\s]/u.test(value.trim())) return value.trim();
    throw new FieldError(field, `${field} is a text without spaces.`);
  };
  const [target, secret] = [textIn('target'), textIn('secret')];
  if (target === '') throw new FieldError('target', `${row.target}: say which.`);
  if (row.isAddress) refuseAddress(target);
  if (kind === 'telegram' && !/^(-?\d{1,20}|@\w{1,64})$/.test(target))
    throw new FieldError('target', 'A chat is a number, or @ and the name of a channel.');
  if (kind === 'telegram' && !/^\d+:[\w-]{20,100}$/.test(secret))
    throw new FieldError('secret', 'The token of a bot looks like 123456:ABC….');
  if (row.secret === undefined && secret !== '')
    throw new FieldError('secret', `A channel of kind ${kind} takes no secret.`);
  if (kind === 'gotify' && secret === '') throw new FieldError('secret', `${row.secret}: say which.`);
  return { kind, target, secret: secret === '' ? null : secret };
};

const refuseAddress = (target: string): void => {
  const url = URL.parse(target);
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    throw new FieldError('target', 'The address begins with https://.');
  if (url.username !== '' || url.password !== '')
    throw new FieldError('target', 'The address may not hold a user or password.');
};

/** What is shown of a secret. */
export const lastFour = (secret: string): string => `…${secret.slice(-4)}`;
