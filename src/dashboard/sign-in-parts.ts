/** What people sign in with besides a password, and what the routes about it work with. */
import type { OidcSettings } from '../model/oidc.ts';
import { type Identities, identities as identityStore } from '../store/accounts/identities.ts';
import { type LoginLists, loginLists } from '../store/accounts/login-list.ts';
import type { LoginBounds } from '../store/accounts/logins.ts';
import { type Passkeys, passkeys as passkeyStore } from '../store/accounts/passkeys.ts';
import type { SecondFactors } from '../store/accounts/second-factors.ts';
import type { Database } from '../store/database.ts';
import { createEntrance, type Entrance, type EntranceParts } from './entrance.ts';
import { challengeMs, type PasskeyPlace, passkeyPlace } from './passkeys/options.ts';
import { createPending, type Pending } from './sign-in-pending.ts';
import type { SignInWays } from './wire.ts';

export interface SignInParts {
  factors: SecondFactors;
  passkeys: Passkeys;
  identities: Identities;
  loginLists: LoginLists;
  /** Where passkeys belong; null where there are none. */
  place: PasskeyPlace | null;
  /** What passkeys are asked for. */
  challenges: Pending<string>;
  /** The provider that people sign in with; null where there is none. */
  oidc: OidcSettings | null;
  ways: SignInWays;
  entrance: Entrance;
}

interface GivenParts extends Omit<EntranceParts, 'factors' | 'identities'> {
  factors: SecondFactors;
  db: Database;
  oidc?: OidcSettings | null;
  bounds?: LoginBounds;
}

export const createSignInParts = (given: GivenParts): SignInParts => {
  const { db, factors, oidc = null, baseUrl, bounds } = given;
  const identities = identityStore(db);
  const place = passkeyPlace(baseUrl);
  return {
    ...{ factors, identities, place, oidc },
    loginLists: loginLists(db, bounds),
    passkeys: passkeyStore(db),
    challenges: createPending<string>(given, { cookie: 'daybook-passkey', lastsMs: challengeMs }),
    ways: { password: oidc?.isOnly !== true, passkey: place !== null, provider: oidc?.name ?? null },
    entrance: createEntrance({ ...given, identities }),
  };
};
