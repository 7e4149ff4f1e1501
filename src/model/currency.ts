/**
 * Currencies as in ISO 4217. Amounts are sent and stored in minor units, so all that matters of a
 * currency is the number of decimal digits of its minor unit: two, with the exceptions below.
 */

/** Codes by the digits of their minor unit, if not two. */
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
 * The currency code in a text from outside: three letters, in capitals; null for anything else.
 * Unknown codes pass: new currencies appear, and their amounts are shown separately until somebody
 * sets a rate.
 */
export const currencyCode = (text: string): string | null => (/^[a-z]{3}$/i.test(text) ? text.toUpperCase() : null);

/** Whether this code is known. For settings, where an unknown code is a typing error. */
export const isKnownCurrency = (code: string): boolean =>
  digitsOf.has(code) || Intl.supportedValuesOf('currency').includes(code);

/** An amount in major units, such as 49.9 EUR, in minor ones. */
export const minorUnits = (major: number, code: string): number => Math.round(major * 10 ** currencyDigits(code));

/**
 * What one minor unit of `source` is worth in minor units of `target`, at `rate` major units of
 * `target` for one of `source`.
 */
export const minorRate = (source: string, target: string, rate: number): number =>
  rate * 10 ** (currencyDigits(target) - currencyDigits(source));

/**
 * An amount in minor units as a decimal number of major units, with the currency's digits: 4900 EUR
 * is `49.00`.
 */
export const majorUnits = (minor: number, code: string): string => {
  const digits = currencyDigits(code);
  return (minor / 10 ** digits).toFixed(digits);
};
