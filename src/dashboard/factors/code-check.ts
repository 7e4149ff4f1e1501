/** Checks codes of a second factor, limited so that nobody can guess one. */
import { createRateLimit, refuseWaiting } from '../../http/rate-limit.ts';
import { minuteMs } from '../../model/time.ts';
import type { SecondFactors } from '../../store/accounts/second-factors.ts';
import { recoveryCodeOf } from './recovery-codes.ts';
import { totpStepOf } from './totp.ts';

/**
 * Whoever types a code has given the password. Somebody who stole it locks no browser out that the
 * person has used before.
 */
const limits = { max: 5, windowMs: 15 * minuteMs };

export const createCodeCheck = (factors: SecondFactors, now: () => number) => {
  const wrong = createRateLimit({ now, ...limits });
  const isRight = (personId: number, typed: string): boolean => {
    const secret = factors.find(personId);
    if (secret === undefined) return false;
    const step = totpStepOf(secret, typed, now());
    if (step !== undefined) return factors.useStep(personId, step);
    const code = recoveryCodeOf(typed);
    return code !== undefined && factors.useCode(personId, code);
  };
  return {
    /**
     * Whether a code of the person’s app, or one of their recovery codes, is right. It is then used
     * up. `browserId` is that of a browser that they signed in with before. Throws HttpError after
     * too many wrong ones.
     */
    use(personId: number, typed: string, browserId: string | undefined) {
      const key = browserId ?? String(personId);
      refuseWaiting(wrong.waitMs(key), 'app-too-many-attempts');
      if (isRight(personId, typed)) {
        wrong.forget(key);
        return true;
      }
      wrong.count(key);
      return false;
    },
  };
};
