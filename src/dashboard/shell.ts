/** The one HTML page. Everything in it but the title is drawn by the app. */

import { escapedHtml } from '../http/html.ts';
import type { Reply } from '../http/reply.ts';
import type { ShellAssets } from './assets.ts';
import { pageHeaders } from './page-headers.ts';
import type { State } from './wire.ts';

export const shellPage = (
  status: number,
  state: State,
  assets: ShellAssets,
  headers: Reply['headers'] = {},
): Reply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', ...pageHeaders, ...headers },
  body: shellHtml(state, assets),
});

const shellHtml = (
  state: State,
  { script, style, icon, theme, font, preload, texts, needsScript }: ShellAssets,
): string => {
  const language = state.me?.person.locale.language ?? state.language;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${escapedHtml(state.share?.domain ?? 'Daybook')}</title>
<link rel="icon" href="${icon}">
<script src="${theme}"></script>
<link rel="preload" as="font" type="font/woff2" href="${font}" crossorigin>
<link rel="stylesheet" href="${style}">
${[...preload, texts[language]].map(path => `<link rel="modulepreload" href="${path}">\n`).join('')}<script type="module" src="${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>${escapedHtml(needsScript[language])}</noscript>
<script type="application/json" id="state">${inScript(JSON.stringify(state))}</script>
</body>
</html>
`;
};

/**
 * JSON that cannot end its script element, whatever its texts are: outside of texts JSON has no
 * `<`.
 */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c');
