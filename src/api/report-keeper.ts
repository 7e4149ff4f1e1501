/** A report as the API shows it, and what the API asks of whoever makes reports (src/reports/). */
import { channelsMax } from '../model/alerts/kinds.ts';
import { languageNames } from '../model/locale.ts';
import type { MailBody } from '../model/mail.ts';
import { publicPartNames } from '../model/public-parts.ts';
import { cadences, reportBlockNames, reportBlocks, reportRecipientsMax } from '../model/reports.ts';
import type { Caller } from './auth.ts';
import type { ReadableSite } from './endpoint.ts';
import {
  count,
  type DescribedBy,
  described,
  instant,
  integer,
  list,
  nullable,
  object,
  oneOf,
  text,
  truth,
} from './schema.ts';

const recipientSchema = object({
  email: text,
  isMember: described(truth, 'A member of the team, who gets what they may see. Others get what the public page shows'),
  state: described(
    oneOf(['gets', 'asked', 'unsubscribed', 'no-access']),
    'gets it; was asked and has not said yes; stopped it; or may no longer see the site',
  ),
  lastSending: described(nullable(oneOf(['sent', 'waiting', 'failed'])), 'Of the newest period'),
  error: described(nullable(text), 'Why the last try failed'),
});

const chosen = {
  name: text,
  cadence: described(oneOf(cadences), 'The period: sent on the day after it'),
  weekday: described(integer, 'That weeks begin with, 1 for Monday to 7'),
  hour: described(integer, 'Of the site’s time zone, 0 to 23'),
  language: described(oneOf(languageNames), 'For recipients who have not chosen one'),
  filters: described(text, 'As in an address'),
  blocks: list(
    described(oneOf(reportBlockNames), reportBlockNames.map(name => `${name}: ${reportBlocks[name]}`).join('. ')),
    reportBlockNames.length,
  ),
  skipEmpty: described(truth, 'Not sent for a period without visitors'),
  channels: described(list(count, channelsMax), 'Ids of channels of the team, which are told the headline figures'),
  parts: described(
    list(oneOf(publicPartNames), publicPartNames.length),
    'What recipients outside the team get besides what the public page shows',
  ),
  csv: described(truth, 'The numbers are attached as CSV, too'),
  isPaused: truth,
};

export const reportSchema = object({
  id: count,
  ...chosen,
  pausedFor: described(nullable(oneOf(['person', 'filters'])), 'filters: a segment or goal in them is gone'),
  recipients: list(recipientSchema, reportRecipientsMax),
  nextAt: described(nullable(instant), 'When it is sent next; null while it is paused'),
  lastPeriod: described(nullable(text), 'The newest period that was made, 2026-11-16_2026-11-22'),
  lastAt: nullable(instant),
  skipped: described(count, 'Periods before it that nobody sent in time, because the server was away'),
  createdAt: instant,
});

/** A report as it is shown. */
export type ReportView = DescribedBy<typeof reportSchema>;
export type ReportRecipientView = ReportView['recipients'][number];

export const newReportSchema = object(
  { name: text },
  {
    recipients: described(list(text, reportRecipientsMax), 'E-mails. A report has these or channels'),
    ...Object.fromEntries(Object.entries(chosen).filter(([name]) => name !== 'name')),
  },
);

/** Makes and changes reports. All throw HttpError. */
export interface ReportChanger {
  list(view: ReadableSite): ReportView[];
  add(view: ReadableSite, body: unknown, by: ReportMaker): ReportView;
  change(view: ReadableSite, id: string, body: unknown, by: ReportMaker): ReportView;
  remove(view: ReadableSite, id: string, by: ReportMaker): void;
}

/** The same, and shows what they are like. */
export interface ReportKeeper extends ReportChanger {
  /** The report of the newest period, as the caller may see it. */
  preview(view: ReadableSite, id: string, caller: Caller, signal: AbortSignal): Promise<MailBody>;
}

/** Who changes a report. */
export interface ReportMaker {
  personId: number | null;
  /** E-mail, `cli`, or the name of a key. */
  name: string;
  /** May change what a file of settings sets, as commands and the file itself do. */
  overrules?: true;
}
