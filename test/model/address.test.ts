import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressMatcher, canonicalRange, ipv6Words, senderNetwork } from '../../src/model/address.ts';

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

test('a sender is known by 24 bits of IPv4 and 48 of IPv6', () => {
  const networks: string[][] = [
    ['203.0.113.0', '203.0.113.255'],
    ['203.0.112.255'],
    ['0.203.0.113'],
    ['2001:db8:1::', '2001:db8:1::1', '2001:db8:1:ffff:1:2:3:4', '2001:db8:1:2::'],
    ['2001:db8:2::1'],
    ['2001:db8::', '2001:db8::1', '2001:db8:0:1::', '2001:db8:0:1:2:3:4:5'],
    ['2001::1', '2001:0:0:1::2'],
    ['1:2001:0:1::'],
    ['::1', '::', '', 'unknown', 'example.com', '1.2.3', '2001:DB8::1'],
  ];
  const found = networks.map(addresses => new Set(addresses.map(senderNetwork)));
  assert.equal(
    found.map(({ size }) => size),
    networks.map(() => 1),
  );
  assert.is(new Set(found.flatMap(set => [...set])).size, networks.length);
  assert.is([...found.at(-1)!][0], 0);
});

test('the network of any address is that of the address with the rest of its bits changed', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV4(), (ipv6, ipv4) => {
      const address = canonicalRange(ipv6)!;
      const first = new URL(`http://[${ipv6}]/`).hostname.slice(1, -1);
      if (address.includes('.')) return;
      const groups = ipaddr.IPv6.parse(address).parts;
      const [a = 0, b = 0, c = 0, d = 0] = groups;
      const isReserved = a === 0 && b === 0;
      assert.equal(ipv6Words(first), [a * 65_536 + b, c * 65_536 + d], first);
      assert.is(senderNetwork(first), isReserved ? 0 : (a * 65_536 + b) * 65_536 + c, first);
      const [p = '', q = '', r = ''] = ipv4.split('.');
      assert.is(senderNetwork(ipv4), 2 ** 48 + (Number(p) * 256 + Number(q)) * 256 + Number(r), ipv4);
    }),
  );
});

test('the first bits of an address are told of whole addresses alone', () => {
  assert.equal(ipv6Words('1::5:6:7:8:9'), [0x1_0000, 5]);
  assert.equal(ipv6Words('1:2:3:4:5:6:7:8'), [0x1_0002, 0x3_0004]);
  assert.equal(ipv6Words('1:2:3:4:5:6::'), [0x1_0002, 0x3_0004]);
  assert.equal(ipv6Words('::'), [0, 0]);
  for (const text of ['', ':', ':::', '1', '1:2', '1::2::3', '1:2:3:4:5:6:7:8:9', '12345::', 'fe80::1%eth0', '1.2.3.4'])
    assert.is(ipv6Words(text), null, text);
});

test.run();
