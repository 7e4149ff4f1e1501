import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalRange } from '../../src/model/address.ts';

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

test.run();
