/** Navigation as routers do it: each page that a person sees is one pageview, with its own address and title. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage } from './helpers.ts';
import { linesOf } from './stored.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

/** Browsers of before the Navigation API, which are watched by other means. */
const browsers: [name: string, script: string][] = [
  ['with the Navigation API', ''],
  ['without the Navigation API', `<script>Object.defineProperty(window, 'navigation', { value: undefined })</script>`],
];

stage?.test('a navigation that the page intercepts is a pageview', async ({ web, tag, open, stores }) => {
  const router = `<a href="/a?x=1">a</a><a href="/b">b</a><script>
    navigation.addEventListener('navigate', event => {
      if (event.canIntercept) event.intercept({ handler: async () => { document.title = location.pathname } });
    })</script>`;
  web.show({ '/': page(tag(), router) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.click('text=a');
  await stores('pageview /', 'pageview /a');
  await visit.evaluate(`navigation.navigate('/b')`);
  await stores('pageview /', 'pageview /a', 'pageview /b');
  await visit.evaluate(`navigation.navigate('/b', { history: 'replace' })`);
  await visit.evaluate('navigation.back()');
  const all = await stores('pageview /', 'pageview /a', 'pageview /b', 'pageview /a');
  assert.equal(
    all.map(hit => [hit.title, hit.query]),
    [
      ['Home', null],
      ['/a', 'x=1'],
      ['/b', null],
      ['/a', 'x=1'],
    ],
  );
});

stage?.test('a router may have taken pushState before the script came', async ({ web, tag, open, stores }) => {
  const router = '<script>const push = history.pushState.bind(history)</script>';
  web.show({ '/': page(router + tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`push(null, '', '/a')`);
  await stores('pageview /', 'pageview /a');
});

for (const [name, script] of browsers) {
  stage?.test(`going back in the query is a pageview though the router replaces it first, ${name}`, async scene => {
    const { web, tag, open, stores } = scene;
    const router = `<script>addEventListener('popstate', event => history.replaceState(event.state, '', location.href))</script>`;
    web.show({ '/': page(script + router + tag()) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    await visit.evaluate(`history.pushState(null, '', '/list?page=1')`);
    await stores('pageview /', 'pageview /list');
    await visit.evaluate(`history.pushState(null, '', '/list?page=2')`);
    await stores('pageview /', 'pageview /list', 'pageview /list');
    await visit.evaluate('history.back()');
    await stores('pageview /', 'pageview /list', 'pageview /list', 'pageview /list');
    await visit.evaluate('history.forward()');
    const lists = Array<string>(4).fill('pageview /list');
    const all = await stores('pageview /', ...lists);
    assert.equal(
      all.map(hit => hit.query),
      [null, 'page=1', 'page=2', 'page=1', 'page=2'],
    );
  });

  for (const attribute of ['', 'data-hash="true"'])
    stage?.test(`a router in the hash that makes / into /#/ shows one page, ${name} ${attribute}`, async scene => {
      const { web, tag, open, stores } = scene;
      const router = (ms: number) => `<script>setTimeout(() => {
        history.replaceState(null, '', '#/'); document.title = 'Start' }, ${ms})</script>`;
      web.show({ '/': page(script + tag(attribute), router(0)), '/late': page(script + tag(attribute), router(1500)) });
      const visit = await open(`${web.origin}/?utm_source=news`);
      const [landing] = await stores('pageview /');
      assert.equal([landing!.title, landing!.utmSource], ['Start', 'news']);
      await visit.reload();
      await stores('pageview /', 'duration', 'pageview /');
      const late = await open(`${web.origin}/late`);
      await late.waitForFunction(`location.hash === '#/'`);
      await late.evaluate(`tracker('Seen')`);
      const all = await stores('pageview /', 'duration', 'pageview /', 'pageview /late', 'custom Seen');
      assert.is(all.at(-1)!.path, '/late');
    });

  stage?.test(`a redirect after landing is one pageview and keeps campaign and referrer, ${name}`, async scene => {
    const { web, elsewhere, tag, open, stores } = scene;
    const redirect = `<script>history.replaceState(null, '', '/home?tab=1#top'); document.title = 'Start'</script>`;
    elsewhere.show({ '/list': `<a href="${web.origin}/?utm_source=news&utm_campaign=may&color=red">shop</a>` });
    web.show({ '/': page(script + tag(), redirect) });
    const visit = await open(`${elsewhere.origin}/list`);
    await visit.click('a');
    const [landing] = await stores('pageview /home');
    const { title, query, utmSource, utmCampaign, referrer } = landing!;
    assert.equal([title, query, utmSource, utmCampaign, referrer], ['Start', 'tab=1', 'news', 'may', '127.0.0.3']);
  });

  stage?.test(`a redirect after a navigation is one pageview, ${name}`, async ({ web, tag, open, stores }) => {
    web.show({ '/': page(script + tag()), '/blank': '' });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    await visit.evaluate(`history.pushState(null, '', '/account');
      setTimeout(() => { history.replaceState(null, '', '/login?next=account'); document.title = 'Sign in' }, 30)`);
    const [, login] = await stores('pageview /', 'pageview /login');
    assert.equal([login!.title, login!.query], ['Sign in', 'next=account']);
    assert.ok(login!.durationMs > 0, 'time on the page before');
    // One that is stored is a page that was shown.
    await visit.evaluate(`history.replaceState(null, '', '/welcome')`);
    await stores('pageview /', 'pageview /login', 'pageview /welcome');
  });

  stage?.test(`pages that follow each other at once are each a pageview, ${name}`, async scene => {
    const { web, tag, open, stores } = scene;
    web.show({ '/': page(script + tag()) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    await visit.evaluate(`history.pushState(null, '', '/a'); document.title = 'A';
      setTimeout(() => { history.pushState(null, '', '/b'); setTimeout(() => { document.title = 'B' }, 600) }, 30)`);
    const all = await stores('pageview /', 'pageview /a', 'pageview /b');
    assert.equal(
      all.map(hit => hit.title),
      ['Home', 'A', 'B'],
    );
  });
}

stage?.test('an application that takes a while gives the landing its title and its redirect', async scene => {
  const { web, tag, open, stores } = scene;
  const app = `<script defer src="/app.js"></script>`;
  const busy = 'for (const since = performance.now(); performance.now() - since < 1200; ) ;';
  web.show({
    '/': page(tag('async') + app),
    '/app.js': `${busy} setTimeout(() => { history.pushState(null, '', '/start'); document.title = 'Start' }, 100)`,
  });
  await open(`${web.origin}/?utm_source=news`);
  const [landing] = await stores('pageview /start');
  assert.equal([landing!.title, landing!.utmSource], ['Start', 'news']);
});

stage?.test('a title that comes 700 ms after the address is that of the page', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(
    `history.pushState(null, '', '/late'); new Promise(set => setTimeout(() => set(document.title = 'Late'), 700))`,
  );
  const [, late] = await stores('pageview /', 'pageview /late');
  assert.is(late!.title, 'Late');
});

stage?.test('pages that all have the same title are each a pageview', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  const paths = ['/1', '/2', '/3', '/4'];
  await visit.evaluate(`for (const path of ${JSON.stringify(paths)}) history.pushState(null, '', path)`);
  await stores('pageview /', ...paths.map(path => `pageview ${path}`));
});

stage?.test('a page that is left before its title comes is counted', async scene => {
  const { web, tag, open, stores, hits, settled } = scene;
  web.show({ '/': page(tag()), '/end': 'end' });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(`history.pushState(null, '', '/short'); location.href = '/end'`);
  await visit.waitForURL(/end/);
  await settled();
  // Whether it was there for a millisecond or for none is as it comes.
  const pageviews = hits().filter(hit => hit.type === 'pageview');
  assert.equal(
    pageviews.map(hit => [hit.path, hit.title]),
    [
      ['/', 'Home'],
      ['/short', 'Home'],
    ],
  );
  await stores(...linesOf(hits()));
});

test.run();
