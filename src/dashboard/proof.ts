/**
 * Proof, once more, of who somebody is: before what cannot be undone, so that an open screen is not
 * enough for it.
 */

import { asTyped, field } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import { isDone } from '../http/reply.ts';
import { minuteMs } from '../model/time.ts';
import type { AppParts } from './parts.ts';
import { checkPasskey } from './passkeys/check.ts';
import { type DashboardRoute, post } from './route.ts';
import type { Login } from './sessions.ts';
import type { ProofWay } from './wire.ts';

/** What was proved counts for so long. */
const proofMs = 10 * minuteMs;

type ProofParts = Pick<AppParts, 'credentials' | 'identities' | 'now' | 'oidc' | 'passkeys' | 'place'>;

/** Throws HttpError, which names the ways to prove it, where that was too long ago. */
export const requireProof = (parts: ProofParts, { person, confirmedAt }: Login): void => {
  if (confirmedAt > parts.now() - proofMs) return;
  const has = waysOf(parts, person.id);
  throw new HttpError('app-prove', { ways: (Object.keys(has) as ProofWay[]).filter(way => has[way]) });
};

/** What somebody can sign in with, and so prove who they are. */
export const waysOf = (
  { credentials, identities, oidc, passkeys, place }: ProofParts,
  personId: number,
): Record<ProofWay, boolean> => ({
  password: oidc?.isOnly !== true && credentials.ofPerson(personId)?.password !== null,
  passkey: place !== null && passkeys.ofPerson(personId).length > 0,
  oidc: oidc !== null && identities.isLinked(personId),
});

export const proofRoutes = (parts: AppParts): DashboardRoute[] => {
  const { check, oidc, sessions } = parts;
  return [
    post('/app/prove', 'self', async ({ body, origin }, login) => {
      if (oidc?.isOnly) throw new HttpError('app-passwords-off');
      const own = await check.confirm(login.person.id, field(body, 'password', asTyped));
      if (own === undefined) throw new HttpError('app-wrong-password', { field: 'password' });
      return isDone({ 'set-cookie': sessions.confirm(login, origin) });
    }),
    post('/app/prove/passkey', 'self', async (call, login) => {
      const personId = await checkPasskey(parts, call);
      if (personId !== login.person.id) throw new HttpError('app-passkey-refused');
      return isDone({ 'set-cookie': sessions.confirm(login, call.origin) });
    }),
  ];
};
