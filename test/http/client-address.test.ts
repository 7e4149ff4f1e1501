import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientAddressReader } from '../../src/http/client-address.ts';
import { canonicalRange } from '../../src/model/ip-ranges.ts';
import { anyCharacter } from '../any-character.ts';
import { chrome, startCollector } from '../collect/start-collector.ts';
import { storedVisits } from '../collect/stored.ts';

test('the client is the socket, or the rightmost reported address that is no trusted proxy', () => {
  const rows: [trusted: string, socket: string | undefined, forwarded: string | undefined, want: string][] = [
    ['loopback', '203.0.113.1', undefined, '203.0.113.1'],
    ['loopback', '203.0.113.1', '198.51.100.1', '203.0.113.1'],
    ['loopback', '127.0.0.1', undefined, '127.0.0.1'],
    ['loopback', '127.0.0.1', '', '127.0.0.1'],
    ['loopback', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['loopback', '127.9.9.9', '198.51.100.1', '198.51.100.1'],
    ['loopback', '::1', '198.51.100.1', '198.51.100.1'],
    ['loopback', '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['loopback', '127.0.0.1', '198.51.100.1, 198.51.100.2', '198.51.100.2'],
    ['loopback', '127.0.0.1', '198.51.100.1,198.51.100.2 ,  127.0.0.1', '198.51.100.2'],
    ['loopback', '127.0.0.1', '127.0.0.2, 127.0.0.3', '127.0.0.2'],
    ['loopback', '10.0.0.1', '198.51.100.1', '10.0.0.1'],
    ['private', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['private', '172.31.255.255', '198.51.100.1', '198.51.100.1'],
    ['private', '172.32.0.0', '198.51.100.1', '172.32.0.0'],
    ['private', '192.168.1.1', '198.51.100.1', '198.51.100.1'],
    ['private', 'fd12::1', '198.51.100.1', '198.51.100.1'],
    ['private', 'fe80::1%eth0', '198.51.100.1', '198.51.100.1'],
    ['private', '127.0.0.1', '198.51.100.1', '127.0.0.1'],
    ['loopback 203.0.113.0/24', '203.0.113.255', '198.51.100.1, 203.0.113.7', '198.51.100.1'],
    ['2001:db8::/32 192.0.2.1', '192.0.2.1', '2001:DB9:0:0::1, 2001:db8::5', '2001:db9::1'],
    ['0.0.0.0/0', '203.0.113.1', '198.51.100.1', '198.51.100.1'],
    ['', '127.0.0.1', '198.51.100.1', '127.0.0.1'],
    // Other spellings, and what is no address.
    ['loopback', '127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['loopback', '127.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['loopback', '127.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['loopback', '127.0.0.1', '::ffff:c633:6401', '198.51.100.1'],
    ['loopback', '127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
    ['loopback', '127.0.0.1', '198.51.100.1,', '127.0.0.1'],
    ['loopback', '127.0.0.1', '_hidden', '127.0.0.1'],
    ['loopback', '127.0.0.1', '198.51.100.256', '127.0.0.1'],
    ['loopback', '127.0.0.1', '198.51.100.01', '127.0.0.1'],
    ['loopback', '127.0.0.1', '198.51.100', '127.0.0.1'],
    ['loopback', '127.0.0.1', '198.51.100.1/32', '127.0.0.1'],
    ['loopback', '127.0.0.1', '0x7f000001', '127.0.0.1'],
    ['loopback', '127.0.0.1', '2001:db8::1]/@evil[', '127.0.0.1'],
    ['loopback', '127.0.0.1', `${'1'.repeat(5000)}.1.1.1`, '127.0.0.1'],
    ['loopback', undefined, '198.51.100.1', ''],
  ];
  for (const [trusted, socket, forwarded, want] of rows) {
    const read = clientAddressReader(trusted.split(' '));
    assert.is(read(socket, forwarded), want, `${trusted} | ${socket} | ${forwarded}`);
  }
});

test('any address is written in its canonical form', () => {
  const read = clientAddressReader([]);
  // But ::1.2.3.4, deprecated since 2006, which one library takes for the IPv4 address in it and the other does not.
  const addresses = fc.oneof(fc.ipV4(), fc.ipV6()).filter(address => !/^::\d+\./.test(address));
  fc.assert(
    fc.property(addresses, address => assert.is(read(address, undefined), canonicalRange(address), address)),
    { seed: 1, numRuns: 2000 },
  );
});

test('no other text is taken for an address', () => {
  const read = clientAddressReader(['loopback']);
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), text => {
      const address = read('127.0.0.1', text);
      assert.ok(canonicalRange(address) === address, text);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test('only X-Forwarded-For is believed, and only from a trusted proxy', async () => {
  for (const [trusted, visitors] of [
    ['loopback', 2],
    ['192.0.2.1', 1],
  ] as const) {
    const collector = await startCollector({ trustProxy: [trusted] });
    const body = JSON.stringify({ s: collector.site.publicKey, u: 'https://site1.example/' });
    for (const address of ['198.51.100.1', '198.51.100.2']) {
      for (const spoof of ['192.0.2.7', '192.0.2.8']) {
        await fetch(`${collector.url}/e`, {
          method: 'POST',
          body,
          headers: {
            'user-agent': chrome,
            'x-forwarded-for': address,
            'x-real-ip': spoof,
            'cf-connecting-ip': spoof,
            'true-client-ip': spoof,
            'x-client-ip': spoof,
            forwarded: `for=${spoof}`,
          },
        });
      }
    }
    assert.is(storedVisits(collector.db).length, visitors, trusted);
    await collector.close();
  }
});

test.run();
