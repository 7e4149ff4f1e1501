/** The documentation that the server itself has: every link of it leads somewhere, and every page's. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sitePages } from '../../src/model/site-pages.ts';
import { packageRoot } from '../../src/package-root.ts';
import { temporaryDir } from '../helpers.ts';
import { startTestServer, type TestServer } from '../start-server.ts';

const names = readdirSync(join(packageRoot, 'docs')).flatMap(file => /^(\w+)\.md$/.exec(file)?.[1] ?? []);
let server: TestServer;
const read = async (path: string, headers: Record<string, string> = {}): Promise<[Response, string]> => {
  const response = await fetch(server.url + path, { headers });
  return [response, await response.text()];
};
test.before(async () => {
  server = await startTestServer({ dataDir: temporaryDir() });
});
test.after(() => server.close());

test('each document is a page, with no script or style but files of the server', async () => {
  assert.ok(names.length > 10);
  for (const name of names) {
    const [response, text] = await read(`/docs/${name}`);
    assert.is(response.status, 200, name);
    assert.match(response.headers.get('content-security-policy')!, "default-src 'none'; script-src 'self'");
    assert.match(text, /<h1 id="/);
    assert.equal(text.match(/<(script|link)(?! (src|rel)="[^>]*\/assets\/[^>]*>)[^>]*>/g), null);
    assert.equal(text.match(/<[^>]* (?:style|on\w+)=|javascript:/gi), null);
    assert.not.match(text, '<!-- ');
  }
});

test('links between pages, and to headings, lead there', async () => {
  const pages = new Map<string, string>(
    await Promise.all(names.map(async name => [`/docs/${name}`, (await read(`/docs/${name}`))[1]] as const)),
  );
  pages.set('/docs', (await read('/docs'))[1]);
  let links = 0;
  for (const [path, text] of pages) {
    for (const [, href = ''] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^https?:/.test(href) || href === '/') continue;
      const [page, anchor] = href.split('#') as [string, string?];
      const target = pages.get(page === '' ? path : page);
      assert.ok(target, `${path}: ${href}`);
      if (anchor !== undefined && anchor !== 'text') assert.ok(target.includes(` id="${anchor}"`), `${path}: ${href}`);
      links++;
    }
  }
  assert.ok(links > 300, `${links} links`);
});

test('what each page of a site links to is written', async () => {
  for (const { docs } of Object.values(sitePages)) {
    const [page, anchor = ''] = docs.split('#');
    const [response, text] = await read(`/docs/${page}`);
    assert.is(response.status, 200, docs);
    if (anchor !== '') assert.ok(text.includes(` id="${anchor}"`), docs);
  }
});

test('a client without Brotli reads them too, and what is not written is not found', async () => {
  const [plain, text] = await read('/docs/tracker', { 'accept-encoding': 'identity' });
  assert.is(plain.headers.get('content-encoding'), null);
  assert.match(text, '<h1 id="the-tracker">');
  assert.is((await read('/docs/nothing'))[0].status, 404);
  assert.is((await read('/docs/..%2fpackage.json'))[0].status, 404);
});

test.run();
