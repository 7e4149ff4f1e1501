/**
 * Makes reports for their recipients: looks who may see what, asks, and writes the mail. What is
 * due is written to the outbox in the transaction that moves the report on (mailer.ts).
 */
import type { Access } from '../api/api.ts';
import type { Run } from '../api/ask.ts';
import type { Caller } from '../api/auth.ts';
import type { ReadableSite } from '../api/endpoint.ts';
import { publicGrant, teamGrant } from '../model/grant.ts';
import { type Language, type LocaleChoice, noLocaleChoice } from '../model/locale.ts';
import type { MailBody } from '../model/mail.ts';
import type { ShareLink } from '../model/share.ts';
import type { Site } from '../model/site.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { MemberStore } from '../store/accounts/members.ts';
import type { Persons } from '../store/accounts/persons.ts';
import type { ReportRecipient, SiteReport } from '../store/reports.ts';
import { composeReport } from './compose.ts';
import { formatsOf } from './formats.ts';
import { type MailDocument, oneLine } from './mail-document.ts';
import { renderMail } from './render.ts';
import type { ReportPeriod } from './schedule.ts';
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
  ): Reader | undefined => {
    const account = accounts.byId(site.accountId);
    if (account === undefined) return undefined;
    if (personId === null) {
      const share = parts.shareOf(site.id) ?? { parts: [], segment: null };
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
    /** The mail of somebody; a recipient's has their link to stop it. */
    mailOf(document: MailDocument, report: SiteReport, reader: Reader, token?: string): MailBody {
      const { unsubscribe: label } = reportWords[reader.locale.language ?? report.language];
      const unsubscribe = token === undefined ? {} : { unsubscribe: { label, url: linkOf(origin(), token) } };
      return renderMail({ ...document, ...unsubscribe });
    },
  };
};

/** Asks all that a report holds, as its reader may see it. */
const documentMaker =
  (access: DeskParts['access'], pageOf: PageOf) =>
  async (
    { site, report, period }: { site: Site; report: SiteReport; period: ReportPeriod },
    reader: Reader,
    signal: AbortSignal,
  ): Promise<{ document: MailDocument; visitors: number }> => {
    const language: Language = reader.locale.language ?? report.language;
    const [words, formats] = [reportWords[language], formatsOf(language, reader.locale)];
    const others = (): { view: ReadableSite; run: Run }[] =>
      reader.isMember
        ? access.sitesOf(reader.caller).map(each => access.siteFor(reader.caller, each.uuid, signal))
        : [];
    const asked = access.siteFor(reader.caller, site.uuid, signal);
    const made = await composeReport({ ...asked, others, report, period, words, formats });
    const [name, days] = [oneLine(site.domain), formats.days(period.from, period.to)];
    const visitors = formats.number(made.visitors);
    const url = pageOf(site, reader, report, period);
    const filtered = report.filters === '' ? [] : [words.filtered(oneLine(report.filters, 200))];
    const document: MailDocument = {
      ...{ language, title: `${name}, ${days}`, lead: [...made.lacks, ...filtered], sections: made.sections },
      subject: words.subject(name, days, visitors, formats.change(made.change)),
      ...(url !== undefined && { button: { label: words.open, url } }),
      foot: [words.why(oneLine(report.name), name)],
    };
    return { document, visitors: made.visitors };
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
