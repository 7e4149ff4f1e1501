/** Pages with a tag as GoatCounter gives it, of which only the host is another, by what is stored. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, type Scene } from './helpers.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

const tagOf = ({ api, site }: Scene, attributes = ''): string =>
  `<script data-goatcounter="${api}/gc/${site.publicKey}/count" ${attributes} async src="${api}/count.js"></script>`;

stage?.test('a page is counted when it is loaded, and again when it says so', async scene => {
  const { web, open, stores, hits, settled } = scene;
  const canonical = '<link rel="canonical" href="/real">';
  web.show({ '/': page(tagOf(scene)), '/copy': page(canonical + tagOf(scene)) });
  await open(`${web.origin}/copy?utm_source=news&x=1`);
  const [copy] = await stores('pageview /real');
  assert.equal([copy!.utmSource, copy!.query], ['news', null]);
  const visit = await open(`${web.origin}/?a=1`);
  await stores('pageview /real', 'pageview /');
  await visit.evaluate(`history.pushState(null, '', '/two')`);
  await settled();
  await stores('pageview /real', 'pageview /');
  await visit.evaluate(`goatcounter.count({ path: '/shown', title: 'Shown', referrer: 'https://news.example/' })`);
  await stores('pageview /real', 'pageview /', 'pageview /shown');
  assert.equal([hits()[1]!.query, hits()[2]!.title], ['a=1', 'Shown']);
});

stage?.test('settings of the page and the tag, with functions', async scene => {
  const { web, open, stores, settled } = scene;
  const before = `<script>window.goatcounter = { path: path => path === '/no' ? null : '/own' + path, title: 'Own' }</script>`;
  web.show({
    '/no': page(before + tagOf(scene)),
    '/a': page(before + tagOf(scene)),
    '/quiet': page(tagOf(scene, `data-goatcounter-settings='{"no_onload": true, "path": "/settings"}'`)),
  });
  await open(`${web.origin}/no`);
  const quiet = await open(`${web.origin}/quiet`);
  await quiet.waitForFunction('window.goatcounter?.count');
  await settled();
  await stores();
  await quiet.evaluate('goatcounter.count()');
  await stores('pageview /settings');
  await open(`${web.origin}/a`);
  const [, own] = await stores('pageview /settings', 'pageview /own/a');
  assert.is(own!.title, 'Own');
});

stage?.test('elements and calls are events', async scene => {
  const { web, open, stores } = scene;
  const body = `<button data-goatcounter-click="ext-signup" data-goatcounter-title="Sign up">up</button>
    <a href="#x" id="anchor" data-goatcounter-click>down</a>`;
  web.show({ '/': page(tagOf(scene), body) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.click('text=up');
  await visit.click('text=down');
  await visit.evaluate(`goatcounter.count({ path: p => 'download' + p, title: 'A file', event: true })`);
  await stores(
    'pageview /',
    'custom ext-signup {"title":"Sign up"}',
    'custom anchor {"title":"down"}',
    'custom download/ {"title":"A file"}',
  );
});

stage?.test('a visitor may opt out, and in again', async scene => {
  const { web, open, stores, settled } = scene;
  web.show({ '/': page(tagOf(scene)) });
  const visit = await open('about:blank');
  const said: string[] = [];
  visit.on('dialog', dialog => {
    said.push(dialog.message());
    dialog.accept().catch(() => {});
  });
  await visit.goto(`${web.origin}/#toggle-goatcounter`);
  await settled();
  await stores();
  await visit.reload();
  await stores('pageview /');
  assert.equal(said, ['This browser is not counted any more.', 'This browser is counted again.']);
});

stage?.test('the image for browsers without scripts counts too', async scene => {
  const { web, api, site, open, stores } = scene;
  web.show({ '/': page('', `<img src="${api}/gc/${site.publicKey}/count?p=/from-image&t=T">`) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /from-image');
  assert.is(await visit.evaluate('document.images[0].naturalWidth'), 1);
});

/** The calls that GoatCounter documents, and what each stores, with the title of pages. */
const calls: [call: string, stored: string, title?: string][] = [
  [`goatcounter.count()`, 'pageview /', 'Home'],
  [`goatcounter.count({ path: '/virtual', title: 'Virtual' })`, 'pageview /virtual', 'Virtual'],
  [`goatcounter.count({ path: p => '/en' + p })`, 'pageview /en/', 'Home'],
  [`goatcounter.count({ path: location.pathname + 'x?a=1', referrer: 'Newsletter' })`, 'pageview /x', 'Home'],
  [`goatcounter.count({ path: 'click-banner-1', event: true })`, 'custom click-banner-1 {"title":"Home"}'],
  [`goatcounter.count({ path: '/ev', title: 'An event', event: true })`, 'custom ev {"title":"An event"}'],
  [`goatcounter.count({ path: p => 'from ' + p, title: () => 'T', event: true })`, 'custom from / {"title":"T"}'],
];

stage?.test('each call stores what it says', async scene => {
  const { web, open, stores, hits } = scene;
  web.show({ '/': page(tagOf(scene)) });
  const visit = await open(`${web.origin}/`);
  const lines = ['pageview /'];
  await stores(...lines);
  for (const [call, line, title] of calls) {
    await visit.evaluate(call);
    lines.push(line);
    await stores(...lines);
    if (title !== undefined) assert.is(hits().at(-1)!.title, title, call);
  }
  await visit.evaluate(`goatcounter.count({ path: () => null })`);
  await stores(...lines);
});

stage?.test('a referrer that is a text is where the visit came from', async scene => {
  const { web, open, stores } = scene;
  web.show({ '/': page(`<script>window.goatcounter = { referrer: () => 'Newsletter' }</script>${tagOf(scene)}`) });
  await open(`${web.origin}/`);
  const [first] = await stores('pageview /');
  assert.is(first!.referrer, 'Newsletter');
});

test.run();
