/**
 * Checks what a browser answers with a passkey. The library takes 16 MB and a tenth of a second to
 * load, so this file is loaded when somebody first adds or uses one.
 */
import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Passkey } from '../../store/accounts/passkeys.ts';
import type { PasskeyPlace } from './options.ts';

/** What is kept of a new passkey. */
export type NewPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'isBackedUp'>;

/** The new passkey; undefined where the answer is not one to this challenge. */
export const verifyNew = async (
  given: object,
  challenge: string,
  { rpId, origin }: PasskeyPlace,
): Promise<NewPasskey | undefined> => {
  const response = given as RegistrationResponseJSON;
  // Nobody asks who made the key, so what says so is not read.
  if (!String(response.response?.attestationObject).startsWith(noAttestation)) return undefined;
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: [-8, -7, -257],
  }).catch(() => ({ registrationInfo: undefined }));
  if (registrationInfo === undefined) return undefined;
  const { credential, credentialBackedUp } = registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: (credential.transports ?? []).filter(name => /^[a-z-]{1,20}$/.test(name)).slice(0, 8),
    isBackedUp: credentialBackedUp,
  };
};

/** CBOR of a map whose first entry is `fmt: none`, which comes first in every browser. */
const noAttestation = Buffer.from('a363666d74646e6f6e65', 'hex').toString('base64url').slice(0, 13);

/** The counter that the passkey stands at now; undefined where the answer is not its own. */
export const verifyUsed = async (
  given: object,
  challenge: string,
  { rpId, origin }: PasskeyPlace,
  passkey: Passkey,
): Promise<number | undefined> => {
  const checked = await verifyAuthenticationResponse({
    response: given as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    // Ours is compared when the signature is right, so that nobody makes a key look copied.
    credential: {
      id: passkey.credentialId.toString('base64url'),
      publicKey: Uint8Array.from(passkey.publicKey),
      counter: 0,
    },
  }).catch(() => undefined);
  return checked?.verified ? checked.authenticationInfo.newCounter : undefined;
};
