/**
 * Makes reports for their recipients: looks who may see what, asks, and writes the mail. What is
 * due is written to the outbox in the transaction that moves the report on (due-reports.ts).
 */

import type { Access } from '../api/api.ts';
import { ask, type Run } from '../api/ask.ts';
import type { Caller } from '../api/auth.ts';
import type { ReadableSite } from '../api/endpoint.ts';
import { planExport } from '../api/export.ts';
import type { ReportEvent } from '../model/alerts/event.ts';
import { publicGrant, teamGrant } from '../model/grant.ts';
import { type Language, type LocaleChoice, noLocaleChoice } from '../model/locale.ts';
import type { MailBody } from '../model/mail.ts';
import { oneLine } from '../model/one-line.ts';
import type { ShareLink } from '../model/share.ts';
import type { Account, Site } from '../model/site.ts';
import { isoTime } from '../model/time.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { MemberStore } from '../store/accounts/members.ts';
import type { Persons } from '../store/accounts/persons.ts';
import { fileDigest, type OutboxFile } from '../store/outbox.ts';
import type { ReportRecipient, SiteReport } from '../store/reports.ts';
import { composeReport } from './compose.ts';
import { formatsOf } from './formats.ts';
import { type MailDocument, renderMail } from './render.ts';
import { periodName, type ReportPeriod } from './schedule.ts';
import { reportWords } from './words.ts';

export interface DeskParts {
  access: Pick<Access, 'siteFor' | 'sitesOf'>;
  accounts: Pick<Accounts, 'byId'>;
  members: Pick<MemberStore, 'find'>;
  persons: Pick<Persons, 'byId'>;
  /** Where people reach the dashboard, without a slash at its end. */
  origin: () => string;
  /** What everybody sees of a site: its first link that anybody may open; undefined for none. */
  shareOf: (siteId: number) => Pick<ShareLink, 'token' | 'parts' | 'segment'> | undefined;
}

/** Somebody who gets a report, with what they may see of the site. */
export interface Reader {
  caller: Caller;
  email: string;
  locale: LocaleChoice;
  isMember: boolean;
}

export type ReportDesk = ReturnType<typeof createDesk>;

export const createDesk = (parts: DeskParts) => {
  const { access, accounts, members, persons, origin } = parts;

  /** What a recipient may see at this moment; undefined for a member who may not see the site. */
  const readerOf = (
    site: Site,
    { personId, email }: Pick<ReportRecipient, 'personId' | 'email'>,
    report: Pick<SiteReport, 'parts'>,
  ): Reader | undefined => {
    const account = accounts.byId(site.accountId);
    if (account === undefined) return undefined;
    if (personId === null) {
      const { parts: shown, segment } = parts.shareOf(site.id) ?? { parts: [], segment: null };
      const share = { parts: [...shown, ...report.parts], segment };
      const caller = { account, grants: [publicGrant(account, site, share)], byKey: false, waits: true as const };
      return maySee(caller, site) ? { caller, email, locale: noLocaleChoice, isMember: false } : undefined;
    }
    const person = persons.byId(personId);
    const member = members.find(account.id, personId);
    if (person === undefined || person.disabledAt !== null || member === undefined) return undefined;
    const caller = { account, grants: [teamGrant(account, member)], byKey: false, waits: true as const };
    const reader = { caller, email: person.email, locale: person.locale, isMember: true };
    return maySee(caller, site) ? reader : undefined;
  };
  const maySee = (caller: Caller, site: Site): boolean => {
    try {
      access.siteFor(caller, site.uuid, new AbortController().signal);
      return true;
    } catch {
      return false;
    }
  };

  /** The address of the page with these numbers, where the reader has one. */
  const pageOf = (
    site: Site,
    { isMember }: Reader,
    { filters }: SiteReport,
    period: ReportPeriod,
  ): string | undefined => {
    const token = isMember ? null : (parts.shareOf(site.id)?.token ?? null);
    if (!isMember && token === null) return undefined;
    const path = isMember ? `/sites/${encodeURIComponent(site.domain)}` : `/share/${token}`;
    const search = new URLSearchParams([...Object.entries(period), ...new URLSearchParams(filters)]);
    return `${origin()}${path}?${search}`;
  };

  return {
    readerOf,
    documentOf: documentMaker(access, pageOf),
    /** What channels are told of a period, as somebody of the team sees it who sees all. */
    async toldOf({ site, report, period }: DueReport, signal: AbortSignal): Promise<ToldReport> {
      const account = accounts.byId(site.accountId)!;
      const reader = seesAll(account);
      const brief: SiteReport = { ...report, blocks: ['figures'] };
      const made = await composedFor(access, { site, report: brief, period }, reader, signal);
      const url = pageOf(site, reader, report, period);
      return { visitors: made.visitors, event: eventOf({ ...made, site, report, period, account }, url) };
    },
    /** The mail of somebody; a recipient's has their link to stop it. */
    mailOf(document: MailDocument, report: SiteReport, reader: Reader, token?: string): MailBody {
      const { unsubscribe: label } = reportWords[reader.locale.language ?? report.language];
      const unsubscribe = token === undefined ? {} : { unsubscribe: { label, url: linkOf(origin(), token) } };
      return renderMail({ ...document, ...unsubscribe });
    },
  };
};

/** A report of a site, and which period of it. */
interface DueReport {
  site: Site;
  report: SiteReport;
  period: ReportPeriod;
}

/** What channels are told. */
export interface ToldReport {
  event: ReportEvent;
  visitors: number;
}

/** A mail before it is one. */
export interface MadeReport {
  document: MailDocument;
  visitors: number;
  /** The numbers as a file, where the report has one. */
  csv: (OutboxFile & { name: string }) | undefined;
}

/** Asks all that a report holds, as its reader may see it. */
const documentMaker =
  (access: DeskParts['access'], pageOf: PageOf) =>
  async (of: DueReport, reader: Reader, signal: AbortSignal): Promise<MadeReport> => {
    const { site, report, period } = of;
    const made = await composedFor(access, of, reader, signal);
    const { words, subject, lead, sections, language, title } = made;
    const url = pageOf(site, reader, report, period);
    const document: MailDocument = {
      ...{ language, title, lead, sections, subject },
      ...(url !== undefined && { button: { label: words.open, url } }),
      foot: [words.why(oneLine(report.name), oneLine(site.domain))],
    };
    const csv = report.csv ? await csvOf(access, of, reader, signal) : undefined;
    return { document, visitors: made.visitors, csv };
  };

/** What a report says to a reader, and in which words. */
const composedFor = async (
  access: DeskParts['access'],
  { site, report, period }: DueReport,
  reader: Reader,
  signal: AbortSignal,
) => {
  const language: Language = reader.locale.language ?? report.language;
  const [words, formats] = [reportWords[language], formatsOf(language, reader.locale)];
  const others = (): { view: ReadableSite; run: Run }[] =>
    reader.isMember ? access.sitesOf(reader.caller).map(each => access.siteFor(reader.caller, each.uuid, signal)) : [];
  const asked = access.siteFor(reader.caller, site.uuid, signal);
  const made = await composeReport({ ...asked, others, report, period, words, formats });
  const title = `${oneLine(site.domain)}, ${formats.days(period.from, period.to)}`;
  const filtered = report.filters === '' ? [] : [words.filtered(oneLine(report.filters, 200))];
  const [visitors, change] = [formats.number(made.visitors), formats.change(made.change)];
  return {
    ...{ ...made, language, words, title, lead: [...made.lacks, ...filtered] },
    subject: words.subject(oneLine(site.domain), formats.days(period.from, period.to), visitors, change),
  };
};

/** Of a file; mail servers take seldom more than 10 MB, and mails are a third longer than files. */
const csvBytesMax = 5e6;

/** The CSV that the page exports, for a period; what is too long ends at a whole line. */
const csvOf = async (
  access: DeskParts['access'],
  { site, report, period }: DueReport,
  reader: Reader,
  signal: AbortSignal,
): Promise<MadeReport['csv']> => {
  const { view, run } = access.siteFor(reader.caller, site.uuid, signal);
  const search = new URLSearchParams([...Object.entries(period), ...new URLSearchParams(report.filters)]);
  const { body } = await ask(planExport(search, view), run);
  const whole = Buffer.from([...body].join(''));
  const length = whole.length <= csvBytesMax ? whole.length : whole.lastIndexOf('\n', csvBytesMax - 1) + 1;
  const name = `${site.domain}_${periodName(period)}.csv`.replace(/[^\w.-]/g, '_');
  const content = whole.toString('utf8', 0, length);
  return { name, content, digest: fileDigest(content) };
};

/** Whoever sees all of a team, without being somebody. */
const seesAll = (account: Account): Reader => {
  const grant = teamGrant(account, { role: 'viewer', sites: null, hidden: [] });
  const caller = { account, grants: [grant], byKey: false, waits: true as const };
  return { caller, email: '', locale: noLocaleChoice, isMember: true };
};

type Composed = Awaited<ReturnType<typeof composedFor>>;

const eventOf = (
  {
    site,
    report,
    period,
    account,
    figures,
    currency,
    subject,
    lead,
    sections,
    now,
  }: Composed & DueReport & { account: Account },
  url = '',
): ReportEvent => {
  const rows = sections.flatMap(section => section.rows);
  const lines = rows.map(([name, value, change]) => `${name}: ${value}${change === '' ? '' : ` (${change})`}`);
  const notes = sections.flatMap(({ note }) => note ?? []);
  return {
    ...{ type: 'report.made', timestamp: isoTime(now) },
    data: {
      ...{ team: account.name, site: { id: site.uuid, domain: site.domain } },
      ...{ report: { id: report.id, name: report.name }, window: { ...period, timezone: site.timezone } },
      ...{ figures, currency, url, title: subject, text: [...lead, ...lines, ...notes].join('\n') },
    },
  };
};

type PageOf = (site: Site, reader: Reader, report: SiteReport, period: ReportPeriod) => string | undefined;

/** Where a recipient confirms or stops a report. */
export const linkOf = (origin: string, token: string): string => `${origin}/mail/${token}`;

/** Readers who see the same get the same mail. */
export const sameFor = ({ caller, locale, isMember }: Reader, hasSites: boolean): string => {
  const [grant] = caller.grants;
  const sites = hasSites ? [...(grant!.sites ?? ['all'])].toSorted() : [];
  return JSON.stringify([isMember, [...grant!.hidden].toSorted(), locale.language, locale.region, sites]);
};
