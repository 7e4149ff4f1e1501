/**
 * Turns arguments into a command and its input. The words and flags it knows are those of the table
 * it is handed.
 */
import { parseArgs } from 'node:util';
import { suggestion } from '../model/nearest.ts';
import { type Command, type CommandInput, commonFlags, UsageError } from './command.ts';
import type { CommandFlag, Flags } from './flags.ts';

export type Parsed =
  | { kind: 'run'; command: Command; input: CommandInput }
  /** `topic` is the words that help was asked about; none asks for the overview. */
  | { kind: 'help'; topic: string[] }
  | { kind: 'version' };

/** The command that no words stand for. */
const alone = 'serve';

/** One flag as it was written. */
interface Given {
  name: string;
  /** With its dashes. */
  rawName: string;
  value?: string | undefined;
  /** Written as `--name=value`. */
  inlineValue?: boolean | undefined;
}

/**
 * Throws UsageError when the arguments fit no command, and what the functions of its row throw that
 * read values. Flags may stand anywhere, even before the command.
 */
export const parseArguments = (args: readonly string[], commands: readonly Command[]): Parsed => {
  const known = flagsOf(...commands);
  const { words, given } = tokensOf(args, known);
  const has = (name: string): boolean => given.some(flag => flag.name === name);

  if (words[0] === 'help') return { kind: 'help', topic: words.slice(1) };
  if (has('help')) return { kind: 'help', topic: words };
  if ((has('version') || has('V')) && words.length === 0) return { kind: 'version' };
  // An unknown flag comes first: its value may look like a command.
  const stranger = given.find(({ name }) => !Object.hasOwn(known, name));
  const match = findCommand(words, commands);
  if (stranger !== undefined) throw unknownFlag(stranger, match, known);
  // The program alone serves: whoever has just unpacked it need know no command.
  const command = match ?? (words.length === 0 ? commands.find(({ name }) => name === alone) : undefined);
  if (command === undefined) return words.length === 0 ? { kind: 'help', topic: [] } : refuseWords(words, commands);
  const flags = valuesOf(command, given);
  const operands = operandsOf(command, words.slice(command.name.split(' ').length));
  return { kind: 'run', command, input: { flags, operands } as CommandInput };
};

/** The command whose name the words begin with, the longest such name: `import list` is no file. */
export const findCommand = (words: readonly string[], commands: readonly Command[]): Command | undefined =>
  commands
    .filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length)[0];

/** Throws the UsageError that helps most when words name no command. */
export const refuseWords = (words: readonly string[], commands: readonly Command[]): never => {
  const [first = '', second] = words;
  const group = commands.map(({ name }) => name).filter(name => name.startsWith(`${first} `));
  if (group.length === 0) {
    const names = commands.flatMap(({ name }) => [name, name.split(' ')[0]!]);
    throw new UsageError(`There is no command ${first}.${suggestion(first, new Set(names))}`);
  }
  if (second === undefined)
    throw new UsageError(`${first} needs one of: ${group.map(name => name.split(' ')[1]).join(', ')}.`);
  throw new UsageError(`There is no command ${first} ${second}.${suggestion(`${first} ${second}`, group)}`);
};

const flagsOf = (...commands: readonly Command[]): Flags =>
  Object.assign({}, commonFlags, ...commands.map(({ flags }) => flags));

const tokensOf = (args: readonly string[], known: Flags): { words: string[]; given: Given[] } => {
  const options = Object.entries(known).map(
    ([name, { kind }]) => [name, { type: kind === 'switch' ? 'boolean' : 'string' }] as const,
  );
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: {
      ...Object.fromEntries(options),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  return {
    words: tokens.flatMap(token => (token.kind === 'positional' ? [token.value] : [])),
    given: tokens.flatMap(token => (token.kind === 'option' ? [token] : [])),
  };
};

/** The value of every flag of the command, read; undefined for one that was not given. */
const valuesOf = (command: Command, given: readonly Given[]): Record<string, unknown> => {
  const flags = flagsOf(command);
  const unknown = given.find(({ name }) => !Object.hasOwn(flags, name));
  if (unknown !== undefined) throw unknownFlag(unknown, command, flags);
  const values = Object.entries(flags).map(([name, flag]): [string, unknown] => {
    const written = given.filter(each => each.name === name);
    if (flag.kind === 'switch') return [name, written.map(switchValue).length > 0];
    const texts = written.map(each => textValue(each, flag));
    if (texts.length > 0) return [name, read(flag, flag.kind === 'list' ? texts : texts.at(-1)!)];
    if (flag.required) throw new UsageError(`${command.name} needs --${name} ${flag.value}.`);
    return [name, undefined];
  });
  return Object.fromEntries(values);
};

const read = (flag: CommandFlag, typed: string | string[]): unknown =>
  flag.read === undefined ? typed : flag.read(typed as never);

const switchValue = ({ rawName, inlineValue }: Given): true => {
  if (inlineValue) throw new UsageError(`${rawName} takes no value.`);
  return true;
};

/**
 * The value of a flag. One that begins with a dash must be written as `--flag=-value`: more often
 * somebody forgot the value of a flag.
 */
const textValue = ({ rawName, value, inlineValue }: Given, flag: CommandFlag): string => {
  if (value === undefined || (!inlineValue && /^-./.test(value)))
    throw new UsageError(`${rawName} needs a value: ${rawName} ${flag.value}.`);
  return value;
};

const unknownFlag = ({ rawName }: Given, command: Command | undefined, known: Flags): UsageError => {
  const flags = Object.keys(command === undefined ? known : flagsOf(command)).map(name => `--${name}`);
  const what = command === undefined ? `There is no flag ${rawName}.` : `${command.name} has no flag ${rawName}.`;
  return new UsageError(`${what}${suggestion(rawName, flags)}`);
};

const operandsOf = ({ name, operands }: Command, given: readonly string[]): Record<string, unknown> => {
  const wanted = Object.keys(operands);
  if (given.length < wanted.length) throw new UsageError(`${name} needs ${wanted.slice(given.length).join(' and ')}.`);
  const takesMore = wanted.at(-1)?.endsWith('…');
  if (given.length > wanted.length && !takesMore) {
    const surplus = JSON.stringify(given[wanted.length]);
    throw new UsageError(`${name} takes ${wanted.join(' and ') || 'no arguments'}; ${surplus} is too many.`);
  }
  return Object.fromEntries(
    Object.entries(operands).map(([operand, readOperand], i) => [
      operand,
      operand.endsWith('…') ? given.slice(i).map(readOperand) : readOperand(given[i]!),
    ]),
  );
};
