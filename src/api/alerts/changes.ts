/**
 * Alerts of a site and channels of a team: lists, adds, changes and removes them, for programs and
 * for the dashboard.
 */
import { HttpError } from '../../http/errors.ts';
import { json, type Reply } from '../../http/reply.ts';
import { type ChannelRow, channelKinds, channelOf, lastFour } from '../../model/alerts/channel-kinds.ts';
import type { AlertEvent } from '../../model/alerts/event.ts';
import { AlertFieldError, alertNameOf, alertRuleOf, alertsMax, channelsMax } from '../../model/alerts/kinds.ts';
import { makeToken, type Random } from '../../model/ids.ts';
import { isRecord } from '../../model/record.ts';
import { dayMs, hourMs, isoTime } from '../../model/time.ts';
import type { Alert, AlertSettings, Alerts } from '../../store/alerts/alerts.ts';
import type { Channel, Channels } from '../../store/alerts/channels.ts';
import type { OutboxStore } from '../../store/outbox.ts';
import { UniqueViolation } from '../../store/unique-violation.ts';
import type { ReadableSite } from '../endpoint.ts';
import { ParameterError } from '../request/parameters.ts';
import { measureOf } from './measure.ts';

export interface AlertStores {
  alerts: Alerts;
  channels: Channels;
  outbox: OutboxStore;
  /** E-mails of the members of a team. */
  emailsOf: (accountId: number) => string[];
  random: Random;
}

/** Who changes something, and when. */
export interface ChangedBy {
  accountId: number;
  name: string;
  now: number;
}

const instantOf = (at: number | null): string | null => (at === null ? null : isoTime(at));

/** What is wrong with what somebody sent, as HttpError. */
const reading = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof AlertFieldError) {
      const { message, field, allowed } = error;
      throw new HttpError('bad-alert', {
        error: message,
        field,
        ...(allowed.length > 0 && { allowed: allowed.map(String) }),
      });
    }
    if (error instanceof ParameterError) throw new HttpError('bad-alert', { ...error.body, field: 'filters' });
    if (error instanceof UniqueViolation) throw new HttpError('bad-alert', { error: error.message, field: 'name' });
    throw error;
  }
};

export const alertJson = (alert: Alert): object => {
  const { id, name, rule, filters, channelIds, mailOwners, enabled, mutedUntil, madeBy, createdAt, state } = alert;
  return {
    ...{ id, name, kind: rule.kind, params: rule.params, filters, channels: channelIds, mailOwners, enabled },
    ...{ mutedUntil: instantOf(mutedUntil), madeBy, createdAt: isoTime(createdAt) },
    state: state && {
      ...{ state: state.state, since: isoTime(state.since), firedAt: instantOf(state.firedAt) },
      ...{ value: state.value, expected: state.expected, low: state.low, high: state.high },
    },
  };
};

export const alertList = ({ alerts }: AlertStores, siteId: number): object => ({
  data: alerts.list(siteId).map(alertJson),
});

/** A field that is true or false. */
const switchIn = (given: Readonly<Record<string, unknown>>, field: string, preset: boolean): boolean => {
  const { [field]: value = preset } = given;
  if (typeof value === 'boolean') return value;
  throw new AlertFieldError(field, `${field} is true or false.`, ['true', 'false']);
};

/** What an alert is about. Throws HttpError. */
export const tried = (body: unknown, view: ReadableSite) =>
  reading(() => {
    const given = isRecord(body) ? body : {};
    const rule = alertRuleOf(given);
    const { filters = '' } = given;
    if (typeof filters !== 'string' || filters.length > 2000)
      throw new AlertFieldError('filters', 'filters is a text as in an address.');
    measureOf(rule, filters, view);
    return { rule, filters };
  });

const settingsOf = ({ channels }: AlertStores, view: ReadableSite, body: unknown): AlertSettings => {
  const given = isRecord(body) ? body : {};
  const about = tried(given, view);
  return reading(() => {
    const { channels: ids = [] } = given;
    if (!Array.isArray(ids) || ids.length > channelsMax)
      throw new AlertFieldError('channels', 'channels is a list of ids.');
    const own = channels.list(view.site.accountId).map(({ id }) => id);
    if (!ids.every(id => own.includes(id))) throw new HttpError('no-channel');
    return {
      ...{ ...about, name: alertNameOf(given.name), channelIds: [...new Set(ids as number[])] },
      ...{ mailOwners: switchIn(given, 'mailOwners', false), enabled: switchIn(given, 'enabled', true) },
    };
  });
};

export const addAlert = (stores: AlertStores, view: ReadableSite, body: unknown, by: ChangedBy): Reply => {
  const settings = settingsOf(stores, view, body);
  const facts = { siteId: view.site.id, muteToken: makeToken(stores.random), madeBy: by.name, createdAt: by.now };
  const added = stores.alerts.add({ ...settings, ...facts });
  if (added === undefined) throw new HttpError('bad-alert', { error: `A site has at most ${alertsMax} alerts.` });
  return json(200, alertJson(added));
};

/** `id` is as it stands in a path. Throws HttpError. */
const alertOf = ({ alerts }: AlertStores, siteId: number, id: string): Alert => {
  const found = alerts.list(siteId).find(alert => String(alert.id) === id);
  if (found === undefined) throw new HttpError('no-alert');
  return found;
};

export const changeAlert = (stores: AlertStores, view: ReadableSite, id: string, body: unknown): Reply => {
  const { id: alertId } = alertOf(stores, view.site.id, id);
  stores.alerts.set(alertId, settingsOf(stores, view, body));
  return json(200, alertJson(alertOf(stores, view.site.id, id)));
};

export const removeAlert = (stores: AlertStores, siteId: number, id: string): Reply => {
  const alert = alertOf(stores, siteId, id);
  // Each site has it from its first hits: it would come back.
  if (alert.madeBy === 'server')
    throw new HttpError('bad-alert', { error: 'This alert is made for each site: switch it off instead.' });
  stores.alerts.remove(alert.id);
  return json(200, { done: true });
};

/** How long an alert can be muted from a message. */
export const muteHours = [1, 24, 168] as const;

/** `hours` 0 ends it. Throws HttpError. */
export const muteAlert = (stores: AlertStores, siteId: number, id: string, body: unknown, now: number): Reply => {
  const alert = alertOf(stores, siteId, id);
  const hours = isRecord(body) ? body.hours : undefined;
  const allowed = [0, ...muteHours];
  if (!allowed.some(each => each === hours))
    throw new HttpError('bad-alert', {
      error: `hours is one of ${allowed.join(', ')}.`,
      field: 'hours',
      allowed: allowed.map(String),
    });
  stores.alerts.mute(alert.id, hours === 0 ? null : now + (hours as number) * hourMs);
  return json(200, alertJson(alertOf(stores, siteId, id)));
};

/** A channel without what is secret. */
export const channelJson = ({ secret, oldSecret: _, oldUntil, accountId: __, ...channel }: Channel): object => {
  const { isTargetSecret }: ChannelRow = channelKinds[channel.kind];
  return {
    ...channel,
    target: isTargetSecret ? `${new URL(channel.target).origin}/${lastFour(channel.target)}` : channel.target,
    secret: secret === null ? null : lastFour(secret),
    oldSecretUntil: instantOf(oldUntil),
    createdAt: isoTime(channel.createdAt),
    verifiedAt: instantOf(channel.verifiedAt),
    failingSince: instantOf(channel.failingSince),
    disabledAt: instantOf(channel.disabledAt),
  };
};

export const channelList = ({ channels }: AlertStores, accountId: number): object => ({
  data: channels.list(accountId).map(channelJson),
});

const makeSecret = (random: Random): string => `whsec_${Buffer.from(random(32)).toString('base64')}`;

/** The secret of a webhook is in this answer, and in no other. */
export const addChannel = (stores: AlertStores, body: unknown, by: ChangedBy): Reply => {
  const { channels, random, emailsOf } = stores;
  const added = reading(() => {
    const given = isRecord(body) ? body : {};
    const { kind, target, secret } = channelOf(given);
    const name = alertNameOf(given.name);
    const address = kind === 'mail' ? target.toLowerCase() : target;
    // Whoever is no member would have to be asked first.
    if (kind === 'mail' && !emailsOf(by.accountId).includes(address))
      throw new AlertFieldError('target', 'Mail goes to members of the team.', emailsOf(by.accountId));
    const made = kind === 'webhook' ? makeSecret(random) : secret;
    const facts = { accountId: by.accountId, madeBy: by.name, createdAt: by.now };
    return channels.add({ ...facts, kind, name, target: address, secret: made });
  });
  if (added === undefined) throw new HttpError('bad-alert', { error: `A team has at most ${channelsMax} channels.` });
  const { kind, secret } = added;
  return json(200, { ...channelJson(added), ...(kind === 'webhook' && { secret }) });
};

/** Throws HttpError. */
const channelIn = ({ channels }: AlertStores, accountId: number, id: string): Channel => {
  const found = channels.byId(Number(id));
  if (found === undefined || found.accountId !== accountId) throw new HttpError('no-channel');
  return found;
};

export const removeChannel = (stores: AlertStores, accountId: number, id: string): Reply => {
  stores.channels.remove(channelIn(stores, accountId, id).id);
  return json(200, { done: true });
};

/** Messages are signed with the old one too, for a day. */
export const newSecret = (stores: AlertStores, id: string, { accountId, now }: ChangedBy): Reply => {
  const { id: channelId, kind } = channelIn(stores, accountId, id);
  if (kind !== 'webhook') throw new HttpError('bad-alert', { error: 'Only webhooks are signed.' });
  const secret = makeSecret(stores.random);
  stores.channels.setSecret(channelId, secret, now + dayMs);
  return json(200, { ...channelJson(channelIn(stores, accountId, id)), secret });
};

/** Of a team, in an hour: each is sent at once, before all that waits. */
const testsMax = 20;

/** Sends a test, and switches the channel on where it was off. */
export const testChannel = (stores: AlertStores, id: string, team: string, { accountId, now }: ChangedBy): Reply => {
  const channel = channelIn(stores, accountId, id);
  if (stores.outbox.writtenAfter(accountId, 'test:', now - hourMs) >= testsMax)
    throw new HttpError('too-many-mails', { error: 'Too many tests: wait a while.', retryAfterSeconds: 3600 });
  stores.channels.enable(channel.id);
  const text = `A test of the channel ${channel.name}.`;
  const event: AlertEvent = {
    ...{ type: 'test', timestamp: isoTime(now) },
    data: { team, title: 'Daybook', text, url: '' },
  };
  const key = `test:${channel.id}:${makeToken(stores.random)}`;
  const message =
    channel.kind === 'mail'
      ? { kind: 'mail', target: channel.target, body: { subject: 'Daybook', text } }
      : { kind: 'channel', target: String(channel.id), body: event };
  stores.outbox.add({ key, accountId, isUrgent: true, ...message }, now);
  return json(200, { done: true });
};
