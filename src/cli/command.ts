/**
 * What a command is: one row with everything that the parser, the help and run.ts need to know of
 * it.
 */
import type { Readable } from 'node:stream';
import type { Environment } from '../config.ts';
import type { Database } from '../store/database.ts';
import { type CommandFlag, type Flags, settingFlag, switchFlag } from './flags.ts';

/** Where text goes. */
export interface Output {
  write(text: string): unknown;
}

/** The world as a command sees it; made in main.ts, and by hand in tests. */
export interface Context {
  env: Environment;
  /** Id of the process. */
  pid: number;
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
  /** Calls `listener` whenever the process is asked to read its files again. */
  onHangup?: (listener: () => void) => void;
}

/** The command cannot do what it was asked: exit code 1. The message is one clear sentence. */
export class CommandError extends Error {}

/** The command was written wrongly: exit code 2. */
export class UsageError extends Error {}

/**
 * What a command must be given, by the name the help has for it, such as DOMAIN; each is read by
 * its function. The last may be several: then its name ends with `…`.
 */
export type Operands = Readonly<Record<string, (typed: string) => unknown>>;

type Typed<F extends CommandFlag> = F extends { read: (typed: never) => infer T }
  ? T
  : F['kind'] extends 'list'
    ? string[]
    : string;
type FlagValue<F extends CommandFlag> = F['kind'] extends 'switch'
  ? boolean
  : F extends { required: true }
    ? Typed<F>
    : Typed<F> | undefined;

export interface CommandInput<F extends Flags = Flags, O extends Operands = Operands> {
  /** By the name after `--`. */
  flags: { [N in keyof F]: FlagValue<F[N]> };
  operands: { [N in keyof O]: N extends `${string}…` ? ReturnType<O[N]>[] : ReturnType<O[N]> };
}

/**
 * What a command does about the database before it runs: `open` opens the one that is there,
 * `change` does so where it follows no primary, since what it changes comes from there, and
 * `create` also makes a missing one; `find` only looks whether there is one. A command that makes
 * no sense without data never fills a mistyped directory.
 */
export type DatabaseUse = 'open' | 'change' | 'create' | 'find' | 'none';

/** The world, and the database if the command asked for it. It is closed after the command. */
export interface Opened<DB extends Database | undefined = Database> extends Context {
  dataDir: string;
  db: DB;
}

/** What a command prints: a text for people, or one JSON document with `--json`. */
export interface Result {
  text: string;
  json: unknown;
  /** Printed after it to stderr: the command ran to its end, and fails all the same. */
  failure?: string | undefined;
  /** In place of 0, where a script asks what was found. */
  exitCode?: number;
}

interface Definition<F extends Flags, O extends Operands, D extends DatabaseUse> {
  /** The words that call it, such as `site add`. */
  name: string;
  operands?: O;
  flags?: F;
  /** One line for the overview. */
  summary: string;
  /** What else there is to know, for its own help page. */
  details?: string;
  /** `open` where nothing is said. */
  database?: D;
  /** The server must be stopped meanwhile. */
  exclusive?: true;
  /** Nothing is returned by a command that prints as it goes; it has no `--json`. */
  run: (
    context: Opened<D extends 'find' | 'none' ? undefined : Database>,
    input: CommandInput<F, O>,
  ) => Result | undefined | Promise<Result | undefined>;
  printsAsItGoes?: true;
}
export type Command = Required<Pick<Definition<Flags, Operands, DatabaseUse>, 'operands' | 'flags' | 'database'>> &
  Definition<Flags, Operands, DatabaseUse>;

/**
 * Checks a command's own types and completes its row. Sound, since the parser and run.ts hand it
 * what its row asks for.
 */
export const command = <
  D extends DatabaseUse = 'open',
  const F extends Flags = Record<never, never>,
  const O extends Operands = Record<never, never>,
>(
  row: Definition<F, O, D>,
): Command =>
  ({
    database: 'open',
    ...row,
    operands: row.operands ?? {},
    flags: { ...row.flags, ...(row.printsAsItGoes !== true && jsonFlag) },
  }) as unknown as Command;

const jsonFlag = { json: switchFlag('Print JSON') };

/** Every command takes these. */
export const commonFlags = {
  data: settingFlag('dataDir'),
  help: switchFlag('Show this help'),
};
