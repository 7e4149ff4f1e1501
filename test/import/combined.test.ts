import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type LoggedRequest, parseCombined } from '../../src/import/combined.ts';
import { anyCharacter } from '../any-character.ts';
import { repeat } from '../repeat.ts';

const lineOf = (request: string, rest = '200 512 "-" "curl/8.0"'): string =>
  `203.0.113.9 - - [17/May/2015:10:05:03 +0000] "${request}" ${rest}`;

const whole = lineOf('GET /a?b=1 HTTP/1.1', '200 512 "https://ref.example/x" "Mozilla/5.0 (X11)"');
const wholeParsed: LoggedRequest = {
  at: Date.UTC(2015, 4, 17, 10, 5, 3),
  host: '203.0.113.9',
  method: 'GET',
  target: '/a?b=1',
  status: 200,
  referrer: 'https://ref.example/x',
  userAgent: 'Mozilla/5.0 (X11)',
  virtualHost: '',
};

const same: [name: string, line: string, want: Partial<LoggedRequest>][] = [
  ['a common line', whole, {}],
  ['fields of its own behind it', `${whole} "203.0.113.7" 0.004`, {}],
  ['a tab behind it', `${whole}\tx`, {}],
  ['an IPv6 address', whole.replace('203.0.113.9', '2001:db8::1'), { host: '2001:db8::1' }],
  ['a host name', whole.replace('203.0.113.9', 'pool-1.isp.example'), { host: 'pool-1.isp.example' }],
  ['a virtual host before it', `site.example:80 ${whole}`, { virtualHost: 'site.example' }],
  [
    'a virtual host before an IPv6 address',
    `site.example:443 ${whole.replace('203.0.113.9', '2001:db8::1')}`,
    { virtualHost: 'site.example', host: '2001:db8::1' },
  ],
  [
    'a virtual host before a name',
    `site.example:80 ${whole.replace('203.0.113.9', 'pool-1.isp.example')}`,
    { virtualHost: 'site.example', host: 'pool-1.isp.example' },
  ],
  ['a virtual host without a port', `site.example ${whole}`, { virtualHost: 'site.example' }],
  ['an IPv6 address that ends in digits', whole.replace('203.0.113.9', '2001:db8::80'), { host: '2001:db8::80' }],
  ['no host', whole.replace('203.0.113.9', '-'), { host: '' }],
  ['a user', whole.replace('- -', '- ada'), {}],
  ['a user with spaces and brackets', whole.replace('- -', '- ada [at] work'), {}],
  ['a zone east of UTC', whole.replace('10:05:03 +0000', '12:05:03 +0200'), {}],
  ['a zone west of UTC, the day before', whole.replace('17/May/2015:10:05:03 +0000', '17/May/2015:00:35:03 -0930'), {}],
  ['a leap second', whole.replace('10:05:03', '23:59:60'), { at: Date.UTC(2015, 4, 17, 23, 59, 59) }],
  ['no bytes', whole.replace('512', '-'), {}],
  ['no status', whole.replace('200', '-'), { status: 0 }],
  ['no referrer and no user agent', lineOf('GET /a?b=1 HTTP/1.1', '200 512 "-" "-"'), { referrer: '', userAgent: '' }],
  ['empty referrer and user agent', lineOf('GET /a?b=1 HTTP/1.1', '200 512 "" ""'), { referrer: '', userAgent: '' }],
  ['HTTP/0.9', whole.replace(' HTTP/1.1', ''), {}],
  ['HTTP/2', whole.replace('HTTP/1.1', 'HTTP/2.0'), {}],
  ['another method', whole.replace('GET', 'PROPFIND'), { method: 'PROPFIND' }],
  ['an absolute target', whole.replace('/a?b', 'http://x.example/a?b'), { target: 'http://x.example/a?b=1' }],
  ['a target with a space', whole.replace('/a?b=1', '/a b?c'), { target: '/a b?c' }],
  ['no request', whole.replace('GET /a?b=1 HTTP/1.1', '-'), { method: '', target: '' }],
  ['an empty request', whole.replace('GET /a?b=1 HTTP/1.1', ''), { method: '', target: '' }],
  ['a TLS hello', whole.replace('GET /a?b=1 HTTP/1.1', '\\x16\\x03\\x01\\x02'), { method: '', target: '' }],
  ['a method alone', whole.replace('GET /a?b=1 HTTP/1.1', 'GET'), { method: '', target: '' }],
  ['quotes in the user agent', whole.replace('Mozilla/5.0', 'a \\"b\\" c'), { userAgent: 'a "b" c (X11)' }],
  ['a backslash at its end', whole.replace('(X11)', '\\\\'), { userAgent: 'Mozilla/5.0 \\' }],
  ['UTF-8 escaped byte by byte', whole.replace('/x"', '/\\xd1\\x8f"'), { referrer: 'https://ref.example/я' }],
  ['UTF-8 as it is', whole.replace('/x"', '/я\\t"'), { referrer: 'https://ref.example/я\t' }],
  ['bytes that are no UTF-8', whole.replace('/x"', '/\\xff"'), { referrer: 'https://ref.example/\u{fffd}' }],
  ['half an escape', whole.replace('/x"', '/\\x4"'), { referrer: 'https://ref.example/x4' }],
];
for (const [name, line, want] of same) {
  test(name, () => assert.equal(parseCombined(line), { ...wholeParsed, ...want }));
}

const malformed: [name: string, line: string][] = [
  ['nothing', ''],
  ['text', 'hello world'],
  [
    'the common format, without referrer and user agent',
    '203.0.113.9 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5',
  ],
  ['a cut user agent', whole.slice(0, -1)],
  ['an open quote in the user agent', whole.replace('Mozilla', 'a "b" c')],
  ['a month that is none', whole.replace('May', 'Mai')],
  ['a day that the month has not', whole.replace('17/May', '31/Jun')],
  ['the 29th of February of a common year', whole.replace('17/May', '29/Feb')],
  ['hour 24', whole.replace('10:05', '24:05')],
  ['minute 60', whole.replace('10:05', '10:60')],
  ['before 1970', whole.replace('2015', '1969')],
  ['a status that is none', whole.replace(' 200 ', ' OK ')],
  ['an ISO time', whole.replace('17/May/2015:10:05:03 +0000', '2015-05-17T10:05:03Z')],
  ['JSON', '{"at":"2026-10-01T12:00:00.000Z"}'],
];
for (const [name, line] of malformed) {
  test(`not a line: ${name}`, () => assert.is(parseCombined(line), null));
}

/** As Apache writes a field: quotes, backslashes, and everything but printable ASCII escaped. */
const apache = (field: string): string =>
  [...Buffer.from(field)]
    .map(byte => {
      const character = String.fromCharCode(byte);
      if (character === '"' || character === '\\') return `\\${character}`;
      if (character === '\n') return '\\n';
      if (character === '\t') return '\\t';
      return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
/** As a server writes that escapes only what it must. */
const lax = (field: string): string =>
  field.replace(/["\\]/g, '\\$&').replace(/[\r\n]/g, c => (c === '\n' ? '\\n' : '\\r'));

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number): string => String(n).padStart(2, '0');
const logTime = (at: number, offset: number): string => {
  const local = new Date(at + offset * 60_000);
  const date = `${two(local.getUTCDate())}/${months[local.getUTCMonth()]}/${local.getUTCFullYear()}`;
  const time = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()].map(two).join(':');
  return `${date}:${time} ${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
};

const field = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string(), fc.constantFrom('"', '\\', '\\"', 'a\nb', 'é'))
  .filter(text => text !== '-');
const requests = fc.record({
  at: fc.integer({ min: 86_400, max: 4_000_000_000 }).map(seconds => seconds * 1000),
  host: fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()),
  method: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'M-SEARCH'),
  target: fc
    .oneof(
      fc.webPath(),
      fc.webUrl(),
      field.map(text => `/${text}`),
    )
    .filter(text => /^\S/.test(text) && !/ HTTP\/\d(\.\d)?$/.test(text)),
  status: fc.integer({ min: 100, max: 599 }),
  referrer: field,
  userAgent: field,
  virtualHost: fc.constant(''),
});

test('lines are read as a server writes them, whatever is in the fields', () => {
  const offsets = fc.integer({ min: -56, max: 56 }).map(quarters => quarters * 15);
  fc.assert(
    fc.property(
      requests,
      offsets,
      fc.constantFrom(apache, lax),
      fc.constantFrom('', ' HTTP/1.0', ' HTTP/2'),
      (request, offset, escaped, protocol) => {
        const fields = [request.referrer, request.userAgent].map(text => `"${escaped(text)}"`).join(' ');
        const first = escaped(`${request.method} ${request.target}${protocol}`);
        const line = `${request.host} - - [${logTime(request.at, offset)}] "${first}" ${request.status} 1 ${fields}`;
        assert.equal(parseCombined(line), { ...request });
      },
    ),
    { seed: 2, numRuns: 1000 },
  );
});

test('garbage is malformed, never worse', () => {
  const noise = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string(),
    fc.constantFrom('\\', '"', '[', ']', '\\x', '-', ' '),
  );
  const damaged = fc
    .tuple(fc.nat(whole.length), fc.nat(whole.length), noise)
    .map(([from, length, text]) => whole.slice(0, from) + text + whole.slice(from + length));
  fc.assert(
    fc.property(fc.oneof(damaged, noise), line => {
      const parsed = parseCombined(line);
      if (parsed === null) return;
      assert.ok(Number.isSafeInteger(parsed.at) && parsed.at >= 0);
      assert.ok(parsed.status >= 0 && parsed.status <= 999);
    }),
    { seed: 3, numRuns: 800 * repeat },
  );
});

test('a hostile line of full length takes hardly any time', () => {
  for (const piece of ['\\"', ' [17/May/2015:10:05:03 +0000] "', 'GET ', '\\x', 'a', '" ']) {
    const long = piece.repeat(Math.floor(250_000 / piece.length));
    parseCombined(long);
    parseCombined(lineOf(long));
    parseCombined(lineOf('GET / HTTP/1.1', `200 1 "-" "${long}`));
  }
});

test.run();
