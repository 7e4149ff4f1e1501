/**
 * A mail as text and as HTML. The text is a mail of its own and not what is left of the other. The
 * HTML is tables alone, since that is what all mail programs lay out alike; it names no picture and
 * no other file, and says its colours for light and dark.
 */
import { escapedHtml } from '../http/html.ts';
import type { MailBody } from '../model/mail.ts';

export interface MailSection {
  title: string;
  /** Each row has as many cells as the head; the first is a name, the others are numbers. */
  head?: readonly string[];
  rows: readonly (readonly string[])[];
  /** Beside each row a bar so long, from 0 to 1. */
  bars?: readonly number[];
  /** What follows the rows. */
  note?: string;
}

/** What a mail says, before it is a text or a page. */
export interface MailDocument {
  subject: string;
  title: string;
  language: string;
  /** Sentences before the sections. */
  lead: readonly string[];
  sections: readonly MailSection[];
  /** What a reader may do. */
  button?: { label: string; url: string };
  /** Why they get it. */
  foot: readonly string[];
  unsubscribe?: { label: string; url: string };
}

export const renderMail = (document: MailDocument): MailBody => ({
  subject: document.subject,
  text: textOf(document),
  html: htmlOf(document),
  ...(document.unsubscribe && { unsubscribeUrl: document.unsubscribe.url }),
});

/** Columns that readers with a fixed width see one below the other. */
const textWidth = 44;

const textRows = ({ head, rows, bars }: MailSection): string[] => {
  const all = head === undefined ? rows : [head, ...rows];
  const widths = (all[0] ?? []).map((_, i) => Math.max(...all.map(row => (row[i] ?? '').length)));
  const first = Math.min(textWidth, widths[0] ?? 0);
  return all.map((row, at) => {
    const bar = bars?.[at - (head === undefined ? 0 : 1)];
    const [name = '', ...cells] = row;
    const numbers = cells.map((cell, i) => cell.padStart(widths[i + 1]!)).join('  ');
    const line = `${name.padEnd(first)}  ${numbers}`;
    return (bar === undefined ? line : `${line}  ${'▇'.repeat(Math.round(bar * 20))}`).trimEnd();
  });
};

const textOf = ({ title, lead, sections, button, foot, unsubscribe }: MailDocument): string => {
  const parts = [
    [title, ...lead],
    ...sections.map(section => [
      section.title.toUpperCase(),
      ...textRows(section),
      ...(section.note === undefined ? [] : [section.note]),
    ]),
    ...(button === undefined ? [] : [[`${button.label}:`, button.url]]),
    [...foot, ...(unsubscribe === undefined ? [] : [`${unsubscribe.label}:`, unsubscribe.url])],
  ];
  return `${parts.map(lines => lines.join('\n')).join('\n\n')}\n`;
};

const style = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{margin:0;padding:0;background:#f4f5f7;color:#1b1f27}
.card{background:#ffffff;color:#1b1f27}
.dim{color:#5c6470}
.line{border-top:1px solid #e3e6ea}
.bar{background:#2f6fde}
.button{background:#1f5fd0;color:#ffffff}
@media (prefers-color-scheme:dark){
body{background:#14171c!important;color:#e6e9ee!important}
.card{background:#1c2027!important;color:#e6e9ee!important}
.dim{color:#a3abb8!important}
.line{border-top-color:#323842!important}
.bar{background:#6b9bf2!important}
.button{background:#7aa7f7!important;color:#10141a!important}
a{color:#8fb5fa}
}`.trim();

const font = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:14px;line-height:20px';
const table = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">';

const cellOf = (text: string, i: number, isHead: boolean): string => {
  const look = `${i === 0 ? 'left' : 'right'};padding:4px 0 4px ${i === 0 ? 0 : 12}px`;
  const wrap = i === 0 ? 'word-break:break-word' : 'white-space:nowrap';
  return `<td class="line${isHead ? ' dim' : ''}" style="text-align:${look};${wrap}" valign="top">${escapedHtml(text)}</td>`;
};

const barOf = (share: number): string => {
  const width = Math.round(share * 100);
  const full = width === 0 ? '' : `<td class="bar" width="${width}%" style="height:10px;font-size:1px">&nbsp;</td>`;
  const rest = width === 100 ? '' : `<td width="${100 - width}%" style="font-size:1px">&nbsp;</td>`;
  return `<td class="line" width="45%" style="padding:4px 0 4px 12px">${table}<tr>${full}${rest}</tr></table></td>`;
};

const htmlSection = ({ title, head, rows, bars, note }: MailSection): string => {
  const lines = rows.map(
    (row, at) => `<tr>${row.map((cell, i) => cellOf(cell, i, false)).join('')}${bars ? barOf(bars[at]!) : ''}</tr>`,
  );
  const top = head === undefined ? '' : `<tr>${head.map((cell, i) => cellOf(cell, i, true)).join('')}</tr>`;
  const body = rows.length === 0 ? '' : `${table}${top}${lines.join('')}</table>`;
  const after = note === undefined ? '' : `<p class="dim" style="margin:4px 0 0">${escapedHtml(note)}</p>`;
  return `<h2 style="margin:24px 0 6px;font-size:15px">${escapedHtml(title)}</h2>${body}${after}`;
};

const htmlOf = ({ title, language, lead, sections, button, foot, unsubscribe }: MailDocument): string => {
  const link = (url: string, label: string, look = ''): string =>
    `<a href="${escapedHtml(url)}"${look}>${escapedHtml(label)}</a>`;
  const shown =
    button === undefined
      ? ''
      : `<p style="margin:24px 0 0">${link(button.url, button.label, ' class="button" style="display:inline-block;padding:10px 16px;border-radius:6px;text-decoration:none"')}</p>`;
  const feet = [
    ...foot.map(escapedHtml),
    ...(unsubscribe === undefined ? [] : [link(unsubscribe.url, unsubscribe.label, ' class="dim"')]),
  ];
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escapedHtml(title)}</title><style>${style}</style></head>
<body style="${font}">${table}<tr><td align="center" style="padding:16px 8px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px"><tr>
<td class="card" style="${font};padding:24px;border-radius:8px"><h1 style="margin:0 0 8px;font-size:20px;line-height:26px">${escapedHtml(title)}</h1>
${lead.map(line => `<p style="margin:0 0 8px">${escapedHtml(line)}</p>`).join('')}
${sections.map(htmlSection).join('\n')}
${shown}
<p class="dim" style="margin:24px 0 0;font-size:12px;line-height:18px">${feet.join('<br>')}</p>
</td></tr></table></td></tr></table></body></html>
`;
};
