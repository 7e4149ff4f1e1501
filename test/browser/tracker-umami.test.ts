/** Pages with a tag as Umami gives it, of which only the host is another, by what is stored. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, type Scene } from './helpers.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

/** The calls that Umami documents, and what each stores, with the title of pages. `SITE` is the site's id. */
const calls: [call: string, stored: string, title?: string][] = [
  [`umami.track()`, 'pageview /', 'Home'],
  [`umami.track({ website: SITE, url: '/home', title: 'Home page' })`, 'pageview /home', 'Home page'],
  [`umami.track(props => ({ ...props, url: '/virtual', title: 'Virtual' }))`, 'pageview /virtual', 'Virtual'],
  [`umami.track(props => ({ ...props, url: props.url + 'more?a=b' }))`, 'pageview /more', 'Home'],
  [`umami.track('signup-button')`, 'custom signup-button'],
  [`umami.track('signup', { name: 'newsletter', id: 123 })`, 'custom signup {"name":"newsletter","id":123}'],
  [
    `umami.track(props => ({ ...props, name: 'signup', data: { name: 'newsletter' } }))`,
    'custom signup {"name":"newsletter"}',
  ],
  [`umami.track({ website: SITE, url: '/shop', name: 'bought', data: { n: 2 } })`, 'custom bought {"n":2}'],
  [`umami.track({ website: SITE, name: 'paid', data: { revenue: 19.5, currency: 'EUR' } })`, 'revenue paid 1950 EUR'],
  [`umami.track('checkout', { revenue: 49.9, currency: 'EUR' })`, 'revenue checkout 4990 EUR'],
  [`umami.track('checkout', { revenue: '49.90', currency: 'JPY' })`, 'revenue checkout 50 JPY'],
  [`umami.track('odd', { revenue: 1, currency: 'none' })`, 'custom odd {"revenue":1,"currency":"none"}'],
  [`umami.track(props => ({ ...props, tag: 'B', name: 'tagged' }))`, 'custom tagged {"tag":"B"}'],
  [`umami.identify('user-42')`, 'identify user-42'],
  [`umami.identify('user-42', { plan: 'pro' })`, 'identify user-42'],
  [`umami.identify({ email: 'a@b.example' })`, 'identify a@b.example'],
  // Version 1.
  [`umami('old')`, 'custom old'],
  [`umami.trackEvent('older', 'click')`, 'custom older'],
  [`umami.trackEvent('newer', { a: 1 })`, 'custom newer {"a":1}'],
  [`umami.trackView('/seen', 'https://news.example/')`, 'pageview /seen'],
];

for (const script of ['script.js', 'umami.js'])
  stage?.test(`each call of ${script} stores what it says, and answers with a promise`, async scene => {
    const { web, site, api, open, stores, hits } = scene;
    web.show({
      '/': page(`<script async defer src="${api}/${script}" data-website-id="${site.uuid}"></script>`),
    });
    const visit = await open(`${web.origin}/`);
    const lines = ['pageview /'];
    await stores(...lines);
    for (const [call, line, title] of calls) {
      const answer = await visit.evaluate(`(() => {
        const answer = ${call.replaceAll('SITE', JSON.stringify(site.uuid))};
        return answer instanceof Promise ? answer.then(() => 'answered') : 'none';
      })()`);
      assert.is(answer, 'answered', call);
      lines.push(line);
      await stores(...lines);
      if (title !== undefined) assert.is(hits().at(-1)!.title, title, call);
    }
    assert.is(await visit.evaluate(`typeof umami.track(() => null).then`), 'function');
    await scene.settled();
  });

stage?.test('data-auto-track="false" counts nothing but what the page says', async scene => {
  const { web, site, api, open, stores, settled } = scene;
  const tag = `<script src="${api}/script.js" data-website-id="${site.uuid}" data-auto-track="false"></script>`;
  web.show({ '/': page(tag, '<button data-umami-event="Up">up</button>') });
  const visit = await open(`${web.origin}/`);
  // A router that tells of its own pages.
  await visit.evaluate(`window.go = path => { history.pushState(null, '', path); umami.track() }; umami.track()`);
  await stores('pageview /');
  await visit.evaluate(`history.pushState(null, '', '/unseen')`);
  await settled();
  await stores('pageview /');
  await visit.evaluate(`go('/two'); go('/three')`);
  await stores('pageview /', 'pageview /two', 'pageview /three');
  await visit.click('text=up');
  await stores('pageview /', 'pageview /two', 'pageview /three', 'custom Up');
});

stage?.test('elements carry events, with revenue in major units, and by their classes', async scene => {
  const { web, site, api, open, stores } = scene;
  const body = `<button data-umami-event="Buy" data-umami-event-revenue="9.99" data-umami-event-currency="EUR">buy</button>
    <label data-umami-event="Agree"><input type="checkbox">agree</label>
    <button class="big umami--click--old-button">old</button>
    <select class="umami--change--choice"><option>a<option>b</select>
    <p data-track="Ours" data-track-revenue="999" data-track-currency="EUR">ours</p>`;
  web.show({ '/': page(`<script src="${api}/umami.js" data-website-id="${site.uuid}"></script>`, body) });
  const visit = await open(`${web.origin}/`);
  const lines = ['pageview /'];
  const becomes = (line: string) => stores(...lines, line).then(() => lines.push(line));
  await stores(...lines);
  await visit.click('text=buy');
  await becomes('revenue Buy 999 EUR');
  await visit.click('text=agree');
  await becomes('custom Agree');
  await visit.click('text=old');
  await becomes('custom old-button');
  await visit.selectOption('select', 'b');
  await becomes('custom choice');
  await visit.click('text=ours');
  await becomes('revenue Ours 999 EUR');
});

stage?.test('routes in the hash are pages, and anchors are none', async scene => {
  const { web, open, stores, settled } = scene;
  web.show({
    '/': page(umamiTag(scene, ''), '<a href="#part">part</a>'),
    '/plain': page(umamiTag(scene, 'data-exclude-hash="true"')),
  });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(`history.replaceState(null, '', '#/')`);
  await visit.click('text=part');
  await settled();
  await visit.evaluate(`history.pushState(null, '', '#/about')`);
  await visit.evaluate(`history.pushState(null, '', '#/')`);
  const counted = ['pageview /', 'pageview /#/about', 'pageview /'];
  await stores(...counted);
  const plain = await open(`${web.origin}/plain#/one`);
  await plain.evaluate(`history.pushState(null, '', '#/two')`);
  await settled();
  await stores(...counted, 'pageview /plain');
});

stage?.test('a page with an Umami tag works once its host is changed', async ({ web, site, api, open, stores }) => {
  const tag = `<script defer src="${api}/script.js" data-website-id="${site.uuid}"></script>`;
  const body = `<button data-umami-event="Signup" data-umami-event-plan="pro">up</button>
    <script>addEventListener('load', () => {
      umami.track('Open', { step: 1 });
      umami.track('Checkout', { revenue: 49.9, currency: 'EUR' });
      umami.track('Odd', { revenue: 1, currency: 'none' });
      umami.track();
      umami.identify('user-42', { plan: 'pro' });
    })</script>`;
  web.show({ '/': page(tag, body) });
  const visit = await open(`${web.origin}/`);
  const before = [
    'pageview /',
    'custom Open {"step":1}',
    'revenue Checkout 4990 EUR',
    'custom Odd {"revenue":1,"currency":"none"}',
    'pageview /',
    'identify user-42',
  ];
  await stores(...before);
  await visit.click('text=up');
  await stores(...before, 'custom Signup {"plan":"pro"}');
});

stage?.test(
  'an Umami tag may have data-host-url, data-auto-track and data-domains',
  async ({ web, site, api, open, stores, settled }) => {
    const tag = (attributes: string) =>
      `<script src="${web.origin}/script.js" data-website-id="${site.uuid}" data-host-url="${api}" ${attributes}></script>`;
    web.show({
      '/script.js': await (await fetch(`${api}/script.js`)).text(),
      '/quiet': page(tag('data-auto-track="false"')),
      '/other': page(tag('data-domains="shop.example,www.shop.example"')),
      '/here': page(tag('data-domains="shop.example, 127.0.0.2"')),
    });
    await open(`${web.origin}/quiet`);
    await open(`${web.origin}/other`);
    await settled();
    await open(`${web.origin}/here`);
    await stores('pageview /here');
  },
);

stage?.test('a proxy that knows no more than Umami’s script and endpoint is enough', async scene => {
  const { web, site, api, detour, open, stores } = scene;
  const proxy = await detour(() => undefined);
  const tag = `<script src="${web.origin}/script.js" data-website-id="${site.uuid}" data-host-url="${proxy.origin}"></script>`;
  web.show({ '/': page(tag), '/script.js': await (await fetch(`${api}/script.js`)).text() });
  await open(`${web.origin}/`);
  await stores('pageview /');
  assert.equal(proxy.asked, [`GET /api/send?/c/${site.uuid}`, 'POST /api/send?/e text/plain;charset=UTF-8']);
});

const umamiTag = ({ api, site }: Scene, attributes: string): string =>
  `<script src="${api}/script.js" data-website-id="${site.uuid}" ${attributes}></script>`;

stage?.test('an Umami tag keeps its ways to opt out', async scene => {
  const { web, open, stores, settled } = scene;
  const asks = `<script>Object.defineProperty(navigator, 'doNotTrack', { value: '1' })</script>`;
  web.show({
    '/': page(umamiTag(scene, '')),
    '/asks': page(asks + umamiTag(scene, 'data-do-not-track="true"')),
    '/unheard': page(asks + umamiTag(scene, '')),
    '/blank': '',
  });
  const visit = await open(`${web.origin}/blank`);
  await visit.evaluate(`localStorage.setItem('umami.disabled', '1')`);
  await visit.goto(`${web.origin}/`);
  await visit.evaluate(`umami.track('Event')`);
  await visit.goto(`${web.origin}/blank`);
  const silent = await open(`${web.origin}/asks`);
  await silent.evaluate(`umami.track('Event')`);
  await settled();
  await stores();
  await open(`${web.origin}/unheard`);
  await stores('pageview /unheard');
});

stage?.test('an Umami tag may leave out the search, name a variant and ask the page about each hit', async scene => {
  const { web, open, stores, hits } = scene;
  const clean = `<script>window.clean = (type, payload) =>
    payload.name === 'Private' ? false : { ...payload, url: payload.url.replace(/users\\/\\d+/, 'users/id'), title: type + ' ' + payload.hostname }
  </script>`;
  web.show({
    '/search': page(umamiTag(scene, 'data-exclude-search="true"')),
    '/tagged': page(umamiTag(scene, 'data-tag="B"')),
    '/users/7': page(clean + umamiTag(scene, 'data-before-send="clean"')),
  });
  await open(`${web.origin}/search?a=b`);
  await stores('pageview /search');
  assert.is(hits()[0]!.query, null);
  const tagged = await open(`${web.origin}/tagged`);
  await tagged.evaluate(`umami.track('Event', { a: 1 })`);
  const before = ['pageview /search', 'pageview /tagged {"tag":"B"}', 'custom Event {"tag":"B","a":1}'];
  await stores(...before);
  const user = await open(`${web.origin}/users/7`);
  await user.evaluate(`umami.track('Private'); umami.track('Public')`);
  const all = await stores(...before, 'pageview /users/id', 'custom Public');
  assert.is(all[3]!.title, 'event 127.0.0.2');
});

stage?.test('the page’s own function may take its time, and change what a hit is', async scene => {
  const { web, open, stores, settled } = scene;
  const later = `<script>window.later = async (type, payload) => {
    await new Promise(done => setTimeout(done, 50));
    if (payload.name === 'Private') return null;
    if (payload.name === 'Page') return { ...payload, name: undefined, url: '/page' };
    return { ...payload, data: { ...payload.data, asked: true } };
  }</script>`;
  web.show({ '/': page(later + umamiTag(scene, 'data-before-send="later"')) });
  const visit = await open(`${web.origin}/`);
  const lines = ['pageview / {"asked":true}'];
  await stores(...lines);
  await visit.evaluate(`umami.track('Private'); umami.track('Paid', { revenue: 2.5, currency: 'EUR' })`);
  lines.push('revenue Paid 250 EUR {"asked":true}');
  await stores(...lines);
  await visit.evaluate(`umami.track('Page')`);
  lines.push('pageview /page');
  await stores(...lines);
  await settled();
});

test.run();
