/**
 * Logins for programs that have a password and keep no cookie: they keep a token themselves. It is
 * signed with the record of the password, so that it ends with it, and nothing is stored: a widget
 * that signs in each minute must not end anybody's login to the dashboard. The limits on wrong
 * passwords are those of the dashboard.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Account } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import type { Parts } from './parts.ts';
import { lenientEmail } from './sign-in.ts';

const lastsMs = 30 * dayMs;

export interface PasswordLogins {
  /** Throws HttpError when nobody from where the request comes may try now. */
  refuseTired(request: IncomingMessage): void;
  /** By an account's e-mail or name; undefined where they or the password are wrong. Throws HttpError. */
  begin(
    request: IncomingMessage,
    name: string,
    password: string,
  ): Promise<{ account: Account; token: string } | undefined>;
  /** The account of a token. */
  accountOf(token: string): Account | undefined;
}

export const createPasswordLogins = ({
  accounts,
  addressOf,
  check,
  credentials,
  now,
}: Pick<Parts, 'accounts' | 'addressOf' | 'check' | 'credentials' | 'now'>): PasswordLogins => {
  const emailOfAccount = (name: string): string | undefined => {
    const account = accounts.list().find(account => account.name === name);
    return account && credentials.ofAccount(account.id)?.email;
  };
  return {
    refuseTired: request => check.refuseTired(addressOf(request)),
    async begin(request, name, password) {
      const email = emailOfAccount(name) ?? lenientEmail(name);
      const own = await check.signIn({ email, password, address: addressOf(request), browserId: undefined });
      if (own === undefined) return undefined;
      const until = now() + lastsMs;
      const token = `${own.accountId}.${until}.${signature(own, until).toString('base64url')}`;
      return { account: accounts.byId(own.accountId)!, token };
    },
    accountOf(token) {
      const [, id, until, signed] = /^(\d{1,10})\.(\d{1,15})\.([\w-]{43})$/.exec(token) ?? [];
      if (signed === undefined || Number(until) <= now()) return undefined;
      const own = credentials.ofAccount(Number(id));
      if (own === undefined) return undefined;
      const isOurs = timingSafeEqual(Buffer.from(signed, 'base64url'), signature(own, Number(until)));
      return isOurs ? accounts.byId(own.accountId) : undefined;
    },
  };
};

/** Only the server has the record of the password. */
const signature = ({ accountId, password }: Credentials, until: number): Buffer =>
  createHmac('sha256', password).update(`password login\n${accountId}\n${until}`).digest();
