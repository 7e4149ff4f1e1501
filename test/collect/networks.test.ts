import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileNetworks } from '../../.ci/networks.mjs';
import { openAddressTable } from '../../src/collect/address-table.ts';
import { type Geo, openGeo } from '../../src/collect/geo.ts';
import { hostingKind } from '../../src/model/hosting-networks.ts';
import { temporaryDir } from '../helpers.ts';
import { cityRecord, writeMmdb } from './mmdb.ts';
import { startCollector } from './start-collector.ts';
import { storedVisits } from './stored.ts';

const opened = async (geoAsnDb: string | null): Promise<Geo & { logged: string[] }> => {
  const logged: string[] = [];
  const cities = join(temporaryDir(), 'city.mmdb');
  writeMmdb(cities, 6, { '203.0.113.0/24': cityRecord('DE', 'Land Berlin', 'Berlin') });
  const geo = await openGeo({ geoDb: cities, geoAsnDb, log: event => logged.push(event) });
  return { ...geo, logged };
};

test('the shipped table knows networks of IPv4 and IPv6', async () => {
  const geo = await opened(null);
  const rows: [address: string, want: RegExp | null][] = [
    ['8.8.8.8', /^AS15169 Google LLC$/],
    ['1.1.1.1', /^AS13335 Cloudflare, Inc\.$/],
    ['5.9.0.1', /^AS24940 Hetzner Online GmbH$/],
    ['84.128.0.1', /^AS3320 Deutsche Telekom/],
    ['2001:4860:4860::8888', /^AS15169 Google LLC$/],
    ['2a01:4f8::1', /^AS24940 Hetzner Online GmbH$/],
    ['2003:c0:1::1', /^AS3320 Deutsche Telekom/],
    ...['127.0.0.1', '10.0.0.1', '0.0.0.0', '255.255.255.255', '::', '::1', 'fd00::1', '', 'nonsense', 'ffff::'].map(
      address => [address, null] as [string, null],
    ),
  ];
  for (const [address, want] of rows) {
    const { network } = geo.place(address);
    if (want === null) assert.is(network, null, address);
    else assert.match(network ?? 'none', want, address);
  }
  assert.equal(geo.logged, []);
  geo.close();
});

/** Ascending ranges that do not overlap, of whole addresses or of 64 bits. */
const ranges = fc
  .array(
    fc.record({
      gap: fc.nat({ max: 3 }),
      length: fc.integer({ min: 1, max: 5 }),
      number: fc.nat({ max: 4 }),
      name: fc.constantFrom('One', 'Two, Inc.', 'The "Third"', 'Ü GmbH', ''),
    }),
    { maxLength: 12 },
  )
  .map(steps => {
    let at = 0;
    return steps.map(({ gap, length, number, name }) => {
      const first = at + gap;
      at = first + length;
      return { first, last: at - 1, number: number + 1, name };
    });
  });
type Ranges = typeof ranges extends fc.Arbitrary<infer R> ? R : never;

const csv = (rows: Ranges, scale: bigint): string =>
  rows
    .map(({ first, last, number, name }) => {
      const [from, to] = [BigInt(first) * scale, (BigInt(last) + 1n) * scale - 1n];
      return `${from},${to},${number},${/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name}\r\n`;
    })
    .join('');

test('any table finds what a list of ranges says', () => {
  fc.assert(
    fc.property(ranges, ranges, (ipv4, ipv6) => {
      const file = join(temporaryDir(), 'networks');
      writeFileSync(file, compileNetworks(csv(ipv4, 1n), csv(ipv6, 1n << 64n), 20_000));
      const table = openAddressTable(file, text => (text === '' ? null : text));
      // One number has one name, and that of IPv4 counts.
      const names = new Map([...ipv6, ...ipv4].map(({ number, name }) => [number, name]));
      const plainly = (rows: Ranges, at: number): string | null => {
        const found = rows.find(({ first, last }) => at >= first && at <= last);
        return found === undefined ? null : `AS${found.number} ${names.get(found.number)}`.trim();
      };
      for (let at = 0; at < 80; at++) {
        assert.is(table.of(`0.0.0.${at}`), plainly(ipv4, at), `0.0.0.${at}`);
        for (const end of ['::', '::1', ':ffff:ffff:ffff:ffff'])
          assert.is(table.of(`0:0:0:${at.toString(16)}${end}`), plainly(ipv6, at), `${at} ${end}`);
      }
      assert.is(table.madeAt, Date.UTC(2024, 9, 4));
    }),
    { seed: 1, numRuns: 100 },
  );
});

test('a table that was not made for this version is refused', () => {
  const file = join(temporaryDir(), 'networks');
  const whole = compileNetworks('0,5,1,One\r\n', '', 20_000);
  for (const bytes of [
    Buffer.alloc(64),
    Buffer.alloc(0),
    whole.subarray(0, -1),
    Buffer.concat([whole, Buffer.of(0)]),
  ]) {
    writeFileSync(file, bytes);
    assert.throws(() => openAddressTable(file, String), /no table of addresses/);
  }
});

test('an operator’s own database names networks', async () => {
  const file = join(temporaryDir(), 'asn.mmdb');
  const record = (number: number, organization: string) => ({
    autonomous_system_number: number,
    autonomous_system_organization: organization,
  });
  writeMmdb(file, 6, {
    '203.0.113.0/25': record(64_500, 'Example'),
    '203.0.113.128/25': { autonomous_system_number: 64_501 },
    '198.51.100.0/24': { autonomous_system_organization: 'No number' },
    '2001:db8::/32': record(64_502, 'x'.repeat(250)),
  });
  const geo = await opened(file);
  assert.equal(
    ['203.0.113.1', '203.0.113.200', '198.51.100.1', '8.8.8.8', '2001:db8::1'].map(
      address => geo.place(address).network,
    ),
    ['AS64500 Example', 'AS64501', null, null, `AS64502 ${'x'.repeat(200)}`],
  );
  assert.is(geo.place('203.0.113.1').city, 'Berlin');
  geo.close();
  const without = await opened(join(temporaryDir(), 'none.mmdb'));
  assert.equal(without.logged, ['networks-unavailable']);
  assert.equal(without.place('203.0.113.1'), { country: 'DE', region: 'Land Berlin', city: 'Berlin', network: null });
  without.close();
});

test('a visit has the network and the click of its first hit', async () => {
  const collector = await startCollector();
  const { site, post, db } = collector;
  await post({ s: site.publicKey, u: 'https://site1.example/?gclid=told-to-nobody' }, { address: '5.9.0.1' });
  await post({ s: site.publicKey, u: 'https://site1.example/?fbclid=later' }, { address: '5.9.0.1' });
  const { network, click_id } = storedVisits(db)[0]!;
  assert.equal([network, click_id], ['AS24940 Hetzner Online GmbH', 'gclid']);
  assert.equal(db.prepare(`select count(*) from text where value like '%told-to-nobody%'`).pluck().get(), 0);
  await collector.close();
});

test('hosting networks are told by their number', () => {
  const rows: [network: string, want: string][] = [
    ['AS24940 Hetzner Online GmbH', 'hosting'],
    ['AS16509 Amazon.com, Inc.', 'hosting'],
    ['AS24940', 'hosting'],
    ['AS3320 Deutsche Telekom AG', 'other'],
    ['AS249401 Hetzner Online GmbH', 'other'],
    ['(other)', 'other'],
  ];
  for (const [network, want] of rows) assert.is(hostingKind(network), want, network);
});

test.run();
