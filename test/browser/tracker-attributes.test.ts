/** Each attribute of the script tag, and each rule that keeps a hit in the browser, by what is stored. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { openStage, type Scene } from './helpers.ts';

const stage = await openStage();

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

stage?.test('without data-site the tracker does nothing', async ({ web, api, open, stores, settled }) => {
  web.show({ '/': page(`<script src="${api}/t.js"></script>`) });
  const visit = await open(`${web.origin}/`);
  assert.is(await visit.evaluate('typeof tracker'), 'undefined');
  await settled();
  await stores();
});

stage?.test(
  'data-api is where probe and hits go, without its trailing slash',
  async ({ web, site, tag, detour, open, stores }) => {
    const far = await detour(() => undefined);
    web.show({ '/': page(tag(`data-api="${far.origin}/"`)) });
    await open(`${web.origin}/`);
    await stores('pageview /');
    // No OPTIONS: a text/plain body needs no preflight.
    assert.equal(far.asked, [`GET /c/${site.publicKey}`, 'POST /e text/plain;charset=UTF-8']);
  },
);

/** Goes there in a page, and waits until its listeners were told. */
const traverse = (go: string): string =>
  `new Promise(told => { addEventListener('popstate', () => setTimeout(told), { once: true }); ${go} })`;

/** `counted` is what is stored of the first two pages, which come and stay before the third replaces the second. */
const hashVisit = async ({ open, web, stores }: Scene, ...counted: string[]): Promise<void> => {
  const visit = await open(`${web.origin}/#/start`);
  await visit.evaluate(traverse(`location.hash = '#/two'`));
  await stores(...counted);
  await visit.evaluate(`history.replaceState(null, '', '#/three')`);
  await visit.evaluate(`history.pushState(null, '', '#/three')`);
  await visit.evaluate(traverse('history.go(-2)'));
};

stage?.test('with data-hash="true" a change of the hash is a pageview', async scene => {
  scene.web.show({ '/': page(scene.tag('data-hash="true"')) });
  await hashVisit(scene, 'pageview /#/start', 'pageview /#/two');
  await scene.stores('pageview /#/start', 'pageview /#/two', 'pageview /#/three', 'pageview /#/start');
});

stage?.test('with data-hash="true" an empty hash added to the first page does not count it twice', async scene => {
  const { web, tag, open, stores } = scene;
  web.show({ '/': page(tag('data-hash="true"'), `<script>history.replaceState(null, '', '/#/')</script>`) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(`history.pushState(null, '', '#two')`);
  await visit.evaluate(`history.pushState(null, '', '#/')`);
  await stores('pageview /', 'pageview /', 'pageview /');
});

for (const value of ['', 'data-hash="1"', 'data-hash="TRUE"', 'data-hash']) {
  stage?.test(`with data-hash "${value}" a change of the hash is no pageview`, async scene => {
    scene.web.show({ '/': page(scene.tag(value)) });
    await hashVisit(scene, 'pageview /#/start');
    await scene.stores('pageview /#/start');
  });
}

const outboundPage = (scene: Scene, attributes: string): string =>
  page(
    scene.tag(attributes),
    `<a href="${scene.elsewhere.origin}/there?a=b#c" target="_blank">out</a><a href="#in">in</a>`,
  );

for (const value of ['', 'data-outbound="0"', 'data-outbound="FALSE"', 'data-outbound']) {
  stage?.test(`with data-outbound "${value}" clicks on links to other hosts are recorded`, async scene => {
    const { web, elsewhere, open, stores } = scene;
    elsewhere.show({ '/there': 'there' });
    web.show({ '/': outboundPage(scene, value) });
    const visit = await open(`${web.origin}/`);
    await visit.click('text=in');
    await visit.click('text=out');
    await stores('pageview /', `outbound ${elsewhere.origin}/there?a=b#c`);
  });
}

stage?.test('with data-outbound="false" clicks on links to other hosts are not recorded', async scene => {
  scene.elsewhere.show({ '/there': 'there' });
  scene.web.show({ '/': outboundPage(scene, 'data-outbound="false"') });
  const visit = await scene.open(`${scene.web.origin}/`);
  await visit.click('text=out');
  await scene.settled();
  await scene.stores('pageview /');
});

stage?.test('with data-auto="false" the page calls pageview itself, and nothing comes before', async scene => {
  const { web, tag, open, stores, vitals, settled } = scene;
  web.show({ '/': page(tag('data-auto="false"')) });
  const quiet = await open(`${web.origin}/`);
  await settled();
  await quiet.goto('about:blank');
  await stores();
  assert.equal(vitals(), []);

  const visit = await open(`${web.origin}/`);
  await visit.evaluate('tracker.pageview()');
  await stores('pageview /');
  await visit.evaluate(`history.pushState(null, '', '/next')`);
  await stores('pageview /', 'pageview /next');
});

stage?.test('with data-auto="false" an uncounted page stays uncounted when it comes back', async scene => {
  const { web, tag, open, stores, settled } = scene;
  web.show({ '/': page(tag('data-auto="false"')), '/two': page('', 'two') });
  const visit = await open(`${web.origin}/`);
  await visit.evaluate('window.alive = true');
  await visit.goto(`${web.origin}/two`);
  await visit.evaluate('setTimeout(() => history.back())').catch(() => {});
  await visit.waitForFunction('window.alive');
  await settled();
  await stores();
});

stage?.test('with data-auto="0" the first pageview is sent', async ({ web, tag, open, stores }) => {
  web.show({ '/': page(tag('data-auto="0"')) });
  await open(`${web.origin}/`);
  await stores('pageview /');
});

stage?.test('a page of data-exclude sends nothing, and others do', async scene => {
  const { web, tag, open, stores, elsewhere, vitals, settled } = scene;
  const body = `<a href="${elsewhere.origin}/there" target="_blank" data-track="Out">out</a>`;
  const html = page(tag('data-exclude="/admin, /users/*,/docs/**"'), body);
  elsewhere.show({ '/there': 'there' });
  web.show({ '/admin': html, '/users/7': html, '/docs/a/b': html, '/users/7/edit': html, '/admin/x': html });
  for (const path of ['/admin?a=b#c', '/users/7', '/docs/a/b']) {
    const visit = await open(web.origin + path);
    await visit.evaluate(`tracker('Event'); tracker.pageview(); tracker.identify('me')`);
    await visit.click('text=out');
    await visit.goto('about:blank');
  }
  await settled();
  await stores();
  assert.equal(vitals(), []);
  const visit = await open(`${web.origin}/users/7/edit`);
  await stores('pageview /users/7/edit');
  await visit.goto(`${web.origin}/admin/x`);
  await stores('pageview /users/7/edit', 'duration', 'pageview /admin/x');
});

stage?.test(
  'a page of data-exclude inside an application is left out with its time, and that of others kept',
  async scene => {
    const { web, tag, open, stores } = scene;
    web.show({ '/': page(tag('data-exclude="/admin"')) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    const leftAt = await visit.evaluate<number>(`history.pushState(null, '', '/admin'); performance.now()`);
    const [landing, left] = await stores('pageview /', 'duration');
    assert.is(left!.visitId, landing!.visitId);
    assert.ok(left!.durationMs > 0 && left!.durationMs <= leftAt, `${left!.durationMs} ms`);
    await sleep(500);
    await visit.evaluate(`history.pushState(null, '', '/after')`);
    const [, , after] = await stores('pageview /', 'duration', 'pageview /after');
    assert.is(after!.durationMs, 0);
  },
);

stage?.test('data-exclude takes letters beyond ASCII as people write them', async ({ web, tag, open, stores }) => {
  const html = page(tag('data-exclude="/straße/**,/caf%C3%A9"'));
  web.show({ '/stra%C3%9Fe/7': html, '/caf%C3%A9': html, '/strasse/7': html });
  await open(`${web.origin}/straße/7`);
  await open(`${web.origin}/café`);
  await open(`${web.origin}/strasse/7`);
  await stores('pageview /strasse/7');
});

const signals: [name: string, script: string][] = [
  ['Do Not Track', `Object.defineProperty(navigator, 'doNotTrack', { value: '1' })`],
  ['Global Privacy Control', `Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })`],
];
for (const [name, script] of signals) {
  stage?.test(`with data-respect-dnt="true" ${name} keeps a visitor out`, async scene => {
    const { web, tag, open, stores, settled } = scene;
    const asks = `<script>${script}</script>`;
    web.show({
      '/asks': page(asks + tag('data-respect-dnt="true"')),
      '/unheard': page(asks + tag()),
      '/silent': page(tag('data-respect-dnt="true"')),
    });
    const quiet = await open(`${web.origin}/asks`);
    await quiet.evaluate(`tracker('Event')`);
    await quiet.goto('about:blank');
    await settled();
    await stores();
    await open(`${web.origin}/unheard`);
    await stores('pageview /unheard');
    await open(`${web.origin}/silent`);
    await stores('pageview /unheard', 'pageview /silent');
  });
}

for (const [value, reported] of [
  ['', true],
  ['data-vitals="0"', true],
  ['data-vitals="false"', false],
] as const) {
  stage?.test(`with data-vitals "${value}" web vitals are ${reported ? '' : 'not '}reported`, async scene => {
    const { web, tag, open, stores, reports, settled } = scene;
    web.show({ '/': page(tag(value)) });
    const visit = await open(`${web.origin}/`);
    await stores('pageview /');
    await visit.goto('about:blank');
    await stores('pageview /', 'duration');
    await settled();
    await reports(...(reported ? ['/'] : []));
  });
}

const cookieSite = { identityMode: 'cookie' } as const;

stage?.test(
  'with data-cookies="true" there is no probe, and an id from the first hit on',
  async ({ web, tag, detour, open, stores }) => {
    const far = await detour(() => undefined);
    web.show({ '/': page(tag(`data-cookies="true" data-api="${far.origin}"`)) });
    const visit = await open(`${web.origin}/`);
    const [landing] = await stores('pageview /');
    assert.equal(far.asked, ['POST /e text/plain;charset=UTF-8']);
    assert.is(landing!.persistent, true);
    assert.match(await visit.evaluate<string>('document.cookie'), /^_daybook=/);
  },
  cookieSite,
);

stage?.test('any other value of data-cookies probes', async ({ web, site, tag, detour, open, stores }) => {
  const far = await detour(() => undefined);
  web.show({ '/': page(tag(`data-cookies="1" data-api="${far.origin}"`)) });
  await open(`${web.origin}/`);
  await stores('pageview /');
  assert.is(far.asked[0], `GET /c/${site.publicKey}`);
});

/** Visits a page, sets a switch in its storage, and visits it again. */
const visitWithSwitch = async (
  { web, open, settled }: Scene,
  url: string,
  name: string,
  value: string,
): Promise<void> => {
  const visit = await open(`${new URL(url).origin}/blank`);
  await visit.evaluate(`localStorage.setItem('${name}', '${value}')`);
  await visit.goto(url);
  await visit.evaluate(`tracker('Event')`);
  await visit.goto(`${web.origin}/blank`);
  await settled();
};

stage?.test('tracker_disabled = 1 drops every hit', async scene => {
  scene.web.show({ '/': page(scene.tag()), '/blank': '' });
  await visitWithSwitch(scene, `${scene.web.origin}/`, 'tracker_disabled', '1');
  await scene.stores();
  assert.equal(scene.vitals(), []);
});

stage?.test('tracker_disabled = true drops none', async scene => {
  scene.web.show({ '/': page(scene.tag()), '/blank': '' });
  await visitWithSwitch(scene, `${scene.web.origin}/`, 'tracker_disabled', 'true');
  await scene.stores('pageview /', 'custom Event', 'duration');
});

stage?.test('tracker_disabled works from the moment it is set', async ({ web, tag, open, stores, settled }) => {
  web.show({ '/': page(tag()) });
  const visit = await open(`${web.origin}/`);
  await stores('pageview /');
  await visit.evaluate(`localStorage.setItem('tracker_disabled', '1'); tracker('Event')`);
  await visit.goto('about:blank');
  await settled();
  await stores('pageview /');
});

for (const host of ['127.0.0.1', 'localhost', '::1']) {
  stage?.test(`a page on ${host} is dropped, unless tracker_debug = 1`, async scene => {
    const local = await scene.openWeb(host);
    local.show({ '/': page(scene.tag()), '/blank': '' });
    await visitWithSwitch({ ...scene, web: local }, `${local.origin}/`, 'tracker_debug', '0');
    await scene.stores();
    await visitWithSwitch({ ...scene, web: local }, `${local.origin}/`, 'tracker_debug', '1');
    await scene.stores('pageview /', 'custom Event', 'duration');
  });
}

stage?.test('a page from a file is dropped', async ({ tag, open, stores, settled }) => {
  const file = join(temporaryDir(), 'page.html');
  writeFileSync(file, page(tag()));
  const visit = await open(`file://${file}`);
  await visit.evaluate(`tracker('Event')`);
  await settled();
  await visit.goto('about:blank');
  await stores();
});

test.run();
