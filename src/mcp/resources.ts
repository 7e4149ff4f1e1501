/** What can be read besides asking: pages of the documentation, and what is known of a site. */
import { brotliDecompressSync } from 'node:zlib';
import { readShipped } from '../package-root.ts';
import type { Assistant } from './tool.ts';
import { tools } from './tools.ts';

const shipped = (name: string): string =>
  brotliDecompressSync(readShipped(`dist/assets/docs-${name}.md.br`)).toString();

const docs = {
  definitions: { title: 'What the numbers mean', text: () => shipped('definitions') },
  filters: {
    title: 'The grammar of filters',
    text: () => /^## Filters\n[\s\S]+?(?=^## )/m.exec(shipped('api'))![0],
  },
  api: { title: 'The API', text: () => shipped('api') },
} as const;

const place = 'daybook://docs/';
export const siteTemplate = {
  uriTemplate: 'daybook://sites/{id}',
  name: 'site',
  title: 'What can be asked of a site',
  mimeType: 'application/json',
};

export const resourceList = Object.entries(docs).map(([name, { title }]) => ({
  ...{ uri: place + name, name, title, mimeType: 'text/markdown' },
}));

/** The content at an address; undefined where there is none. Throws HttpError. */
export const readResource = async (uri: string, assistant: Assistant) => {
  const name = uri.startsWith(place) ? uri.slice(place.length) : '';
  if (Object.hasOwn(docs, name))
    return { uri, mimeType: 'text/markdown', text: docs[name as keyof typeof docs].text() };
  const [, id] = /^daybook:\/\/sites\/([^/?#]+)$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  const describeSite = tools.find(tool => tool.name === 'describe_site')!;
  const body = await describeSite.answer(assistant, { site: decodeURIComponent(id) });
  return { uri, mimeType: 'application/json', text: JSON.stringify(body) };
};
