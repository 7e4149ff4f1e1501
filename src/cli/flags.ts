/** What is given to commands by name, behind `--`. */
import { flagOf, isNoFlag, type SettingName, settings } from '../config.ts';

/** - `text` takes a value, `list` takes one and may repeat, `switch` takes none. */
export interface CommandFlag {
  kind: 'text' | 'list' | 'switch';
  /** What stands for the value in the help. */
  value?: string;
  /** The command can do nothing without it. */
  required?: true;
  meaning: string;
  /** Reads what was typed: a text, or all texts of a list. Throws a UsageError or ValueError. */
  read?: (typed: never) => unknown;
}
export type Flags = Readonly<Record<string, CommandFlag>>;

/** What `read` gives is told by it alone, wherever the flag stands. */
interface ValueFlag<Kind, Typed, T> {
  kind: Kind;
  value: string;
  meaning: string;
  read: (typed: Typed) => NoInfer<T>;
}

const asTyped = <Typed, T>(typed: Typed) => typed as unknown as T;

/** A flag that takes a value, which `read` understands. */
export const textFlag = <T = string>(
  value: string,
  meaning: string,
  read: (typed: string) => T = asTyped,
): ValueFlag<'text', string, T> => ({ kind: 'text', value, meaning, read });

/** One that may be repeated. */
export const listFlag = <T = string[]>(
  value: string,
  meaning: string,
  read: (typed: string[]) => T = asTyped,
): ValueFlag<'list', string[], T> => ({ kind: 'list', value, meaning, read });

/** One that is on or off. */
export const switchFlag = (meaning: string) => ({ kind: 'switch', meaning }) as const;

export const accountFlag = {
  account: textFlag('NAME', 'The account (see daybook account list)'),
};

/**
 * The flag of a setting, for commands that need it too. What it means stands in config.ts;
 * readSetting reads it.
 */
export const settingFlag = (name: SettingName) => {
  const { value, env, meaning, initial, shown = initial } = settings[name];
  const preset = shown === null ? env : `${env}; default: ${shown}`;
  return { kind: 'text', value, meaning: `${meaning} (${preset})` } as const;
};

/** The flags of some settings, for commands that read them as settings alone. */
export const settingFlags = (names: readonly SettingName[]): Flags =>
  Object.fromEntries(names.filter(name => !isNoFlag(name)).map(name => [flagOf(name), settingFlag(name)]));
