import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRouter, type Route } from '../../src/http/router.ts';

const routes: Route[] = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/keys' },
  { method: 'POST', path: '/keys' },
  { method: 'POST', path: '/send' },
  { method: 'OPTIONS', path: '/send' },
  { method: 'GET', path: '/sites/:id/stats' },
  { method: 'GET', path: '/sites/:id' },
  { method: 'POST', path: '/sites/:id' },
  { method: 'GET', path: '/share/:token/*' },
  { method: 'GET', path: '/share/*' },
];
const find = createRouter(routes);

/** The route's method and path, and its parameters; or the methods that are allowed. */
const shown = (method: string | undefined, path: string): string | undefined => {
  const found = find(method, path);
  if (found === undefined) return undefined;
  const { route, parameters, allow } = found;
  return route === undefined ? `allow ${allow}` : `${route.method} ${route.path} ${JSON.stringify(parameters)}`;
};

test('finds a route by method and path', () => {
  const rows: [method: string | undefined, path: string, want: string | undefined][] = [
    ['GET', '/', 'GET / {}'],
    ['GET', '/keys', 'GET /keys {}'],
    ['POST', '/keys', 'POST /keys {}'],
    ['HEAD', '/keys', 'GET /keys {}'],
    ['GET', '/sites/a', 'GET /sites/:id {"id":"a"}'],
    ['POST', '/sites/a', 'POST /sites/:id {"id":"a"}'],
    ['GET', '/sites/a/stats', 'GET /sites/:id/stats {"id":"a"}'],
    ['GET', '/keys/', undefined],
    ['GET', '', undefined],
    ['GET', '/KEYS', undefined],
    ['GET', '/constructor', undefined],
    ['GET', '/sites', undefined],
    ['GET', '/sites/', undefined],
    ['GET', '/sites//stats', undefined],
    ['GET', '/sites/a/stats/b', undefined],
  ];
  for (const [method, path, want] of rows) assert.is(shown(method, path), want, `${method} ${path}`);
});

test('a path that answers other methods names them', () => {
  assert.is(shown('DELETE', '/keys'), 'allow GET, HEAD, POST');
  assert.is(shown(undefined, '/'), 'allow GET, HEAD');
  assert.is(shown('GET', '/send'), 'allow POST, OPTIONS');
  assert.is(shown('HEAD', '/send'), 'allow POST, OPTIONS');
  assert.is(shown('PUT', '/sites/a'), 'allow GET, HEAD, POST');
});

test('a star stands for further segments, or none', () => {
  assert.is(shown('GET', '/share/t'), 'GET /share/:token/* {"token":"t"}');
  assert.is(shown('GET', '/share/t/a/b'), 'GET /share/:token/* {"token":"t"}');
  assert.is(shown('GET', '/share'), 'GET /share/* {}');
  assert.is(shown('GET', '/share/'), 'GET /share/* {}');
  assert.is(shown('GET', '/shared'), undefined);
});

test('parameters are decoded, and what does not decode is empty', () => {
  const rows: [segment: string, id: string][] = [
    ['a%2Fb', 'a/b'],
    ['%C3%BC', 'ü'],
    [':id', ':id'],
    ['*', '*'],
    ['__proto__', '__proto__'],
    ['%', ''],
    ['%ff', ''],
  ];
  for (const [segment, id] of rows) assert.equal(find('GET', `/sites/${segment}`)!.parameters, { id }, segment);
});

test.run();
