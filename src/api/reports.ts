/** `/reports`: what is mailed of a site, and to whom, for programs that may `manage`. */
import { json } from '../http/reply.ts';
import { channelsMax } from '../model/alerts/kinds.ts';
import { languageNames } from '../model/locale.ts';
import { publicPartNames } from '../model/public-parts.ts';
import { cadences, reportBlockNames, reportBlocks, reportRecipientsMax, reportsMax } from '../model/reports.ts';
import type { ReadableSite } from './endpoint.ts';
import { done, type Operation, operation } from './operation.ts';
import type { ReportKeeper, ReportMaker } from './report-keeper.ts';
import type { ApiCall } from './route.ts';
import { count, described, instant, integer, list, nullable, object, oneOf, text, truth } from './schema.ts';

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

export const newReportSchema = object(
  { name: text },
  {
    recipients: described(list(text, reportRecipientsMax), 'E-mails. A report has these or channels'),
    ...Object.fromEntries(Object.entries(chosen).filter(([name]) => name !== 'name')),
  },
);
const previewSchema = object({ subject: text, text, html: text });

const keeperOf = ({ reports, site }: ApiCall): { keeper: ReportKeeper; view: ReadableSite } => {
  const { view } = site();
  return { keeper: reports(), view };
};
const makerOf = (call: ApiCall): ReportMaker => {
  const { email: name } = call.by().person;
  return { personId: null, name };
};
const path = '/api/ext/sites/:id/reports';

const operations: Operation[] = [
  {
    ...{ method: 'GET', path, name: 'listReports', gives: object({ data: list(reportSchema, reportsMax) }) },
    summary: 'Reports that are mailed',
    answer(call) {
      const { keeper, view } = keeperOf(call);
      return json(200, { data: keeper.list(view) });
    },
  },
  {
    ...{ method: 'POST', path, name: 'addReport', takes: newReportSchema, gives: reportSchema },
    summary: 'Adds a report; addresses outside the team are asked first',
    async answer(call) {
      const { keeper, view } = keeperOf(call);
      return json(200, keeper.add(view, await call.body(), makerOf(call)));
    },
  },
  {
    ...{ method: 'POST', path: `${path}/:report`, name: 'changeReport', takes: newReportSchema, gives: reportSchema },
    summary: 'Changes the given fields of a report',
    async answer(call) {
      const { keeper, view } = keeperOf(call);
      return json(200, keeper.change(view, call.parameters.report!, await call.body(), makerOf(call)));
    },
  },
  {
    ...{ method: 'DELETE', path: `${path}/:report`, name: 'removeReport', gives: done },
    summary: 'Removes a report',
    answer(call) {
      const { keeper, view } = keeperOf(call);
      keeper.remove(view, call.parameters.report!, makerOf(call));
      return json(200, { done: true });
    },
  },
  {
    ...{ method: 'POST', path: `${path}/:report/preview`, name: 'previewReport', gives: previewSchema },
    summary: 'The mail of the newest period, with what the caller may see',
    async answer(call) {
      const { keeper, view } = keeperOf(call);
      const mail = await keeper.preview(view, call.parameters.report!, call.caller, call.signal);
      const { subject, text, html = '' } = mail;
      return json(200, { subject, text, html });
    },
  },
];

export const reportRoutes = operations.map(row => operation({ tag: 'reports', right: 'share', ...row }));
