/** Turns arguments into a command and what it is given. The words and flags it knows are those of the table it is handed. */
import { parseArgs } from 'node:util';
import { suggestion } from '../model/nearest.ts';
import { type Command, commonFlags, type Flag, type Flags, type Input, UsageError } from './command.ts';

export type Parsed =
  | { kind: 'run'; command: Command; input: Input }
  /** `topic` is the words after which help was asked; none asks for the overview. */
  | { kind: 'help'; topic: string[] }
  | { kind: 'version' };

/** One flag as it was written. */
interface Given {
  name: string;
  /** With its dashes. */
  rawName: string;
  value?: string | undefined;
  /** Written as `--name=value`. */
  inlineValue?: boolean | undefined;
}

/** Throws UsageError when the arguments fit no command. Flags may stand anywhere, before the command too. */
export const parseArguments = (args: readonly string[], commands: readonly Command[]): Parsed => {
  const known = flagsOf(...commands);
  const { words, given } = tokensOf(args, known);
  const has = (name: string): boolean => given.some(flag => flag.name === name);

  if (words[0] === 'help') return { kind: 'help', topic: words.slice(1) };
  if (has('help')) return { kind: 'help', topic: words };
  if (has('version') && words.length === 0) return { kind: 'version' };
  // A flag that nobody knows comes first: its value may look like a command.
  const stranger = given.find(({ name }) => !Object.hasOwn(known, name));
  const match = findCommand(words, commands);
  if (stranger !== undefined) throw unknownFlag(stranger, match, known);
  if (words.length === 0) return { kind: 'help', topic: [] };
  const command = match ?? refuseWords(words, commands);
  const flags = valuesOf(command, given);
  const operands = words.slice(command.name.split(' ').length);
  checkOperands(command, operands);
  return { kind: 'run', command, input: { flags, operands } as Input };
};

/** The command whose name the words begin with. */
export const findCommand = (words: readonly string[], commands: readonly Command[]): Command | undefined =>
  commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));

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

const valuesOf = (command: Command, given: readonly Given[]): Record<string, unknown> => {
  const flags = flagsOf(command);
  const values: Record<string, string | string[] | boolean | undefined> = {};
  for (const [name, { kind }] of Object.entries(flags)) values[name] = kind === 'switch' ? false : undefined;
  for (const written of given) {
    const flag = flags[written.name];
    if (flag === undefined) throw unknownFlag(written, command, flags);
    if (flag.kind === 'switch') values[written.name] = switchValue(written);
    else if (flag.kind === 'list')
      values[written.name] = [...((values[written.name] as string[]) ?? []), textValue(written, flag)];
    else values[written.name] = textValue(written, flag);
  }
  const missing = Object.entries(flags).find(([name, { required }]) => required && values[name] === undefined);
  if (missing !== undefined) throw new UsageError(`${command.name} needs --${missing[0]} ${missing[1].value}.`);
  return values;
};

const switchValue = ({ rawName, inlineValue }: Given): true => {
  if (inlineValue) throw new UsageError(`${rawName} takes no value.`);
  return true;
};

/** The value of a flag. One that begins with a dash must be written as `--flag=-value`: it is more often a flag whose value was forgotten. */
const textValue = ({ rawName, value, inlineValue }: Given, flag: Flag): string => {
  if (value === undefined || (!inlineValue && /^-./.test(value)))
    throw new UsageError(`${rawName} needs a value: ${rawName} ${flag.value}.`);
  return value;
};

const unknownFlag = ({ rawName }: Given, command: Command | undefined, known: Flags): UsageError => {
  const flags = Object.keys(command === undefined ? known : flagsOf(command)).map(name => `--${name}`);
  const what = command === undefined ? `There is no flag ${rawName}.` : `${command.name} has no flag ${rawName}.`;
  return new UsageError(`${what}${suggestion(rawName, flags)}`);
};

const checkOperands = ({ name, operands: wanted }: Command, given: readonly string[]): void => {
  if (given.length < wanted.length) throw new UsageError(`${name} needs ${wanted.slice(given.length).join(' and ')}.`);
  if (given.length > wanted.length) {
    const surplus = given[wanted.length]!;
    throw new UsageError(
      `${name} takes ${wanted.length === 0 ? 'nothing' : wanted.join(' and ')} and was also given ${JSON.stringify(surplus)}.`,
    );
  }
};
