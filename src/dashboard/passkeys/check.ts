/** Checks the passkey that a browser answers a challenge with. */

import { HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import { isRecord } from '../../model/record.ts';
import type { Passkey, Passkeys } from '../../store/accounts/passkeys.ts';
import type { Call } from '../route.ts';
import type { Pending } from '../sign-in-pending.ts';
import type { DashboardWorld } from '../world.ts';
import type { PasskeyPlace } from './options.ts';

export interface PasskeyCheckParts extends Pick<DashboardWorld, 'log' | 'now'> {
  passkeys: Pick<Passkeys, 'find' | 'use'>;
  /** Null where there are no passkeys. */
  place: PasskeyPlace | null;
  challenges: Pending<string>;
}

/** The person whose passkey a body holds. Throws HttpError for any other body. */
export const checkPasskey = async (
  { passkeys, place, challenges, now, log }: PasskeyCheckParts,
  { request, body }: Call & { body: Body },
): Promise<number> => {
  if (place === null) throw new HttpError('app-no-passkeys');
  const { credential } = body;
  const passkey = isRecord(credential) ? passkeyOf(passkeys, credential) : undefined;
  const challenge = challenges.take(request);
  // Before the library is loaded: strangers know of no passkey.
  if (passkey === undefined || challenge === undefined) throw new HttpError('app-passkey-refused');
  const { verifyUsed } = await import('./verify.ts');
  const counter = await verifyUsed(credential as object, challenge, place, passkey);
  if (counter === undefined) throw new HttpError('app-passkey-refused');
  if (!passkeys.use(passkey, counter, now())) {
    log('passkey-copied', { person: passkey.personId, counter, known: passkey.counter });
    throw new HttpError('app-passkey-refused');
  }
  return passkey.personId;
};

const passkeyOf = (passkeys: Pick<Passkeys, 'find'>, { id }: Record<string, unknown>): Passkey | undefined =>
  typeof id === 'string' && id.length <= 1400 ? passkeys.find(Buffer.from(id, 'base64url')) : undefined;
