/**
 * Passwords, kept as scrypt records: `scrypt$<log2 of N>$<r>$<p>$<salt>$<hash>`, the last two in base64url. One takes about a tenth of
 * a second and 32 MiB, in a thread of the pool in which the collector syncs the log: so they are worked out one after the other, and hits
 * never wait behind more than one.
 */
import { scrypt, timingSafeEqual } from 'node:crypto';
import type { Random } from '../model/ids.ts';
import { normalPassword } from '../model/values.ts';
import { serialQueue } from '../store/serial-queue.ts';
import { Failed } from './failure.ts';

export interface Passwords {
  /** The record to keep of a password. */
  record(password: string): Promise<string>;
  /** Whether the record is of this password. Takes its time without a record too, so that nobody can tell whether there is one. */
  matches(password: string, record: string | undefined): Promise<boolean>;
}

interface Cost {
  logN: number;
  r: number;
  p: number;
}
/** OWASP's recommendation for N = 2^15 is p = 3; a signing-in person should not wait for a third of a second, and attempts are limited. */
const costNow: Cost = { logN: 15, r: 8, p: 1 };
const hashBytes = 32;
const saltBytes = 16;
/** Passwords that may wait for their turn: some three seconds' worth. */
const waitingMax = 32;

const hash = (password: string, salt: Uint8Array, { logN, r, p }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const cost = { N: 2 ** logN, r, p, maxmem: 256 * r * 2 ** logN };
    scrypt(normalPassword(password), salt, hashBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

export const createPasswords = (random: Random): Passwords => {
  const oneByOne = serialQueue();
  let waiting = 0;

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= waitingMax)
      throw new Failed(503, 'Too many people are signing in at this moment.', { retryAfterSeconds: 3 });
    waiting++;
    return oneByOne(work).finally(() => waiting--);
  };

  return {
    async record(password) {
      const salt = random(saltBytes);
      const key = await inTurn(() => hash(password, salt, costNow));
      const { logN, r, p } = costNow;
      return ['scrypt', logN, r, p, base64(salt), base64(key)].join('$');
    },
    async matches(password, record) {
      const { cost, salt, key } = partsOf(record ?? nobody);
      const found = await inTurn(() => hash(password, salt, cost));
      return timingSafeEqual(found, key) && record !== undefined;
    },
  };
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** What is compared with where there is no record. */
const nobody = [
  'scrypt',
  costNow.logN,
  costNow.r,
  costNow.p,
  base64(new Uint8Array(saltBytes)),
  base64(new Uint8Array(hashBytes)),
].join('$');

const partsOf = (record: string): { cost: Cost; salt: Buffer; key: Buffer } => {
  const [, logN, r, p, salt, key] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(record) ?? [];
  if (salt === undefined || key === undefined) throw new Error('an account has a password record that is none');
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
};
