/** MaxMind database files (.mmdb), by address. */
import { open } from 'node:fs/promises';
import { Reader } from 'maxmind';
import { lru } from 'tiny-lru';

/** What is told of a database in use. */
export interface DatabaseFacts {
  file: string;
  /** What the file calls itself, such as `DBIP-City-Lite`. */
  type: string;
  /** UTC milliseconds of its making. */
  madeAt: number;
}

export interface Mmdb extends Omit<DatabaseFacts, 'file'> {
  /** The record of a canonical address; null if there is none. Throws when it does not decode. */
  get(address: string): unknown;
}

/**
 * Decoded records that are kept, by their position in the file: no address is kept. Decoding takes
 * most of a look-up's 3 µs.
 */
const rememberedMax = 20_000;

/** Reads the file where its bytes are not given. Rejects when it is no database. */
export const openMmdb = async (file: string, bytes?: Buffer): Promise<Mmdb> => {
  const reader = new Reader(bytes ?? Buffer.from(await readWhole(file, ArrayBuffer)), { cache: lru(rememberedMax) });
  const { ipVersion, databaseType, buildEpoch } = reader.metadata;
  // One look-up shows whether the file is a database.
  reader.get('192.0.2.1');
  return {
    get: address => (ipVersion === 4 && isIpv6(address) ? null : reader.get(address)),
    type: databaseType,
    madeAt: buildEpoch.getTime(),
  };
};

/**
 * Reads a file at once into a new buffer. The usual way comes back to the main thread for each 512
 * KiB, which has other work while a server starts. Rejects when the file cannot be read.
 */
export const readWhole = async <B extends ArrayBuffer | SharedArrayBuffer>(
  name: string,
  buffer: new (size: number) => B,
): Promise<B> => {
  const file = await open(name);
  try {
    const whole = new buffer((await file.stat()).size);
    const bytes = new Uint8Array(whole);
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, done);
      if (bytesRead === 0) throw new Error('it became shorter while it was read');
      done += bytesRead;
    }
    return whole;
  } finally {
    await file.close();
  }
};

export const isIpv6 = (address: string): boolean => address.includes(':');
