/** Pages with a tag as Plausible gives it, of which only the host is another, by what is stored. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, type Scene } from './helpers.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

const tagOf = ({ api, site }: Scene, variant = 'script', attributes = ''): string =>
  `<script defer data-domain="${site.domain}" ${attributes} src="${api}/js/${variant}.js"></script>`;

const queue = `<script>window.plausible = window.plausible || function () { (window.plausible.q = window.plausible.q || []).push(arguments) }</script>`;

stage?.test('calls and pages are counted, those from before the script came too', async scene => {
  const { web, open, stores, hits } = scene;
  const early = `<script>plausible('Early', { props: { plan: 'pro' } })</script>`;
  web.show({ '/': page(queue + early + tagOf(scene, 'script.revenue')), '/two': page('') });
  const visit = await open(`${web.origin}/?utm_source=news#/x`);
  await stores('pageview /', 'custom Early {"plan":"pro"}');
  assert.is(hits()[0]!.utmSource, 'news');
  await visit.evaluate(
    `plausible('Purchase', { revenue: { currency: 'EUR', amount: 10.29 }, props: { revenue: '7' } })`,
  );
  await visit.evaluate(`plausible('Gift', { revenue: { currency: 'JPY', amount: '1500' } })`);
  await visit.evaluate(`plausible('404', { props: { path: location.pathname }, interactive: false })`);
  await visit.evaluate(`history.pushState(null, '', '/two')`);
  const counted = [
    'pageview /',
    'custom Early {"plan":"pro"}',
    'revenue Purchase 1029 EUR {"revenue":"7"}',
    'revenue Gift 1500 JPY',
    'custom 404 {"path":"/"}',
    'pageview /two',
  ];
  await stores(...counted);
  const answered = await visit.evaluate(
    `new Promise(answer => plausible('Signup', { callback: result => answer(result) }))`,
  );
  assert.equal(answered, { status: 202 });
  await stores(...counted, 'custom Signup');
});

stage?.test('the time on a page and how far it was seen are told', async scene => {
  const { web, open, stores, hits } = scene;
  web.show({ '/': page(tagOf(scene), '<div style="height:300vh"></div>'), '/two': page(tagOf(scene)) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await visit.waitForTimeout(50);
  await visit.goto(`${web.origin}/two`);
  await stores('pageview /', 'duration', 'pageview /two');
  assert.ok(hits()[1]!.durationMs >= 50);
});

stage?.test('the name of the script says what it does', async scene => {
  const { web, elsewhere, open, stores, settled } = scene;
  const links = `<a href="${elsewhere.origin}/there" target="_blank">out</a> <a href="/a.pdf?x=1" download>file</a>`;
  web.show({
    '/': page(tagOf(scene), links),
    '/all': page(tagOf(scene, 'script.hash.outbound-links.file-downloads'), links),
    '/a.pdf': 'x',
  });
  const plain = await open(`${web.origin}/#one`);
  await plain.click('text=out');
  await plain.click('text=file');
  await plain.evaluate(`location.hash = '#/two'`);
  await settled();
  await stores('pageview /');
  const all = await open(`${web.origin}/all`);
  await all.click('text=out');
  await stores('pageview /', 'pageview /all', `outbound ${elsewhere.origin}/there`);
  await all.click('text=file');
  await all.evaluate(`location.hash = '#/two'`);
  await stores(
    'pageview /',
    'pageview /all',
    `outbound ${elsewhere.origin}/there`,
    `custom File Download {"url":"${web.origin}/a.pdf"}`,
    'pageview /all#/two',
  );
});

stage?.test('a page may count itself, under addresses of its own', async scene => {
  const { web, open, stores, settled } = scene;
  web.show({ '/users/7': page(queue + tagOf(scene, 'script.manual')) });
  const visit = await open(`${web.origin}/users/7`);
  await visit.evaluate(`history.pushState(null, '', '/users/8')`);
  await settled();
  await stores();
  await visit.evaluate(`plausible('pageview', { u: location.origin + '/users/id', props: { kind: 'user' } })`);
  await visit.evaluate(`plausible('Save', { u: () => location.origin + '/users/id' })`);
  const [, save] = await stores('pageview /users/id {"kind":"user"}', 'custom Save');
  assert.is(save!.path, '/users/id');
});

stage?.test('pages are left out and kept by their paths', async scene => {
  const { web, open, stores, settled } = scene;
  const tag = tagOf(scene, 'script.exclusions', 'data-include="/blog/**, /shop/*" data-exclude="/blog/drafts/*"');
  web.show(
    Object.fromEntries(['/', '/blog/a/b', '/shop/a', '/shop/a/b', '/blog/drafts/7'].map(path => [path, page(tag)])),
  );
  for (const path of ['/', '/shop/a/b', '/blog/drafts/7']) await open(web.origin + path);
  await settled();
  await stores();
  await open(`${web.origin}/blog/a/b`);
  await stores('pageview /blog/a/b');
  await open(`${web.origin}/shop/a`);
  await stores('pageview /blog/a/b', 'pageview /shop/a');
});

stage?.test('attributes of the tag are properties of pages', async scene => {
  const { web, open, stores } = scene;
  web.show({ '/': page(tagOf(scene, 'script.pageview-props', 'event-author="Ann" event-logged_in="no"')) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`plausible('Like', { props: { author: 'Bob' } })`);
  await stores('pageview / {"author":"Ann","logged_in":"no"}', 'custom Like {"author":"Bob","logged_in":"no"}');
});

stage?.test('tagged elements are counted', async scene => {
  const { web, open, stores } = scene;
  const body = `<button class="big plausible-event-name=Sign+up plausible-event-plan=pro">up</button>
    <a href="#x" class="plausible-event-name--Anchor"><b>down</b></a>
    <button class="plausible-event-name=Buy plausible-revenue-amount=9.99 plausible-revenue-currency=EUR">buy</button>
    <form class="plausible-event-name=Form" onsubmit="return false"><input><button>send</button></form>`;
  web.show({ '/': page(tagOf(scene, 'script.tagged-events.revenue'), body) });
  const visit = await open(`${web.origin}/`);
  for (const text of ['up', 'down', 'buy', 'send']) await visit.click(`text=${text}`);
  await stores(
    'pageview /',
    'custom Sign up {"plan":"pro"}',
    `custom Anchor {"url":"${web.origin}/#x"}`,
    'revenue Buy 999 EUR',
    'custom Form',
  );
});

stage?.test(
  'the newer script waits for its options, and asks the page about each event',
  async scene => {
    const { web, api, open, stores } = scene;
    const newer = (options: string) => `<script async src="${api}/js/pa-AbC-1_x.js"></script><script>
      window.plausible = window.plausible || function () { (plausible.q = plausible.q || []).push(arguments) };
      plausible.init = plausible.init || function (i) { plausible.o = i || {} };
      plausible.init(${options})</script>`;
    const form = '<form onsubmit="return false"><input name="q" required value="a"><button>send</button></form>';
    web.show({
      '/': page(newer(''), form),
      '/asks': page(
        newer(`{
        customProperties: name => ({ told: name }),
        transformRequest: payload => payload.n === 'Private' ? null : { ...payload, u: payload.u.replace('asks', 'asked') },
      }`),
      ),
    });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    await visit.click('text=send');
    await stores('pageview /', 'custom Form: Submission {"path":"/"}');
    const asks = await open(`${web.origin}/asks`);
    await asks.evaluate(`plausible('Private'); plausible('Public')`);
    await stores(
      'pageview /',
      'custom Form: Submission {"path":"/"}',
      'pageview /asked {"told":"pageview"}',
      'custom Public {"told":"Public"}',
    );
  },
  { aliases: ['pa-abc-1_x'] },
);

stage?.test('a proxy that knows no more than script and endpoint is enough', async scene => {
  const { web, site, api, detour, open, stores } = scene;
  const proxy = await detour(() => undefined);
  const tag = `<script defer data-domain="${site.domain}" data-api="${proxy.origin}/api/event" src="${web.origin}/js/a.js"></script>`;
  web.show({ '/': page(tag), '/js/a.js': await (await fetch(`${api}/js/script.js`)).text() });
  await open(`${web.origin}/`);
  await stores('pageview /');
  assert.equal(proxy.asked, [`GET /api/event?/c/${site.domain}`, 'POST /api/event?/e text/plain;charset=UTF-8']);
});

stage?.test('a visitor may opt out', async scene => {
  const { web, open, stores, settled } = scene;
  web.show({ '/': page(tagOf(scene)), '/blank': '' });
  const visit = await open(`${web.origin}/blank`);
  await visit.evaluate(`localStorage.plausible_ignore = 'true'`);
  await visit.goto(`${web.origin}/`);
  const answered = await visit.evaluate(
    `new Promise(answer => plausible('Event', { callback: result => answer(result ?? null) }))`,
  );
  assert.is(answered, null);
  await settled();
  await stores();
});

/** The calls that Plausible documents, and what each stores. `HERE` is the origin of the page. */
const calls: [call: string, stored: string][] = [
  [`plausible('Signup')`, 'custom Signup'],
  [
    `plausible('Download', { props: { method: 'HTTP', region: 'EU', n: 2, ok: true } })`,
    'custom Download {"method":"HTTP","region":"EU","n":2,"ok":true}',
  ],
  [`plausible('Purchase', { revenue: { currency: 'USD', amount: 10.29 } })`, 'revenue Purchase 1029 USD'],
  [
    `plausible('Purchase', { revenue: { currency: 'JPY', amount: 1322 }, props: { a: 'b' } })`,
    'revenue Purchase 1322 JPY {"a":"b"}',
  ],
  [`plausible('Autoplay', { interactive: false })`, 'custom Autoplay'],
  [`plausible('404', { props: { path: document.location.pathname } })`, 'custom 404 {"path":"/"}'],
  [`plausible('Custom', { u: 'HERE/other' })`, 'custom Custom'],
  [`plausible('pageview', { u: 'HERE/virtual', props: { author: 'Ann' } })`, 'pageview /virtual {"author":"Ann"}'],
  [`plausible('pageview')`, 'pageview /'],
  [`new Promise(done => plausible('Called', { callback: done }))`, 'custom Called'],
];

stage?.test('each call stores what it says', async scene => {
  const { web, open, stores } = scene;
  web.show({ '/': page(queue + tagOf(scene)) });
  const visit = await open(`${web.origin}/`);
  const lines = ['pageview /'];
  await stores(...lines);
  for (const [call, line] of calls) {
    await visit.evaluate(call.replace('HERE', web.origin));
    lines.push(line);
    await stores(...lines);
  }
});

test.run();
