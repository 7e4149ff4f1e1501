/** Finds the word that somebody probably meant, for errors about an unknown one. */

/**
 * The number of letters to add, drop, change or swap with their neighbour to turn one word into the
 * other.
 */
const distance = (a: string, b: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? beforeLast[j - 2]! + 1 : Infinity;
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, changed, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
};

/** Longer words are not typing errors, and comparing them takes time. */
const charsMax = 100;

/** The known word nearest to the given one, ignoring case; undefined when none is near. */
export const nearest = (given: string, known: Iterable<string>): string | undefined => {
  if (given.length > charsMax) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const word of known) {
    if (Math.abs(word.length - given.length) >= least) continue;
    const apart = distance(given.toLowerCase(), word.toLowerCase());
    if (apart < least) [best, least] = [word, apart];
  }
  return best;
};

/** ` Did you mean X?`, or nothing. */
export const suggestion = (given: string, known: Iterable<string>): string => {
  const word = nearest(given, known);
  return word === undefined ? '' : ` Did you mean ${word}?`;
};
