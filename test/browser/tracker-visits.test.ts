/** Pages as they are visited: each is counted once, whatever way it is reached and shown. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, type Scene, until } from './helpers.ts';
import { linesOf } from './stored.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string =>
  `<!doctype html><html><head><title>Home</title>${head}</head><body>${body}</body></html>`;

/** Runs in the page. */
const go = (scene: Scene, path: string) => `history.pushState(null, '', ${JSON.stringify(scene.web.origin + path)})`;

stage?.test('a visit of several pages keeps its campaign', async ({ web, site, tag, open, stores, hits }) => {
  web.show({
    '/': page(tag(), '<a href="/two">two</a>'),
    '/two': page(tag(), '<a href="/three#part">three</a>').replace('Home', 'Two'),
    '/three': page(tag()).replace('Home', 'Three'),
  });
  const visit = await open(`${web.origin}/?utm_source=news&utm_campaign=may&color=red&gclid=1`);
  await stores('pageview /');
  await visit.click('a');
  await stores('pageview /', 'duration', 'pageview /two');
  await visit.click('a');
  await stores('pageview /', 'duration', 'pageview /two', 'duration', 'pageview /three');

  const all = hits();
  assert.equal(new Set(all.map(hit => hit.visitId)).size, 1);
  const [landing, left] = all;
  assert.is(landing!.hostname, '127.0.0.2');
  assert.is(landing!.title, 'Home');
  assert.is(landing!.query, 'color=red');
  assert.is(landing!.utmSource, 'news');
  assert.is(landing!.utmCampaign, 'may');
  assert.is(landing!.referrer, null);
  assert.is(landing!.language, 'en-US');
  assert.is(landing!.device, 'desktop');
  assert.is(landing!.screen, await visit.evaluate('[innerWidth, innerHeight].join("x")'));
  assert.is(landing!.persistent, false);
  assert.ok(left!.durationMs > 200, `${left!.durationMs} ms`);
  assert.equal(all.map(hit => hit.title).filter(Boolean), ['Home', 'Two', 'Three']);
  assert.is(site.identityMode, 'hash');
});

stage?.test('the referrer is the page before, if on another host', async ({ web, elsewhere, tag, open, stores }) => {
  elsewhere.show({ '/list': `<a href="${web.origin}/">shop</a>` });
  web.show({ '/': page(tag()) });
  const visit = await open(`${elsewhere.origin}/list`);
  await visit.click('a');
  const [landing] = await stores('pageview /');
  assert.is(landing!.referrer, '127.0.0.3');
});

stage?.test('each change of path or search in a single-page application is one pageview', async scene => {
  const { web, tag, open, stores } = scene;
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');

  await visit.evaluate(`${go(scene, '/a')}; document.title = 'A'`);
  await visit.evaluate(go(scene, '/a'));
  await stores('pageview /', 'pageview /a');
  await visit.evaluate(go(scene, '/a?page=2'));
  await visit.evaluate(go(scene, '/a?page=2#part'));
  await stores('pageview /', 'pageview /a', 'pageview /a');
  await visit.evaluate(`history.replaceState(null, '', '/a?page=3')`);
  await visit.evaluate(`history.replaceState(null, '', '/b'); setTimeout(() => { document.title = 'B' }, 50)`);
  await stores('pageview /', 'pageview /a', 'pageview /a', 'pageview /b');
  await visit.evaluate('history.back()');
  await visit.evaluate(`location.hash = 'elsewhere'`);
  const all = await stores('pageview /', 'pageview /a', 'pageview /a', 'pageview /b', 'pageview /a');

  assert.equal(
    all.map(hit => hit.title),
    ['Home', 'A', 'A', 'B', 'B'],
  );
  assert.equal(
    all.map(hit => hit.query),
    [null, null, 'page=2', null, 'page=2'],
  );
  assert.is(all[0]!.durationMs, 0);
  assert.ok(
    all.slice(1).every(hit => hit.durationMs > 100),
    'time on the page before',
  );
});

stage?.test('where an application leads on before anybody touches it is one page, with the campaign', async scene => {
  const { web, tag, open, stores } = scene;
  const app = `<script>
    ${go(scene, '/first')}; document.title = 'First';
    ${go(scene, '/second')}; tracker('Ready'); document.title = 'Second';
  </script>`;
  web.show({ '/': page(tag(), app) });
  await open(`${web.origin}/?utm_source=news`);
  const all = await stores('pageview /second', 'custom Ready');
  assert.equal(
    all.map(hit => hit.title),
    ['Second', 'Second'],
  );
  assert.is(all[0]!.utmSource, 'news');
});

stage?.test('pages that somebody opens at once keep order and titles', async scene => {
  const { web, tag, open, stores } = scene;
  const app = `<button>next</button><script>
    document.querySelector('button').onclick = () => {
      ${go(scene, '/first')}; document.title = 'First';
      ${go(scene, '/second')}; tracker('Ready'); document.title = 'Second';
    };
  </script>`;
  web.show({ '/': page(tag(), app) });
  const visit = await open(`${web.origin}/?utm_source=news`);
  await visit.click('button');
  const all = await stores('pageview /', 'pageview /first', 'pageview /second', 'custom Ready');
  assert.equal(
    all.map(hit => hit.title),
    ['Home', 'First', 'Second', 'Second'],
  );
  assert.is(all[3]!.utmSource, 'news');
});

stage?.test('a page from the back/forward cache is a new pageview', async ({ web, tag, open, stores, hits }) => {
  web.show({ '/': page(tag(), '<a href="/two">two</a>'), '/two': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate('window.alive = true');
  await visit.click('a');
  await stores('pageview /', 'duration', 'pageview /two');
  await sleep(1500);
  await visit.evaluate('setTimeout(() => history.back())').catch(() => {});
  await stores('pageview /', 'duration', 'pageview /two', 'duration', 'pageview /');
  // Only a page from the cache still has it.
  await visit.waitForFunction('window.alive');
  assert.ok(hits()[4]!.durationMs < 1500, 'time in the cache is not time on page');
});

stage?.test('a prerendered page is counted while it is shown, and not before', async scene => {
  const { web, tag, browse, stores, reports, hits } = scene;
  const rules = JSON.stringify({ prerender: [{ urls: ['/next', '/never'], eagerness: 'immediate' }] });
  const first = `const wait = setInterval(() => {
    if (!localStorage.next || !localStorage.never) return;
    clearInterval(wait);
    setTimeout(() => tracker('Still here'), 700);
    setTimeout(() => { location.href = '/next' }, 3000);
  }, 50)`;
  const next = `tracker('Next', { prerendered: document.prerendering });
    addEventListener('load', () => { localStorage.next = 1 });
    const ask = async () => (await fetch('/leave')).ok ? location.href = '/end' : setTimeout(ask, 100);
    document.onprerenderingchange = ask`;
  const never = `tracker('Never'); addEventListener('load', () => { localStorage.never = 1 })`;
  const pages = {
    '/': page(tag(), `<script type="speculationrules">${rules}</script><script>${first}</script>`),
    '/next': page(tag(), `<h1>Next</h1><script>${next}</script>`),
    '/never': page(tag(), `<script>${never}</script>`),
    '/end': page(tag('data-auto="false"')),
  };
  web.show(pages);
  browse(`${web.origin}/`);
  await until(() => hits().length === 5);
  // What the page that was left and the one that is shown say may overtake each other.
  const lines = linesOf(hits());
  assert.equal(lines.slice(0, 2), ['pageview /', 'custom Still here']);
  assert.equal(
    lines.slice(2).filter(line => line !== 'duration'),
    ['pageview /next', 'custom Next {"prerendered":true}'],
  );
  web.show({ ...pages, '/leave': 'now' });
  await stores(...lines, 'duration');
  const [, shown] = await reports('/', '/next');
  assert.type(shown!.lcp, 'number');
});

const inclusions: [name: string, head: (tag: Scene['tag']) => string, body: (tag: Scene['tag']) => string][] = [
  ['async, in the head', tag => tag('async'), () => ''],
  ['defer, in the head', tag => tag('defer'), () => ''],
  ['in the body', () => '', tag => tag()],
  ['before the title', () => '', () => ''],
  ['twice', tag => tag() + tag(), () => ''],
  ['in head and body', tag => tag('async'), tag => tag('defer')],
  ['as a module', tag => tag('type="module" crossorigin'), () => ''],
];
for (const [name, head, body] of inclusions) {
  stage?.test(`the script works ${name}`, async ({ web, tag, open, stores }) => {
    const html = name === 'before the title' ? `${tag()}<title>Home</title><p>x` : page(head(tag), body(tag));
    web.show({ '/': html });
    await open(`${web.origin}/`);
    const [landing] = await stores('pageview /');
    assert.is(landing!.title, 'Home');
  });
}

stage?.test('the script works when a script inserts it, from a CDN, with data-api', async scene => {
  const { web, elsewhere, api, site, open, stores } = scene;
  const code = await (await fetch(`${api}/t.js`)).text();
  elsewhere.show({ '/assets/t.js': code });
  const loader = `<script>
    const script = document.createElement('script');
    script.src = '${elsewhere.origin}/assets/t.js';
    script.dataset.site = '${site.publicKey}';
    script.dataset.api = '${api}/';
    document.head.append(script);
  </script>`;
  web.show({ '/': page(loader) });
  await open(`${web.origin}/`);
  await stores('pageview /');
});

stage?.test('a page that throws or freezes for a while is counted once', async ({ web, tag, open, stores }) => {
  const trouble = `<script>throw new Error('from the page')</script>
    <script>const end = performance.now() + 700; while (performance.now() < end);</script>
    <script>addEventListener('visibilitychange', () => { throw new Error('from the page') }, true)</script>`;
  web.show({ '/': page(`<script>throw new Error('from the page')</script>${tag()}`, trouble) });
  const visit = await open(`${web.origin}/`, /from the page/);
  await stores('pageview /');
  await visit.goto('about:blank');
  await stores('pageview /', 'duration');
});

stage?.test(
  'a page under a strict policy is counted with the documented directive',
  async ({ web, api, tag, open, stores }) => {
    const policy = `default-src 'none'; script-src ${api}; connect-src ${api}`;
    web.show({ '/': { body: page(tag()), headers: { 'content-security-policy': policy } } });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    await visit.goto('about:blank');
    await stores('pageview /', 'duration');
  },
);

stage?.test('a sandboxed frame without storage or cookies is counted', async ({ web, tag, open, stores }) => {
  web.show({
    '/': `<iframe sandbox="allow-scripts" src="/framed"></iframe>`,
    '/framed': page(tag('data-cookies="true"')),
  });
  await open(`${web.origin}/`);
  await stores('pageview /framed');
});

test.run();
