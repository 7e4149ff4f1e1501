/** How the dictionary's index tells texts apart (schema.sql, `text_start`). */
import { createHash } from 'node:crypto';

/** Up to this many characters the index holds a text whole. */
export const indexedCharsMax = 64;
const noDigest = Buffer.alloc(0);

/**
 * What tells a text from others with the same first 64 characters, which are all of it that the
 * index holds: 16 bytes of SHA-256. Empty for a text that has no more. SQLite takes a NUL for the
 * end.
 */
export const textDigest = (text: string): Buffer =>
  text.length <= indexedCharsMax && !text.includes('\0')
    ? noDigest
    : createHash('sha256').update(text).digest().subarray(0, 16);
