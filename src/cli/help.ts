/** Help pages, made from the table of commands. */
import { findCommand, refuseWords } from './arguments.ts';
import { type Command, commonFlags, type Flag, type Flags } from './command.ts';

/**
 * The page for a topic: the overview for none, a command, all commands that begin with a word, or
 * both where the word is a command, too.
 * Throws UsageError for another.
 */
export const helpPage = (topic: readonly string[], commands: readonly Command[]): string => {
  if (topic.length === 0) return overview(commands);
  const command = findCommand(topic, commands);
  const group = topic.length === 1 ? commands.filter(({ name }) => name.startsWith(`${topic[0]} `)) : [];
  if (command === undefined && group.length === 0) return refuseWords(topic, commands);
  const more = group.length === 0 ? [] : [`${listing(group)}\n\nMore: daybook help ${topic[0]} COMMAND\n`];
  return [...(command === undefined ? [] : [commandPage(command)]), ...more].join('\n');
};

/** `daybook site add DOMAIN [--timezone ZONE] …` */
const usageLine = ({ name, operands, flags }: Command): string =>
  ['daybook', name, ...Object.keys(operands), ...Object.entries(flags).map(usageOf)].join(' ');

const usageOf = ([name, flag]: [string, Flag]): string => {
  const written = flagText(name, flag);
  if (flag.required) return written;
  return flag.kind === 'list' ? `[${written}]…` : `[${written}]`;
};

const flagText = (name: string, { value }: Flag): string => (value === undefined ? `--${name}` : `--${name} ${value}`);

const overview = (commands: readonly Command[]): string =>
  `Daybook: cookieless web analytics in one small process.\n\n${listing(commands)}\n
Without a command it serves. Every command takes --data DIR (DAYBOOK_DATA; default: ./data). Every command but serve takes --json.
More: daybook help COMMAND\n`;

const listing = (commands: readonly Command[]): string =>
  aligned(
    commands.map(({ name, operands, summary }) => [['daybook', name, ...Object.keys(operands)].join(' '), summary]),
  );

const commandPage = (command: Command): string => {
  const flags: Flags = { ...command.flags, ...commonFlags };
  const rows = Object.entries(flags).map(([name, flag]): [string, string] => [
    flagText(name, flag),
    flag.kind === 'list' ? `${flag.meaning}; may be repeated` : flag.meaning,
  ]);
  const details = command.details === undefined ? '' : `\n${command.details}\n`;
  return `${command.summary}.\n\n  ${usageLine(command)}\n${details}\n${aligned(rows)}\n`;
};

const aligned = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};
