/** What the API asks of whoever makes reports, which stands above it (src/reports/). */
import type { MailBody } from '../model/mail.ts';
import type { ReportView } from '../model/reports.ts';
import type { Caller } from './auth.ts';
import type { ReadableSite } from './endpoint.ts';

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
