/**
 * What is stored in the place of the copies: compressed, on wish encrypted, and proof against wrong
 * bytes. An object cannot stand for another, since its name is part of what is proven.
 *
 *     "DBC1" | 0 plain, 1 encrypted | nonce (12) | SHA-256 or AES-256-GCM tag (32, 16) | content
 */
import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { StoreError } from '../database.ts';
import type { PlaceSettings } from './place.ts';

const magic = Buffer.from('DBC1');
const nonceBytes = 12;
const tagBytes = 16;
const digestBytes = 32;
/** Quickest, and half the size for rows; sealed columns are compressed already. */
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
/** Larger than any object that is written. */
const contentBytesMax = 512 * 1024 * 1024;

/** An object is not what was written, as far as can be told with the key at hand. */
export class DamageError extends StoreError {
  /** What there is about the key, if that is all: whoever wrote the object had one, or had none. */
  readonly key: 'missing' | 'needless' | undefined;

  constructor(message: string, key?: DamageError['key']) {
    super(message);
    this.key = key;
  }
}

const keySentences = {
  missing: 'The copies are encrypted: set BACKUP_KEY.',
  needless:
    'The copies are not encrypted, and BACKUP_KEY is set. A server with a key needs a new place in BACKUP_TO. To restore these copies, leave the key out.',
};

/** As decode, for what is read first of a place: where only the key is wrong, it says so. */
export const decodeFirst = ({ decode }: Objects, name: string, object: Buffer): Buffer => {
  try {
    return decode(name, object);
  } catch (error) {
    if (error instanceof DamageError && error.key !== undefined)
      throw new DamageError(keySentences[error.key], error.key);
    throw error;
  }
};

export type Objects = ReturnType<typeof objects>;

/**
 * `key` has 32 bytes; null leaves objects readable for whoever has them. `nonce` must give 12 bytes
 * that were never given before with this key.
 */
export const objects = (key: Buffer | null, nonce: () => Buffer = cannotWrite) => ({
  encode(name: string, content: Buffer): Buffer {
    const packed = brotliCompressSync(content, compression);
    if (key === null) return Buffer.concat([magic, Buffer.of(0), digest(name, packed), packed]);
    const once = nonce();
    const cipher = createCipheriv('aes-256-gcm', key, once).setAAD(Buffer.from(name));
    const hidden = Buffer.concat([cipher.update(packed), cipher.final()]);
    return Buffer.concat([magic, Buffer.of(1), once, cipher.getAuthTag(), hidden]);
  },
  /** Throws DamageError if it is damaged, under another key, or not encrypted despite a key. */
  decode(name: string, object: Buffer): Buffer {
    const body = object.subarray(magic.length + 1);
    if (!object.subarray(0, magic.length).equals(magic)) throw damaged(name);
    const isPlain = object[magic.length] === 0;
    // Whoever can write to the place can make such an object.
    if (isPlain && key !== null) throw new DamageError(`${name} is not encrypted, and BACKUP_KEY is set.`, 'needless');
    const packed = isPlain ? proven(name, body) : decrypted(name, body, key);
    return brotliDecompressSync(packed, { maxOutputLength: contentBytesMax });
  },
});

const cannotWrite = (): never => {
  throw new Error('these objects are only read');
};

/** The key of objects, as bytes. */
export const keyOf = ({ key }: PlaceSettings): Buffer | null => (key === null ? null : Buffer.from(key, 'hex'));

/** Nonces of a thread: its own random bytes, and a number that goes up. */
export const noncesOf = (own: Buffer): (() => Buffer) => {
  let count = 0;
  return () => {
    const nonce = Buffer.alloc(nonceBytes);
    own.copy(nonce, 0, 0, nonceBytes - 4);
    nonce.writeUInt32BE(count++, nonceBytes - 4);
    return nonce;
  };
};

const digest = (name: string, packed: Buffer): Buffer =>
  createHash('sha256').update(`${name}\n`).update(packed).digest();

const damaged = (name: string): DamageError => new DamageError(`The object ${name} is damaged.`);

const proven = (name: string, body: Buffer): Buffer => {
  const packed = body.subarray(digestBytes);
  if (body.length < digestBytes || !timingSafeEqual(body.subarray(0, digestBytes), digest(name, packed)))
    throw damaged(name);
  return packed;
};

const decrypted = (name: string, body: Buffer, key: Buffer | null): Buffer => {
  if (key === null) throw new DamageError(`${name} is encrypted: set BACKUP_KEY.`, 'missing');
  try {
    const [nonce, tag] = [body.subarray(0, nonceBytes), body.subarray(nonceBytes, nonceBytes + tagBytes)];
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name)).setAuthTag(tag);
    return Buffer.concat([decipher.update(body.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    throw new DamageError(`The object ${name} is damaged, or BACKUP_KEY is another than it was written with.`);
  }
};
