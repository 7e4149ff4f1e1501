/** Reports of a site, as its settings show and change them. */

import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { isDone } from '../http/reply.ts';
import type { MailBody } from '../model/mail.ts';
import type { OnSite } from './allow.ts';
import { mailFrameHeaders } from './page-headers.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok, post } from './route.ts';
import type { ReportList, ReportPreview } from './wire.ts';

export const reportRoutes = (parts: AppParts): DashboardRoute[] => {
  const { mail, reports } = parts;
  /** What makes reports, and the site as the person may see it. */
  const open = (on: OnSite) => {
    if (reports === null) throw new HttpError('app-not-found');
    const { keeper, siteFor } = reports();
    const caller = { account: on.account, grants: [on.grant], byKey: false };
    // A question goes on when the person has gone: nothing tells a page's routes.
    const signal = new AbortController().signal;
    const { view } = siteFor(caller, on.site.uuid, signal, 'share');
    return { keeper, view, caller, signal, by: { personId: on.person.id, name: on.person.email } };
  };
  const listOf = (on: OnSite) => {
    const { keeper, view } = open(on);
    return ok<ReportList>({ data: keeper.list(view), sendsMail: mail !== null });
  };
  const mailOf = (on: OnSite, report: string): Promise<MailBody> => {
    const { keeper, view, caller, signal } = open(on);
    return keeper.preview(view, report, caller, signal);
  };
  const path = '/app/sites/:site/reports';
  /** Makes a change, and answers with the list. */
  const change = (
    behind: string,
    work: (opened: ReturnType<typeof open>, body: Body, report: string) => void,
  ): DashboardRoute =>
    post(`${path}${behind}`, 'share', ({ body, parameters }, on) => {
      work(open(on), body, parameters.report ?? '');
      return listOf(on);
    });
  return [
    get(path, 'share', (_, on) => listOf(on)),
    change('', ({ keeper, view, by }, body) => keeper.add(view, body, by)),
    change('/:report', ({ keeper, view, by }, body, report) => keeper.change(view, report, body, by)),
    change('/:report/remove', ({ keeper, view, by }, _, report) => keeper.remove(view, report, by)),

    get(`${path}/:report/preview`, 'share', async ({ parameters }, on) => {
      const { subject, text } = await mailOf(on, parameters.report!);
      return ok<ReportPreview>({ subject, text });
    }),

    get(`${path}/:report/mail`, 'share', async ({ parameters }, on) => {
      const { html = '' } = await mailOf(on, parameters.report!);
      return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', ...mailFrameHeaders }, body: html };
    }),

    post(`${path}/:report/send`, 'share', async ({ parameters }, on) => {
      const { keeper, view, caller, signal } = open(on);
      const { email, locale } = on.person;
      await keeper.sendNow(view, parameters.report!, { caller, email, locale }, signal);
      return isDone();
    }),
  ];
};
