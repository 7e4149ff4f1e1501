/**
 * Alerts of a site and channels of a team: lists, adds, changes and removes them, for programs and
 * for the dashboard.
 */
import { HttpError } from '../../http/errors.ts';
import { type ChannelRow, channelKinds, channelOf, lastFour } from '../../model/alerts/channel-kinds.ts';
import type { AlertEvent } from '../../model/alerts/event.ts';
import { alertNameOf, alertRuleOf, alertsMax, channelsMax, muteHours } from '../../model/alerts/kinds.ts';
import type { AuditAction, AuditEvent } from '../../model/audit.ts';
import { FieldError } from '../../model/fields.ts';
import { makeToken, type Random } from '../../model/ids.ts';
import { isRecord } from '../../model/record.ts';
import { dayMs, hourMs, isoTime, isoTimeOrNull } from '../../model/time.ts';
import type { Alert, AlertSettings } from '../../store/alerts/alerts.ts';
import type { Channel } from '../../store/alerts/channels.ts';
import type { Stores } from '../../store/stores.ts';
import { UniqueViolation } from '../../store/unique-violation.ts';
import { asRefused } from '../changes/fields.ts';
import { changedNames, refuseManaged } from '../changes/managed.ts';
import { type ReadableSite, refuseHidden } from '../endpoint.ts';
import { ParameterError } from '../request/parameters.ts';
import { channelMessage } from './event-messages.ts';
import { partsOfAlert } from './measure.ts';

/** What alerts and channels are read from and written to, on a server that writes itself. */
export interface AlertStores
  extends Pick<Stores, 'accounts' | 'alerts' | 'channels' | 'members' | 'outbox' | 'persons' | 'provisioned'> {
  random: Random;
  /** Whether a mail server is set. */
  sendsMail: boolean;
}

/** Who changes something, and when. */
export interface ChangedBy {
  accountId: number;
  name: string;
  now: number;
  /** May change what a file of settings sets, as commands and the file itself do. */
  overrules?: true;
  /** Writes down what was done. */
  note(action: AuditAction, subject: string, details: AuditEvent['details']): void;
}

const noteAlert = (by: ChangedBy, { site }: ReadableSite, alert: string, done: string): void =>
  by.note('alert-changed', site.domain, { alert, done });
const noteChannel = (by: ChangedBy, name: string, done: string): void => by.note('channel-changed', name, { done });

/** What is wrong with what somebody sent, as HttpError. */
const reading = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof ParameterError) throw new HttpError('bad-alert', { ...error.body, field: 'filters' });
    if (error instanceof UniqueViolation) throw new HttpError('bad-alert', { error: error.message, field: 'name' });
    throw asRefused('bad-alert', error);
  }
};

export const alertJson = (alert: Alert) => {
  const { id, mutedUntil, madeBy, createdAt, state } = alert;
  return {
    ...{ id, ...chosenOf(alert) },
    ...{ mutedUntil: isoTimeOrNull(mutedUntil), madeBy, createdAt: isoTime(createdAt) },
    state: state && {
      ...{ state: state.state, since: isoTime(state.since), firedAt: isoTimeOrNull(state.firedAt) },
      ...{ value: state.value, expected: state.expected, low: state.low, high: state.high },
    },
  };
};

/** Those that tell nothing of what is hidden. */
const shownAlerts = ({ alerts }: AlertStores, view: ReadableSite): Alert[] => {
  const all = alerts.list(view.site.id);
  return view.hidden.size === 0 ? all : all.filter(alert => tellsNothingHidden(alert, view));
};

const tellsNothingHidden = ({ rule, filters }: Alert, view: ReadableSite): boolean => {
  try {
    return partsOfAlert(rule, filters, view).every(part => !view.hidden.has(part));
  } catch (error) {
    // Its goal or segment is gone, or hidden itself.
    if (error instanceof ParameterError || error instanceof HttpError) return false;
    throw error;
  }
};

export const alertList = (stores: AlertStores, view: ReadableSite) => ({
  data: shownAlerts(stores, view).map(alertJson),
  sendsMail: stores.sendsMail,
});

/** A field that is true or false. */
const switchIn = (given: Readonly<Record<string, unknown>>, field: string, preset: boolean): boolean => {
  const { [field]: value = preset } = given;
  if (typeof value === 'boolean') return value;
  throw new FieldError(field, `${field} is true or false.`, ['true', 'false']);
};

/** What an alert is about. Throws HttpError. */
export const tried = (body: unknown, view: ReadableSite) =>
  reading(() => {
    const given = isRecord(body) ? body : {};
    const rule = alertRuleOf(given);
    const { filters = '' } = given;
    if (typeof filters !== 'string' || filters.length > 2000)
      throw new FieldError('filters', 'filters is a text as in an address.');
    for (const part of partsOfAlert(rule, filters, view)) refuseHidden(view, part);
    return { rule, filters };
  });

const settingsOf = ({ channels }: AlertStores, view: ReadableSite, body: unknown): AlertSettings => {
  const given = isRecord(body) ? body : {};
  const about = tried(given, view);
  return reading(() => {
    const { channels: ids = [] } = given;
    if (!Array.isArray(ids) || ids.length > channelsMax) throw new FieldError('channels', 'channels is a list of ids.');
    const own = channels.list(view.site.accountId).map(({ id }) => id);
    if (!ids.every(id => own.includes(id))) throw new HttpError('no-channel');
    return {
      ...{ ...about, name: alertNameOf(given.name), channelIds: [...new Set(ids as number[])] },
      ...{ mailOwners: switchIn(given, 'mailOwners', false), enabled: switchIn(given, 'enabled', true) },
    };
  });
};

export const addAlert = (stores: AlertStores, view: ReadableSite, body: unknown, by: ChangedBy) => {
  const settings = settingsOf(stores, view, body);
  const facts = { siteId: view.site.id, muteToken: makeToken(stores.random), madeBy: by.name, createdAt: by.now };
  const added = stores.alerts.add({ ...settings, ...facts });
  if (added === undefined) throw new HttpError('bad-alert', { error: `A site has at most ${alertsMax} alerts.` });
  noteAlert(by, view, added.name, 'added');
  return alertJson(added);
};

/** `id` is as it stands in a path. Throws HttpError. */
const alertOf = (stores: AlertStores, view: ReadableSite, id: string): Alert => {
  const found = shownAlerts(stores, view).find(alert => String(alert.id) === id);
  if (found === undefined) throw new HttpError('no-alert');
  return found;
};

/** Throws HttpError where a file sets it, or one of these fields. */
const refuseManagedAlert = (
  stores: AlertStores,
  { site }: ReadableSite,
  alert: Alert,
  by: ChangedBy,
  fields?: readonly string[],
): void => {
  if (!by.overrules) refuseManaged(stores, 'alerts', site.uuid, alert.name, fields);
};

/** What is chosen of an alert, as bodies and files name it. */
const chosenOf = ({ name, rule, filters, channelIds, mailOwners, enabled }: AlertSettings) => ({
  ...{ name, kind: rule.kind, params: rule.params, filters, channels: channelIds, mailOwners, enabled },
});

export const changeAlert = (stores: AlertStores, view: ReadableSite, id: string, body: unknown, by: ChangedBy) => {
  const alert = alertOf(stores, view, id);
  const settings = settingsOf(stores, view, body);
  refuseManagedAlert(stores, view, alert, by, changedNames(chosenOf(alert), chosenOf(settings)));
  stores.alerts.set(alert.id, settings);
  const changed = alertOf(stores, view, id);
  noteAlert(by, view, changed.name, 'changed');
  return alertJson(changed);
};

export const removeAlert = (stores: AlertStores, view: ReadableSite, id: string, by: ChangedBy): void => {
  const alert = alertOf(stores, view, id);
  // Each site has it from its first hits: it would come back.
  if (alert.madeBy === 'server')
    throw new HttpError('bad-alert', { error: 'This alert is made for each site: switch it off instead.' });
  refuseManagedAlert(stores, view, alert, by);
  stores.alerts.remove(alert.id);
  noteAlert(by, view, alert.name, 'removed');
};

/** `hours` 0 ends it. Throws HttpError. */
export const muteAlert = (stores: AlertStores, view: ReadableSite, id: string, body: unknown, by: ChangedBy) => {
  const alert = alertOf(stores, view, id);
  const hours = isRecord(body) ? body.hours : undefined;
  const allowed = [0, ...Object.values(muteHours)];
  if (!allowed.some(each => each === hours))
    throw new HttpError('bad-alert', {
      error: `hours is one of ${allowed.join(', ')}.`,
      field: 'hours',
      allowed: allowed.map(String),
    });
  stores.alerts.mute(alert.id, hours === 0 ? null : view.now + (hours as number) * hourMs);
  noteAlert(by, view, alert.name, hours === 0 ? 'unmuted' : 'muted');
  return alertJson(alertOf(stores, view, id));
};

/** A channel without what is secret. */
export const channelJson = ({ secret, oldSecret: _, oldUntil, accountId: __, ...channel }: Channel) => {
  const { isTargetSecret }: ChannelRow = channelKinds[channel.kind];
  return {
    ...channel,
    target: isTargetSecret ? `${new URL(channel.target).origin}/${lastFour(channel.target)}` : channel.target,
    secret: secret === null ? null : lastFour(secret),
    oldSecretUntil: isoTimeOrNull(oldUntil),
    createdAt: isoTime(channel.createdAt),
    verifiedAt: isoTimeOrNull(channel.verifiedAt),
    failingSince: isoTimeOrNull(channel.failingSince),
    disabledAt: isoTimeOrNull(channel.disabledAt),
  };
};

export const channelList = ({ channels, sendsMail }: AlertStores, accountId: number) => ({
  data: channels.list(accountId).map(channelJson),
  sendsMail,
});

const makeSecret = (random: Random): string => `whsec_${Buffer.from(random(32)).toString('base64')}`;

const emailsOf = ({ members, persons }: AlertStores, accountId: number): string[] =>
  members.ofAccount(accountId).flatMap(({ personId }) => persons.byId(personId)?.email ?? []);

/** What a body says of a channel; the secret of a webhook is made here. Throws FieldError. */
const channelGiven = (stores: AlertStores, body: unknown, { accountId }: ChangedBy) => {
  const given = isRecord(body) ? body : {};
  const { kind, target, secret } = channelOf(given);
  const name = alertNameOf(given.name);
  const address = kind === 'mail' ? target.toLowerCase() : target;
  const emails = kind === 'mail' ? emailsOf(stores, accountId) : [];
  // Whoever is no member would have to be asked first.
  if (kind === 'mail' && !emails.includes(address))
    throw new FieldError('target', 'Mail goes to members of the team.', emails);
  return { kind, name, target: address, secret: kind === 'webhook' ? makeSecret(stores.random) : secret };
};

/** The secret of a webhook is in this answer, and in no other. */
export const addChannel = (stores: AlertStores, body: unknown, by: ChangedBy) => {
  const facts = { accountId: by.accountId, madeBy: by.name, createdAt: by.now };
  const added = reading(() => stores.channels.add({ ...facts, ...channelGiven(stores, body, by) }));
  if (added === undefined) throw new HttpError('bad-alert', { error: `A team has at most ${channelsMax} channels.` });
  const { kind, secret } = added;
  noteChannel(by, added.name, 'added');
  return { ...channelJson(added), ...(kind === 'webhook' && { secret }) };
};

/** Sends elsewhere under the same name. What was known of the way there is forgotten. */
export const changeChannel = (
  stores: AlertStores,
  { id, kind, secret, target }: Channel,
  body: unknown,
  by: ChangedBy,
) => {
  const given = reading(() => channelGiven(stores, body, by));
  // What another receiver gets is signed with another secret.
  const keepsSecret = kind === 'webhook' && given.kind === 'webhook' && given.target === target;
  stores.channels.set(id, { ...given, ...(keepsSecret && { secret }) });
};

/** Throws HttpError. */
const channelIn = ({ channels }: AlertStores, accountId: number, id: string): Channel => {
  const found = channels.byId(Number(id));
  if (found === undefined || found.accountId !== accountId) throw new HttpError('no-channel');
  return found;
};

export const removeChannel = (stores: AlertStores, id: string, by: ChangedBy): void => {
  const channel = channelIn(stores, by.accountId, id);
  if (!by.overrules) refuseManaged(stores, 'channels', stores.accounts.byId(by.accountId)!.uuid, channel.name);
  stores.channels.remove(channel.id);
  noteChannel(by, channel.name, 'removed');
};

/** Messages are signed with the old one too, for a day. */
export const newSecret = (stores: AlertStores, id: string, by: ChangedBy) => {
  const { accountId, now } = by;
  const { id: channelId, kind, name } = channelIn(stores, accountId, id);
  if (kind !== 'webhook') throw new HttpError('bad-alert', { error: 'Only webhooks are signed.' });
  const secret = makeSecret(stores.random);
  stores.channels.setSecret(channelId, secret, now + dayMs);
  noteChannel(by, name, 'secret');
  return { ...channelJson(channelIn(stores, accountId, id)), secret };
};

/** Of a team, in an hour: each is sent at once, before all that waits. */
const testsMax = 20;

/** Sends a test, and switches the channel on where it was off. */
export const testChannel = (stores: AlertStores, id: string, team: string, { accountId, now }: ChangedBy): void => {
  const channel = channelIn(stores, accountId, id);
  if (channel.kind === 'mail' && !stores.sendsMail) throw new HttpError('no-mail-server');
  if (stores.outbox.writtenAfter(accountId, 'test:', now - hourMs) >= testsMax)
    throw new HttpError('too-many-mails', { error: 'Too many tests: wait a while.', retryAfterSeconds: 3600 });
  stores.channels.enable(channel.id);
  const text = `A test of the channel ${channel.name}.`;
  const event: AlertEvent = {
    ...{ type: 'test', timestamp: isoTime(now) },
    data: { team, title: 'Daybook', text, url: '' },
  };
  const key = `test:${makeToken(stores.random)}`;
  stores.outbox.add({ ...channelMessage(key, channel, event), isUrgent: true }, now);
};
