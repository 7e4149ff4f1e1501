/**
 * The documentation, as .ci/docs.mjs makes it from docs/*.md: `/docs` lists its pages, and
 * `/docs/tracker` is one. Everybody may read it. It is kept compressed, some hundred kilobytes.
 */
import { brotliDecompressSync } from 'node:zlib';
import { acceptsEncoding } from '../model/headers.ts';
import { lazy } from '../model/remember.ts';
import { keptShipped } from '../package-root.ts';
import { pageHeaders } from './page-headers.ts';
import type { DashboardRoute } from './route.ts';

const file = /^docs(?:-(\w+))?\.html\.br$/;

/** `names` are those of the files in the directory. */
export const docsRoutes = (dir: string, names: readonly string[]): DashboardRoute[] =>
  names.flatMap((name): DashboardRoute[] => {
    const [found, page] = file.exec(name) ?? [];
    if (found === undefined) return [];
    const compressed = keptShipped(`${dir}/${name}`);
    const unpacked = lazy(() => brotliDecompressSync(compressed()));
    const answer: DashboardRoute['answer'] = ({ request }) => {
      const isAccepted = acceptsEncoding(request.headers['accept-encoding']?.toString(), 'br');
      return {
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          ...(isAccepted ? { 'content-encoding': 'br' } : {}),
          'cache-control': 'public, max-age=600',
          vary: 'accept-encoding',
          ...pageHeaders,
        },
        body: isAccepted ? compressed() : unpacked(),
      };
    };
    return [{ method: 'GET', path: page === undefined ? '/docs' : `/docs/${page}`, right: 'anybody', answer }];
  });
