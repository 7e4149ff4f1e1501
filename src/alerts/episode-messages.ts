/** What alerts say, and to whom: written into the outbox, in the transaction that moves them on. */

import { channelMessage, mailMessage } from '../api/alerts/event-messages.ts';
import type { EpisodeEvent } from '../model/alerts/episodes.ts';
import type { AlertEvent, AlertEventData, Contributor } from '../model/alerts/event.ts';
import type { Judgement } from '../model/alerts/judgement.ts';
import { wallClock } from '../model/notes.ts';
import { oneLine } from '../model/one-line.ts';
import type { HideablePart } from '../model/public-parts.ts';
import type { Account, Site } from '../model/site.ts';
import { isoTime } from '../model/time.ts';
import { isVital, vitals } from '../model/vitals.ts';
import type { Alert } from '../store/alerts/alerts.ts';
import type { Channel } from '../store/alerts/channels.ts';
import type { NewMessage } from '../store/outbox.ts';

export interface ToldAlert {
  alert: Alert;
  site: Site;
  account: Account;
  /** What it tells of that may be hidden from somebody. */
  parts: readonly HideablePart[];
  event: EpisodeEvent;
  judgement: Judgement;
  /** UTC milliseconds. */
  window: { from: number; to: number };
  contributors: Contributor[];
  /** Number of the episode, so that each is told once. */
  episode: number;
  /** Where people reach the dashboard; null where that is not known. */
  baseUrl: string | null;
}

const shown = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** Revenue is in minor units of the site's currency, and rates in percent. */
const unitOf = ({ rule }: Alert, { currency }: Site): string => {
  if (rule.kind === 'refused') return 'hits refused';
  if (rule.kind === 'errors') return rule.params.of === 'crawls' ? 'crawls not answered' : 'events';
  const metric = 'metric' in rule.params ? rule.params.metric : 'visits';
  if (metric === 'revenue') return `revenue (minor units of ${currency})`;
  if (isVital(metric)) return `${vitals[metric].unit ?? ''} ${metric.toUpperCase()}, 75th percentile`.trim();
  return metric;
};

const saidOf = ({ alert, site, judgement: { value, expected }, contributors }: ToldAlert): string => {
  const { rule } = alert;
  const usual = expected === null ? '' : `, usually ${shown(expected)}`;
  if (rule.kind === 'silent')
    return expected === null ? 'no visits' : `no visits, ${shown(expected)} should have come since the last one`;
  if (rule.kind === 'new-source')
    return contributors.length === 1
      ? 'a new source'
      : `${contributors.length} new sources, the largest with ${shown(value)} visitors`;
  if (rule.kind === 'goal') return `${rule.params.goal} reached in ${shown(value)} ${value === 1 ? 'visit' : 'visits'}`;
  return `${shown(value)} ${unitOf(alert, site)}${usual}`;
};

/** Strangers choose the names. */
const contributorLine = ({ dimension, name, value, previous }: Contributor): string =>
  `${dimension} ${oneLine(name)}: ${shown(value)} (before: ${shown(previous)})`;

/** As `site.example, Tue 13:00 – 14:00`. */
const windowOf = ({ window: { from, to }, site: { timezone } }: ToldAlert): string => {
  const [first, last] = [wallClock(from, timezone), wallClock(to, timezone)];
  return first.slice(0, 10) === last.slice(0, 10) ? `${first} – ${last.slice(11)}` : `${first} – ${last}`;
};

const eventOf = (told: ToldAlert): AlertEvent => {
  const { alert, site, account, event, judgement, window, contributors, baseUrl } = told;
  const { id, name, rule } = alert;
  const ended = event === 'ended' ? ' is over' : event === 'reminder' ? ' goes on' : '';
  const data: AlertEventData = {
    ...{ team: account.name, site: { id: site.uuid, domain: site.domain }, alert: { id, name, kind: rule.kind } },
    ...{ value: judgement.value, expected: judgement.expected, low: judgement.low, high: judgement.high },
    window: { from: isoTime(window.from), to: isoTime(window.to), timezone: site.timezone },
    contributors,
    url: baseUrl === null ? '' : `${baseUrl}/sites/${encodeURIComponent(site.domain)}`,
    muteUrl: baseUrl === null ? '' : `${baseUrl}/mute#${alert.muteToken}`,
    title: `${site.domain}: ${name}${ended}`,
    text: [`${saidOf(told)} (${windowOf(told)})`, ...contributors.map(contributorLine)].join('\n'),
  };
  return { type: `alert.${event}`, timestamp: isoTime(window.to), data };
};

/** A line for the chart. Who sees notes may not see all numbers. */
export const noteTextFor = ({ alert, parts, judgement: { value, expected }, contributors }: ToldAlert): string => {
  if (parts.length > 0) return alert.name;
  const sources = contributors.map(({ name, value: visitors }) => `${oneLine(name)} ${shown(visitors)}`).join(', ');
  const numbers = `${shown(value)}${expected === null ? '' : ` (${shown(expected)})`}`;
  return `${alert.name}: ${alert.rule.kind === 'new-source' ? sources : numbers}`.slice(0, 200);
};

/** Somebody who may see what an alert tells. */
export interface AlertReader {
  email: string;
  isOwner: boolean;
}

/**
 * One for each channel that takes messages, and for each owner where they are to get mail. No mail
 * goes to who may not see what it tells, and none is written where no mail server is set.
 */
export const messagesOf = (
  told: ToldAlert,
  channels: readonly Channel[],
  readers: readonly AlertReader[],
  sendsMail: boolean,
): NewMessage[] => {
  const event = eventOf(told);
  const { alert, account, episode } = told;
  // Goals and new sources have no episodes: each is told by when it was seen.
  const isSeen = alert.rule.kind === 'goal' || alert.rule.kind === 'new-source';
  const key = `alert:${alert.id}:${episode}:${told.event}${isSeen ? `:${told.window.to}` : ''}`;
  const isRead = ({ kind, target }: Channel): boolean =>
    kind !== 'mail' || (sendsMail && readers.some(({ email }) => email.toLowerCase() === target));
  const open = channels.filter(
    channel => channel.disabledAt === null && alert.channelIds.includes(channel.id) && isRead(channel),
  );
  const mails = alert.mailOwners && sendsMail ? readers.flatMap(({ email, isOwner }) => (isOwner ? email : [])) : [];
  const byMail = new Set(open.filter(({ kind }) => kind === 'mail').map(({ target }) => target));
  return [
    ...open.map(channel => channelMessage(key, channel, event)),
    ...mails.filter(email => !byMail.has(email)).map(email => mailMessage(key, account.id, email, event)),
  ];
};
