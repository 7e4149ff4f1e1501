import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WireHit } from '../../src/model/hit.ts';
import { automationBits } from '../../src/model/hit.ts';
import { automationSignals } from '../../tracker/automation.ts';
import { createCalls } from '../../tracker/calls.ts';
import { outboundUrl, taggedEvent } from '../../tracker/clicks.ts';
import { createClock } from '../../tracker/clock.ts';
import { anyHash, readConfig } from '../../tracker/config.ts';
import { isDropped } from '../../tracker/drop.ts';
import type { DraftHit } from '../../tracker/transport.ts';
import { createChange, readUmamiConfig } from '../../tracker/umami.ts';
import { removeVisitorId, visitorId } from '../../tracker/visitor-id.ts';
import { cookieJar, withGlobals } from './fake-page.ts';

const tag = (dataset: DOMStringMap, src = 'https://stats.example/t.js') => ({
  dataset: { site: 'pk', ...dataset },
  src,
});

test('config: defaults', () => {
  const { change: _, ...config } = readConfig(tag({}));
  assert.equal(config, {
    site: 'pk',
    api: 'https://stats.example',
    hash: false,
    outbound: true,
    auto: true,
    exclude: [''],
    vitals: true,
    cookies: false,
    dnt: false,
  });
});

test('config: booleans are exact strings', () => {
  for (const value of ['0', 'no', 'FALSE', '', ' false']) {
    const { outbound, auto, vitals } = readConfig(tag({ outbound: value, auto: value, vitals: value }));
    assert.equal([outbound, auto, vitals], [true, true, true], value);
  }
  for (const value of ['1', 'yes', 'TRUE', '', 'true ']) {
    const { hash, cookies } = readConfig(tag({ hash: value, cookies: value }));
    assert.equal([hash, cookies], [false, false], value);
  }
  const { outbound, auto, vitals } = readConfig(tag({ outbound: 'false', auto: 'false', vitals: 'false' }));
  assert.equal([outbound, auto, vitals], [false, false, false]);
  const { hash, cookies } = readConfig(tag({ hash: 'true', cookies: 'true' }));
  assert.equal([hash, cookies], [anyHash, true]);
});

const apis: [dataset: DOMStringMap, src: string, api: string][] = [
  [{}, 'https://stats.example/t.js', 'https://stats.example'],
  [{}, 'https://stats.example:8443/deep/t.js?v=2', 'https://stats.example:8443'],
  [{ api: 'https://in.example' }, 'https://cdn.example/t.js', 'https://in.example'],
  [{ api: 'https://in.example/' }, 'https://cdn.example/t.js', 'https://in.example'],
  [{ api: 'https://in.example//' }, 'https://cdn.example/t.js', 'https://in.example/'],
  [{ api: 'https://in.example/stats/' }, '', 'https://in.example/stats'],
  [{ api: '/stats' }, 'https://shop.example/stats/t.js', '/stats'],
];
for (const [dataset, src, api] of apis) {
  test(`config: ${JSON.stringify(dataset)} from "${src}" posts to ${api}/e`, () => {
    assert.is(readConfig({ dataset, src }).api, api);
  });
}

test('config: without a collector there is no tracker', () => {
  assert.throws(() => readConfig({ dataset: { site: 'pk' }, src: '' }));
});

test('config: an Umami tag', () => {
  const dataset = {
    websiteId: 'b59e9c65-ae32-47f1-8400-119fcf4861c4',
    autoTrack: 'false',
    domains: 'a.example, b.example',
  };
  const { site, auto, isManual, api } = readUmamiConfig({ dataset, src: 'https://stats.example/script.js' });
  assert.equal([site, auto, isManual, api], [dataset.websiteId, false, true, 'https://stats.example/api/send?']);
  const elsewhere = { ...dataset, hostUrl: 'https://umami.example/', doNotTrack: 'true' };
  const other = readUmamiConfig({ dataset: elsewhere, src: 'https://cdn.example/script.js' });
  assert.equal([other.api, other.dnt], ['https://umami.example/api/send?', true]);
});

const drops: [address: string, storage: Record<string, string>, dataset: DOMStringMap, dropped: boolean][] = [
  ['https://shop.example/', {}, {}, false],
  ['https://shop.example/', { tracker_disabled: '1' }, {}, true],
  ['https://shop.example/', { tracker_disabled: 'true' }, {}, false],
  ['https://shop.example/', { tracker_disabled: '1', tracker_debug: '1' }, {}, true],
  ['http://localhost:3000/', {}, {}, true],
  ['http://localhost:3000/', { tracker_debug: '1' }, {}, false],
  ['http://localhost:3000/', { tracker_debug: '0' }, {}, true],
  ['http://127.0.0.1/', {}, {}, true],
  ['http://[::1]:8080/', {}, {}, true],
  ['http://127.0.0.2/', {}, {}, false],
  ['http://127.0.0.11/', {}, {}, false],
  ['http://localhost.example/', {}, {}, false],
  ['http://my-localhost/', {}, {}, false],
  ['file:///home/me/page.html', {}, {}, true],
  ['file:///home/me/page.html', { tracker_debug: '1' }, {}, false],
  ['chrome-extension://abc/page.html', {}, {}, true],
  ['https://shop.example/admin/users', {}, { exclude: '/admin/*' }, true],
  ['https://shop.example/admin/users/7', {}, { exclude: '/admin/*' }, false],
  ['https://shop.example/admin/users/7', {}, { exclude: ' /x , /admin/** ' }, true],
  ['https://shop.example/?a=/admin', {}, { exclude: '/admin' }, false],
  ['https://shop.example/admin?a#b', {}, { exclude: '/admin' }, true],
  ['http://localhost/admin', { tracker_debug: '1' }, { exclude: '/admin' }, true],
  ['https://shop.example/über/uns', {}, { exclude: '/über/*' }, true],
  ['https://shop.example/%C3%BCber/uns', {}, { exclude: '/%C3%BCber/uns' }, true],
  ['https://shop.example/%E0%A4%A', {}, { exclude: '/%E0%A4%A' }, true],
];
const umamiDrops: typeof drops = [
  ['https://shop.example/', {}, { domains: 'shop.example,www.shop.example' }, false],
  ['https://staging.example/', {}, { domains: 'shop.example,www.shop.example' }, true],
  ['https://shop.example/', { 'umami.disabled': '1' }, {}, true],
  ['https://shop.example/', { tracker_disabled: '1' }, {}, true],
];
for (const [address, storage, dataset, dropped] of [...drops, ...umamiDrops]) {
  const read = umamiDrops.some(row => row[0] === address && row[2] === dataset) ? readUmamiConfig : readConfig;
  const shown = [address, ...Object.entries(storage).concat(Object.entries(dataset) as [string, string][])].join(' ');
  test(`drop: ${shown} is ${dropped ? 'dropped' : 'sent'}`, () => {
    const localStorage = { getItem: (key: string) => storage[key] ?? null };
    withGlobals({ location: new URL(address), localStorage }, () => {
      assert.is(isDropped(read(tag(dataset)), location.href), dropped);
    });
  });
}

test('drop: storage that throws is no switch', () => {
  const localStorage = {
    getItem: () => {
      throw new Error('denied');
    },
  };
  withGlobals({ location: new URL('https://shop.example/'), localStorage }, () => {
    assert.is(isDropped(readConfig(tag({})), location.href), false);
  });
});

const wishes: [navigator: object, dataset: DOMStringMap, dropped: boolean][] = [
  [{ doNotTrack: '1' }, {}, false],
  [{ doNotTrack: '1' }, { respectDnt: 'true' }, true],
  [{ doNotTrack: null }, { respectDnt: 'true' }, false],
  [{ globalPrivacyControl: true }, { respectDnt: 'true' }, true],
  [{ globalPrivacyControl: false }, { respectDnt: 'true' }, false],
  [{ globalPrivacyControl: true }, { respectDnt: '1' }, false],
];
for (const [navigator, dataset, dropped] of wishes) {
  const shown = `${JSON.stringify(navigator)} with ${JSON.stringify(dataset)}`;
  test(`a browser that says ${shown} is ${dropped ? 'left out' : 'counted'}`, () => {
    const localStorage = { getItem: () => null };
    withGlobals({ location: new URL('https://shop.example/'), localStorage, navigator }, () => {
      assert.is(isDropped(readConfig(tag(dataset)), location.href), dropped);
    });
  });
}

test('an Umami tag: data-tag, data-exclude-search, data-exclude-hash and data-before-send', () => {
  const hit = (): WireHit => ({
    ...{ s: 'pk', t: 'custom', u: 'https://shop.example/a?b=1#c', r: 'https://shop.example/b?c=2#d', n: 'Buy' },
    p: { id: 7 },
  });
  const changed = (dataset: DOMStringMap, window: object = {}): unknown => {
    let result: unknown;
    const globals = { window, screen: { width: 1, height: 2 }, location: new URL('https://shop.example/a') };
    withGlobals(globals, () => {
      const given = hit();
      result = JSON.parse(JSON.stringify(createChange(dataset, () => {})(given) ?? null));
      assert.equal(given, hit(), 'one that is sent again is changed again');
    });
    return result;
  };
  assert.equal(changed({}), hit());
  assert.equal(changed({ tag: 'beta' }), { ...hit(), p: { tag: 'beta', id: 7 } });
  const pathOnly = { u: 'https://shop.example/a#c', r: 'https://shop.example/b#d' };
  assert.equal(changed({ excludeSearch: 'true' }), { ...hit(), ...pathOnly });
  const hashless = { u: 'https://shop.example/a?b=1', r: 'https://shop.example/b?c=2' };
  assert.equal(changed({ excludeHash: 'true' }), { ...hit(), ...hashless });
  assert.equal(changed({ beforeSend: 'mine' }), hit());
  assert.equal(changed({ beforeSend: 'mine' }, { mine: () => false }), null);
  const fail = (): never => {
    throw new Error('from the page');
  };
  assert.equal(changed({ beforeSend: 'mine' }, { mine: fail }), null);
  const rename = (type: string, payload: Record<string, unknown>) => ({ ...payload, url: '/secret', name: type });
  assert.equal(changed({ beforeSend: 'mine' }, { mine: rename }), {
    ...hit(),
    u: 'https://shop.example/secret',
    n: 'event',
  });
});

const linuxChrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const windowsChrome = linuxChrome.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64');

interface FakeBrowser {
  navigator?: object;
  document?: object;
  screen?: object;
  window?: object;
  sizes?: object;
}

const signalsOf = ({ navigator, document, screen, window = {}, sizes }: FakeBrowser): number => {
  let signals = -1;
  const globals = {
    navigator: { webdriver: false, userAgent: linuxChrome, platform: 'Linux x86_64', languages: ['en'], ...navigator },
    document: { hidden: false, ...document },
    screen: { width: 1920, height: 1080, ...screen },
    window,
    ...{ innerWidth: 1280, innerHeight: 720, outerWidth: 1300, outerHeight: 800, ...sizes },
  };
  withGlobals(globals, () => {
    const { hidden, prerendering } = globals.document as { hidden: boolean; prerendering?: boolean };
    signals = automationSignals(hidden && !prerendering);
  });
  return signals;
};

const browsers: [name: string, browser: FakeBrowser, bits: number][] = [
  ['a person on Linux', {}, 0],
  ['a person on Windows', { navigator: { userAgent: windowsChrome, platform: 'Win32' } }, 0],
  ['an iPhone', { navigator: { userAgent: iPhone, platform: 'iPhone' }, sizes: { outerWidth: 0 } }, 0],
  [
    'an iPad that shows itself as a Mac',
    {
      navigator: {
        userAgent: linuxChrome.replace('X11; Linux x86_64', 'Macintosh; Intel Mac OS X 10_15_7'),
        platform: 'MacIntel',
      },
    },
    0,
  ],
  [
    'an Android phone',
    {
      navigator: {
        userAgent: linuxChrome.replace('X11; Linux x86_64', 'Linux; Android 10; K'),
        platform: 'Linux armv81',
      },
    },
    0,
  ],
  ['no platform', { navigator: { userAgent: windowsChrome, platform: '' } }, 0],
  ['a wallet named Phantom', { window: { phantom: {}, ethereum: {} } }, 0],
  [
    'names that only look like a driver’s',
    { window: { cypressMap: 1, cdc_widget: 1, seleniumShop: 1, selenium: 1, webdriver_docs: 1, Cypressed: 1 } },
    0,
  ],
  ['webdriver', { navigator: { webdriver: true } }, automationBits.webdriver],
  ['Selenium', { document: { __selenium_unwrapped: 1 } }, automationBits.driverGlobals],
  ['chromedriver', { window: { cdc_adoQpoasnfa76pfcZLmcfl_Array: Array } }, automationBits.driverGlobals],
  ['old chromedriver', { document: { $cdc_asdjflasutopfhvcZLmcfl_: {} } }, automationBits.driverGlobals],
  ['Playwright', { window: { __playwright__binding__: 1 } }, automationBits.driverGlobals],
  ['Cypress', { window: { Cypress: {} } }, automationBits.driverGlobals],
  ['PhantomJS', { window: { callPhantom: 1, _phantom: 1 } }, automationBits.driverGlobals],
  ['WebDriver', { document: { __webdriver_script_fn: 1 } }, automationBits.driverGlobals],
  ['Nightmare', { window: { __nightmare: {} } }, automationBits.driverGlobals],
  ['headless', { navigator: { userAgent: linuxChrome.replace('Chrome', 'HeadlessChrome') } }, automationBits.headless],
  [
    'headless by its hints',
    { navigator: { userAgentData: { brands: [{ brand: 'HeadlessChrome', version: '140' }] } } },
    automationBits.headless,
  ],
  ['no outer size', { sizes: { outerWidth: 0, outerHeight: 0 } }, automationBits.noOuterSize],
  [
    'no outer size, in the background',
    { sizes: { outerWidth: 0, outerHeight: 0 }, document: { hidden: true } },
    automationBits.neverVisible,
  ],
  ['prerendering', { sizes: { outerWidth: 0, outerHeight: 0 }, document: { hidden: true, prerendering: true } }, 0],
  ['a screen without size', { screen: { width: 0 } }, automationBits.smallScreen],
  ['a screen under half the window', { screen: { height: 300 } }, automationBits.smallScreen],
  ['a window zoomed out to twice', { screen: { width: 1000, height: 700 } }, 0],
  ['no languages', { navigator: { languages: [] } }, automationBits.noLanguages],
  ['no list of languages', { navigator: { languages: undefined } }, automationBits.noLanguages],
  ['Windows on Linux', { navigator: { userAgent: windowsChrome } }, automationBits.platformMismatch],
  ['an iPhone on Linux', { navigator: { userAgent: iPhone } }, automationBits.platformMismatch],
  ['Linux on Windows', { navigator: { platform: 'Win32' } }, automationBits.platformMismatch],
];
for (const [name, browser, bits] of browsers) {
  test(`automation: ${name} gives ${bits}`, () => {
    assert.is(signalsOf(browser), bits);
  });
}

test('clock: runs only while visible, and never tells more than 30 minutes', () => {
  let at = 1000;
  let isVisible = true;
  const clock = createClock(
    () => at,
    () => isVisible,
  );
  assert.is(clock.stop(), 0);
  clock.start();
  at += 400.4;
  assert.is(clock.stop(), 400);
  at += 9999;
  assert.is(clock.stop(), 0);
  clock.start();
  at += 250;
  clock.start();
  at += 5;
  assert.is(clock.stop(), 255);
  isVisible = false;
  clock.start();
  at += 9999;
  assert.is(clock.stop(), 0);
  isVisible = true;
  clock.start();
  at += 8 * 3600_000;
  assert.is(clock.stop(), 30 * 60_000);
});

/** A click whose path leads through the given elements, innermost first. */
const clickOn = (...path: object[]): Event =>
  ({ type: 'click', composedPath: () => [...path, {}] }) as unknown as Event;
const submitOf = (...path: object[]): Event =>
  ({ type: 'submit', composedPath: () => [...path, {}] }) as unknown as Event;
const link = (href: string | { baseVal: string }) => ({ href, matches: (selector: string) => selector === 'a,area' });
const element = (attributes: Record<string, string>, localName = 'button') => ({
  localName,
  getAttribute: (name: string) => attributes[name] ?? null,
  attributes: Object.entries(attributes).map(([name, value]) => ({ name, value })),
});

const links: [what: string, click: Event, url: string | undefined][] = [
  ['another host', clickOn(link('https://other.example/a?b#c')), 'https://other.example/a?b#c'],
  ['an image in a link', clickOn({}, {}, link('https://other.example/')), 'https://other.example/'],
  ['a subdomain', clickOn(link('https://www.shop.example/')), 'https://www.shop.example/'],
  ['another port', clickOn(link('https://shop.example:8443/')), 'https://shop.example:8443/'],
  ['the same host', clickOn(link('https://shop.example/b')), undefined],
  ['the same host without TLS', clickOn(link('http://shop.example/b')), undefined],
  ['mail', clickOn(link('mailto:me@other.example')), undefined],
  ['a script', clickOn(link('javascript:void(0)')), undefined],
  ['another protocol with a host', clickOn(link('ftp://other.example/')), undefined],
  ['no link', clickOn({}, {}), undefined],
  ['a link in SVG', clickOn({}, link({ baseVal: 'https://other.example/' })), 'https://other.example/'],
  ['a relative link in SVG', clickOn(link({ baseVal: '/b' })), undefined],
];
for (const [what, click, url] of links) {
  test(`outbound: ${what}`, () => {
    const location = new URL('https://shop.example/page');
    withGlobals({ location, document: { baseURI: location.href } }, () => assert.is(outboundUrl(click), url));
  });
}

test('the nearest element with an event gives its name and properties', () => {
  const found = (event: Event, attribute = 'data-track') => {
    const { name, properties } = taggedEvent(event, attribute) ?? {};
    return name === undefined ? undefined : { name, properties };
  };
  const inner = element({ class: 'x' });
  const button = element({
    'data-track': 'Signup',
    'data-track-plan': 'pro',
    'data-track-plan-size': '3',
    'data-tracking': 'no',
  });
  assert.equal(found(clickOn(inner, button, element({ 'data-track': 'Outer' }))), {
    name: 'Signup',
    properties: { plan: 'pro', 'plan-size': '3' },
  });
  assert.is(found(clickOn(inner, element({ 'data-track': '' }))), undefined);
  assert.equal(found(clickOn(element({ 'data-umami-event': 'Buy', 'data-umami-event-id': '7' })), 'data-umami-event'), {
    name: 'Buy',
    properties: { id: '7' },
  });
});

test('a form with an event is counted when it is submitted, and only then', () => {
  const form = element({ 'data-track': 'Order' }, 'form');
  const section = element({ 'data-track': 'Section' }, 'section');
  const nameOf = (event: Event) => taggedEvent(event, 'data-track')?.name;
  assert.is(nameOf(clickOn(element({}, 'input'), form)), undefined);
  assert.is(nameOf(submitOf(form, section)), 'Order');
  assert.is(nameOf(clickOn(element({}, 'input'), form, section)), 'Section');
});

const recordingHits = () => {
  const sent: Partial<DraftHit>[] = [];
  const send = (t: DraftHit['t'], more?: Partial<DraftHit>): undefined => {
    sent.push(JSON.parse(JSON.stringify({ t, ...more })));
  };
  return { sent, calls: createCalls({ send, amend: () => undefined, refer: () => {} }) };
};

test('calls: every form there is', () => {
  const { sent, calls } = recordingHits();
  calls.event('Signup', { plan: 'pro' });
  calls.event('Signup');
  calls.event(404 as unknown as string);
  calls.event('');
  calls.event('Purchase', { revenue: 4900, currency: 'EUR', sku: 7 });
  calls.event('Quote', { revenue: '4900', currency: 'EUR' });
  calls.event('Big', { revenue: 4900n as unknown as number });
  calls.event('Odd', { revenue: Number.NaN });
  calls.event('Free', { revenue: '' });
  calls.revenue('4900', 'EUR');
  calls.revenue(Number.NaN);
  calls.revenue(undefined);
  calls.revenue(4900, 'EUR', { sku: 7 });
  calls.revenue(100);
  calls.identify({ email: 'a@b.example' });
  calls.identify('user-42', { plan: 'pro' });
  calls.identify('user-43');
  assert.equal(sent, [
    { t: 'custom', n: 'Signup', p: { plan: 'pro' } },
    { t: 'custom', n: 'Signup' },
    { t: 'custom', n: '404' },
    { t: 'revenue', n: 'Purchase', v: 4900, c: 'EUR', p: { sku: 7 } },
    { t: 'revenue', n: 'Quote', v: 4900, c: 'EUR', p: {} },
    { t: 'revenue', n: 'Big', v: 4900, p: {} },
    { t: 'custom', n: 'Odd', p: { revenue: null } },
    { t: 'custom', n: 'Free', p: { revenue: '' } },
    { t: 'revenue', n: 'revenue', v: 4900, c: 'EUR' },
    { t: 'revenue', n: 'revenue', v: 4900, c: 'EUR', p: { sku: 7 } },
    { t: 'revenue', n: 'revenue', v: 100 },
    { t: 'identify', p: { email: 'a@b.example' } },
    { t: 'identify', p: { id: 'user-42', plan: 'pro' } },
    { t: 'identify', p: { id: 'user-43' } },
  ]);
});

const hosts: [host: string, publicSuffixes: string[], domain: string][] = [
  ['shop.example.com', ['com'], 'example.com'],
  ['www.shop.co.uk', ['uk', 'co.uk'], 'shop.co.uk'],
  ['me.github.io', ['io', 'github.io'], 'me.github.io'],
  ['127.0.0.2', ['2', '0.2', '0.0.2'], '127.0.0.2'],
  ['intranet', [], 'intranet'],
];
for (const [host, publicSuffixes, domain] of hosts) {
  test(`visitor id: on ${host} it is kept for ${domain}, once, and removed`, () => {
    const document = cookieJar(host, publicSuffixes);
    withGlobals({ document, location: { hostname: host } }, () => {
      assert.is(visitorId(false), undefined);
      visitorId(true);
      const id = visitorId(false);
      assert.match(id!, /^\d+-\d+-\d+-\d+$/);
      assert.equal(document.domains, [domain]);
      visitorId(true);
      assert.is(visitorId(false), id);
      removeVisitorId();
      assert.is(visitorId(false), undefined);
      assert.is(document.cookie, '');
    });
  });
}

test('visitor id: a browser that keeps no cookies has none', () => {
  withGlobals({ document: cookieJar('shop.example', [], false), location: { hostname: 'shop.example' } }, () => {
    visitorId(true);
    assert.is(visitorId(false), undefined);
  });
});

test('visitor id: is not confused by cookies with a similar name', () => {
  const document = { cookie: 'x_daybook=1; _daybook2=2; a=_daybook=3' };
  withGlobals({ document, location: { hostname: 'shop.example' } }, () => assert.is(visitorId(false), undefined));
  document.cookie = 'x_daybook=1; _daybook=9; b=2';
  withGlobals({ document, location: { hostname: 'shop.example' } }, () => assert.is(visitorId(false), '9'));
});

test.run();
