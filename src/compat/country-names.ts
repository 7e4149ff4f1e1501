/** Countries by the English names that other products write. */

let known: ReadonlyMap<string, string> | undefined;

/**
 * The English names by code, in capitals. Read when they are first needed: most servers never do,
 * and Node's data about languages would be in memory from the start.
 */
export const countryNames = (): ReadonlyMap<string, string> => {
  known ??= readNames();
  return known;
};

/** A shorter form where there is one: Hong Kong for Hong Kong SAR China. Read each time. */
export const shortCountryNames = (): ReadonlyMap<string, string> => readNames('short');

const readNames = (style: 'long' | 'short' = 'long'): ReadonlyMap<string, string> => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none', style });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap(first => letters.map(second => first + second));
  // Two letters that are no code of a country have no name, and a code that another one replaced
  // has that one's.
  return new Map(
    codes.filter(isCurrent).flatMap(code => {
      const name = names.of(code);
      return name === undefined ? [] : [[code, name]];
    }),
  );
};

/** Whether the code is in use: FX was France without its islands, and SU the Soviet Union. */
const isCurrent = (code: string): boolean => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
