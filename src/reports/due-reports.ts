/**
 * Mails reports when they are due, and tells channels, one after the other, behind all questions of
 * people. A report moves on in the transaction that writes its mails, so each period is mailed
 * once, whenever the process ends.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { channelMessage } from '../api/alerts/event-messages.ts';
import { ParameterError } from '../api/request/parameters.ts';
import { zoneOf } from '../api/request/zone.ts';
import { type Log, reasonOf } from '../log.ts';
import type { ReportEvent } from '../model/alerts/event.ts';
import type { MailBody } from '../model/mail.ts';
import { oneLine } from '../model/one-line.ts';
import type { Site } from '../model/site.ts';
import { hourMs } from '../model/time.ts';
import type { AuditStore } from '../store/accounts/audit.ts';
import type { Persons } from '../store/accounts/persons.ts';
import { type Channel, channels as channelStore } from '../store/alerts/channels.ts';
import type { Database } from '../store/database.ts';
import { outboxStore } from '../store/outbox.ts';
import { type ReportRecipient, reports as reportStore, type SiteReport } from '../store/reports.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { untilClosed } from '../until-closed.ts';
import { isHidden } from './compose.ts';
import { linkOf, type MadeReport, type Reader, type ReportDesk, sameFor } from './desk.ts';
import { renderMail } from './render.ts';
import { newestPeriod, nextSending, periodName, type ReportPeriod, sendingsBetween } from './schedule.ts';
import { reportWords } from './words.ts';

export interface DueReportParts {
  db: Database;
  directory: SiteDirectory;
  desk: ReportDesk;
  persons: Pick<Persons, 'byId'>;
  audit: Pick<AuditStore, 'add'>;
  origin: () => string;
  /** UTC milliseconds. */
  now: () => number;
  log: Log;
  /** Whether mail leaves this server. Without, channels alone are told. */
  sendsMail: boolean;
  /** Has the outbox look at what was written. */
  wake: () => void;
  /** How often it looks. */
  everyMs?: number;
}

export interface DueReports {
  /** Makes all that is due now. */
  makeDue(): Promise<void>;
  close(): Promise<void>;
}

const everyMsDefault = 5000;
/** Between two mails that are made, for hits and for questions of people. */
const restMs = 20;
const atOnce = 20;
/** A report that could not be made is tried again so soon. */
const againMs = hourMs / 12;

export const startDueReports = (parts: DueReportParts): DueReports => {
  const { db, directory, now, log, sendsMail, everyMs = everyMsDefault } = parts;
  const { signal, rest, run, close } = untilClosed();
  const store = reportStore(db);
  const make = reportMaker(parts, signal);

  const makeOne = async (report: SiteReport): Promise<void> => {
    const site = directory.byId(report.siteId);
    // A site that was removed takes its reports along, some moments later.
    if (site === undefined) return store.setNext(report.id, now() + hourMs, report.timezone);
    try {
      await make(report, site);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ParameterError) return pauseFor(parts, report, site);
      log('report-failed', { report: report.id, reason: reasonOf(error) });
      store.setNext(report.id, now() + againMs, report.timezone);
    }
  };
  const makeDue = async (): Promise<void> => {
    directory.refresh();
    for (const { report, timezone } of store.inOtherZone())
      store.setNext(report.id, nextSending(report, zoneOf(timezone), now()), timezone);
    const next = (): SiteReport[] => store.due(now(), atOnce, sendsMail);
    for (let due = next(); due.length > 0; due = next())
      for (const report of due) {
        await makeOne(report);
        await wait(restMs, undefined, { signal });
      }
  };
  run(async () => {
    while (true) {
      await rest(everyMs);
      await makeDue().catch(error => {
        signal.throwIfAborted();
        log('report-failed', { reason: reasonOf(error) });
      });
    }
  });
  return { makeDue, close };
};

/** A mail, for whom, and under which link. */
interface Made {
  recipient: ReportRecipient;
  reader: Reader;
  mail: MailBody;
  csv: MadeReport['csv'];
}

/** A report by what is hidden from one reader is not for them, and goes to the others. */
const unlessHidden = (error: unknown): undefined => {
  if (!isHidden(error)) throw error;
};

/** Which channels a report is told to, and what. */
const channelTeller = ({ db, desk }: Pick<DueReportParts, 'db' | 'desk'>, signal: AbortSignal) => {
  const channels = channelStore(db);
  /** Those of its channels that are switched on. */
  const openOf = ({ accountId, channels: ids }: SiteReport): Channel[] =>
    ids.length === 0
      ? []
      : channels.list(accountId).filter(({ id, disabledAt }) => disabledAt === null && ids.includes(id));
  const toldOf = async (report: SiteReport, site: Site, period: ReportPeriod): Promise<ReportEvent | null> => {
    if (openOf(report).length === 0) return null;
    const { event, visitors } = await desk.toldOf({ site, report, period }, signal);
    return report.skipEmpty && visitors === 0 ? null : event;
  };
  return { openOf, toldOf };
};

const reportMaker = ({ db, desk, audit, now, sendsMail, wake }: DueReportParts, signal: AbortSignal) => {
  const store = reportStore(db);
  const outbox = outboxStore(db);

  const mailsOf = async (
    report: SiteReport,
    site: Site,
    period: ReportPeriod,
    readers: [ReportRecipient, Reader][],
  ) => {
    const documents = new Map<string, MadeReport>();
    const made: Made[] = [];
    for (const [recipient, reader] of readers) {
      const same = sameFor(reader, report.blocks.includes('sites'));
      const known =
        documents.get(same) ?? (await desk.documentOf({ site, report, period }, reader, signal).catch(unlessHidden));
      if (known === undefined) continue;
      documents.set(same, known);
      if (report.skipEmpty && known.visitors === 0) continue;
      const mail = withFile(desk.mailOf(known.document, report, reader, recipient.token), known.csv);
      made.push({ recipient, reader, mail, csv: known.csv });
    }
    return made;
  };

  const { openOf, toldOf } = channelTeller({ db, desk }, signal);
  return async (report: SiteReport, site: Site): Promise<void> => {
    const zone = zoneOf(site.timezone);
    const at = now();
    const period = newestPeriod(report, zone, at);
    const wanted = store
      .recipients(report.id)
      .filter(({ endedAt, confirmedAt }) => endedAt === null && confirmedAt !== null);
    const found = wanted.map(recipient => [recipient, desk.readerOf(site, recipient, report)] as const);
    const readers = found.flatMap(([recipient, reader]) =>
      reader === undefined ? [] : [[recipient, reader] as [ReportRecipient, Reader]],
    );
    const made = sendsMail ? await mailsOf(report, site, period, readers) : [];
    const files = new Map(made.flatMap(({ csv }) => (csv === undefined ? [] : [[csv.digest, csv]])));
    const told = await toldOf(report, site, period);
    db.transaction(() => {
      // Somebody may have changed or removed it while it was made.
      const current = store.byId(report.id);
      if (current === undefined || current.nextAt !== report.nextAt || current.paused !== null) return;
      for (const [{ token, email }, reader] of found) {
        if (reader !== undefined) continue;
        store.end(token, 'no-access', at);
        const of = { at, accountId: site.accountId, personId: null, actor: 'server', network: '' };
        audit.add({
          ...of,
          action: 'report-changed',
          subject: email,
          details: { report: report.name, ended: 'no-access' },
        });
      }
      const name = periodName(period);
      for (const file of files.values()) outbox.keepFile(file, at);
      for (const { recipient, reader, mail: body } of made) {
        const key = `report:${report.id}:${name}:${recipient.email}`;
        outbox.add({ key, kind: 'mail', accountId: site.accountId, target: reader.email, body }, at);
      }
      for (const channel of told === null ? [] : openOf(report))
        outbox.add(channelMessage(`report:${report.id}:${name}:channel`, channel, told!), at);
      const missed = sendingsBetween(report, zone, report.nextAt, at) - 1;
      store.made(report.id, name, Math.max(0, missed), nextSending(report, zone, at), at);
    }).immediate();
    wake();
  };
};

/** A mail that names what it has attached, which the outbox keeps once for all who get the same. */
export const withFile = (mail: MailBody, csv: MadeReport['csv']): MailBody =>
  csv === undefined ? mail : { ...mail, attached: { name: csv.name, digest: csv.digest } };

/** Stops a report whose filters name what there no longer is, and tells who made it, once. */
const pauseFor = (
  { db, persons, origin, now, sendsMail, wake }: DueReportParts,
  report: SiteReport,
  site: Site,
): void => {
  const maker = report.madeBy === null ? undefined : persons.byId(report.madeBy);
  db.transaction(() => {
    reportStore(db).pause(report.id, 'filters');
    if (maker === undefined || !sendsMail) return;
    const language = maker.locale.language ?? report.language;
    const words = reportWords[language].paused;
    const [name, domain] = [oneLine(report.name), oneLine(site.domain)];
    const subject = words.subject(name, domain);
    const url = `${origin()}/sites/${encodeURIComponent(site.domain)}/settings?_section=reports`;
    const body = renderMail({
      ...{ language, subject, title: subject, lead: [words.text(name, domain)], sections: [], foot: [] },
      button: { label: domain, url },
    });
    const key = `report-paused:${report.id}:${report.nextAt}`;
    outboxStore(db).add({ key, kind: 'mail', accountId: site.accountId, target: maker.email, body }, now());
  }).immediate();
  wake();
};

/** Asks somebody outside the team whether they want a report. Writes to the outbox. */
export const askRecipient = (
  db: Database,
  {
    report,
    site,
    recipient,
    by,
    origin,
  }: { report: SiteReport; site: Site; recipient: ReportRecipient; by: string; origin: string },
  now: number,
): void => {
  const words = reportWords[report.language].ask;
  const domain = oneLine(site.domain);
  const subject = words.subject(domain);
  const body = renderMail({
    ...{ language: report.language, subject, title: subject, sections: [], foot: [words.ignore] },
    lead: [words.text(oneLine(by), oneLine(report.name), domain)],
    button: { label: words.button, url: linkOf(origin, recipient.token) },
  });
  const key = `report-ask:${recipient.token}`;
  const of = { kind: 'mail', accountId: site.accountId, target: recipient.email, isUrgent: true };
  if (outboxStore(db).add({ key, ...of, body }, now)) reportStore(db).asked(recipient.token, now);
};
