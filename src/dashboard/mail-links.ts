/**
 * Where links in mail lead: a page with one button, which says yes to a report or stops it. Only a
 * POST does anything, since programs that look at mail follow links. Mail programs send one, too,
 * without a cookie (RFC 8058).
 */
import { wholeBody } from '../http/body.ts';
import { HttpError } from '../http/errors.ts';
import { escapedHtml } from '../http/html.ts';
import type { Reply } from '../http/reply.ts';
import type { Language } from '../model/locale.ts';
import { type ReportWords, reportWords } from '../reports/words.ts';
import { type ReportRecipient, reports as reportStore } from '../store/reports.ts';
import { acceptedLanguage } from './accepted-language.ts';
import type { ShellAssets } from './assets.ts';
import { pageHeaders } from './page-headers.ts';
import type { AppParts } from './parts.ts';
import type { Call, DashboardRoute } from './route.ts';

const bodyBytesMax = 4096;

export const mailLinkRoutes = (
  { db, directory, now }: Pick<AppParts, 'db' | 'directory' | 'now'>,
  assets: Pick<ShellAssets, 'style'>,
): DashboardRoute[] => {
  const reports = reportStore(db);
  const found = ({ parameters }: Call) => {
    const recipient = reports.ofToken(parameters.token ?? '');
    const report = recipient && reports.byId(recipient.reportId);
    const site = report && directory.byId(report.siteId);
    return recipient && report && site && { recipient, report, site };
  };
  const page = (call: Call, status: number, say: (words: ReportWords['pages']) => PageText): Reply => {
    const language = acceptedLanguage(call.request.headers['accept-language']);
    return {
      status,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...pageHeaders },
      body: pageOf(language, say(reportWords[language].pages), assets.style),
    };
  };
  const gone = (call: Call): Reply => page(call, 404, words => ({ title: words.gone }));

  const show = (call: Call): Reply => {
    const of = found(call);
    if (of === undefined) return gone(call);
    const { domain } = of.site;
    return page(call, 200, words =>
      wants(of.recipient)
        ? { title: words.unsubscribe(domain), button: { name: 'stop', label: words.unsubscribeButton } }
        : { title: words.confirm(domain), button: { name: 'confirm', label: words.confirmButton } },
    );
  };
  const act = async (call: Call): Promise<Reply> => {
    const body = await wholeBody(call.request, bodyBytesMax, () => new HttpError('app-too-large'));
    const of = found(call);
    if (of === undefined) return gone(call);
    const { recipient, report, site } = of;
    const isYes = /^confirm=/.test(body.toString());
    const answer = page(call, 200, words => ({ title: isYes ? words.confirmed : words.unsubscribed }));
    // Once more changes nothing, and is not written down: whoever has the link may send any number.
    if (isYes ? wants(recipient) : recipient.endedAt !== null) return answer;
    if (isYes) reports.confirm(recipient.token, now());
    else reports.end(recipient.token, 'unsubscribed', now());
    const details = { report: report.name, done: isYes ? 'confirmed' : 'unsubscribed' };
    const person = { id: recipient.personId, email: recipient.email };
    const audited = { accountId: site.accountId, action: 'report-changed', subject: recipient.email } as const;
    call.note({ person, ...audited, details });
    return answer;
  };
  const path = '/mail/:token';
  return [
    { method: 'GET', path, right: 'anybody', answer: show },
    { method: 'POST', path, right: 'anybody', answer: act },
  ];
};

const wants = ({ confirmedAt, endedAt }: ReportRecipient): boolean => confirmedAt !== null && endedAt === null;

interface PageText {
  title: string;
  button?: { name: string; label: string };
}

const pageOf = (language: Language, { title, button }: PageText, style: string): string => {
  const form =
    button &&
    `<form method="post"><button class="primary" name="${button.name}" value="1">${escapedHtml(button.label)}</button></form>`;
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(title)}</title><link rel="stylesheet" href="${style}"></head>
<body><main class="entry"><h1>${escapedHtml(title)}</h1>${form ?? ''}</main></body></html>
`;
};
