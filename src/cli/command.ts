/** What a command is: one row of the table in commands.ts, with everything the parser and the help need to know of it. */
import type { Readable } from 'node:stream';
import type { Environment } from '../config.ts';

/** Where text goes. */
export interface Output {
  write(text: string): unknown;
}

/** The world as a command sees it; made in main.ts, and by hand in tests. */
export interface Context {
  env: Environment;
  args: readonly string[];
  /** UTC milliseconds. */
  now: () => number;
  /** That many uniformly random bytes. */
  random: (bytes: number) => Buffer;
  stdin: Readable;
  stdout: Output;
  stderr: Output;
  isTerminal: { stdin: boolean; stdout: boolean; stderr: boolean };
  /** Aborts when the process is asked to stop. */
  signal: AbortSignal;
}

/** What was asked for cannot be done as things are: exit code 1. The message is one clear sentence. */
export class CommandError extends Error {}

/** The command was written wrongly: exit code 2. */
export class UsageError extends Error {}

/** - `text` takes a value, `list` takes one and may repeat, `switch` takes none. */
export interface Flag {
  kind: 'text' | 'list' | 'switch';
  /** What stands for the value in the help. */
  value?: string;
  /** The command can do nothing without it. */
  required?: true;
  meaning: string;
}
export type Flags = Readonly<Record<string, Flag>>;

type FlagValue<F extends Flag> = F['kind'] extends 'switch'
  ? boolean
  : F['kind'] extends 'list'
    ? string[] | undefined
    : F extends { required: true }
      ? string
      : string | undefined;

export interface Input<F extends Flags = Flags, O extends readonly string[] = readonly string[]> {
  /** By the name after `--`. */
  flags: { [N in keyof F]: FlagValue<F[N]> };
  /** In the order in which the command names them. */
  operands: { [I in keyof O]: string };
}

interface Definition<F extends Flags, O extends readonly string[]> {
  /** The words that call it, such as `site add`. */
  name: string;
  /** Names of what it must be given, such as `DOMAIN`. */
  operands: O;
  flags: F;
  /** One line for the overview. */
  summary: string;
  /** What else there is to know, for its own help page. */
  details?: string;
  run: (context: Context, input: Input<F, O>) => void | Promise<void>;
}
export type Command = Definition<Flags, readonly string[]>;

/** Checks a command's own types and puts it in the form of the table. Sound, since the parser only hands it what its row asks for. */
export const command = <const F extends Flags, const O extends readonly string[]>(row: Definition<F, O>): Command =>
  row as unknown as Command;

/** Every command takes these. */
export const commonFlags = {
  data: { kind: 'text', value: 'DIR', meaning: 'Directory of the database (DAYBOOK_DATA, else ./data)' },
  help: { kind: 'switch', meaning: 'Show how the command is used' },
} as const satisfies Flags;

export const jsonFlag = { json: { kind: 'switch', meaning: 'Print JSON' } } as const satisfies Flags;

export const accountFlag = {
  account: { kind: 'text', value: 'NAME', meaning: 'The account (see daybook account list)' },
} as const satisfies Flags;
