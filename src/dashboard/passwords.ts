/**
 * Keeps passwords as scrypt records: `scrypt$<log2 of N>$<r>$<p>$<salt>$<hash>`, the last two in
 * base64url. Hashing one takes about a tenth of a second and 32 MiB, in a thread of the pool that
 * also syncs the collector's log. Passwords are therefore hashed one after the other, so that hits
 * never wait behind more than one.
 */
import { scrypt, timingSafeEqual } from 'node:crypto';
import { HttpError } from '../http/errors.ts';
import type { Random } from '../model/ids.ts';
import { normalPassword } from '../model/values.ts';
import { serialQueue } from '../store/serial-queue.ts';

export interface Passwords {
  /** The record to keep of a password. */
  record(password: string): Promise<string>;
  /**
   * Whether the record is of this password. Takes as long without a record, so that nobody can tell
   * whether there is one.
   */
  matches(password: string, record: string | undefined): Promise<boolean>;
}

/** How much work scrypt does. */
export interface PasswordCost {
  logN: number;
  r: number;
  p: number;
}
/**
 * For N = 2^15 OWASP recommends p = 3. But attempts are limited, and nobody should wait a third of
 * a second to sign in.
 */
const defaultCost: PasswordCost = { logN: 15, r: 8, p: 1 };
const hashBytes = 32;
const saltBytes = 16;
/** Passwords that may wait: some three seconds of work. */
const waitingMax = 32;

const hash = (password: string, salt: Uint8Array, { logN, r, p }: PasswordCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const cost = { N: 2 ** logN, r, p, maxmem: 256 * r * 2 ** logN };
    scrypt(normalPassword(password), salt, hashBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

export const createPasswords = (random: Random, cost = defaultCost): Passwords => {
  const oneByOne = serialQueue();
  /** What a password is compared with that has no record. */
  const noRecord = recordOf(cost, new Uint8Array(saltBytes), new Uint8Array(hashBytes));
  let waiting = 0;

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= waitingMax) throw new HttpError('app-busy', { retryAfterSeconds: 3 });
    waiting++;
    return oneByOne(work).finally(() => waiting--);
  };

  return {
    async record(password) {
      const salt = random(saltBytes);
      return recordOf(cost, salt, await inTurn(() => hash(password, salt, cost)));
    },
    async matches(password, record) {
      const { cost, salt, key } = partsOf(record ?? noRecord);
      const found = await inTurn(() => hash(password, salt, cost));
      return timingSafeEqual(found, key) && record !== undefined;
    },
  };
};

const recordOf = ({ logN, r, p }: PasswordCost, salt: Uint8Array, key: Uint8Array): string =>
  ['scrypt', logN, r, p, base64(salt), base64(key)].join('$');

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const partsOf = (record: string): { cost: PasswordCost; salt: Buffer; key: Buffer } => {
  const [, logN, r, p, salt, key] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(record) ?? [];
  if (salt === undefined || key === undefined) throw new Error('a password record is malformed');
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
};
