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
  await stores('pageview /', 'custom Signup {"plan":"pro","seats":3,"trial":true,"since":0}', 'custom Bare');
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
    'custom Big {"n":10}',
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

stage?.test('both forms of identify work, and what they say in a visit adds up', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`tracker.identify({ email: 'ada@example.com', plan: 'pro' })`);
  await visit.evaluate(`tracker.identify('user-42', { plan: 'team' })`);
  const [, first, second] = await stores('pageview /', 'identify ada@example.com', 'identify ada@example.com');
  assert.equal(JSON.parse(first!.traits!), { email: 'ada@example.com', plan: 'pro' });
  assert.equal(JSON.parse(second!.traits!), { email: 'ada@example.com', plan: 'team', id: 'user-42' });
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

stage?.test('an outbound click is recorded while the page is left', async scene => {
  const { web, elsewhere, tag, open, stores, hits } = scene;
  elsewhere.show({ '/there': 'there' });
  web.show({ '/': page(tag(), `<a href="${elsewhere.origin}/there?a=b#c"><b>out</b></a>`) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.click('text=out');
  await visit.waitForURL(/there/);
  await until(() => hits().length === 3);
  // The click is known to count only after the page has begun to leave.
  const lines = linesOf(hits());
  assert.equal([...lines].sort(), ['duration', `outbound ${elsewhere.origin}/there?a=b#c`, 'pageview /']);
  await stores(...lines);
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

stage?.test('a label counts once, and a form when it is sent', async ({ web, tag, open, stores }) => {
  const body = `<label data-track="Label">label <input type="checkbox"></label>
    <div data-track="Box"><label for="field">inside</label><input type="checkbox" id="field"></div>
    <form data-track="Search" data-track-from="top" onsubmit="event.preventDefault()">
      <input type="checkbox" id="inner"><button>send</button></form>`;
  web.show({ '/': page(tag(), body) });
  const visit = await open(`${web.origin}/`);
  await visit.click('text="label"');
  await stores('pageview /', 'custom Label');
  await visit.click('text="inside"');
  await stores('pageview /', 'custom Label', 'custom Box');
  await visit.click('#inner');
  await visit.click('text="send"');
  await stores('pageview /', 'custom Label', 'custom Box', 'custom Search {"from":"top"}');
  // Each click is one of its own.
  await visit.click('text="label"');
  const again = ['custom Label', 'custom Box', 'custom Search {"from":"top"}', 'custom Label'];
  await stores('pageview /', ...again);
});

stage?.test('links in SVG are outbound, and links whose click the page prevents are not', async scene => {
  const { web, elsewhere, tag, open, stores } = scene;
  elsewhere.show({ '/svg': '', '/there': '' });
  const body = `<svg width="50" height="20"><a href="${elsewhere.origin}/svg" target="_blank"><text y="15">svg</text></a></svg>
    <a href="${elsewhere.origin}/prevented" onclick="event.preventDefault()">prevented</a>
    <a href="${elsewhere.origin}/there" target="_blank">there</a>`;
  web.show({ '/': page(tag(), body) });
  const visit = await open(`${web.origin}/`);
  await visit.click('text=prevented');
  await visit.click('text=svg');
  await visit.click('text=there');
  await stores('pageview /', `outbound ${elsewhere.origin}/svg`, `outbound ${elsewhere.origin}/there`);
});

stage?.test('a name and a password in an address never leave the page', async scene => {
  const { web, elsewhere, tag, open, detour, stores } = scene;
  const far = await detour(() => undefined);
  elsewhere.show({ '/there': 'there' });
  const there = elsewhere.origin.replace('//', '//ada:secret@');
  const link = `<a href="${there}/there?mail=a@b.example" target="_blank">out</a>`;
  web.show({ '/': page(tag(`data-api="${far.origin}"`), link) });
  const visit = await open(`${web.origin}/`);
  await visit.click('a');
  await stores('pageview /', `outbound ${elsewhere.origin}/there?mail=a@b.example`);
  assert.ok(far.bodies.some(body => body.includes('/there')));
  assert.not.ok(far.bodies.some(body => body.includes('secret')));
});

stage?.test('revenue may be a text or a BigInt, and is nothing when it is no number', async scene => {
  const { web, tag, open, stores } = scene;
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`
    tracker.revenue('4900', 'EUR');
    tracker.revenue(1250n, 'EUR');
    tracker.revenue(NaN, 'EUR'); tracker.revenue(Infinity); tracker.revenue('much'); tracker.revenue();
    tracker('Buy', { revenue: '700', currency: 'EUR' });
    tracker('Odd', { revenue: 'much' });
  `);
  await stores(
    'pageview /',
    'revenue revenue 4900 EUR',
    'revenue revenue 1250 EUR',
    'revenue Buy 700 EUR',
    'custom Odd {"revenue":"much"}',
  );
});

stage?.test('a property that cannot be sent takes no other with it', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`
    const circle = {}; circle.self = circle;
    tracker('Event', { a: 1, circle, run() {}, symbol: Symbol('s'), big: 10n, b: 2 });
  `);
  await stores('pageview /', 'custom Event {"a":1,"big":10,"b":2}');
});

stage?.test('our own script reads no Umami tag', async ({ web, site, api, open, stores, settled }) => {
  web.show({ '/': page(`<script src="${api}/t.js" data-website-id="${site.uuid}"></script>`) });
  const visit = await open(`${web.origin}/`);
  assert.equal(await visit.evaluate('[typeof umami, typeof tracker]'), ['undefined', 'undefined']);
  await settled();
  await stores();
});

test.run();
