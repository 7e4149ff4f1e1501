/** What somebody can sign in with, as their settings show it. */
import { isoTime, isoTimeOrNull } from '../../model/time.ts';
import type { AppParts } from '../parts.ts';
import { waysOf } from '../proof.ts';
import type { Login } from '../sessions.ts';
import type { Factors } from '../wire.ts';

export const factorsOf = (parts: AppParts, { person: { id } }: Pick<Login, 'person'>): Factors => {
  const { factors, identities, oidc, passkeys, place } = parts;
  return {
    password: waysOf(parts, id).password,
    totp: factors.find(id) !== undefined,
    codesLeft: factors.codesLeft(id),
    passkeys: passkeys.ofPerson(id).map(({ credentialId, name, isBackedUp, createdAt, lastUsedAt }) => ({
      ...{ id: credentialId.toString('base64url'), name, isBackedUp },
      createdAt: isoTime(createdAt),
      lastUsedAt: isoTimeOrNull(lastUsedAt),
    })),
    canPasskeys: place !== null,
    provider: oidc?.name ?? null,
    isLinked: identities.isLinked(id),
  };
};
