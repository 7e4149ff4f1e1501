import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createDashboard } from '../../src/dashboard/dashboard.ts';
import { createUploads } from '../../src/dashboard/uploads.ts';
import { openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { berlin, startDashboard, stateOf } from './helpers.ts';

const shown = ({ status, headers }: { status: number; headers: Headers }): string =>
  [status, headers.get('location')].filter(Boolean).join(' ');

const ways = { password: true, passkey: false, provider: null };

test('people who are not signed in are sent to the sign-in page', async () => {
  const dashboard = await startDashboard();
  const stranger = dashboard.browser();
  const ways = async () => {
    const paths = [
      '/',
      '/sign-in',
      '/first-run',
      '/set-password',
      '/sites/a.example/visits?range=7d&path*=/b',
      '/settings',
    ];
    return Promise.all(paths.map(async path => `${path}: ${shown(await stranger.get(path))}`));
  };
  assert.equal(await ways(), [
    '/: 302 /first-run',
    '/sign-in: 302 /first-run',
    '/first-run: 200',
    '/set-password: 200',
    '/sites/a.example/visits?range=7d&path*=/b: 302 /sign-in?next=%2Fsites%2Fa.example%2Fvisits%3Frange%3D7d%26path*%3D%2Fb',
    '/settings: 302 /sign-in?next=%2Fsettings',
  ]);
  await dashboard.signedIn();
  assert.equal((await ways()).slice(0, 2), ['/: 302 /sign-in', '/sign-in: 200']);
  await dashboard.close();
});

test('people who are signed in get the app with what its first paint needs', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  assert.is(shown(await browser.get('/')), '200', 'no site yet: a page to add one');
  const first = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  assert.is(shown(await browser.get('/')), '302 /sites/a.example');
  assert.is(shown(await browser.get('/sign-in?next=/settings')), '302 /');

  const me = (await browser.get('/app/me')).json;
  for (const name of ['a.example', first.id, first.publicKey]) {
    const page = await browser.get(`/sites/${name}/visits?q=1`);
    assert.is(page.status, 200);
    assert.equal(stateOf(page), { language: 'en', me, share: null, ways });
  }
  await browser.post('/app/sites', { domain: 'b.example', ...berlin });
  assert.is(shown(await browser.get('/')), '200', 'several sites: a list of them');
  assert.is((await browser.get('/sites/c.example')).status, 404);
  await dashboard.close();
});

test('whoever signs in goes on to an address as long as our own, and no longer', async () => {
  const dashboard = await startDashboard();
  for (const [length, goesOn] of [
    [2000, true],
    [2001, false],
    [15_000, false],
  ] as const) {
    const address = '/settings?q='.padEnd(length, '%');
    const { headers } = await dashboard.browser().get(address);
    assert.is(headers.get('location'), goesOn ? `/sign-in?next=${encodeURIComponent(address)}` : '/sign-in');
  }
  await dashboard.close();
});

test('a page loads and runs its own files alone', async () => {
  const dashboard = await startDashboard();
  const { text, headers } = await dashboard.browser().get('/first-run');
  assert.is(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.is(
    headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
  assert.is(headers.get('referrer-policy'), 'same-origin');
  assert.is(headers.get('cross-origin-opener-policy'), 'same-origin');
  const sources = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path!);
  assert.equal(
    sources.map(path => path.slice('/assets/'.length)),
    ['icon-4.svg', 'theme-5.js', 'geist-6.woff2', 'app-2.css', 'part-3.js', 'part-en.js', 'app-1.js'],
  );
  for (const path of sources) assert.is((await dashboard.browser().get(path)).status, 200, path);
  assert.equal(
    [...text.matchAll(/<script ([^>]*)>/g)].map(([, attributes]) => attributes),
    ['src="/assets/theme-5.js"', 'type="module" src="/assets/app-1.js"', 'type="application/json" id="state"'],
  );
  assert.not.match(text, /<style|style=|\son\w+=/);
  await dashboard.close();
});

test('pages are in the language that the browser asks for', async () => {
  const dashboard = await startDashboard();
  for (const [accepted, language] of [
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['pt-BR, FR-ca;q=0.5, de;q=0.4', 'fr'],
    ['de;q=0.1,fr;q=0.2', 'fr'],
    ['fr;q=0,ja', 'en'],
    ['*', 'en'],
    [';;q=,', 'en'],
  ] as const) {
    const page = await dashboard.browser().get('/first-run', { 'accept-language': accepted });
    assert.match(page.text, `<html lang="${language}">`, accepted);
    assert.match(page.text, `<link rel="modulepreload" href="/assets/part-${language}.js">`, accepted);
    assert.is(stateOf(page).language, language, accepted);
  }
  await dashboard.close();
});

test('text from outside cannot break out of the page', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  await browser.post('/app/sites', { domain: 'a.example', ...berlin });
  const [site] = dashboard.directory.ofAccount(1);
  const nasty = `/</script><script>alert("1")</script><!--${'\u2028'}&amp;`;
  sites(dashboard.db).set(site!.id, { ...site!, excludedPaths: [nasty] });
  dashboard.directory.reload();
  const page = await browser.get('/settings');
  assert.not.match(page.text, /<script>|<!--/);
  assert.equal(stateOf(page).me!.sites[0]!.excludedPaths, [nasty]);
  await dashboard.close();
});

test('the app’s files are compressed as the browser accepts, and cached for ever', async () => {
  const dashboard = await startDashboard();
  const fetchAs = (encodings: string, method = 'GET') =>
    fetch(`${dashboard.url}/assets/app-1.js`, { method, headers: { 'accept-encoding': encodings } });
  const rows: [accepts: string, encoding: string | null][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['br;q=0.5', 'br'],
    ['brotli', null],
    ['identity', null],
    ['', null],
  ];
  for (const [accepts, encoding] of rows) {
    const response = await fetchAs(accepts);
    assert.is(response.headers.get('content-encoding'), encoding, accepts);
    assert.is(await response.text(), 'console.log("app")');
  }
  const { headers } = await fetchAs('gzip');
  assert.is(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.is(headers.get('vary'), 'accept-encoding');
  assert.is(headers.get('content-type'), 'text/javascript; charset=utf-8');
  const head = await fetchAs('identity', 'HEAD');
  assert.equal([head.status, head.headers.get('content-length'), await head.text()], [200, '18', '']);
  const post = await fetchAs('', 'POST');
  assert.equal([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
  for (const path of ['/assets/app-1.js.br', '/assets/shell.json', '/assets/..%2f..%2fpackage.json', '/assets/']) {
    assert.is((await dashboard.browser().get(path)).status, 404, path);
  }
  await dashboard.close();
});

test('unknown paths are left to others, but a browser gets a page', async () => {
  const dashboard = await startDashboard();
  const browser = dashboard.browser();
  const other = await browser.get('/robots.txt', { accept: '*/*' });
  assert.equal([other.status, other.text], [404, 'nobody’s']);
  const page = await browser.get('/constructor', { accept: 'text/html,*/*;q=0.8' });
  assert.equal([page.status, stateOf(page)], [404, { language: 'en', me: null, share: null, ways }]);
  const post = await browser.post('/settings');
  assert.equal([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
  await dashboard.close();
});

test('without the built app a sentence says what to do', async () => {
  const dashboard = await startDashboard();
  const { db, directory } = dashboard;
  const parts = {
    db,
    directory,
    now: () => 0,
    random: () => new Uint8Array(),
    log: () => {},
    addressOf: () => '',
    dropRows: () => {},
    engine: { run: () => Promise.reject(new Error('nobody asks')) },
    work: { hasCluster: false, stateOf: () => undefined, start: () => false, stop: () => {}, close: async () => {} },
    uploads: createUploads({ dataDir: temporaryDir(), bytesMax: 0, now: () => 0, random: () => new Uint8Array() }),
    nodes: () => [],
    otherHosts: () => [],
  };
  assert.throws(
    () => createDashboard({ ...parts, baseUrl: null, collectorUrl: () => null, assetsDir: temporaryDir() }),
    /The dashboard is not built: npm run build makes .*shell\.json\./,
  );
  await dashboard.close();
});

test('sites added by a command appear with the next request', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const command = openDatabase(dashboard.dataDir);
  addSite(command, { domain: 'cli.example' });
  command.close();
  assert.is(shown(await browser.get('/')), '302 /sites/cli.example');
  await dashboard.close();
});

test.run();
