/**
 * Compiles the table of networks by address that src/collect/networks.ts reads, from
 * @ip-location-db/asn. All numbers are of 32 bits, little-endian:
 *
 *     "DBNW", version 1, the day of the data since 1970, counts of: IPv4 ranges, IPv6 ranges, networks
 *     IPv4: first address of each range, ascending; then the place of each range's network, from 1 on, or 0 for none
 *     IPv6: the upper 32 bits of each first address, ascending, and the 32 bits below; then the places
 *     networks: the number of each, then the end of each name in what follows; then the names in UTF-8
 *
 * A range ends where the next one begins. Of IPv6 addresses the first 64 bits are looked at, since
 * what lies below is one network's own.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Reads `first,last,number,"name"`. */
const rowsOf = text =>
  Array.from(
    text.matchAll(/^(\d+),(\d+),(\d+),(?:"((?:[^"]|"")*)"|(.*?))\r?$/gm),
    ([, first, last, number, quoted, plain]) => ({
      first: BigInt(first),
      last: BigInt(last),
      number: Number(number),
      name: quoted === undefined ? plain : quoted.replaceAll('""', '"'),
    }),
  );

/** Ranges without gaps, as [first, place of the network] over addresses that are shifted right by some bits. */
const rangesOf = (rows, shift, placeOf) => {
  const ranges = [];
  let next = -1n;
  for (const row of rows.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const [first, last] = [row.first >> shift, row.last >> shift];
    if (last < next) continue; // a network within one, or within the same 64 bits
    const from = first < next ? next : first;
    if (from > next && next >= 0n) ranges.push([next, 0]);
    if (ranges.at(-1)?.[1] !== placeOf(row) || from > next) ranges.push([from, placeOf(row)]);
    next = last + 1n;
  }
  return [...ranges, [next, 0]].filter(([first]) => first < 1n << (shift === 0n ? 32n : 64n));
};

/** The table of some CSV texts, as of a day since 1970. */
export const compileNetworks = (ipv4, ipv6, day) => {
  const [rows4, rows6] = [rowsOf(ipv4), rowsOf(ipv6)];
  const names = new Map([...rows6, ...rows4].map(({ number, name }) => [number, name]));
  const numbers = [...names.keys()].sort((a, b) => a - b);
  const places = new Map(numbers.map((number, i) => [number, i + 1]));
  const placeOf = ({ number }) => places.get(number);
  const [ranges4, ranges6] = [rangesOf(rows4, 0n, placeOf), rangesOf(rows6, 64n, placeOf)];
  const texts = numbers.map(number => Buffer.from(names.get(number)));
  let end = 0;
  const parts = [
    [0x574e4244, 1, day, ranges4.length, ranges6.length, numbers.length],
    ranges4.map(([first]) => Number(first)),
    ranges4.map(([, place]) => place),
    ranges6.map(([first]) => Number(first >> 32n)),
    ranges6.map(([first]) => Number(first & 0xffffffffn)),
    ranges6.map(([, place]) => place),
    numbers,
    texts.map(text => (end += text.length)),
  ];
  return Buffer.concat([...parts.map(part => Buffer.from(Uint32Array.from(part).buffer)), ...texts]);
};

/** The table of the package that is installed. Its version tells when it was made. */
export const shippedNetworks = () => {
  const file = require.resolve('@ip-location-db/asn/package.json');
  const read = name => readFileSync(join(dirname(file), name), 'utf8');
  const [, year, month, date] = /\.(\d{4})(\d\d)(\d\d)\d*$/.exec(JSON.parse(read('package.json')).version);
  return compileNetworks(
    read('asn-ipv4-num.csv'),
    read('asn-ipv6-num.csv'),
    Date.UTC(year, month - 1, date) / 86_400_000,
  );
};
