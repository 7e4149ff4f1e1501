/** What a program is told on its command line. */
import { parseArgs } from 'node:util';

type Defaults = Readonly<Record<string, number | string>>;
type Options<D> = { [K in keyof D]: D[K] extends number ? number : string };

/**
 * Each as `--name value`, else its default: `sizes` say how much is measured, `others` what. `isFull` tells that no size is less than its
 * default: less is for trying things out, and is not published. Throws for other names, and for what is not a number where the default is one.
 */
export const optionsOf = <S extends Readonly<Record<string, number>>, O extends Defaults = Record<never, never>>(
  args: readonly string[],
  sizes: S,
  others: O = {} as O,
): Options<S & O> & { isFull: boolean } => {
  const defaults: Defaults = { ...sizes, ...others };
  const { values } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.keys(defaults).map(name => [name, { type: 'string' as const }])),
  });
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, initial]) => [name, optionOf(name, values[name], initial)]),
  );
  const isFull = Object.entries(sizes).every(([name, initial]) => Number(options[name]) >= initial);
  return { ...(options as Options<S & O>), isFull };
};

const optionOf = (name: string, given: string | undefined, initial: number | string): number | string => {
  if (given === undefined) return initial;
  if (typeof initial === 'string') return given;
  if (given === '' || !(Number(given) >= 0)) throw new Error(`--${name} takes a number, and not '${given}'.`);
  return Number(given);
};

/** Those whose names contain what `--only` says: all, where it says nothing. Throws where there are none. */
export const chosen = <P extends { name: string }>(parts: readonly P[], only: string): P[] => {
  const found = parts.filter(({ name }) => name.includes(only));
  if (found.length === 0) throw new Error(`--only takes one of: ${parts.map(({ name }) => name).join('; ')}.`);
  return found;
};
