import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressMatcher, canonicalRange } from '../../src/model/ip-ranges.ts';

const cases: [given: string, want: string | null][] = [
  ['203.0.113.9', '203.0.113.9'],
  [' 203.0.113.9 ', '203.0.113.9'],
  ['203.0.113.0/24', '203.0.113.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['203.0.113.0/33', null],
  ['203.0.113.0/', null],
  ['203.0.113.0/24/1', null],
  ['203.0.113.0/-1', null],
  ['127.1', null],
  ['0x7f.0.0.1', null],
  ['1', null],
  ['256.0.0.1', null],
  ['2001:DB8::1', '2001:db8::1'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['2001:db8::/129', null],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
  ['::ffff:203.0.113.0/95', null],
  ['fe80::1%eth0', null],
  ['example.com', null],
  ['', null],
];
for (const [given, want] of cases) {
  test(`${JSON.stringify(given)} is ${want}`, () => assert.is(canonicalRange(given), want));
}

test('ranges hold exactly their addresses', () => {
  const rows: [entries: string[], inside: string[], outside: string[]][] = [
    [['203.0.113.7'], ['203.0.113.7'], ['203.0.113.6', '203.0.113.8', '::ffff:cb00:7107']],
    [['203.0.113.0/24'], ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
    [['203.0.113.77/24'], ['203.0.113.0', '203.0.113.255'], ['203.0.112.255']],
    [
      ['255.255.255.255', '0.0.0.0/31'],
      ['255.255.255.255', '0.0.0.1'],
      ['255.255.255.254', '0.0.0.2'],
    ],
    [['::ffff:203.0.113.0/120'], ['203.0.113.9'], ['203.0.114.9']],
    [['2001:db8::/33'], ['2001:db8:7fff::1'], ['2001:db8:8000::', '203.0.113.1']],
    [['2001:db8::1'], ['2001:db8::1'], ['2001:db8::2']],
    [['nonsense', '1.2.3.4/33', ''], [], ['1.2.3.4', '']],
    [[], [], ['203.0.113.7', '2001:db8::1', '']],
  ];
  for (const [entries, inside, outside] of rows) {
    const holds = addressMatcher(entries);
    for (const address of inside) assert.ok(holds(address), `${entries} holds ${address}`);
    for (const address of outside) assert.not.ok(holds(address), `${entries} does not hold ${address}`);
  }
});

test.run();
