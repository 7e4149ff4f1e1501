import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePageUrl, referrerDomain } from '../../src/collect/page-url.ts';
import { clickIds } from '../../src/model/tracking-parameters.ts';
import { anyCharacter } from '../any-character.ts';
import { repeat } from '../repeat.ts';

test('a page has a path, a host and a query', () => {
  const rows: [url: string, hostname: string, path: string, query: string | null][] = [
    ['https://example.com', 'example.com', '/', null],
    ['HTTPS://WWW.Example.COM:8443/A/b?x=1#top', 'www.example.com', '/A/b', 'x=1'],
    ['http://user:secret@example.com/', 'example.com', '/', null],
    ['https://example.com/a#/users/7?tab=1', 'example.com', '/a#/users/7?tab=1', null],
    ['https://example.com/#!/users', 'example.com', '/#!/users', null],
    ['https://example.com/?#', 'example.com', '/', null],
    ['https://bücher.example/ü?ö=ä', 'xn--bcher-kva.example', '/%C3%BC', '%C3%B6=%C3%A4'],
    ['https://[2001:db8::1]/x', '[2001:db8::1]', '/x', null],
    ['  https://example.com/a  ', 'example.com', '/a', null],
    ['https://example.com/a/../b//c/./d', 'example.com', '/b//c/d', null],
    ['https://example.com/?b=2&a=1&b=3', 'example.com', '/', 'b=2&a=1&b=3'],
    ['https://example.com/?q=a%26b+c&flag&=x', 'example.com', '/', 'q=a%26b+c&flag&=x'],
    ['https://example.com/?&&', 'example.com', '/', null],
    ['https://example.com/?a=1&&b=2', 'example.com', '/', 'a=1&b=2'],
    ['https://example.com/?refer=1&utmx=2&UTM_SOURCE=3', 'example.com', '/', 'refer=1&utmx=2&UTM_SOURCE=3'],
  ];
  for (const [url, hostname, path, query] of rows) {
    const page = parsePageUrl(url);
    assert.equal([page?.hostname, page?.path, page?.query], [hostname, path, query], url);
  }
});

test('an address gives the same each time, whether remembered or too long for that', () => {
  const long = `/${'x'.repeat(400)}`;
  for (const path of ['/a?utm_source=b&c=d', `${long}?utm_source=b&c=d`]) {
    const [first, again] = [1, 2].map(() => parsePageUrl(`https://remembered.example${path}`));
    assert.equal(again, first);
    assert.equal([first?.hostname, first?.query, first?.campaign.utmSource], ['remembered.example', 'c=d', 'b']);
  }
  assert.equal(
    [1, 2].map(() => parsePageUrl('remembered.example')),
    [null, null],
  );
});

test('other addresses are no pages', () => {
  for (const url of [
    'about:blank',
    'file:///etc/passwd',
    'data:text/html,x',
    'javascript:alert(1)',
    'blob:https://example.com/1',
    'android-app://com.example/',
    'ftp://example.com/',
    '/relative',
    'example.com/a',
    'https://',
    'https://exa mple.com/',
    'https://example.com:99999/',
    'https://[::1',
    'x',
  ]) {
    assert.is(parsePageUrl(url), null, url);
  }
});

test('tracking parameters are removed, and the others stay in order', () => {
  const tracking =
    'utm_source utm_medium utm_campaign utm_term utm_content utm_id utm_anything ref source via gclid gbraid wbraid gad_source ' +
    'gad_campaignid dclid fbclid msclkid ttclid twclid li_fat_id yclid mc_cid mc_eid igshid srsltid _ga _gl _hsenc _hsmi mkt_tok';
  for (const name of tracking.split(' ')) {
    for (const pair of [`${name}=x`, `${name}=`, name, `${name.replace('_', '%5F')}=x`]) {
      assert.is(parsePageUrl(`https://example.com/?z=1&${pair}&a=2`)?.query, 'z=1&a=2', pair);
      assert.is(parsePageUrl(`https://example.com/?${pair}`)?.query, null, pair);
    }
  }
});

test('campaigns are read from the query', () => {
  const rows: [search: string, want: (string | null)[]][] = [
    ['utm_source=a&utm_medium=b&utm_campaign=c&utm_term=d&utm_content=e', ['a', 'b', 'c', 'd', 'e']],
    ['utm_source=news%20letter+1&utm_campaign=%C3%BC', ['news letter 1', null, 'ü', null, null]],
    ['ref=r&source=s&via=v', ['r', null, null, null, null]],
    ['via=v&source=s', ['s', null, null, null, null]],
    ['via=v', ['v', null, null, null, null]],
    ['ref=r&utm_source=u', ['u', null, null, null, null]],
    ['utm_source=&ref=r', ['r', null, null, null, null]],
    ['utm_source=first&utm_source=second', ['first', null, null, null, null]],
    ['utm_source=&utm_source=second', ['second', null, null, null, null]],
    ['utm_source=a=b', ['a=b', null, null, null, null]],
    ['utm_source=%FF%zz', ['\ufffd%zz', null, null, null, null]],
    ['utm_medium', [null, null, null, null, null]],
  ];
  for (const [search, want] of rows) {
    const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = parsePageUrl(
      `https://e.example/?${search}`,
    )!.campaign;
    assert.equal([utmSource, utmMedium, utmCampaign, utmTerm, utmContent], want, search);
  }
});

test('a referrer gives its domain', () => {
  const rows: [referrer: string | null, want: string | null][] = [
    [null, null],
    ['https://www.google.com/search?q=x', 'google.com'],
    ['http://News.YCombinator.com:8080/item', 'news.ycombinator.com'],
    ['https://www.www.example.net/', 'www.example.net'],
    ['android-app://com.google.android.gm/', 'com.google.android.gm'],
    ['ANDROID-APP://com.Example/', 'com.example'],
    ['https://example.com/other', null],
    ['https://www.example.com/other', null],
    ['https://sub.example.com/', 'sub.example.com'],
    ['ios-app://1/x', null],
    ['about:client', null],
    ['/relative', null],
    ['', null],
    ['nonsense', null],
    ['https://', null],
  ];
  for (const [referrer, want] of rows) {
    assert.is(referrerDomain(referrer, 'example.com', 'site.example'), want, String(referrer));
    assert.is(referrerDomain(referrer, 'www.example.com', 'site.example'), want, `${referrer} on www`);
  }
});

test('the site itself and its subdomains are no referrers, whatever host the page is on', () => {
  const rows: [referrer: string, want: string | null][] = [
    ['https://example.com/', null],
    ['https://www.example.com/', null],
    ['https://shop.example.com/cart', null],
    ['https://a.b.EXAMPLE.com/', null],
    ['https://notexample.com/', 'notexample.com'],
    ['https://example.com.evil.example/', 'example.com.evil.example'],
    ['https://example.net/', 'example.net'],
  ];
  for (const [referrer, want] of rows) {
    for (const host of ['example.com', 'shop.example.com', 'pages.example.net'])
      for (const domain of ['example.com', 'www.example.com'])
        assert.is(referrerDomain(referrer, host, domain), want, `${referrer} on ${host} of ${domain}`);
  }
  assert.is(referrerDomain('https://example.com/', 'shop.example.com', 'shop.example.com'), 'example.com');
});

test('the first parameter of an ad’s click is known by its name', () => {
  const rows: [search: string, want: string | null][] = [
    ['gclid=secret', 'gclid'],
    ['a=1&ScCid=x&gclid=y', 'ScCid'],
    ['utm_source=google&gad_source=1&wbraid=x', 'wbraid'],
    ['gclid=&fbclid=x', 'fbclid'],
    ['gclid&a=b', null],
    ['GCLID=x', null],
    ['constructor=x&toString=y', null],
    ['utm_source=google', null],
  ];
  for (const [search, want] of rows) assert.is(parsePageUrl(`https://e.example/?${search}`)!.clickId, want, search);
  for (const name of clickIds) {
    const page = parsePageUrl(`https://e.example/?a=1&${name}=told-to-nobody#x`)!;
    assert.equal([page.clickId, page.query], [name, 'a=1']);
    assert.not.match(JSON.stringify(page), /told-to-nobody/);
  }
});

test('any text gives a well-formed address or none', () => {
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 2500 }),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc
      .tuple(fc.string(), fc.string({ unit: anyCharacter }))
      .map(([name, value]) => `https://e.example/?${name}=${value}&utm_source=${value}`),
  );
  fc.assert(
    fc.property(texts, text => {
      const page = parsePageUrl(text);
      if (page === null) return;
      for (const part of [page.path, page.pathname, page.hostname, page.query, ...Object.values(page.campaign)]) {
        assert.ok(part === null || (part !== '' && part.isWellFormed()), text);
      }
      assert.is(new URL(text.slice(0, 2000)).hostname, page.hostname);
      const names = (page.query ?? '').split('&').map(pair => pair.split('=')[0]!);
      assert.not.ok(names.some(name => /^(utm_.*|ref|source|via|gclid)$/.test(name)));
    }),
    { seed: 1, numRuns: 1200 * repeat },
  );
});

test('parameters that do not track stay as they are', () => {
  const names = fc.constantFrom('a', 'b', 'ref', 'utm_x', 'gclid', 'q', 'via', 'sort', 'utm_source');
  const parameters = fc.array(fc.tuple(names, fc.stringMatching(/^[a-z0-9]{0,5}$/)), { maxLength: 12 });
  fc.assert(
    fc.property(parameters, list => {
      const search = list.map(([name, value]) => `${name}=${value}`).join('&');
      const left = list
        .filter(([name]) => ['a', 'b', 'q', 'sort'].includes(name))
        .map(([name, value]) => `${name}=${value}`);
      const page = parsePageUrl(`https://e.example/?${search}`)!;
      assert.is(page.query, left.length === 0 ? null : left.join('&'));
      const firstOf = (name: string) => list.find(([other, value]) => other === name && value !== '')?.[1];
      assert.is(page.campaign.utmSource, firstOf('utm_source') ?? firstOf('ref') ?? firstOf('via') ?? null);
    }),
    { seed: 1, numRuns: 1000 },
  );
});

test.run();
