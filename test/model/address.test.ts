import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ipv6Words, senderNetwork } from '../../src/model/address.ts';
import { canonicalRange } from '../../src/model/ip-ranges.ts';

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
