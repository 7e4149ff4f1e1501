import { renameSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Geo, openGeo } from '../../src/collect/geo.ts';
import { temporaryDir } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { cityRecord, mmdb, writeMmdb } from './mmdb.ts';
import { startCollector } from './start-collector.ts';
import { storedVisits } from './stored.ts';

/** Without the network: see networks.test.ts. */
type City = Record<'country' | 'region' | 'city', string | null>;

const nowhere: City = { country: null, region: null, city: null };
const berlin: City = { country: 'DE', region: 'Land Berlin', city: 'Berlin' };
const paris: City = { country: 'FR', region: 'Île-de-France', city: 'Paris' };
const record = ({ country, region, city }: City) => cityRecord(country!, region!, city!);

interface Opened extends Pick<Geo, 'close'> {
  place(address: string): City;
  logged: string[];
}

const opened = async (geoDb: string | null): Promise<Opened> => {
  const logged: string[] = [];
  const geo = await openGeo({ geoDb, geoAsnDb: null, log: event => logged.push(event), checkMs: 20 });
  return {
    place(address) {
      const { network: _, ...city } = geo.place(address);
      return city;
    },
    close: () => geo.close(),
    logged,
  };
};

/** Waits until a look-up gives what is wanted. */
const becomes = (geo: Opened, address: string, want: City): Promise<void> =>
  until(`${address} is in ${want.city}`, () => JSON.stringify(geo.place(address)) === JSON.stringify(want));

test('the shipped database knows region and city, for IPv4 and IPv6', async () => {
  const geo = await opened(null);
  assert.equal(geo.place('8.8.8.8'), { country: 'US', region: 'California', city: 'Mountain View' });
  const ipv6 = geo.place('2a02:8108::1');
  assert.is(ipv6.country, 'DE');
  assert.ok(ipv6.region !== null && ipv6.city !== null);
  for (const address of ['127.0.0.1', '::1', '', 'nonsense', '10.0.0.1', 'fd00::1']) {
    assert.equal(geo.place(address), nowhere, address);
  }
  assert.equal(geo.logged, []);
});

test('an operator’s own database may have MaxMind’s nested fields', async () => {
  const file = join(temporaryDir(), 'city.mmdb');
  writeMmdb(file, 6, {
    '203.0.113.0/24': record(berlin),
    '2001:db8::/32': record(paris),
    '198.51.100.0/25': { country: { iso_code: 'AT' } },
    '198.51.100.128/25': { city: {}, country: 'AT', subdivisions: {} },
    '192.0.2.0/24': { country_code: 'CH', state1: 'Zürich', city: '' },
  });
  const geo = await opened(file);
  assert.equal(geo.place('203.0.113.255'), berlin);
  assert.equal(geo.place('2001:db8:1::1'), paris);
  assert.equal(geo.place('198.51.100.1'), { country: 'AT', region: null, city: null });
  assert.equal(geo.place('198.51.100.200'), nowhere);
  assert.equal(geo.place('192.0.2.1'), { country: 'CH', region: 'Zürich', city: null });
  assert.equal(geo.place('203.0.114.0'), nowhere);
  geo.close();
});

test('a database for IPv4 alone knows no place of IPv6', async () => {
  const file = join(temporaryDir(), 'city.mmdb');
  writeMmdb(file, 4, { '32.0.0.0/8': record(berlin) });
  const geo = await opened(file);
  assert.equal(geo.place('32.1.13.184'), berlin);
  assert.equal(geo.place('2001:db8::1'), nowhere, 'whose first bytes are the same');
  geo.close();
});

test('a changed file is read again, and a broken one leaves the old in use', async () => {
  const file = join(temporaryDir(), 'city.mmdb');
  writeMmdb(file, 6, { '203.0.113.0/24': record(berlin) });
  const geo = await opened(file);
  assert.equal(geo.place('203.0.113.1'), berlin);

  writeFileSync(`${file}.new`, mmdb(6, { '203.0.113.0/24': record(paris) }));
  renameSync(`${file}.new`, file);
  await becomes(geo, '203.0.113.1', paris);

  for (const broken of [
    Buffer.alloc(0),
    Buffer.from('no database'),
    mmdb(6, { '203.0.113.0/24': record(berlin) }).subarray(0, 200),
  ]) {
    const failures = geo.logged.length;
    writeFileSync(file, broken);
    await until('it is noticed', () => geo.logged.length > failures);
    assert.is(geo.logged.at(-1), 'geo-unavailable');
    assert.equal(geo.place('203.0.113.1'), paris);
  }
  let isGone = false;
  watchFile(file, { interval: 20 }, ({ mtimeMs }) => {
    isGone ||= mtimeMs === 0;
  });
  rmSync(file);
  await until('its removal is noticed', () => isGone);
  assert.equal(geo.place('203.0.113.1'), paris);
  writeMmdb(file, 6, { '203.0.113.0/24': record(berlin) });
  await becomes(geo, '203.0.113.1', berlin);
  unwatchFile(file);
  geo.close();
});

test('a missing file is read once it is there', async () => {
  const file = join(temporaryDir(), 'city.mmdb');
  const geo = await opened(file);
  assert.equal(geo.place('203.0.113.1'), nowhere);
  assert.equal(geo.logged, ['geo-unavailable']);
  writeMmdb(file, 6, { '203.0.113.0/24': record(berlin) });
  await becomes(geo, '203.0.113.1', berlin);
  geo.close();
});

test('a record that does not decode has no place', async () => {
  const file = join(temporaryDir(), 'city.mmdb');
  const bytes = mmdb(4, { '203.0.113.0/24': record(berlin) });
  bytes.fill(0xff, bytes.indexOf('iso_code') - 2, bytes.indexOf('iso_code') + 4);
  writeFileSync(file, bytes);
  const geo = await opened(file);
  assert.equal(geo.place('203.0.113.1'), nowhere);
  geo.close();
});

test('a hit has its place, or none without a database', async () => {
  const file = join(temporaryDir(), 'city.mmdb');
  writeMmdb(file, 6, { '203.0.113.0/24': record(berlin) });
  for (const [geoDb, want] of [
    [file, berlin],
    [join(temporaryDir(), 'none'), nowhere],
  ] as const) {
    const collector = await startCollector({ geoDb });
    await collector.post({ s: collector.site.publicKey, u: 'https://site1.example/' }, { address: '203.0.113.9' });
    const { country, region, city } = storedVisits(collector.db)[0]!;
    assert.equal({ country, region, city }, want);
    await collector.close();
  }
});

test.run();
