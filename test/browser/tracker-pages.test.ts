/** Pages that are not as pages should be, and what a script meets among others. Each is counted, once, and none has an error by it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/package-root.ts';
import { openStage, until } from './helpers.ts';
import { linesOf } from './stored.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

stage?.test(
  'a page with a frozen history is counted, and so are its navigations',
  async ({ web, tag, open, stores }) => {
    web.show({ '/': page(`<script>Object.freeze(history)</script>${tag()}`) });
    const visit = await open(`${web.origin}/`);
    await visit.evaluate(`history.pushState(null, '', '/a'); history.pushState(null, '', '/b')`);
    await stores('pageview /', 'pageview /a', 'pageview /b');
    await visit.evaluate('history.back()');
    await stores('pageview /', 'pageview /a', 'pageview /b', 'pageview /a');
  },
);

stage?.test('a history that the page wrapped throws and returns as before', async scene => {
  const { web, tag, open, stores } = scene;
  const wrap = `<script>const push = history.pushState;
    history.pushState = function (...args) {
      push.apply(this, args);
      if (args[2] === '/throws') throw new Error('from the page');
      return 'given back';
    }</script>`;
  web.show({ '/': page(wrap + tag()) });
  const visit = await open(`${web.origin}/`);
  assert.is(await visit.evaluate(`history.pushState(null, '', '/a')`), 'given back');
  const thrown = await visit.evaluate(
    `(() => { try { history.pushState(null, '', '/throws') } catch (error) { return error.message } })()`,
  );
  assert.is(thrown, 'from the page');
  await stores('pageview /', 'pageview /a', 'pageview /throws');
});

stage?.test('a router may navigate twice at once and replace what it pushed', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(`
    history.replaceState({ key: 1 }, '', location.href);
    history.replaceState({ key: 1 }, '', '/');
    history.pushState({ key: 2 }, '', '/login');
    history.replaceState({ key: 2 }, '', '/login');
    Promise.resolve().then(() => {
      history.pushState({ key: 3 }, '', '/shop?a=1');
      history.replaceState({ key: 3 }, '', '/shop?a=2');
      history.pushState({ key: 4 }, '', '/shop?a=2');
      document.title = 'Shop';
    })`);
  const all = await stores('pageview /', 'pageview /login', 'pageview /shop');
  assert.is(all[2]!.title, 'Shop');
});

const documentation = readFileSync(join(packageRoot, 'docs', 'tracker.md'), 'utf8');

/** The first piece of that language below a heading of the documentation. */
const recipe = (heading: string, language: string): string =>
  documentation.split(`### ${heading}\n`)[1]!.split(`\`\`\`${language}\n`)[1]!.split('```')[0]!;

stage?.test('the documented link opts out', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag(), recipe('Opt-out link', 'html')), '/two': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.click('#opt-out');
  assert.is(await visit.textContent('#opt-out'), 'You are not counted');
  await visit.evaluate(`tracker('Event')`);
  await visit.goto(`${web.origin}/two`);
});

stage?.test(
  'the documented way to wait for consent works',
  async ({ web, elsewhere, site, api, open, stores, settled }) => {
    const code = recipe('Consent', 'js').replace('https://stats.example.com', api).replace('pk_live_…', site.publicKey);
    const consent = '<script>let agree; const consent = new Promise(resolve => { agree = resolve });</script>';
    elsewhere.show({ '/there': 'there' });
    const link = `<a href="${elsewhere.origin}/there" target="_blank">out</a>`;
    web.show({ '/': page('', `${link}${consent}<script>${code}</script>`) });
    const visit = await open(`${web.origin}/`);
    await visit.click('a');
    await visit.evaluate(`history.pushState(null, '', '/next')`);
    await settled();
    await stores();
    await visit.evaluate('agree()');
    await stores('pageview /next');
  },
);

const trackers: [name: string, script: string, own: string][] = [
  ['a constant', `const tracker = { send: () => 'own' }`, 'tracker.send()'],
  ['an element', `document.write('<p id="tracker">own</p>')`, `document.getElementById('tracker').textContent`],
  ['a function', `window.tracker = () => {}`, `'own'`],
  [
    'a property that stays',
    `Object.defineProperty(window, 'tracker', { value: { send: () => 'own' } })`,
    'tracker.send()',
  ],
];
for (const [name, script, own] of trackers) {
  stage?.test(`a page may have its own tracker: ${name}`, async ({ web, tag, open, stores }) => {
    web.show({ '/': page(`<script>${script}</script>${tag()}`) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    assert.is(await visit.evaluate(own), 'own');
    await visit.goto('about:blank');
    await stores('pageview /', 'duration');
  });
}

stage?.test('a page may add to prototypes', async ({ web, elsewhere, tag, open, stores }) => {
  const added = `<script>
    for (const { prototype } of [Array, Object, String, Function]) prototype.added = function () {};
    Array.prototype.reduce = function () { return this.length > 1 ? this : this[0] };
    Object.prototype.revenueTotal = 1;
  </script>`;
  elsewhere.show({ '/there': 'there' });
  const link = `<a href="${elsewhere.origin}/there" target="_blank" data-track="Out">out</a>`;
  web.show({ '/': page(added + tag(), link) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`tracker('Event', { a: 1 })`);
  await visit.click('a');
  await stores('pageview /', 'custom Event {"a":1}', 'custom Out', `outbound ${elsewhere.origin}/there`);
});

stage?.test(
  'a framed page of another site is counted as itself, and one of its own with the page around it',
  async scene => {
    const { web, elsewhere, tag, open, stores, hits } = scene;
    elsewhere.show({ '/framed': page(tag()) });
    web.show({
      '/': page(
        tag(),
        `<iframe src="/inner"></iframe><iframe src="${elsewhere.origin}/framed"></iframe>
      <iframe srcdoc='${page(tag())}'></iframe>`,
      ),
      '/inner': page(tag()),
    });
    await open(`${web.origin}/`);
    await scene.settled();
    const lines = linesOf(hits());
    assert.equal([...lines].sort(), ['pageview /', 'pageview /framed']);
    await stores(...lines);
  },
);

stage?.test('a framed page is counted where the page around it is not', async ({ web, tag, open, stores }) => {
  web.show({ '/': '<iframe src="/inner"></iframe>', '/inner': page(tag()) });
  await open(`${web.origin}/`);
  await stores('pageview /inner');
});

stage?.test('globals whose names resemble those of drivers make nobody a robot', async scene => {
  const { web, tag, open, stores, crawls } = scene;
  const names = `<script>
    for (const name of ['cypressMap', 'cdc_widget', 'seleniumShop', '__webdriverless', 'domAutomation'])
      window[name] = document[name] = {};
  </script>`;
  web.show({ '/': page(names + tag()), '/driven': page(`<script>window.__selenium_unwrapped = 1</script>${tag()}`) });
  await open(`${web.origin}/`);
  await stores('pageview /');
  await open(`${web.origin}/driven`);
  await until(() => crawls().length > 0);
});

stage?.test('a browser that cannot measure vitals is counted', async ({ web, tag, open, stores }) => {
  const missing = `<script>performance.getEntriesByType = undefined</script>`;
  const none = `<script>PerformanceObserver = performance.getEntriesByType = undefined</script>`;
  web.show({ '/missing': page(missing + tag()), '/none': page(none + tag()) });
  const visit = await open(`${web.origin}/missing`);
  await visit.evaluate(`tracker('Event')`);
  await stores('pageview /missing', 'custom Event');
  await visit.goto(`${web.origin}/none`);
  await stores('pageview /missing', 'custom Event', 'duration', 'pageview /none');
  await visit.goto('about:blank');
  await stores('pageview /missing', 'custom Event', 'duration', 'pageview /none', 'duration');
});

const inherited: [name: string, script: string][] = [
  ['toJSON', `Object.prototype.toJSON = function () { return 'own' }`],
  ['signal', `Object.prototype.signal = 'own'`],
];
for (const [name, script] of inherited) {
  stage?.test(`all objects of a page may inherit ${name}`, async ({ web, tag, open, stores }) => {
    const call = `<script>tracker('Event', { a: 1 })</script>`;
    web.show({ '/': page(`<script>${script}</script>${tag()}`, call) });
    await open(`${web.origin}/`);
    await stores('pageview /', 'custom Event {"a":1}');
  });
}

stage?.test('a page may have a base elsewhere', async ({ web, elsewhere, tag, open, stores }) => {
  elsewhere.show({ '/there': 'there' });
  web.show({
    '/a/b': page(`<base href="${elsewhere.origin}/">${tag()}`, '<a href="there" target="_blank">relative</a>'),
  });
  const visit = await open(`${web.origin}/a/b`);
  await stores('pageview /a/b');
  await visit.click('a');
  await stores('pageview /a/b', `outbound ${elsewhere.origin}/there`);
});

stage?.test('a page rewritten after loading is counted once', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(`document.open(); document.write(${JSON.stringify(page(tag()))}); document.close()`);
  await visit.evaluate(`tracker('Event')`);
  await stores('pageview /', 'custom Event');
});

stage?.test('a page may have a long title and a long path', async ({ web, tag, open, stores }) => {
  const path = `/${'p'.repeat(1500)}`;
  web.show({ [path]: page(tag()).replace('Home', '😀'.repeat(3000)) });
  await open(web.origin + path);
  const [landing] = await stores(`pageview ${path}`);
  assert.is(landing!.title, '😀'.repeat(250));
});

stage?.test('the tracker works without storage', async ({ web, tag, open, stores }) => {
  const deny = `<script>for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } });</script>`;
  web.show({ '/': page(deny + tag()) });
  await open(`${web.origin}/`);
  await stores('pageview /');
});

stage?.test(
  'what happens offline is sent when the browser is back, and is no error of the page',
  async ({ web, tag, open, stores }) => {
    web.show({ '/': page(tag()) });
    const visit = await open(`${web.origin}/`, /^Failed to load resource/);
    await stores('pageview /');
    await visit.context().setOffline(true);
    await visit.evaluate(`tracker('Away'); new Promise(done => setTimeout(done, 1000))`);
    await visit.context().setOffline(false);
    await visit.evaluate(`tracker('Back')`);
    await stores('pageview /', 'custom Away', 'custom Back');
  },
);

stage?.test('somebody who touches the page is no robot, whatever the other signs', async scene => {
  const { web, tag, open, stores, crawls, settled } = scene;
  const odd = `<script>
    Object.defineProperty(navigator, 'languages', { get: () => [] });
    Object.defineProperty(screen, 'width', { get: () => 0 });
  </script>`;
  web.show({ '/': page(odd + tag()) });
  const visit = await open(`${web.origin}/`);
  await settled();
  await stores();
  assert.is(crawls().length, 1);
  // What the page makes up shows nobody, and does not hide who comes after it.
  await visit.evaluate(`for (const type of ['pointermove', 'pointerdown', 'keydown', 'scroll']) dispatchEvent(new Event(type));
    tracker('Made up')`);
  await settled();
  await stores();
  await visit.mouse.move(50, 50);
  await visit.mouse.move(60, 60);
  await visit.evaluate(`tracker('Touched')`);
  await stores('custom Touched');
});

stage?.test('signs of automation are read only once', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(`window.callPhantom = 1; tracker('Event')`);
  await stores('pageview /', 'custom Event');
});

test.run();
