/**
 * What GoatCounter stores of where a visit came from: a text, and what it is: `h` an address
 * without its scheme, `g` a name that it gives to several addresses, `c` a campaign's source, `o`
 * anything else, mostly nothing.
 */
import { referrerAddress, referrerNamed } from '../import-names.ts';

export interface StoredReferrer {
  /** An address; empty where it is none. */
  address: string;
  /** In place of the address. */
  texts: { referrer?: string | null; utmSource?: string };
}

export const storedReferrer = (ref: string, scheme: string): StoredReferrer => {
  if (ref === '') return { address: '', texts: {} };
  // A visit with a campaign and no source keeps its address whole.
  if (scheme === 'h' || /^https?:\/\//.test(ref)) return { address: referrerAddress(unshortened(ref)), texts: {} };
  if (scheme === 'c') return { address: '', texts: { utmSource: ref } };
  return { address: '', texts: { referrer: referrerNamed(ref) } };
};

/** Links of Twitter become a search for them, which nobody came from. */
const unshortened = (ref: string): string => (ref.startsWith('twitter.com/search?q=https%3A%2F%2Ft.co') ? 't.co' : ref);
