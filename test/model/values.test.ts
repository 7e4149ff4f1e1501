import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  aliasesOf,
  currencyOf,
  domainOf,
  emailOf,
  embedHostsOf,
  excludedIpsOf,
  excludedPathsOf,
  identityModeOf,
  nameOf,
  passwordOf,
  planOf,
  rateOf,
  timezoneOf,
  uuidOf,
  ValueError,
  wholeOf,
} from '../../src/model/values.ts';
import { anyCharacter } from '../any-character.ts';

const good: [what: string, read: (typed: string) => unknown, typed: string, want: unknown][] = [
  ['domain', domainOf, 'example.com', 'example.com'],
  ['domain', domainOf, ' Example.COM ', 'example.com'],
  ['domain', domainOf, 'https://user@www.Example.com:8443/a?b#c', 'www.example.com'],
  ['domain', domainOf, 'example.com:8080', 'example.com'],
  ['domain', domainOf, 'example.com.', 'example.com'],
  ['domain', domainOf, 'example.com/path', 'example.com'],
  ['domain', domainOf, 'localhost', 'localhost'],
  ['domain', domainOf, 'bücher.example', 'xn--bcher-kva.example'],
  ['domain', domainOf, 'my_app.example', 'my_app.example'],
  ['zone', timezoneOf, 'Europe/Berlin', 'Europe/Berlin'],
  ['zone', timezoneOf, 'america/new_york', 'America/New_York'],
  ['zone', timezoneOf, 'Asia/Kolkata', 'Asia/Kolkata'],
  ['zone', timezoneOf, 'utc', 'UTC'],
  ['currency', currencyOf, 'eur', 'EUR'],
  ['mode', identityModeOf, 'Cookie', 'cookie'],
  ['plan', planOf, 'pro', 'pro'],
  ['ips', typed => excludedIpsOf([typed, '', typed]), '::ffff:10.0.0.1', ['10.0.0.1']],
  ['ips', typed => excludedIpsOf([typed]), '', []],
  ['paths', typed => excludedPathsOf([typed, '**/x']), '/admin/**', ['/admin/**', '**/x']],
  ['uuid', uuidOf, '123E4567-e89b-42d3-a456-426614174000', '123e4567-e89b-42d3-a456-426614174000'],
  ['name', nameOf, ' Grafana, prod ', 'Grafana, prod'],
  ['e-mail', emailOf, ' Ada@Example.COM ', 'ada@example.com'],
  ['e-mail', emailOf, 'ada+x@localhost', 'ada+x@localhost'],
  ['password', passwordOf, '12345678', '12345678'],
  ['password', passwordOf, ' Pass wörd ', ' Pass wörd '],
  ['password', passwordOf, 'passwo\u0308rd', 'passwörd'],
  ['rate', rateOf, '0.92', 0.92],
  ['rate', rateOf, '.5', 0.5],
  ['rate', rateOf, '17000', 17_000],
  ['whole', typed => wholeOf(typed, 'days'), '30', 30],
];
for (const [what, read, typed, want] of good) {
  test(`${what} ${JSON.stringify(typed)}`, () => assert.equal(read(typed), want));
}

const bad: [what: string, read: (typed: string) => unknown, typed: string[]][] = [
  ['domain', domainOf, ['', ' ', 'exa mple.com', 'a..b']],
  ['domain', domainOf, ['[::1]', 'http://', '*.example.com', '"a".example', `${'a'.repeat(60)}.`.repeat(5)]],
  ['zone', timezoneOf, ['', 'Berlin', '+02:00', 'Mars/Base', 'Europe']],
  ['currency', currencyOf, ['', 'EURO', 'E1R', 'XQQ']],
  ['mode', identityModeOf, ['', 'hashed']],
  ['plan', planOf, ['', 'gold']],
  ['ip', typed => excludedIpsOf([typed]), ['127.1', '10.0.0.0/33', 'example.com', '*']],
  ['path', typed => excludedPathsOf([typed]), ['admin', ' /a', 'https://example.com/a']],
  ['uuid', uuidOf, ['', '123', '123e4567e89b42d3a456426614174000', '123e4567-e89b-42d3-a456-42661417400g']],
  ['e-mail', emailOf, ['', 'ada', '@example.com', 'ada@', 'a da@example.com', 'a@b@c', `${'a'.repeat(251)}@b.c`]],
  ['password', passwordOf, ['', '1234567', 'x'.repeat(1001)]],
  ['name', nameOf, ['', '  ', 'a\nb', 'x'.repeat(101)]],
  ['rate', rateOf, ['', '0', '-1', '1e400', '1,5', 'Infinity', '0.0', '.']],
  ['whole', typed => wholeOf(typed, 'days'), ['', '-1', '1.5', '1e3', '9999999999']],
];
for (const [what, read, all] of bad) {
  for (const typed of all) {
    test(`${what} ${JSON.stringify(typed)} is refused`, () => {
      assert.throws(
        () => read(typed),
        (error: Error) => error instanceof ValueError && /[.?]$/.test(error.message),
      );
    });
  }
}

const many = (count: number, make: (i: number) => string): string[] => Array.from({ length: count }, (_, i) => make(i));
const bounds: [what: string, read: (typed: string[]) => unknown, n: string[], more: string[], told: RegExp][] = [
  ['globs', excludedPathsOf, many(100, i => `/${i}`), many(101, i => `/${i}`), /At most 100 paths/],
  ['a glob', excludedPathsOf, [`/${'x'.repeat(199)}`], [`/${'x'.repeat(200)}`], /at most 200 characters/],
  ['stars', excludedPathsOf, [`/${'**'.repeat(5)}`], [`/${'*a'.repeat(11)}`], /has too many stars: .* at most 10\./],
  [
    'ranges',
    excludedIpsOf,
    many(1000, i => `10.0.${i >> 8}.${i & 255}`),
    many(1001, i => `10.0.${i >> 8}.${i & 255}`),
    /1,000/,
  ],
  ['aliases', aliasesOf, many(100, i => `matomo:${i + 1}`), many(101, i => `matomo:${i + 1}`), /At most 100 aliases/],
  ['hosts', embedHostsOf, many(20, i => `h${i}.example`), many(21, i => `h${i}.example`), /At most 20 hosts/],
];
for (const [what, read, n, more, told] of bounds) {
  test(`${what} are taken up to their bound`, () => {
    read(n);
    assert.throws(() => read(more), told);
  });
}

test('an error repeats the beginning of a long text alone', () => {
  assert.throws(
    () => excludedPathsOf(['x'.repeat(60_000)]),
    (error: Error) => error instanceof ValueError && error.message.length < 200,
  );
});

test('any text gives a domain that is fit for file names, or a ValueError', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl(), fc.domain(), fc.string({ unit: anyCharacter })), typed => {
      let domain: string;
      try {
        domain = domainOf(typed);
      } catch (error) {
        assert.instance(error, ValueError);
        return;
      }
      assert.is(domainOf(domain), domain);
      assert.match(domain, /^[a-z\d_.-]+$/);
    }),
    { seed: 1 },
  );
});

test('every listed zone is accepted as it stands', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) assert.is(timezoneOf(zone), zone);
});

test.run();
