/**
 * Currencies as ISO 4217 writes them. Amounts travel and are stored in minor units, so what is needed of a currency is how many
 * decimal digits its minor unit has: two, but for the exceptions below.
 */

/** Codes by the digits of their minor unit, where that is not two. */
const exceptions: Record<number, readonly string[]> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
  3: 'BHD IQD JOD KWD LYD OMR TND'.split(' '),
  4: 'CLF UYW'.split(' '),
};
const digitsOf = new Map(
  Object.entries(exceptions).flatMap(([digits, codes]) => codes.map(code => [code, Number(digits)] as const)),
);

/** Digits after the decimal point of a code's major unit: 2 for EUR, 0 for JPY. */
export const currencyDigits = (code: string): number => digitsOf.get(code) ?? 2;

/**
 * The code that a text from outside means: three letters, in capitals; null for anything else. A code that nobody has heard of
 * passes: new currencies appear, and their amounts are kept and shown apart until somebody gives a rate.
 */
export const currencyCode = (text: string): string | null => (/^[a-z]{3}$/i.test(text) ? text.toUpperCase() : null);

const known = new Set([...Intl.supportedValuesOf('currency'), ...digitsOf.keys()]);

/** Whether a currency of this code is known: for settings, where a code that is not is a slip of the hand. */
export const isKnownCurrency = (code: string): boolean => known.has(code);

/** What one minor unit of `source` is worth in minor units of `target`, at `rate` major units of `target` for one of `source`. */
export const minorRate = (source: string, target: string, rate: number): number =>
  rate * 10 ** (currencyDigits(target) - currencyDigits(source));

/** An amount in minor units as a decimal number of major units, with the currency's digits: 4900 EUR is `49.00`. */
export const majorUnits = (minor: number, code: string): string => {
  const digits = currencyDigits(code);
  return (minor / 10 ** digits).toFixed(digits);
};
