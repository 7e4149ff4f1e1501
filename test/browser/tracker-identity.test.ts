/** The identity mode: probe and hold, the first-party id of cookie mode, and nothing at all in hash mode. */
import type { BrowserContext, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { becomes, openStage } from './helpers.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

const cookieSite = { identityMode: 'cookie' } as const;

/** Everything that a site can keep in the browser. */
const kept = async (visit: Page): Promise<unknown> => ({
  cookies: await visit.context().cookies(),
  storage: await visit.evaluate(`(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
  }))()`),
});

const nothing = { cookies: [], storage: { local: {}, session: {}, databases: [], caches: [] } };

stage?.test('in hash mode nothing is written to the browser', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag()), '/blank': '' });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate(`tracker('Event'); tracker.identify('user-42')`);
  const [landing] = await stores('pageview /', 'custom Event', 'identify user-42');
  assert.equal(await kept(visit), nothing);
  await visit.goto(`${web.origin}/blank`);
  assert.equal(await kept(visit), nothing);
  await stores('pageview /', 'custom Event', 'identify user-42', 'duration');
  assert.is(landing!.persistent, false);
});

stage?.test(
  'in cookie mode a visitor has an id of their own for a year',
  async ({ web, tag, open, stores }) => {
    web.show({ '/': page(tag()), '/two': page(tag()) });
    const visit = await open(`${web.origin}/`);
    const [landing] = await stores('pageview /');
    const [cookie, ...others] = await visit.context().cookies();
    assert.equal(others, []);
    assert.is(cookie!.name, '_daybook');
    assert.is(cookie!.sameSite, 'Lax');
    const days = (cookie!.expires - Date.now() / 1000) / 86_400;
    assert.ok(days > 364 && days < 366, `${days} days`);
    await visit.goto(`${web.origin}/two`);
    await stores('pageview /', 'duration', 'pageview /two');
    assert.is((await visit.context().cookies())[0]!.value, cookie!.value);
    const { storage } = (await kept(visit)) as typeof nothing;
    assert.equal(storage, nothing.storage);
    await open(`${web.origin}/`);
    const [, , second, other] = await stores('pageview /', 'duration', 'pageview /two', 'pageview /');
    assert.ok(landing!.persistent && second!.persistent && other!.persistent);
    assert.is(second!.visitor, landing!.visitor);
    assert.is.not(other!.visitor, landing!.visitor);
  },
  cookieSite,
);

const cookiesOf = (context: BrowserContext): Promise<string[]> =>
  context.cookies().then(cookies => cookies.map(cookie => cookie.name));

stage?.test('a change to cookie mode applies from the next hit but one, without another probe', async scene => {
  const { web, tag, detour, open, stores, setMode } = scene;
  const far = await detour(() => undefined);
  web.show({ '/': page(tag(`data-api="${far.origin}"`)) });
  const visit = await open(`${web.origin}/?utm_source=news`);
  await stores('pageview /');
  setMode('cookie');
  await visit.evaluate(`tracker('Told')`);
  await stores('pageview /', 'custom Told');
  assert.equal(await cookiesOf(visit.context()), []);
  await visit.evaluate(`tracker('Known')`);
  const [landing, told, known] = await stores('pageview /', 'custom Told', 'custom Known');
  assert.equal([landing!.persistent, told!.persistent, known!.persistent], [false, false, true]);
  assert.is(told!.visitor, landing!.visitor);
  await becomes(() => cookiesOf(visit.context()), ['_daybook']);
  assert.is(far.asked.filter(line => line.startsWith('GET')).length, 1);
});

stage?.test(
  'a change to hash mode removes the id with the answer to the next hit',
  async ({ web, tag, open, stores, setMode }) => {
    web.show({ '/': page(tag()) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    setMode('hash');
    await visit.evaluate(`tracker('Told')`);
    await stores('pageview /', 'custom Told');
    await becomes(() => cookiesOf(visit.context()), []);
    await visit.evaluate(`tracker('Known')`);
    const [landing, told, known] = await stores('pageview /', 'custom Told', 'custom Known');
    assert.equal([landing!.persistent, told!.persistent, known!.persistent], [true, false, false]);
    assert.equal(await cookiesOf(visit.context()), []);
  },
  cookieSite,
);

stage?.test(
  'after a change to hash mode between visits the probe removes the id before the first hit',
  async ({ web, tag, open, stores, setMode, detour }) => {
    const far = await detour(() => undefined);
    web.show({ '/': page(tag()), '/later': page(tag(`data-api="${far.origin}"`)) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    setMode('hash');
    // By another way, whose answer no cache holds.
    await visit.goto(`${web.origin}/later`);
    const [, , later] = await stores('pageview /', 'duration', 'pageview /later');
    assert.is(later!.persistent, false);
    assert.equal(await kept(visit), nothing);
  },
  cookieSite,
);

stage?.test('with data-cookies="true" on a site in hash mode the id is ignored and removed', async scene => {
  const { web, tag, open, stores } = scene;
  web.show({ '/': page(tag('data-cookies="true"')) });
  const visit = await open(`${web.origin}/`);
  const [landing] = await stores('pageview /');
  assert.is(landing!.persistent, false);
  await becomes(() => cookiesOf(visit.context()), []);
  assert.equal(await kept(visit), nothing);
});

stage?.test(
  'the landing hit waits for the probe, and hits keep their order',
  async ({ web, tag, detour, open, stores }) => {
    const delayMs = 500;
    let answersAt = Infinity;
    let early = 0;
    const slow = await detour(path => {
      if (path === '/e' && Date.now() < answersAt) early++;
      if (!path.startsWith('/c/')) return;
      answersAt = Date.now() + delayMs - 50;
      return { delayMs };
    });
    const calls = `<script>for (const n of [1, 2, 3]) tracker('Event', { n }); tracker.pageview()</script>`;
    web.show({ '/': page(tag(`data-api="${slow.origin}"`), calls) });
    await open(`${web.origin}/?utm_source=news&utm_campaign=may`);
    const events = [1, 2, 3].map(n => `custom Event {"n":${n}}`);
    const all = await stores('pageview /', ...events, 'pageview /');
    assert.ok(all.every(hit => hit.persistent && hit.utmSource === 'news' && hit.utmCampaign === 'may'));
    assert.is(early, 0);
  },
  cookieSite,
);

stage?.test(
  'hits wait 1,500 ms for a slow probe and then go out in hash mode',
  async ({ web, tag, detour, open, stores }) => {
    let probedAt = 0;
    let sentAt = 0;
    const slow = await detour(path => {
      if (path === '/e') sentAt ||= Date.now();
      if (!path.startsWith('/c/')) return;
      probedAt = Date.now();
      return { delayMs: 5000 };
    });
    web.show({ '/': page(tag(`data-api="${slow.origin}"`), `<script>tracker('Early')</script>`) });
    const visit = await open(`${web.origin}/?utm_source=news`);
    const [landing] = await stores('pageview /', 'custom Early');
    assert.equal([landing!.persistent, landing!.utmSource], [false, 'news']);
    assert.ok(sentAt - probedAt > 1000, `${sentAt - probedAt} ms`);
    await visit.evaluate(`tracker('Later')`);
    const later = (await stores('pageview /', 'custom Early', 'custom Later')).at(-1);
    assert.is(later!.persistent, true);
  },
  cookieSite,
);

stage?.test(
  'a returning visitor keeps the id when the probe is never answered',
  async ({ web, tag, detour, open, stores }) => {
    const deaf = await detour(path => (path.startsWith('/c/') ? { delayMs: 9000 } : undefined));
    web.show({ '/': page(tag()), '/two': page(tag(`data-api="${deaf.origin}"`)) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    await visit.goto(`${web.origin}/two`);
    const [first, , second] = await stores('pageview /', 'duration', 'pageview /two');
    assert.is(second!.visitor, first!.visitor);
  },
  cookieSite,
);

stage?.test(
  'a browser that keeps no cookies is counted as in hash mode',
  async ({ web, tag, open, stores }) => {
    const deny = `<script>Object.defineProperty(document, 'cookie', { get: () => '', set() {} })</script>`;
    web.show({ '/': page(deny + tag()) });
    const visit = await open(`${web.origin}/`);
    await visit.evaluate(`tracker('Event')`);
    const all = await stores('pageview /', 'custom Event');
    assert.ok(all.every(hit => !hit.persistent && hit.visitor === all[0]!.visitor));
  },
  cookieSite,
);

stage?.test(
  'subdomains share the id, also without TLS',
  async ({ web, tag, open, stores }) => {
    web.show({ '/': page(tag()) });
    const { port } = new URL(web.origin);
    const visit = await open(`http://www.shop.example.org:${port}/`);
    await stores('pageview /');
    assert.is(await visit.evaluate('isSecureContext'), false);
    const [cookie] = await visit.context().cookies();
    assert.is(cookie!.domain, '.example.org');
    await visit.goto(`http://blog.example.org:${port}/`);
    const [first, , second] = await stores('pageview /', 'duration', 'pageview /');
    assert.equal([first!.hostname, second!.hostname], ['www.shop.example.org', 'blog.example.org']);
    assert.is(second!.visitor, first!.visitor);
    assert.ok(second!.persistent);
  },
  cookieSite,
);

stage?.test('a page that sends nothing asks nothing', async ({ web, tag, detour, open, stores, settled }) => {
  const far = await detour(() => undefined);
  web.show({
    '/': page(tag(`data-api="${far.origin}" data-exclude="/"`)),
    '/auto': page(tag(`data-api="${far.origin}" data-auto="false"`)),
  });
  const visit = await open(`${web.origin}/`);
  await visit.goto(`${web.origin}/auto`);
  await visit.goto('about:blank');
  await settled();
  await stores();
  assert.equal(far.asked, []);
});

test.run();
