/** Ids and keys, from random bytes that the caller supplies. */

/** That many uniformly random bytes. */
export type Random = (bytes: number) => Uint8Array;

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/**
 * The largest multiple of 62 that fits in a byte. Bytes from here on are dropped, so that every
 * character is equally likely.
 */
const byteEnd = 248;

const randomText = (random: Random, length: number): string => {
  let made = '';
  while (made.length < length) {
    for (const byte of random(length)) {
      if (byte < byteEnd && made.length < length) made += base62[byte % 62];
    }
  }
  return made;
};

/** What the tracker tag carries: 143 bits. */
export const makePublicKey = (random: Random): string => `pk_live_${randomText(random, 24)}`;

/** By which an API key is told from other sign-ins. */
export const apiKeyPrefix = 'tk_live_';

/** What an API client carries: 190 bits. */
export const makeApiKey = (random: Random): string => apiKeyPrefix + randomText(random, 32);

/** Whether a text has the form of one. */
export const isApiKey = (text: string): boolean => /^tk_live_[\dA-Za-z]{32}$/.test(text);

/** A secret in a cookie or a link: 256 bits. */
export const makeToken = (random: Random): string => randomText(random, 43);

/** A version 4 UUID: a site's id. */
export const makeUuid = (random: Random): string => {
  const bytes = Uint8Array.from(random(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
