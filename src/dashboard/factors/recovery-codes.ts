/**
 * Codes for the day on which the phone is gone: ten of them, each good for one sign-in. They are
 * shown once, and kept as digests.
 */
import type { Random } from '../../model/ids.ts';

export const recoveryCodesMade = 10;
/** Crockford’s base 32: no letter that looks like a digit, and none that makes words. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** `xxxx-xxxx-xxxx`, 60 random bits each. */
export const makeRecoveryCodes = (random: Random): string[] =>
  Array.from({ length: recoveryCodesMade }, () =>
    Array.from(random(12), byte => alphabet[byte & 31])
      .join('')
      .replace(/(.{4})(?=.)/g, '$1-'),
  );

/** The code as it was made, however it is typed; undefined for what cannot be one. */
export const recoveryCodeOf = (typed: string): string | undefined => {
  const letters = typed.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  return /^[0-9a-hjkmnp-tv-z]{12}$/.test(letters) ? letters.replace(/(.{4})(?=.)/g, '$1-') : undefined;
};
