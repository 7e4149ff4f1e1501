/** `/reports`: what is mailed of a site, and to whom, for programs that may `manage`. */
import { isDone, json } from '../http/reply.ts';
import { reportsMax } from '../model/reports.ts';
import type { ReadableSite } from './endpoint.ts';
import { done, type Operation, operation } from './operation.ts';
import { newReportSchema, type ReportKeeper, type ReportMaker, reportSchema } from './report-keeper.ts';
import type { ApiCall } from './route.ts';
import { list, object, text } from './schema.ts';

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
      return isDone();
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
