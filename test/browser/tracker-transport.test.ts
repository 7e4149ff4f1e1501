/** How hits travel: what happens when the collector or the browser refuses, and who is no visitor at all. */
import { chromium } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chromiumArguments, chromiumPath } from './chromium.ts';
import { openStage, until } from './helpers.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

/** What the browser itself, and not a script, says in the console. */
const networkErrors = /^Failed to load resource/;

stage?.test('a beacon replaces a fetch that the browser refuses', async ({ web, tag, open, stores }) => {
  const refuse = `<script>window.fetch = () => Promise.reject(new TypeError('refused'))</script>`;
  const broken = `<script>window.fetch = () => { throw new TypeError('refused') }</script>`;
  // A machine that is busy in the meantime, which has the time of its clock only.
  const busy = `<script>window.fetch = () => {
    const end = performance.now() + 100;
    while (performance.now() < end);
    return Promise.reject(new TypeError('refused'));
  }</script>`;
  web.show({ '/rejects': page(refuse + tag()), '/throws': page(broken + tag()), '/busy': page(busy + tag()) });
  const lines: string[] = [];
  for (const path of ['/rejects', '/throws', '/busy']) {
    const visit = await open(web.origin + path);
    await visit.evaluate(`tracker('Event')`);
    lines.push(`pageview ${path}`, 'custom Event');
    await stores(...lines);
  }
});

stage?.test('a fetch replaces a beacon that the browser refuses', async ({ web, tag, open, stores }) => {
  const refuse = '<script>navigator.sendBeacon = () => false</script>';
  const missing = '<script>navigator.sendBeacon = undefined</script>';
  web.show({ '/refused': page(refuse + tag()), '/missing': page(missing + tag()) });
  const visit = await open(`${web.origin}/refused`);
  await stores('pageview /refused');
  await visit.goto(`${web.origin}/missing`);
  await stores('pageview /refused', 'duration', 'pageview /missing');
  await visit.goto('about:blank');
  await stores('pageview /refused', 'duration', 'pageview /missing', 'duration');
});

stage?.test('a hit whose answer is lost is not sent twice', async ({ web, tag, api, open, stores }) => {
  // The collector has recorded the hit when the connection ends.
  const lose = `<script>const send = fetch; window.fetch = async (...request) => {
    const answer = await send(...request);
    if (request[0] !== '${api}/e') return answer;
    await new Promise(resolve => setTimeout(resolve, 200));
    throw new TypeError('lost');
  }</script>`;
  web.show({ '/': page(lose + tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`tracker('Event')`);
  await stores('pageview /', 'custom Event');
});

stage?.test(
  'after a 503 the hit is sent again until it is taken, in order',
  async ({ web, tag, detour, open, stores }) => {
    let posts = 0;
    const busy = await detour(path => (path === '/e' && ++posts === 1 ? { status: 503 } : undefined));
    web.show({ '/': page(tag(`data-api="${busy.origin}"`), `<script>tracker('Event')</script>`) });
    await open(`${web.origin}/`, networkErrors);
    await stores('pageview /', 'custom Event');
    assert.is(posts, 3);
  },
);

stage?.test(
  'after a 503 the hit is sent once more when the page is left',
  async ({ web, tag, detour, open, stores }) => {
    let posts = 0;
    const busy = await detour(path => (path === '/e' && ++posts === 1 ? { status: 503 } : undefined));
    const listen = `<script>const send = fetch; window.fetch = async (...request) => {
      const answer = await send(...request);
      if (answer.status === 503) setTimeout(() => { window.refused = true }, 300);
      return answer;
    }</script>`;
    web.show({ '/': page(listen + tag(`data-api="${busy.origin}"`)), '/blank': '' });
    const visit = await open(`${web.origin}/`, networkErrors);
    await visit.waitForFunction('window.refused');
    await visit.goto(`${web.origin}/blank`);
    await stores('pageview /', 'duration');
  },
);

for (const status of [502, 504]) {
  stage?.test(`after a ${status} of a proxy the hit is sent again, in order`, async scene => {
    const { web, tag, detour, open, stores } = scene;
    let posts = 0;
    const restarting = await detour(path => (path === '/e' && ++posts === 1 ? { status } : undefined));
    web.show({ '/': page(tag(`data-api="${restarting.origin}"`), `<script>tracker('Event')</script>`) });
    await open(`${web.origin}/`, networkErrors);
    await stores('pageview /', 'custom Event');
    assert.is(posts, 3);
  });
}

stage?.test('after a 502 that the page cannot read the hit is sent again, in order', async scene => {
  const { web, tag, detour, open, stores } = scene;
  let isAway = false;
  const restarting = await detour(() => (isAway ? { status: 502, isUnreadable: true } : undefined));
  web.show({ '/': page(tag(`data-api="${restarting.origin}"`)) });
  const visit = await open(`${web.origin}/`, /^Failed to load resource|CORS policy/);
  await stores('pageview /');
  isAway = true;
  await visit.evaluate(`tracker('First'); tracker('Second')`);
  const { asked } = restarting;
  const posts = () => asked.filter(line => line.startsWith('POST')).length;
  // It has asked whether anybody is there at all.
  await until(() => asked.length === 4);
  assert.is(posts(), 2);
  isAway = false;
  await stores('pageview /', 'custom First', 'custom Second');
  assert.is(posts(), 4);
});

stage?.test('after a second refusal the pause is longer', async ({ web, tag, detour, open, stores }) => {
  const postedAt: number[] = [];
  const restarting = await detour(path => {
    if (path !== '/e') return undefined;
    postedAt.push(Date.now());
    return postedAt.length < 3 ? { status: 502 } : undefined;
  });
  web.show({ '/': page(tag(`data-api="${restarting.origin}"`)) });
  await open(`${web.origin}/`, networkErrors);
  await stores('pageview /');
  const [first, second, third] = postedAt;
  assert.ok(second! - first! >= 4900 && third! - second! >= 9900, postedAt.join());
});

stage?.test('after a 429 the hit is sent again when the answer says', async ({ web, tag, detour, open, stores }) => {
  const postedAt: number[] = [];
  const limited = await detour(path => {
    if (path !== '/e') return undefined;
    postedAt.push(Date.now());
    return postedAt.length === 1 ? { status: 429, retryAfter: 7 } : undefined;
  });
  web.show({ '/': page(tag(`data-api="${limited.origin}"`)) });
  await open(`${web.origin}/`, networkErrors);
  await stores('pageview /');
  assert.is(postedAt.length, 2);
  assert.ok(postedAt[1]! - postedAt[0]! >= 6900, postedAt.join());
});

const replacements: [name: string, script: string][] = [
  ['adds a header', `(url, init) => send(url, { ...init, headers: { 'x-trace': '1' } })`],
  ['returns nothing', '(...request) => { send(...request); }'],
  ['resolves to nothing', 'async (...request) => { await send(...request); }'],
];
for (const [name, script] of replacements) {
  stage?.test(`a fetch of the page that ${name} neither loses nor doubles hits`, async scene => {
    const { web, tag, open, stores } = scene;
    web.show({ '/': page(`<script>const send = fetch; window.fetch = ${script}</script>${tag()}`) });
    const visit = await open(`${web.origin}/`, /CORS policy|^Failed to load resource/);
    await visit.evaluate(`tracker('Event')`);
    await stores('pageview /', 'custom Event');
  });
}

stage?.test('a slow collector gets every hit once, in order', async ({ web, tag, detour, open, stores }) => {
  const slow = await detour(path => (path === '/e' ? { delayMs: 400 } : undefined));
  const calls = `<script>for (const n of [1, 2, 3]) tracker('Event', { n })</script>`;
  web.show({ '/': page(tag(`data-api="${slow.origin}"`), calls) });
  await open(`${web.origin}/`);
  await stores('pageview /', ...[1, 2, 3].map(n => `custom Event {"n":${n}}`));
});

stage?.test('a collector that is down is no error of the page', async ({ web, tag, detour, open, stores }) => {
  const down = await detour(() => undefined);
  await down.close();
  const listen = `<script>window.failures = [];
    addEventListener('error', event => failures.push(event.message));
    addEventListener('unhandledrejection', event => failures.push(String(event.reason)));
  </script>`;
  const body = `<script>tracker('Event'); tracker.identify('me'); tracker.revenue(1)</script>`;
  web.show({ '/': page(listen + tag(`data-api="${down.origin}"`), body), '/blank': '' });
  const visit = await open(`${web.origin}/blank`, networkErrors);
  let refused = 0;
  visit.on('requestfailed', request => {
    if (request.url().startsWith(down.origin)) refused++;
  });
  await visit.goto(`${web.origin}/`);
  // The question for the mode, a hit, and the question again; then the others wait.
  await until(() => refused === 3);
  await visit.evaluate(`tracker('Later'); history.pushState(null, '', '/next')`);
  await until(() => refused === 5);
  assert.equal(await visit.evaluate('failures'), []);
  await visit.goto(`${web.origin}/blank`);
  await stores();
});

stage?.test('a wrong address or site is no error of the page', async ({ web, tag, open, stores, settled, site }) => {
  const unknown = tag().replace(site.publicKey, 'pk_live_000000000000000000nowhere');
  web.show({ '/bad': page(tag('data-api="http://["')), '/unknown': page(unknown), '/blank': '' });
  for (const path of ['/bad', '/unknown']) {
    const visit = await open(web.origin + path, networkErrors);
    await visit.evaluate(`tracker('Event')`);
    await settled();
    await visit.goto(`${web.origin}/blank`);
  }
  await stores();
});

stage?.test('a blocked script leaves the stub and no error', async ({ web, site, detour, open, stores }) => {
  const down = await detour(() => undefined);
  await down.close();
  const stub = `<script>window.tracker=window.tracker||function(){(tracker.q=tracker.q||[]).push(arguments)};</script>`;
  const blocked = `<script async src="${down.origin}/t.js" data-site="${site.publicKey}"></script>`;
  web.show({ '/': page(stub + blocked, `<button onclick="tracker('Event')">buy</button>`) });
  const visit = await open(`${web.origin}/`, networkErrors);
  await visit.click('button');
  assert.is(await visit.evaluate('tracker.q.length'), 1);
  await stores();
});

stage?.test('a long address and many long properties fit into a request', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/?utm_source=news&q=${'é'.repeat(2000)}`);
  await visit.evaluate(
    `tracker('Big', Object.fromEntries([...Array(12)].map((_, n) => ['key' + n, 'x'.repeat(50000)])))`,
  );
  const [landing, big] = await stores(
    'pageview /',
    `custom Big ${JSON.stringify(Object.fromEntries([...Array(12)].map((_, n) => [`key${n}`, 'x'.repeat(500)])))}`,
  );
  assert.is(landing!.utmSource, 'news');
  assert.is(Object.keys(big!.properties).length, 12);
});

stage?.test('fifty long properties fit into a request too', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(
    `tracker('Most', Object.fromEntries([...Array(50)].map((_, n) => ['key' + n, 'x'.repeat(50000)])))`,
  );
  const most = Object.fromEntries([...Array(50)].map((_, n) => [`key${n}`, 'x'.repeat(500)]));
  await stores('pageview /', `custom Most ${JSON.stringify(most)}`);
});

stage?.test('a stock headless Chromium counts as a crawler', async scene => {
  const { web, tag, stores, crawls, vitals } = scene;
  web.show({ '/': page(tag()), '/blank': '' });
  const robot = await chromium.launch({ executablePath: chromiumPath, args: chromiumArguments });
  try {
    const visit = await robot.newPage();
    await visit.goto(`${web.origin}/`);
    assert.is(await visit.evaluate('navigator.webdriver'), true);
    await until(() => crawls().length > 0);
  } finally {
    await robot.close();
  }
  await stores();
  const [crawl, ...others] = crawls();
  assert.equal(others, []);
  assert.is(crawl!.path, '/');
  assert.match(crawl!.name, /headless/i);
  assert.equal(vitals(), []);
});

test.run();
