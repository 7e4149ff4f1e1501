/** Help pages, made from the table of commands. */
import { findCommand, refuseWords } from './arguments.ts';
import { type Command, commonFlags } from './command.ts';
import type { CommandFlag, Flags } from './flags.ts';

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

/** What is printed is no wider. */
const width = 80;

/** Breaks a text into lines at spaces, the later ones indented. */
const wrapped = (words: readonly string[], indent: number, first = indent): string => {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const room = width - (lines.length === 0 ? first : indent);
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
};

/** The paragraphs of a text, as wide as everything else. */
const paragraphs = (text: string): string =>
  text
    .split('\n\n')
    .map(paragraph => wrapped(paragraph.split(/\s+/), 0))
    .join('\n\n');

/** `daybook site add DOMAIN [--timezone ZONE] …` */
const usageLine = ({ name, operands, flags }: Command): string =>
  wrapped(['daybook', name, ...Object.keys(operands), ...Object.entries(flags).map(usageOf)], 6, 2);

const usageOf = ([name, flag]: [string, CommandFlag]): string => {
  const written = flagText(name, flag);
  if (flag.required) return written;
  return flag.kind === 'list' ? `[${written}]…` : `[${written}]`;
};

export const flagText = (name: string, { value }: CommandFlag): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

const overview = (commands: readonly Command[]): string => {
  const without = commands.filter(({ flags }) => !Object.hasOwn(flags, 'json')).map(({ name }) => name);
  const but = without.join(', ').replace(/, ([^,]*)$/, ' and $1');
  const rules = `Without a command it serves. Every command takes --data DIR (DAYBOOK_DATA; default: ./data). Every command but ${but} takes --json.`;
  return `Daybook: cookieless web analytics in one small process.\n\n${listing(commands)}\n\n${paragraphs(rules)}\nMore: daybook help COMMAND. The version: daybook --version\n`;
};

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
  const details = command.details === undefined ? '' : `\n${paragraphs(command.details)}\n`;
  return `${command.summary}.\n\n  ${usageLine(command)}\n${details}\n${aligned(rows)}\n`;
};

/** Wider names leave too little room for what stands beside them. */
const leftMax = 32;

const aligned = (rows: readonly (readonly [string, string])[]): string => {
  // A name that is much longer than the others has a line of its own.
  const longest = Math.min(leftMax, Math.max(...rows.map(([left]) => left.length)));
  const indent = longest + 4;
  return rows
    .map(([left, right]) => {
      const gap = left.length > longest ? `\n${' '.repeat(indent)}` : ' '.repeat(indent - 2 - left.length);
      return `  ${left}${gap}${wrapped(right.split(' '), indent)}`;
    })
    .join('\n');
};
