/** Reports of sites, and who gets them (model/reports.ts). */

import type { ReportChoice } from '../model/reports.ts';
import type { Database } from './database.ts';
import { assigned, insertInto, rowValues, selected } from './row-values.ts';

export interface SiteReport extends Omit<ReportChoice, 'recipients' | 'isPaused'> {
  id: number;
  accountId: number;
  siteId: number;
  /** Who stopped it: somebody, or filters that no longer are. */
  paused: 'person' | 'filters' | null;
  /** The site's when `nextAt` was worked out. */
  timezone: string;
  /** UTC milliseconds, as all times here. */
  nextAt: number;
  /** The newest that was made, `2026-11-16_2026-11-22`; null for none. */
  period: string | null;
  madeAt: number | null;
  /** How many periods before it nobody made in time. */
  skipped: number;
  /** The person; null for the command line or a key. */
  madeBy: number | null;
  createdAt: number;
}

export interface ReportRecipient {
  /** In the links of the mail. */
  token: string;
  reportId: number;
  /** A member of the team; null for anybody else. */
  personId: number | null;
  email: string;
  /** When they were asked whether they want it. */
  askedAt: number | null;
  confirmedAt: number | null;
  endedAt: number | null;
  ended: 'unsubscribed' | 'no-access' | null;
}

type NewReport = Omit<SiteReport, 'id' | 'period' | 'madeAt' | 'skipped'>;
type NewRecipient = Omit<ReportRecipient, 'reportId' | 'askedAt' | 'endedAt' | 'ended'>;

export interface Reports {
  /** In the order in which they were made. */
  ofSite(siteId: number): SiteReport[];
  find(siteId: number, id: number): SiteReport | undefined;
  byId(id: number): SiteReport | undefined;
  recipients(reportId: number): ReportRecipient[];
  ofToken(token: string): ReportRecipient | undefined;
  add(report: NewReport): SiteReport;
  change(report: SiteReport): void;
  /** Returns false where there is none. */
  remove(siteId: number, id: number): boolean;
  addRecipient(reportId: number, recipient: NewRecipient): void;
  removeRecipient(token: string): void;
  asked(token: string, now: number): void;
  /** They want it, also where they had ended it. */
  confirm(token: string, now: number): void;
  end(token: string, why: 'unsubscribed' | 'no-access', now: number): void;
  /** Those that are to be made, the longest due first; without mail, those that channels get. */
  due(now: number, limit: number, sendsMail: boolean): SiteReport[];
  /** Those whose site has another zone than `nextAt` was worked out for. */
  inOtherZone(): { report: SiteReport; timezone: string }[];
  setNext(id: number, nextAt: number, timezone: string): void;
  /** Notes that a period was made, or that nobody got it. */
  made(id: number, period: string, skipped: number, nextAt: number, now: number): void;
  pause(id: number, why: 'person' | 'filters'): void;
}

const rows = rowValues<SiteReport>({ blocks: 'json', channels: 'json', parts: 'json', csv: 'flag', skipEmpty: 'flag' });

const settingNames = [
  ...['name', 'cadence', 'weekday', 'hour', 'language', 'filters', 'blocks', 'skipEmpty', 'channels', 'parts', 'csv'],
  ...['paused', 'timezone', 'nextAt'],
];
const newNames = ['accountId', 'siteId', ...settingNames, 'madeBy', 'createdAt'];
const fields = selected(['id', ...newNames, 'period', 'madeAt', 'skipped']);

export const reports = (db: Database): Reports => {
  const ofSite = db.prepare(`select ${fields} from report where site_id = ? order by id`);
  const byId = db.prepare(`select ${fields} from report where id = ?`);
  const due = db.prepare(
    `select ${fields} from report where paused is null and next_at <= ? and (? or channels <> '[]')
     order by next_at limit ?`,
  );
  const moved = db.prepare(
    `select report.id, site.timezone from report join site on site.id = site_id where site.timezone <> report.timezone`,
  );
  const insert = db.prepare(`${insertInto('report', newNames)} returning ${fields}`);
  const update = db.prepare(`update report set ${assigned(settingNames)} where id = @id`);
  const setNext = db.prepare('update report set next_at = ?, timezone = ? where id = ?');
  const made = db.prepare('update report set period = ?, skipped = ?, next_at = ?, made_at = ? where id = ?');
  const pause = db.prepare('update report set paused = ? where id = ?');
  const remove = db.prepare('delete from report where site_id = ? and id = ?');
  const one = (id: number): SiteReport | undefined => rows.one(byId.get(id));
  return {
    ofSite: siteId => rows.all(ofSite.all(siteId)),
    byId: one,
    find(siteId, id) {
      const found = one(id);
      return found?.siteId === siteId ? found : undefined;
    },
    add: report => rows.read(insert.get(rows.stored(report))),
    change: report => void update.run(rows.stored(report)),
    remove: (siteId, id) => remove.run(siteId, id).changes > 0,
    due: (now, limit, sendsMail) => rows.all(due.all(now, sendsMail ? 1 : 0, limit)),
    inOtherZone: () =>
      (moved.all() as { id: number; timezone: string }[]).map(({ id, timezone }) => ({ report: one(id)!, timezone })),
    setNext: (id, nextAt, timezone) => void setNext.run(nextAt, timezone, id),
    made: (id, period, skipped, nextAt, now) => void made.run(period, skipped, nextAt, now, id),
    pause: (id, why) => void pause.run(why, id),
    ...recipientsIn(db),
  };
};

const recipientsIn = (db: Database) => {
  const newNames = ['token', 'reportId', 'personId', 'email', 'confirmedAt'];
  const fields = selected([...newNames, 'askedAt', 'endedAt', 'ended']);
  const ofReport = db.prepare(`select ${fields} from report_recipient where report_id = ? order by email`);
  const ofToken = db.prepare(`select ${fields} from report_recipient where token = ?`);
  const insert = db.prepare(insertInto('report_recipient', newNames));
  const remove = db.prepare('delete from report_recipient where token = ?');
  const asked = db.prepare('update report_recipient set asked_at = ? where token = ?');
  const confirm = db.prepare(
    'update report_recipient set confirmed_at = ?, ended_at = null, ended = null where token = ?',
  );
  const end = db.prepare('update report_recipient set ended_at = ?, ended = ? where token = ? and ended_at is null');
  return {
    recipients: (reportId: number) => ofReport.all(reportId) as ReportRecipient[],
    ofToken: (token: string) => ofToken.get(token) as ReportRecipient | undefined,
    addRecipient: (reportId: number, recipient: NewRecipient) => void insert.run({ reportId, ...recipient }),
    removeRecipient: (token: string) => void remove.run(token),
    asked: (token: string, now: number) => void asked.run(now, token),
    confirm: (token: string, now: number) => void confirm.run(now, token),
    end: (token: string, why: 'unsubscribed' | 'no-access', now: number) => void end.run(now, why, token),
  };
};
