/**
 * Keeps passwords as scrypt records: `scrypt$<log2 of N>$<r>$<p>$<salt>$<hash>`, the last two in
 * base64url. Hashing one takes about half a second and 128 MiB, in a thread of the pool that also
 * syncs the collector's log. Passwords are therefore hashed one after the other, so that hits never
 * wait behind more than one, and only one takes memory.
 */
import { scrypt, timingSafeEqual } from 'node:crypto';
import { HttpError } from '../http/errors.ts';
import type { Random } from '../model/ids.ts';
import { normalPassword } from '../model/values.ts';
import { serialQueue } from '../store/serial-queue.ts';

export type Passwords = ReturnType<typeof createPasswords>;

/** How much work scrypt does. */
export interface PasswordCost {
  logN: number;
  r: number;
  p: number;
}
/** As OWASP recommends. */
const defaultCost: PasswordCost = { logN: 17, r: 8, p: 1 };
const hashBytes = 32;
const saltBytes = 16;
/**
 * Passwords that may wait, of strangers and in all: some seconds of work. Strangers leave room for
 * those who are known.
 */
const waitingMax = { stranger: 8, known: 16 } as const;
export type Patience = keyof typeof waitingMax;

const hash = (password: string, salt: Uint8Array, { logN, r, p }: PasswordCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const cost = { N: 2 ** logN, r, p, maxmem: 256 * r * 2 ** logN };
    scrypt(normalPassword(password), salt, hashBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

export const createPasswords = (random: Random, cost = defaultCost) => {
  const oneByOne = serialQueue();
  /** What a password is compared with that has no record. */
  const noRecord = recordOf(cost, new Uint8Array(saltBytes), new Uint8Array(hashBytes));
  let waiting = 0;

  const inTurn = <T>(patience: Patience, work: () => Promise<T>): Promise<T> => {
    if (waiting >= waitingMax[patience]) throw new HttpError('app-busy', { retryAfterSeconds: 5 });
    waiting++;
    return oneByOne(work).finally(() => waiting--);
  };

  return {
    /** The record to keep of a password. */
    async record(password: string) {
      const salt = random(saltBytes);
      return recordOf(cost, salt, await inTurn('known', () => hash(password, salt, cost)));
    },
    /**
     * Whether the record is of this password. Takes as long without a record, so that nobody can
     * tell whether there is one.
     */
    async matches(password: string, record: string | undefined, patience: Patience) {
      const { cost, salt, key } = partsOf(record ?? noRecord);
      const found = await inTurn(patience, () => hash(password, salt, cost));
      return timingSafeEqual(found, key) && record !== undefined;
    },
    /** Whether a record is made as new ones are. */
    isCurrent: (record: string) => record.startsWith(`${costText(cost)}$`),
  };
};

const recordOf = (cost: PasswordCost, salt: Uint8Array, key: Uint8Array): string =>
  [costText(cost), base64(salt), base64(key)].join('$');

const costText = ({ logN, r, p }: PasswordCost): string => ['scrypt', logN, r, p].join('$');

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
