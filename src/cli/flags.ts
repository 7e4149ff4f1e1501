/** What is given to commands by name, behind `--`. */
import { type SettingName, settings } from '../config.ts';

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

/** A flag that takes a value, which `read` understands. */
export function textFlag(value: string, meaning: string): ValueFlag<'text', string, string>;
export function textFlag<T>(value: string, meaning: string, read: (typed: string) => T): ValueFlag<'text', string, T>;
export function textFlag(value: string, meaning: string, read: (typed: string) => unknown = typed => typed) {
  return { kind: 'text', value, meaning, read };
}
/** One that may be repeated. */
export function listFlag(value: string, meaning: string): ValueFlag<'list', string[], string[]>;
export function listFlag<T>(
  value: string,
  meaning: string,
  read: (typed: string[]) => T,
): ValueFlag<'list', string[], T>;
export function listFlag(value: string, meaning: string, read: (typed: string[]) => unknown = typed => typed) {
  return { kind: 'list', value, meaning, read };
}

interface ValueFlag<Kind, Typed, T> {
  kind: Kind;
  value: string;
  meaning: string;
  read: (typed: Typed) => T;
}

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
