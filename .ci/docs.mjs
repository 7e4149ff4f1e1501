// Makes the pages under /docs from docs/*.md: what the server serves beside the dashboard, so that a page can link to what is written about it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { Marked } from 'marked';

const root = fileURLToPath(new URL('..', import.meta.url));

/** In the order in which they are listed. Others follow by name. */
const order = [
  'tracker',
  'proxy',
  'definitions',
  'importing',
  'moving',
  'api',
  'client',
  'mcp',
  'operations',
  'collecting',
  'cluster',
];

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = text => text.replace(/[&<>"]/g, character => entities[character]);

/** As GitHub makes them, which the links within the texts are written for. */
const anchorOf = heading =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

/** Where a link of a page leads to: another page, a heading, another host; undefined for what is not served. */
const targetOf = (href, names) => {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [, name, anchor = ''] = /^(\w+)\.md(#.*)?$/.exec(href) ?? [];
  return names.includes(name) ? `/docs/${name}${anchor}` : undefined;
};

/** The page as HTML, and its headings of the second level. */
const rendered = (text, names) => {
  const headings = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: raw }) {
        const [id, inner] = [anchorOf(raw), this.parser.parseInline(tokens)];
        if (depth === 2) headings.push({ id, inner });
        return `<h${depth} id="${id}">${inner}${depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this heading">#</a>`}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const [target, inner] = [targetOf(href, names), this.parser.parseInline(tokens)];
        return target === undefined ? inner : `<a href="${escaped(target)}">${inner}</a>`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escaped(code)}</code></pre>\n`;
      },
      // Notes of the tools that write parts of the texts.
      html: ({ text: html }) => (/^\s*<!--/.test(html) ? '' : escaped(html)),
    },
  });
  const body = marked
    .parse(text)
    .replaceAll('<table>', '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { body, headings };
};

const page = ({ title, nav, body }, { theme, style, icon, font }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Daybook</title>
<link rel="icon" href="/assets/${icon}">
<script src="/assets/${theme}"></script>
<link rel="preload" as="font" type="font/woff2" href="/assets/${font}" crossorigin>
<link rel="stylesheet" href="/assets/${style}">
</head>
<body>
<a class="skip-link" href="#text">Skip to content</a>
<header><a href="/">Daybook</a> <a href="/docs">Documentation</a></header>
<div class="columns">
<nav aria-label="Documentation">${nav}</nav>
<main id="text" tabindex="-1">${body}</main>
</div>
</body>
</html>
`;

/**
 * Writes one compressed file for each page, and one for their list, which src/dashboard/assets.ts
 * serves. `assets` are names of the files that they use.
 */
export const buildDocs = (outdir, assets) => {
  const found = readdirSync(join(root, 'docs')).flatMap(file => /^(\w+)\.md$/.exec(file)?.[1] ?? []);
  const names = [...order, ...found.filter(name => !order.includes(name)).sort()];
  const pages = names.map(name => {
    const text = readFileSync(join(root, `docs/${name}.md`), 'utf8');
    const [, title] = /^# (.+)$/m.exec(text);
    // The first sentence under the title.
    const [, lead] = /^# .+\n\n([\s\S]+?[.:])(?:\s)/.exec(text);
    return { name, title, lead, ...rendered(text, names) };
  });
  const navOf = current =>
    `<ul>${pages
      .map(({ name, title, headings }) => {
        const within =
          name === current
            ? `<ul>${headings.map(({ id, inner }) => `<li><a href="#${id}">${inner}</a></li>`).join('')}</ul>`
            : '';
        return `<li><a href="/docs/${name}"${name === current ? ' aria-current="page"' : ''}>${title}</a>${within}</li>`;
      })
      .join('')}</ul>`;
  const write = (file, shown) =>
    writeFileSync(join(outdir, `${file}.html.br`), brotliCompressSync(Buffer.from(page(shown, assets))));
  // As they are, for assistants.
  for (const name of ['definitions', 'api'])
    writeFileSync(join(outdir, `docs-${name}.md.br`), brotliCompressSync(readFileSync(join(root, `docs/${name}.md`))));
  for (const { name, title, body } of pages) write(`docs-${name}`, { title, nav: navOf(name), body });
  const inline = new Marked({ renderer: { link: ({ text }) => text } });
  const list = pages.map(
    ({ name, title, lead }) => `<li><a href="/docs/${name}">${title}</a><p>${inline.parseInline(lead)}</p></li>`,
  );
  write('docs', {
    title: 'Documentation',
    nav: navOf(null),
    body: `<h1>Documentation</h1><ul class="list">${list.join('')}</ul>`,
  });
};
