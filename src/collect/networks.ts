/**
 * The network of an address, as the number and the organisation of its autonomous system: from the
 * table that ships (.ci/networks.mjs compiles and describes it), or from an operator's own
 * database.
 */
import { ipv4Bits, ipv6Words } from '../model/address.ts';
import { isRecord } from '../model/record.ts';
import { dayMs } from '../model/time.ts';
import { readShipped } from '../package-root.ts';
import { type DatabaseFacts, openMmdb } from './mmdb.ts';

/** Such as `AS24940 Hetzner Online GmbH`; null where no network is known. Throws for no address. */
export type NetworkOf = (address: string) => string | null;

const shippedNetworks = 'dist/networks';

/** Rejects when the file cannot be used. */
export const openNetworks = async (file: string | null): Promise<NetworkOf> => {
  if (file === null) return (await readTable()).networkOf;
  const { get } = await openMmdb(file);
  return address => networkIn(get(address));
};

/** Facts about the database that would be used. Rejects when it cannot be used. */
export const networkFacts = async (file: string | null): Promise<DatabaseFacts> => {
  if (file === null) return { file: shippedNetworks, type: 'ip-location-db ASN', madeAt: (await readTable()).madeAt };
  const { type, madeAt } = await openMmdb(file);
  return { file, type, madeAt };
};

const text = (number: number, name: string): string => (name === '' ? `AS${number}` : `AS${number} ${name}`);

/** MaxMind and DB-IP name the fields alike. */
const networkIn = (record: unknown): string | null => {
  if (!isRecord(record)) return null;
  const { autonomous_system_number: number, autonomous_system_organization: name } = record;
  if (typeof number !== 'number') return null;
  return text(number, typeof name === 'string' ? name.slice(0, nameCharsMax) : '');
};
/** The longest names that ship have 167. */
const nameCharsMax = 200;

const [magic, formatVersion] = [0x574e4244, 1];

export interface NetworkTable {
  networkOf: NetworkOf;
  /** UTC milliseconds of the day of its data. */
  madeAt: number;
}

const readTable = async (): Promise<NetworkTable> => networksIn(readShipped(shippedNetworks));

/** Throws when the bytes are no table. */
export const networksIn = (bytes: Buffer): NetworkTable => {
  const [mark, version, day, ipv4, ipv6, networks] = new Uint32Array(bytes.buffer, bytes.byteOffset, 6);
  if (mark !== magic || version !== formatVersion) throw new Error('it is no table of networks: run npm run build');
  let at = bytes.byteOffset + 6 * 4;
  const take = (length: number): Uint32Array => {
    const values = new Uint32Array(bytes.buffer, at, length);
    at += values.byteLength;
    return values;
  };
  const [first4, place4] = [take(ipv4!), take(ipv4!)];
  const [high6, low6, place6] = [take(ipv6!), take(ipv6!), take(ipv6!)];
  const [numbers, ends] = [take(networks!), take(networks!)];
  const names = bytes.subarray(at - bytes.byteOffset);
  const placeOf = (address: string): number => {
    const bits = ipv4Bits(address);
    if (bits >= 0) return place4[lastAtMost(first4, first4, bits, 0)] ?? 0;
    const [high, low] = ipv6Words(address);
    return place6[lastAtMost(high6, low6, high, low)] ?? 0;
  };
  return {
    networkOf(address) {
      const place = placeOf(address) - 1;
      if (place < 0) return null;
      return text(numbers[place]!, names.toString('utf8', ends[place - 1] ?? 0, ends[place]));
    },
    madeAt: day! * dayMs,
  };
};

/**
 * The place of the last of ascending pairs that is at most a pair; -1 where none is. Of single
 * numbers `lows` are the numbers again, and `low` is 0.
 */
const lastAtMost = (highs: Uint32Array, lows: Uint32Array, high: number, low: number): number => {
  const isPair = highs !== lows;
  let [from, to] = [0, highs.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const value = highs[middle]!;
    if (value < high || (value === high && (!isPair || lows[middle]! <= low))) from = middle + 1;
    else to = middle;
  }
  return from - 1;
};
