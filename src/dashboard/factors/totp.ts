/**
 * Codes of an authenticator app: RFC 6238 with SHA-1, six digits and steps of 30 seconds, which is
 * what every such app knows.
 */
import { createHmac } from 'node:crypto';

/** Bytes of a secret: as many as SHA-1 gives (RFC 4226, section 4). */
export const totpSecretBytes = 20;
const stepMs = 30_000;
const digits = 6;
/** A clock may be wrong by so many steps, and somebody may type for that long. */
const stepsAround = 1;

const stepOf = (now: number): number => Math.floor(now / stepMs);

/** The code of one step, which is the number of 30 seconds since 1970. */
export const totpCode = (secret: Uint8Array, step: number): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const value = hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fff_ffff;
  return String(value % 10 ** digits).padStart(digits, '0');
};

/**
 * The step whose code was typed; undefined where it is wrong, or where its step is not newer than
 * the last that was used: somebody who looks over a shoulder must not use the same code again.
 */
export const totpStepOf = (
  { totp, totpStep }: { totp: Uint8Array; totpStep: number | null },
  typed: string,
  now: number,
): number | undefined => {
  const code = typed.replace(/\s/g, '');
  for (let step = stepOf(now) - stepsAround; step <= stepOf(now) + stepsAround; step++)
    if (step > (totpStep ?? -1) && totpCode(totp, step) === code) return step;
  return undefined;
};

/** RFC 4648, section 6, without padding, as apps take it. */
export const base32 = (bytes: Uint8Array): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map(five => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
};

/** What an app reads from the picture: the secret, and what to call it. */
export const otpauthUri = (secret: Uint8Array, email: string, host: string): string => {
  const issuer = `Daybook ${host}`;
  const label = [issuer, email].map(encodeURIComponent).join(':');
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
};
