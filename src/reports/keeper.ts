/** Lists, makes, changes and removes reports, for the API, the pages and the commands alike. */
import type { Caller } from '../api/auth.ts';
import { asRefused } from '../api/changes/fields.ts';
import { changedNames, refuseManaged } from '../api/changes/managed.ts';
import type { ReadableSite } from '../api/endpoint.ts';
import type {
  ReportChanger,
  ReportKeeper,
  ReportMaker,
  ReportRecipientView,
  ReportView,
} from '../api/report-keeper.ts';
import { readCondition } from '../api/request/conditions.ts';
import { ParameterError } from '../api/request/parameters.ts';
import { stats } from '../api/stats.ts';
import { HttpError } from '../http/errors.ts';
import { filterFields } from '../model/filters.ts';
import { makeToken, type Random } from '../model/ids.ts';
import { type LocaleChoice, noLocaleChoice } from '../model/locale.ts';
import { reportOf, reportsMax, usualReport } from '../model/reports.ts';
import type { Site } from '../model/site.ts';
import { dayMs, hourMs, isoTime, isoTimeOrNull } from '../model/time.ts';
import type { AuditStore } from '../store/accounts/audit.ts';
import type { MemberStore } from '../store/accounts/members.ts';
import type { Persons } from '../store/accounts/persons.ts';
import { channels as channelStore } from '../store/alerts/channels.ts';
import type { Database } from '../store/database.ts';
import { outboxStore } from '../store/outbox.ts';
import { provisioned } from '../store/provisioned.ts';
import { type ReportRecipient, type Reports, reports as reportStore, type SiteReport } from '../store/reports.ts';
import type { Reader, ReportDesk } from './desk.ts';
import { askRecipient, withFile } from './due-reports.ts';
import { newestPeriod, nextSending } from './schedule.ts';

export interface KeeperParts {
  db: Database;
  desk: ReportDesk;
  members: Pick<MemberStore, 'find'>;
  persons: Pick<Persons, 'byId' | 'ofEmail'>;
  audit: Pick<AuditStore, 'add'>;
  /** Domains whose addresses are not asked. */
  mailDomains: readonly string[];
  origin: () => string;
  now: () => number;
  random: Random;
  /** Whether mail leaves this server. */
  sendsMail: boolean;
  wake: () => void;
}

/** Of a team, in a day: whoever could name any address could flood it. */
const asksMax = 100;
/** Of a report, in an hour. */
const sentNowMax = 5;

export interface Keeper extends ReportKeeper {
  /** Mails the newest period to somebody who asks for it. Throws HttpError. */
  sendNow(
    view: ReadableSite,
    id: string,
    to: { caller: Caller; email: string; locale: LocaleChoice },
    signal: AbortSignal,
  ): Promise<void>;
}

export const createKeeper = (parts: KeeperParts): Keeper => ({
  ...createReportChanger(parts),
  ...nowMailer(parts),
});

/** The report of an id, as it stands in a path. Throws HttpError. */
const reportIn = ({ find }: Pick<Reports, 'find'>, { site }: ReadableSite, id: string): SiteReport => {
  const found = /^\d{1,15}$/.test(id) ? find(site.id, Number(id)) : undefined;
  if (found === undefined) throw new HttpError('no-report');
  return found;
};

/** What it takes to list, make, change and remove reports. */
export type ChangerParts = Omit<KeeperParts, 'desk'>;

/** Which channels reports may name. */
const channelChooser = (db: Database) => {
  const channels = channelStore(db);
  const refuseChannels = ({ site }: ReadableSite, given: readonly number[]): void => {
    const own = channels.list(site.accountId);
    // Whoever gets it by mail gets what they may see, and a link to stop it.
    if (own.some(({ id, kind }) => kind === 'mail' && given.includes(id)))
      refuseField('channels', 'Mail goes to recipients: name its address there.');
    if (!given.every(id => own.some(one => one.id === id))) throw new HttpError('no-channel', { field: 'channels' });
  };
  /** Without channels that were removed, or became mail. */
  const current = (report: SiteReport): SiteReport => {
    if (report.channels.length === 0) return report;
    const all = channels.list(report.accountId);
    const isKnown = (id: number): boolean => all.some(one => one.id === id && one.kind !== 'mail');
    return { ...report, channels: report.channels.filter(isKnown) };
  };
  return { refuseChannels, current };
};

export const createReportChanger = (parts: ChangerParts): ReportChanger => {
  const { db, now } = parts;
  const store = reportStore(db);
  const outbox = outboxStore(db);
  const { refuseChannels, current } = channelChooser(db);
  const setRecipients = recipientSetter(parts);
  /** Throws HttpError where a file sets it, or one of these fields. */
  const refuse = (site: Site, { name }: SiteReport, by: ReportMaker, fields?: readonly string[]): void => {
    if (!by.overrules) refuseManaged({ provisioned: provisioned(db) }, 'reports', site.uuid, name, fields);
  };
  const note = (site: Site, by: ReportMaker, subject: string, done: string): void => {
    const of = { at: now(), accountId: site.accountId, personId: by.personId, actor: by.name, network: '' };
    parts.audit.add({ ...of, action: 'report-changed', subject, details: { site: site.domain, done } });
  };
  const viewOf = (report: SiteReport): ReportView => reportView(current(report), store.recipients(report.id), outbox);

  return {
    list: ({ site }) => store.ofSite(site.id).map(viewOf),
    add(view, body, by) {
      const { site, zone } = view;
      const { recipients, isPaused, ...chosen } = chosenOf(view, body, usualReport);
      refuseChannels(view, chosen.channels);
      if (store.ofSite(site.id).length >= reportsMax)
        throw new HttpError('bad-report', { error: `A site has at most ${reportsMax} reports.` });
      const report = db
        .transaction(() => {
          const added = store.add({
            ...{ ...chosen, accountId: site.accountId, siteId: site.id, paused: isPaused ? 'person' : null },
            ...{ timezone: site.timezone, nextAt: nextSending(chosen, zone, now()) },
            ...{ madeBy: by.personId, createdAt: now() },
          });
          setRecipients(added, site, recipients, by);
          note(site, by, chosen.name, 'added');
          return added;
        })
        .immediate();
      parts.wake();
      return viewOf(report);
    },
    change(view, id, body, by) {
      const { site, zone } = view;
      const was = current(reportIn(store, view, id));
      const before = store.recipients(was.id).map(({ email }) => email);
      const choice = { ...was, isPaused: was.paused !== null, recipients: before };
      const { recipients, isPaused, ...chosen } = chosenOf(view, body, choice);
      refuse(site, was, by, changedNames(choice, { ...chosen, isPaused, recipients: [...recipients].sort() }));
      refuseChannels(view, chosen.channels);
      const paused = isPaused ? (was.paused ?? 'person') : null;
      db.transaction(() => {
        store.change({ ...was, ...chosen, paused, timezone: site.timezone, nextAt: nextSending(chosen, zone, now()) });
        setRecipients(was, site, recipients, by);
        note(site, by, chosen.name, 'changed');
      }).immediate();
      parts.wake();
      return viewOf(store.byId(was.id)!);
    },
    remove(view, id, by) {
      const report = reportIn(store, view, id);
      const { id: reportId, name } = report;
      refuse(view.site, report, by);
      db.transaction(() => {
        store.remove(view.site.id, reportId);
        note(view.site, by, name, 'removed');
      }).immediate();
    },
  };
};

/** What somebody gets at once. */
const nowMailer = ({ db, desk, now, sendsMail, wake }: KeeperParts): Pick<Keeper, 'preview' | 'sendNow'> => {
  const outbox = outboxStore(db);
  const store = reportStore(db);
  const documentFor = (view: ReadableSite, report: SiteReport, reader: Reader, signal: AbortSignal) =>
    desk.documentOf({ site: view.site, report, period: newestPeriod(report, view.zone, now()) }, reader, signal);
  return {
    async preview(view, id, caller, signal) {
      const report = reportIn(store, view, id);
      const reader: Reader = { caller, email: '', locale: noLocaleChoice, isMember: true };
      const { document } = await documentFor(view, { ...report, csv: false }, reader, signal);
      return desk.mailOf(document, report, reader);
    },
    async sendNow(view, id, { caller, email, locale }, signal) {
      if (!sendsMail) throw new HttpError('no-mail-server');
      const report = reportIn(store, view, id);
      const prefix = `report-now:${report.id}:`;
      if (outbox.writtenAfter(view.site.accountId, prefix, now() - hourMs) >= sentNowMax)
        throw new HttpError('too-many-mails', { retryAfterSeconds: 600 });
      const reader: Reader = { caller, email, locale, isMember: true };
      const { document, csv } = await documentFor(view, report, reader, signal);
      const body = withFile(desk.mailOf(document, report, reader), csv);
      const key = `${prefix}${email}:${now()}`;
      db.transaction(() => {
        if (csv !== undefined) outbox.keepFile(csv, now());
        outbox.add({ key, kind: 'mail', accountId: view.site.accountId, target: email, body, isUrgent: true }, now());
      }).immediate();
      wake();
    },
  };
};

const refuseField = (field: string, error: string): never => {
  throw new HttpError('bad-report', { error, field });
};

/** Throws HttpError that names the field. */
const chosenOf = (view: ReadableSite, body: unknown, was: Parameters<typeof reportOf>[1]) => {
  try {
    const chosen = reportOf(body, was);
    refuseFilters(view, chosen.filters);
    return chosen;
  } catch (error) {
    if (error instanceof ParameterError) {
      const { error: wrong, value, allowed } = error.body;
      const said = value === undefined ? wrong : `${wrong}: ${value}`;
      throw new HttpError('bad-report', { error: said, field: 'filters', ...(allowed && { allowed }) });
    }
    throw asRefused('bad-report', error);
  }
};

/** Throws ParameterError where filters cannot be asked. */
const refuseFilters = (view: ReadableSite, filters: string): void => {
  if (filters === '') return;
  readCondition(filters, 'filters', filterFields);
  stats.plan(new URLSearchParams(filters), view);
};

/** Makes the list of recipients what somebody says it is; who stays keeps what they said. */
const recipientSetter = ({ db, members, persons, mailDomains, origin, now, random, sendsMail }: ChangerParts) => {
  const store = reportStore(db);
  const outbox = outboxStore(db);
  const memberOf = (site: Site, email: string): number | null => {
    const person = persons.ofEmail(email);
    return person !== undefined && members.find(site.accountId, person.id) !== undefined ? person.id : null;
  };
  return (report: SiteReport, site: Site, emails: readonly string[], by: ReportMaker): void => {
    const before = store.recipients(report.id);
    for (const { email, token } of before) if (!emails.includes(email)) store.removeRecipient(token);
    for (const email of emails) {
      if (before.some(each => each.email === email)) continue;
      const personId = memberOf(site, email);
      const isKnown = personId !== null || mailDomains.includes(email.split('@').at(-1)!);
      const token = makeToken(random);
      store.addRecipient(report.id, { token, personId, email, confirmedAt: isKnown ? now() : null });
      if (isKnown || !sendsMail) continue;
      if (outbox.writtenAfter(site.accountId, 'report-ask:', now() - dayMs) >= asksMax)
        throw new HttpError('too-many-mails', { field: 'recipients', retryAfterSeconds: 3600 });
      const recipient = store.ofToken(token)!;
      // The name of a key is not for others.
      const asker = by.personId === null ? site.domain : by.name;
      askRecipient(db, { report, site, recipient, by: asker, origin: origin() }, now());
    }
  };
};

const recipientView = (
  { email, personId, confirmedAt, ended }: ReportRecipient,
  sendings: ReadonlyMap<string, { endedAt: number | null; error: string | null }>,
): ReportRecipientView => {
  const sending = sendings.get(email);
  const wasSent = sending?.endedAt !== null && sending?.error === null;
  return {
    ...{ email, isMember: personId !== null, state: ended ?? (confirmedAt === null ? 'asked' : 'gets') },
    lastSending: sending === undefined ? null : wasSent ? 'sent' : sending.endedAt === null ? 'waiting' : 'failed',
    error: sending?.error ?? null,
  };
};

const reportView = (
  report: SiteReport,
  recipients: readonly ReportRecipient[],
  outbox: ReturnType<typeof outboxStore>,
): ReportView => {
  const { id, name, cadence, weekday, hour, language, filters, blocks, skipEmpty, paused, period } = report;
  const { channels, parts, csv } = report;
  const prefix = `report:${id}:${period}:`;
  const states = period === null ? [] : outbox.latest(prefix, recipients.length);
  const sendings = new Map(states.map(({ key, ...state }) => [key.slice(prefix.length), state]));
  return {
    ...{ id, name, cadence, weekday, hour, language, filters, blocks, skipEmpty, channels, parts, csv },
    ...{ isPaused: paused !== null, pausedFor: paused },
    recipients: recipients.map(recipient => recipientView(recipient, sendings)),
    nextAt: paused === null ? isoTime(report.nextAt) : null,
    lastPeriod: period,
    lastAt: isoTimeOrNull(report.madeAt),
    skipped: report.skipped,
    createdAt: isoTime(report.createdAt),
  };
};
