/**
 * A short hash with a secret key, for tables whose keys strangers choose: without the key nobody
 * can make two of them meet. HalfSipHash-1-3 (Aumasson and Bernstein), some 15 ns.
 */
import type { Random } from './ids.ts';

/** 32 bits for three words, whose low 32 bits count. */
export type KeyedHash = (first: number, second: number, third: number) => number;

/** The key is new for each process, so no two hash alike. */
export const makeKeyedHash = (random: Random): KeyedHash => {
  const [key0 = 0, key1 = 0] = new Uint32Array(Uint8Array.from(random(8)).buffer);
  return keyedHash(key0, key1);
};

export const keyedHash =
  (key0: number, key1: number): KeyedHash =>
  (first, second, third) => {
    let v0 = key0;
    let v1 = key1;
    let v2 = 0x6c796765 ^ key0;
    let v3 = 0x74656462 ^ key1;
    for (let round = 0; round < rounds; round++) {
      // Three words, their length, and three rounds to finish.
      const word = round === 0 ? first : round === 1 ? second : round === 2 ? third : round === 3 ? lengthWord : 0;
      if (round === 4) v2 ^= 0xff;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return (v1 ^ v3) >>> 0;
  };

const rounds = 7;
/** 12 bytes, in the place where the length belongs. */
const lengthWord = 12 << 24;
