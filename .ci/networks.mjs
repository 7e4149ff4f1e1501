/**
 * Compiles the table of networks that ships from @ip-location-db/asn. A text is the number and the
 * organisation of an autonomous system.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileTable } from './address-table.mjs';

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

/** Ranges without gaps, of addresses of which a family has some bits: their first 64 bits, and the texts' numbers. */
const rangesOf = (rows, bits, numberOf) => {
  const words = address => (bits === 32 ? address << 32n : address >> 64n);
  const [highs, lows, texts] = [[], [], []];
  const begin = (first, text) => {
    if (first >= 1n << 64n) return;
    highs.push(Number(first >> 32n));
    lows.push(Number(first & 0xffffffffn));
    texts.push(text);
  };
  let next = 0n;
  for (const row of rows.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const [first, end] = [words(row.first), words(row.last) + (bits === 32 ? 1n << 32n : 1n)];
    if (end <= next) continue; // a network within one, or within the same 64 bits
    if (first > next) begin(next, 0);
    begin(first < next ? next : first, numberOf(row));
    next = end;
  }
  begin(next, 0);
  return { highs, lows, texts: Uint32Array.from(texts) };
};

/** The table of some CSV texts, as of a day since 1970. */
export const compileNetworks = (ipv4, ipv6, day) => {
  const [rows4, rows6] = [rowsOf(ipv4), rowsOf(ipv6)];
  // One number has one name, and that of IPv4 counts.
  const names = new Map([...rows6, ...rows4].map(({ number, name }) => [number, name]));
  const places = new Map([...names.keys()].map((number, i) => [number, i + 1]));
  const numberOf = ({ number }) => places.get(number);
  const texts = ['', ...Array.from(names, ([number, name]) => `AS${number} ${name}`.trim())];
  return compileTable({ ipv4: rangesOf(rows4, 32, numberOf), ipv6: rangesOf(rows6, 128, numberOf), texts, day });
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
