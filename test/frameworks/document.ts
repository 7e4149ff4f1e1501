/** The documents of the site. */
import type { Framework } from './frameworks.ts';
import { links, titleOf } from './site.ts';

/** As docs/tracker.md gives it. The server puts in where the collector is, and the key. */
const tag = ({ isHash }: Framework): string =>
  `<script defer src="https://stats.example.com/t.js" data-site="pk_live_…"${isHash ? ' data-hash="true"' : ''}></script>`;

const script = '<script defer src="/app.js"></script>';

const fade = `<style>.transition-fade { transition: opacity .25s } html.is-animating .transition-fade { opacity: 0 }</style>`;

const documentOf = (framework: Framework, title: string, body: string, attributes = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${fade}${tag(framework)}${script}</head>
  <body${attributes}>${body}</body></html>`;

/** A page that is whole as the server sends it. */
export const pageDocument = (framework: Framework, path: string, search: string): string => {
  const title = titleOf(path, search);
  const anchors = links.map(to => `<a href="${to}">${to}</a>`).join(' ');
  const main = `<main id="swup" class="transition-fade" data-barba="container"><h1>${title}</h1>${anchors}</main>`;
  return documentOf(framework, title, main, ' data-barba="wrapper" hx-boost="true" hx-boost:inherited="true"');
};

/** The one document of an app, which has a title of its own until the router knows better. */
export const appDocument = (framework: Framework): string => documentOf(framework, 'Site', '<div id="root"></div>');

/** What Inertia sends instead of a document, and puts into its first one. */
export const inertiaPage = (path: string, search: string): string =>
  JSON.stringify({
    component: 'Here',
    props: { title: titleOf(path, search), errors: {} },
    url: path + search,
    version: '1',
  });

export const inertiaDocument = (framework: Framework, path: string, search: string): string =>
  documentOf(
    framework,
    titleOf(path, search),
    `<script data-page="app" type="application/json">${inertiaPage(path, search)}</script><div id="app"></div>`,
  );
