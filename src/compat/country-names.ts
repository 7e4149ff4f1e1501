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

const readNames = (): ReadonlyMap<string, string> => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap(first => letters.map(second => first + second));
  // Two letters that are no code of a country have no name.
  return new Map(
    codes.flatMap(code => {
      const name = names.of(code);
      return name === undefined ? [] : [[code, name]];
    }),
  );
};
