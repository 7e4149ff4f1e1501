/**
 * Checks passwords, limited so that nobody can guess them, and so that nobody can keep anybody
 * from signing in by guessing.
 */
import { createRateLimit, type RateLimit, refuseWaiting } from '../http/rate-limit.ts';
import { senderNetwork } from '../model/address.ts';
import { minuteMs } from '../model/time.ts';
import type { CredentialStore, Credentials } from '../store/accounts/credentials.ts';
import type { Passwords, Patience } from './passwords.ts';

export interface PasswordCheck {
  /**
   * Throws HttpError when no stranger from this address may try now: their network, or all
   * strangers together, have tried too often.
   */
  refuseTired(address: string): void;
  /**
   * The credentials of the e-mail, if the password is theirs. `browserId` is that of a browser that
   * has signed in as this very person before. Throws HttpError after too many wrong passwords.
   */
  signIn(attempt: SignInAttempt): Promise<Credentials | undefined>;
  /** The same for somebody who is signed in and gives the password again. */
  confirm(personId: number, password: string): Promise<Credentials | undefined>;
  /** Whether a stranger gives the password of a public page. Throws HttpError likewise. */
  opens(attempt: ShareAttempt): Promise<boolean>;
}

export interface ShareAttempt {
  shareId: number;
  /** Of the password. */
  record: string;
  password: string;
  address: string;
}

export interface SignInAttempt {
  email: string;
  password: string;
  address: string;
  browserId: string | undefined;
}

export interface PasswordCheckParts {
  credentials: CredentialStore;
  passwords: Passwords;
  now: () => number;
}

const windowMs = 15 * minuteMs;
/**
 * Wrong passwords in a window: enough for somebody who is not sure, and so few that guessing takes
 * centuries. Several people may share a network. Nobody else counts against a known browser, so
 * strangers do not lock it out. What all strangers may try together bounds the work that they can
 * ask for, some two minutes of hashing, and how many keys the other limits remember.
 */
const limits = {
  strangers: 300,
  network: 50,
  personInNetwork: 10,
  browser: 10,
  signedIn: 10,
} as const;

/** A limit, and the key that an attempt counts under. */
type Count = readonly [limit: RateLimit, key: string];

export const createPasswordCheck = ({ credentials, passwords, now }: PasswordCheckParts): PasswordCheck => {
  const limitTo = (max: number): RateLimit => createRateLimit({ now, max, windowMs });
  const strangers = limitTo(limits.strangers);
  const networks = limitTo(limits.network);
  const personsInNetworks = limitTo(limits.personInNetwork);
  const browsers = limitTo(limits.browser);
  const signedIn = limitTo(limits.signedIn);
  const { matching, renewed } = createMatching({ credentials, passwords });

  const ofNetwork = (network: string): Count[] => [
    [strangers, 'all'],
    [networks, network],
  ];

  /** Counts an attempt that fails, which gives undefined. */
  const limited = async <T>(
    counts: readonly Count[],
    own: Count,
    attempt: () => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    refuseAtLimit([...counts, own]);
    // Counted before the check, so that many checks at once count too.
    for (const [limit, key] of [...counts, own]) limit.count(key);
    const giveBack = (all: readonly Count[]): void => {
      for (const [limit, key] of all) limit.giveBack(key);
    };
    const right = await attempt().catch(error => {
      giveBack([...counts, own]);
      throw error;
    });
    if (right === undefined) return undefined;
    giveBack(counts);
    const [limit, key] = own;
    limit.forget(key);
    return right;
  };

  const check = async (
    found: Credentials | undefined,
    password: string,
    patience: Patience,
    counts: readonly Count[],
    own: Count,
  ): Promise<Credentials | undefined> => {
    const right = await limited(counts, own, () => matching(found, password, patience));
    return right === undefined || passwords.isCurrent(right.password!) ? right : renewed(right, password);
  };

  return {
    refuseTired: address => refuseAtLimit(ofNetwork(String(senderNetwork(address)))),
    signIn({ email, password, address, browserId }) {
      const found = credentials.ofEmail(email);
      if (browserId !== undefined) return check(found, password, 'known', [], [browsers, browserId]);
      const network = String(senderNetwork(address));
      return check(found, password, 'stranger', ofNetwork(network), [personsInNetworks, `${network} ${email}`]);
    },
    confirm(personId, password) {
      return check(credentials.ofPerson(personId), password, 'known', [], [signedIn, String(personId)]);
    },
    async opens({ shareId, record, password, address }) {
      const network = String(senderNetwork(address));
      const own: Count = [personsInNetworks, `${network} share ${shareId}`];
      const right = await limited(ofNetwork(network), own, async () =>
        (await passwords.matches(password, record, 'stranger')) ? true : undefined,
      );
      return right === true;
    },
  };
};

/** Compares passwords with what is stored, which other requests may change meanwhile. */
const createMatching = ({ credentials, passwords }: Pick<PasswordCheckParts, 'credentials' | 'passwords'>) => {
  /** The credentials, if the password is theirs. One set meanwhile counts instead. */
  const matching = async (
    found: Credentials | undefined,
    password: string,
    patience: Patience,
  ): Promise<Credentials | undefined> => {
    const isRight = await passwords.matches(password, found?.password ?? undefined, patience);
    if (!isRight || found === undefined) return undefined;
    const own = credentials.ofPerson(found.personId);
    return own?.password === found.password ? own : matching(own, password, patience);
  };

  /**
   * The same credentials with a record as passwords are hashed now. Where that cannot be made or
   * written, the one that there is will do until the next sign-in.
   */
  const renewed = async (found: Credentials, password: string): Promise<Credentials | undefined> => {
    const record = await passwords.record(password).catch(() => undefined);
    const own = credentials.ofPerson(found.personId);
    if (own?.password !== found.password) return matching(own, password, 'known');
    try {
      if (record !== undefined) credentials.set({ ...own, password: record });
    } catch {
      return own;
    }
    return credentials.ofPerson(found.personId);
  };
  return { matching, renewed };
};

const refuseAtLimit = (counts: readonly Count[]): void =>
  refuseWaiting(Math.max(...counts.map(([limit, key]) => limit.waitMs(key))), 'app-too-many-attempts');
