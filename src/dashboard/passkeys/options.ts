/**
 * What a browser is asked for where somebody makes or uses a passkey (WebAuthn). The challenges
 * are ours, so that nobody who is not signed in makes the library load.
 */
import type { Random } from '../../model/ids.ts';

/** Where passkeys belong: they work on this host alone. */
export interface PasskeyPlace {
  /** The host. */
  rpId: string;
  origin: string;
}

export const passkeysMax = 20;
/** Challenges count once, for so long. */
export const challengeMs = 5 * 60_000;

/** Null where browsers offer no passkeys: they need https, and a host that stays. */
export const passkeyPlace = (baseUrl: string | null): PasskeyPlace | null => {
  if (baseUrl === null) return null;
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isName = hostname === 'localhost' || (protocol === 'https:' && !/^[\d.]+$|^\[/.test(hostname));
  return isName ? { rpId: hostname, origin } : null;
};

/** 32 random bytes. */
export const makeChallenge = (random: Random): string => base64url(random(32));

export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** A key that can be found without a name, and that asks for a finger, a face or a PIN. */
export const creationOptions = (
  { rpId }: PasskeyPlace,
  person: { handle: Uint8Array; email: string; name: string },
  challenge: string,
  known: readonly Uint8Array[],
) => ({
  rp: { id: rpId, name: `Daybook ${rpId}` },
  user: { id: base64url(person.handle), name: person.email, displayName: person.name || person.email },
  challenge,
  // EdDSA, ES256, RS256.
  pubKeyCredParams: [-8, -7, -257].map(alg => ({ type: 'public-key' as const, alg })),
  timeout: challengeMs,
  excludeCredentials: known.map(id => ({ type: 'public-key' as const, id: base64url(id) })),
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true,
    userVerification: 'required' as const,
  },
  attestation: 'none' as const,
});

export const requestOptions = ({ rpId }: PasskeyPlace, challenge: string) => ({
  rpId,
  challenge,
  timeout: challengeMs,
  userVerification: 'required' as const,
});
