/**
 * Prints what the shell knows of the commands, from the same table as the help: `man`, or
 * `completion` for `bash` (without a word), `zsh` or `fish`.
 */
import { type Command, commonFlags } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import type { CommandFlag } from '../../src/cli/flags.ts';
import { flagText } from '../../src/cli/help.ts';
import { settingNames, settings } from '../../src/config.ts';
import { exportFormatNames } from '../../src/export/formats.ts';
import { formatNames } from '../../src/import/formats.ts';
import { publicPartNames } from '../../src/model/public-parts.ts';
import { identityModes, plans } from '../../src/model/site.ts';
import { suspectReasonNames } from '../../src/model/suspects.ts';
import { version } from '../../src/package-root.ts';

/** Text that troff takes as it is. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=['.])/gm, '\\&');

/** Paragraphs that troff fills, whatever the width. */
const paragraphs = (text: string): string => escaped(text).replaceAll('\n\n', '\n.PP\n');

const item = (name: string, meaning: string): string => `.TP\n.B ${escaped(name)}\n${escaped(meaning)}\n`;

const section = ({ name, operands, summary, details, flags }: Command): string => {
  const rows = Object.entries(flags).filter(([flag]) => flag !== 'json');
  const title = ['daybook', name, ...Object.keys(operands)].join(' ');
  const more = details === undefined ? '' : `.PP\n${paragraphs(details)}\n`;
  const items = rows.map(([flag, row]) => item(flagText(flag, row), meaningOf(row)));
  return `.SS ${escaped(title)}\n${escaped(summary)}.\n${more}${items.join('')}`;
};

const meaningOf = ({ kind, meaning }: CommandFlag): string =>
  kind === 'list' ? `${meaning}; may be repeated` : meaning;

const exitCodes = {
  0: 'It is done.',
  1: 'It could not be done, or something that was looked at is not as it should be. A sentence on standard error says what.',
  2: 'It was written wrongly: there is no such command, flag or value.',
  130: 'It was interrupted, by Ctrl-C or SIGTERM.',
};

/** The day of a release, whose time is that of its commit. */
const day = new Date(process.env.SOURCE_DATE_EPOCH ? Number(process.env.SOURCE_DATE_EPOCH) * 1000 : Date.now());

const manPage = (): string => `.TH DAYBOOK 1 "${day.toISOString().slice(0, 10)}" "daybook ${version}" "User Commands"
.SH NAME
daybook \\- cookieless web analytics in one small process
.SH SYNOPSIS
.B daybook
.RI [ command ]
.RI [ flags ]
.SH DESCRIPTION
Without a command it serves the dashboard, the API and the collector.
As root, commands run as the user daybook, with the settings in /etc/default/daybook.
.PP
Every command takes these flags.
Those that print a result also take
.BR \\-\\-json ,
and print JSON.
${Object.entries(commonFlags)
  .map(([flag, row]) => item(flagText(flag, row), row.meaning))
  .join('')}.SH COMMANDS
${commands.map(section).join('')}.SH EXIT STATUS
${Object.entries(exitCodes)
  .map(([code, meaning]) => item(code, meaning))
  .join('')}.SH ENVIRONMENT
${settingNames
  .map(name => settings[name])
  .map(({ env, meaning, initial, shown = initial }) =>
    item(env, shown === null ? meaning : `${meaning} (default: ${shown})`),
  )
  .join('')}.SH FILES
.TP
.I /etc/default/daybook
Settings of the service and of commands that root runs
.TP
.I /var/lib/daybook
The database
.TP
.I /var/backups/daybook
A copy of the database from before each upgrade
.SH SEE ALSO
.BR systemctl (1),
.BR journalctl (1),
.BR systemd.socket (5)
`;

/** What stands for values of which there are few. */
const choices = ({ name }: Command, { value }: CommandFlag): readonly string[] => {
  if (value === 'FORMAT') return name === 'export' ? exportFormatNames : formatNames;
  if (value === 'MODE') return identityModes;
  if (value === 'PART') return publicPartNames;
  if (value === 'REASON') return suspectReasonNames;
  return value === 'PLAN' ? plans : [];
};

/** Values that are names of files. */
const fileValues = ['FILE', 'DIR', 'PLACE'];

const flagsOf = ({ flags }: Command): [string, CommandFlag][] => Object.entries({ ...flags, ...commonFlags });

/** Words that a shell completes after a flag: a list, the names of sites, files, or nothing. */
const valuesOf = (command: Command, flag: CommandFlag): string => {
  const [few, value] = [choices(command, flag), flag.value ?? ''];
  if (few.length > 0) return few.join(' ');
  return value === 'DOMAIN' ? '@sites' : fileValues.includes(value) ? '@files' : '@none';
};

/** Longer names first: `import list` is no `import`. */
const longestFirst = commands.toSorted((a, b) => b.name.length - a.name.length);

const bashFunctions = (): string => {
  const second = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = '', next] = name.split(' ');
    second.set(first, [...(second.get(first) ?? []), ...(next === undefined ? [] : [next])]);
  }
  const groups = [...second].filter(([, next]) => next.length > 0);
  const row = (command: Command): string => {
    const withValues = flagsOf(command).filter(([, { kind }]) => kind !== 'switch');
    const cases = withValues.map(([name, flag]) => `--${name}) values='${valuesOf(command, flag)}' ;;`).join(' ');
    const names = flagsOf(command).map(([name]) => `--${name}`);
    const operand = Object.keys(command.operands)[0] ?? '';
    return `    '${command.name}'*) operand='${operand.replace('…', '')}' flags='${names.join(' ')}'
      case $prev in ${cases} esac ;;`;
  };
  return `_daybook_sites() {
  daybook site list --json 2>/dev/null | grep -o '"domain":"[^"]*"' | cut -d '"' -f 4
}
_daybook() {
  local word=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words="\${COMP_WORDS[*]:1:2}"
  local flags= values= operand=
  COMPREPLY=()
  case $words in
${longestFirst.map(row).join('\n')}
  esac
  if [[ $values == @files ]]; then
    return
  elif [[ $values == @none ]]; then
    COMPREPLY=("$word")
  elif [[ $values == @sites ]]; then
    COMPREPLY=($(compgen -W "$(_daybook_sites)" -- "$word"))
  elif [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...second.keys(), 'help'].join(' ')}' -- "$word"))
  else
    if ((COMP_CWORD == 2)); then
      case \${COMP_WORDS[1]} in
${groups.map(([first, next]) => `        ${first}) COMPREPLY=($(compgen -W '${next.join(' ')}' -- "$word")) ;;`).join('\n')}
      esac
    fi
    if [[ $operand == DOMAIN && \${#COMPREPLY[@]} == 0 ]]; then
      COMPREPLY=($(compgen -W "$(_daybook_sites)" -- "$word"))
    fi
  fi
}
`;
};

const bash = (): string => `# bash completion for daybook\n${bashFunctions()}complete -o default -F _daybook daybook\n`;

const zsh = (): string =>
  `#compdef daybook\n# zsh completion for daybook\nautoload -Uz bashcompinit && bashcompinit\n${bashFunctions()}complete -o default -F _daybook daybook\n`;

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const fish = (): string => {
  const is = (name: string): string => `-n ${quoted(`__daybook_is ${name}`)}`;
  const words = new Map<string, string>();
  for (const { name, summary } of commands) {
    const [first = '', next] = name.split(' ');
    words.set(first, next === undefined ? summary : (words.get(first) ?? ''));
  }
  const first = [...words].map(
    ([word, meaning]) => `complete -c daybook -n __daybook_first -a ${word} -d ${quoted(meaning)}`,
  );
  const later = commands.flatMap(({ name, summary }) => {
    const [group, next] = name.split(' ');
    return next === undefined ? [] : [`complete -c daybook ${is(group!)} -a ${next} -d ${quoted(summary)}`];
  });
  const flag = (command: Command, [name, row]: [string, CommandFlag]): string => {
    const [value, meaning] = [valuesOf(command, row), meaningOf(row)];
    const offered = value === '@sites' ? '(__daybook_sites)' : value.startsWith('@') ? '' : value;
    const kind = row.kind === 'switch' ? '' : value === '@files' ? ' -r -F' : ` -x -a ${quoted(offered)}`;
    return `complete -c daybook ${is(command.name)} -l ${name}${kind} -d ${quoted(meaning)}`;
  };
  const operand = ({ name, operands }: Command): string[] => {
    const [wanted = ''] = Object.keys(operands);
    if (wanted.startsWith('FILE')) return [`complete -c daybook ${is(name)} -F`];
    return wanted === 'DOMAIN' ? [`complete -c daybook ${is(name)} -a '(__daybook_sites)'`] : [];
  };
  return `# fish completion for daybook
function __daybook_first
    test (count (commandline -opc)) -eq 1
end
function __daybook_is
    set -l words (commandline -opc)
    string match -q -- "$argv *" (string join ' ' $words[2..])' '
end
function __daybook_sites
    daybook site list --json 2>/dev/null | string match -rag '"domain":"([^"]*)"'
end
complete -c daybook -f
${[...first, ...later, ...commands.flatMap(command => [...flagsOf(command).map(row => flag(command, row)), ...operand(command)])].join('\n')}
`;
};

const completions: Record<string, () => string> = { bash, zsh, fish };
const [kind, shell = 'bash'] = process.argv.slice(2);
process.stdout.write(kind === 'man' ? manPage() : completions[shell]!());
