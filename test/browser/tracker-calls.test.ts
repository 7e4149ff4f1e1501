/** What a page calls, and what a click says. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, until } from './helpers.ts';
import { linesOf } from './stored.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

stage?.test('tracker() sends a custom event with typed properties', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(
    `tracker('Signup', { plan: 'pro', seats: 3, trial: true, since: new Date(0), gone: undefined })`,
  );
  await visit.evaluate(`tracker('Bare')`);
  await stores(
    'pageview /',
    'custom Signup {"plan":"pro","seats":3,"trial":true,"since":"1970-01-01T00:00:00.000Z"}',
    'custom Bare',
  );
});

stage?.test('a call that cannot be sent is no error of the page and stops no other', async scene => {
  const { web, tag, open, stores } = scene;
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`
    const circle = {}; circle.self = circle;
    tracker('Circle', circle);
    tracker('Big', { n: 10n });
    tracker(Symbol('s'));
    tracker();
    tracker('Throws', { get x() { throw new Error('from the page') } });
    tracker('Long', { text: 'x'.repeat(100000), deep: { er: [1] } });
    tracker('Last');
  `);
  const all = await stores(
    'pageview /',
    'custom Circle',
    'custom Big',
    'custom Throws',
    `custom Long {"text":"${'x'.repeat(500)}","deep":"{\\"er\\":[1]}"}`,
    'custom Last',
  );
  assert.is(all.length, 6);
});

stage?.test('properties are sent as they were when the page called', async ({ web, tag, open, stores }) => {
  web.show({
    '/': page(tag(), `<script>const p = { step: 1 }; tracker('Step', p); p.step = 2; tracker('Step', p)</script>`),
  });
  await open(`${web.origin}/`);
  await stores('pageview /', 'custom Step {"step":1}', 'custom Step {"step":2}');
});

stage?.test('both forms of revenue work', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`tracker('Purchase', { revenue: 4900, currency: 'EUR', sku: 'a-7' })`);
  await visit.evaluate(`tracker.revenue(1250, 'CHF', { sku: 'b-1' })`);
  await visit.evaluate('tracker.revenue(100)');
  await stores(
    'pageview /',
    'revenue Purchase 4900 EUR {"sku":"a-7"}',
    'revenue revenue 1250 CHF {"sku":"b-1"}',
    'revenue revenue 100 USD',
  );
});

stage?.test('both forms of identify work', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`tracker.identify({ email: 'ada@example.com', plan: 'pro' })`);
  await visit.evaluate(`tracker.identify('user-42', { plan: 'team' })`);
  const [, first, second] = await stores('pageview /', 'identify ada@example.com', 'identify user-42');
  assert.equal(JSON.parse(first!.traits!), { email: 'ada@example.com', plan: 'pro' });
  assert.equal(JSON.parse(second!.traits!), { id: 'user-42', plan: 'team' });
});

stage?.test('calls that a stub queued are sent after the pageview', async ({ web, tag, open, stores }) => {
  const stub = `<script>window.tracker=window.tracker||function(){(tracker.q=tracker.q||[]).push(arguments)};
    tracker('Early', { a: 1 }); tracker('Buy', { revenue: 5, currency: 'EUR' });</script>`;
  web.show({ '/': page(stub + tag('defer')) });
  await open(`${web.origin}/`);
  await stores('pageview /', 'custom Early {"a":1}', 'revenue Buy 5 EUR');
});

stage?.test('tracker.pageview() sends another pageview of the same address', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate('const { pageview } = tracker; pageview()');
  await stores('pageview /', 'pageview /');
});

stage?.test('elements with data-track send an event when clicked', async ({ web, tag, open, stores }) => {
  const body = `<button data-track="Signup" data-track-plan="pro" data-track-Plan-Size="3"><b>sign <i>up</i></b></button>
    <div data-track="Outer"><button data-track="Inner">inner</button><p>outer</p></div>
    <button data-track="Stopped" onclick="event.stopPropagation()">stopped</button>
    <div id="host"></div><script>
      host.attachShadow({ mode: 'open' }).innerHTML = '<button data-track="Shadow">shadow</button>';
    </script>`;
  web.show({ '/': page(tag(), body) });
  const visit = await open(`${web.origin}/`);
  for (const text of ['up', 'inner', 'outer', 'stopped', 'shadow']) await visit.click(`text="${text}"`);
  await visit.click('text="up"', { button: 'right' });
  await stores(
    'pageview /',
    'custom Signup {"plan":"pro","plan-size":"3"}',
    'custom Inner',
    'custom Outer',
    'custom Stopped',
    'custom Shadow',
  );
});

stage?.test('an outbound click is recorded while the page is left', async ({ web, elsewhere, tag, open, stores }) => {
  elsewhere.show({ '/there': 'there' });
  web.show({ '/': page(tag(), `<a href="${elsewhere.origin}/there?a=b#c"><b>out</b></a>`) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.click('text=out');
  await visit.waitForURL(/there/);
  await stores('pageview /', `outbound ${elsewhere.origin}/there?a=b#c`, 'duration');
});

stage?.test('an outbound click before the answer to the probe is recorded too', async scene => {
  const { web, elsewhere, tag, detour, open, stores, hits } = scene;
  const slow = await detour(path => (path.startsWith('/c/') ? { delayMs: 5000 } : undefined));
  elsewhere.show({ '/there': 'there' });
  web.show({ '/': page(tag(`data-api="${slow.origin}"`), `<a href="${elsewhere.origin}/there">out</a>`) });
  const visit = await open(`${web.origin}/?utm_source=news`);
  await visit.click('text=out');
  await visit.waitForURL(/there/);
  await until(() => hits().length === 3);
  assert.ok(hits().every(hit => hit.utmSource === 'news'));
  // Beacons that leave together may overtake each other.
  const lines = linesOf(hits());
  assert.equal([...lines].sort(), ['duration', `outbound ${elsewhere.origin}/there`, 'pageview /']);
  await stores(...lines);
});

stage?.test(
  'middle clicks, image maps and links in shadow trees are outbound; mail and right clicks are not',
  async scene => {
    const { web, elsewhere, tag, open, stores } = scene;
    elsewhere.show({ '/1': '', '/2': '', '/3': '' });
    const body = `<a href="${elsewhere.origin}/1">one</a> <a href="mailto:a@b.example">mail</a>
    <svg width="50" height="20"><a href="${elsewhere.origin}/4"><text y="15">svg</text></a></svg>
    <map name="m"><area shape="rect" coords="0,0,50,50" href="${elsewhere.origin}/2" target="_blank"></map>
    <img usemap="#m" width="50" height="50" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
    <div id="host"></div><script>
      host.attachShadow({ mode: 'open' }).innerHTML = '<a target="_blank" href="${elsewhere.origin}/3"><b>shadow</b></a>';
      addEventListener('click', event => event.target.closest?.('[href^=mailto],svg') && event.preventDefault());
    </script>`;
    web.show({ '/': page(tag(), body) });
    const visit = await open(`${web.origin}/`);
    await visit.click('text=one', { button: 'right' });
    await visit.click('text=one', { button: 'middle' });
    await visit.click('text=mail');
    await visit.click('text=svg');
    await visit.mouse.click(
      ...(await visit.evaluate<[number, number]>(`(() => {
    const { x, y } = document.images[0].getBoundingClientRect();
    return [x + 25, y + 25];
  })()`)),
    );
    await visit.click('text=shadow');
    await stores('pageview /', ...[1, 2, 3].map(n => `outbound ${elsewhere.origin}/${n}`));
  },
);

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

test.run();
