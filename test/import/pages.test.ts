import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPageView, urlOf } from '../../src/import/pages.ts';

const request = (target: string, method = 'GET', status = 200) => ({
  at: 0,
  host: '',
  method,
  target,
  status,
  referrer: '',
  userAgent: '',
});

const pages = [
  '/',
  '/about',
  '/blog/',
  '/index.html',
  '/INDEX.HTM',
  '/shop.php?id=7',
  '/cart.jsp;jsessionid=1A2B',
  '/blog/version-2.0',
  '/users/jane.doe',
  '/wiki/Atom',
  '/tags/atom',
  '/feedback',
  '/a?file=x.png',
  '/a?utm_source=rss&utm_medium=feed',
  '/a#b.png',
  '//double',
  'http://example.com/a',
];
for (const target of pages) test(`a page: ${target}`, () => assert.is(isPageView(request(target)), true));

const others = [
  '/style.css',
  '/app.JS?v=3',
  '/favicon.ico',
  '/robots.txt',
  '/sitemap.xml',
  '/img/a.jpeg',
  '/fonts/a.woff2',
  '/paper.pdf',
  '/files/release-1.0.tar.gz',
  '/a.png;v=1',
  '/feed',
  '/feed/',
  '/category/x/feed/atom/',
  '/blog/rss',
  '/index.rdf',
  '/?feed=rss2',
  '/blog/tags/puppet?flav=rss20',
  '/blog?a=1&format=atom',
  '/.well-known/acme-challenge/x',
  'http://example.com/a.png',
];
for (const target of others) test(`not a page: ${target}`, () => assert.is(isPageView(request(target)), false));

test('only a GET with a status of 200 to 299, or 304, counts', () => {
  const counted = [200, 201, 206, 299, 304];
  const not = [0, 100, 199, 300, 301, 302, 303, 307, 400, 403, 404, 410, 416, 500, 503];
  for (const status of counted) assert.is(isPageView(request('/', 'GET', status)), true, String(status));
  for (const status of not) assert.is(isPageView(request('/', 'GET', status)), false, String(status));
  for (const method of ['HEAD', 'POST', 'OPTIONS', 'get', ''])
    assert.is(isPageView(request('/', method)), false, method);
});

const urls: [target: string, want: string | null][] = [
  ['/', 'https://example.com/'],
  ['/a?b=c', 'https://example.com/a?b=c'],
  ['/a#b', 'https://example.com/a'],
  ['/@other.example/', 'https://example.com/@other.example/'],
  ['http://example.com/a?b', 'https://example.com/a?b'],
  ['HTTPS://WWW.Example.com:8443/a', 'https://example.com/a'],
  ['http://other.example/', null],
  ['http://example.com.other.example/', null],
  ['http://', null],
  ['example.com:443', null],
  ['*', null],
  ['', null],
];
for (const [target, want] of urls)
  test(`the address of ${JSON.stringify(target)}`, () => assert.is(urlOf(target, 'example.com'), want));

test.run();
