/** Why nobody came in from the provider, in a sentence. */
import { t } from '../texts/text.ts';

const texts = {
  away: 'entry.failed.away',
  denied: 'entry.failed.denied',
  refused: 'entry.failed.refused',
  expired: 'entry.failed.expired',
  'no-email': 'entry.failed.noEmail',
  'no-group': 'entry.failed.noGroup',
  'not-invited': 'entry.failed.notInvited',
  'not-verified': 'entry.failed.notVerified',
  disabled: 'entry.failed.disabled',
  'no-account': 'entry.failed.noAccount',
} as const;

/** `code` is the provider’s own word. */
export const failureText = (failure: string, code: string | null, provider: string): string => {
  const key = Object.hasOwn(texts, failure) ? texts[failure as keyof typeof texts] : texts.refused;
  const text = t(key, { provider });
  return failure === 'denied' && code !== null && /^[a-z_]{1,60}$/.test(code) ? `${text} (${code})` : text;
};
