/**
 * Secrets that were made of random bytes are kept as their digest, so that whoever reads the file
 * learns none of them.
 */
import { createHash } from 'node:crypto';

/**
 * 32 bytes of SHA-256. A secret is looked up by it, so the time that takes tells nothing about
 * other secrets.
 */
export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
