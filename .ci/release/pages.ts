/**
 * Prints what the shell knows of the commands, from the same table as the help: `man`, or
 * `completion` for bash.
 */
import { type Command, commonFlags } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { helpPage } from '../../src/cli/help.ts';
import { version } from '../../src/package-root.ts';

/** Text that troff takes as it is. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=['.])/gm, '\\&');

const section = ({ name }: Command): string =>
  `.SS daybook ${escaped(name)}\n.nf\n${escaped(helpPage(name.split(' '), commands).trimEnd())}\n.fi\n`;

const manPage = (): string => `.TH DAYBOOK 1 "" "daybook ${version}" "User Commands"
.SH NAME
daybook \\- cookieless web analytics in one small process
.SH SYNOPSIS
.B daybook
.RI [ command ]
.RI [ flags ]
.SH DESCRIPTION
Without a command it serves the dashboard, the API and the collector.
As root, commands run as the user daybook, with the settings in /etc/default/daybook.
.SH COMMANDS
${commands.map(section).join('')}.SH FILES
.TP
.I /etc/default/daybook
Settings of the service and of commands that root runs
.TP
.I /var/lib/daybook
The database
.TP
.I /var/backups/daybook
A copy of the database from before each upgrade
`;

const completion = (): string => {
  const flags = ({ flags }: Command): string =>
    Object.keys({ ...flags, ...commonFlags })
      .map(name => `--${name}`)
      .join(' ');
  const second = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = '', next] = name.split(' ');
    second.set(first, [...(second.get(first) ?? []), ...(next === undefined ? [] : [next])]);
  }
  const groups = [...second].filter(([, next]) => next.length > 0);
  return `# bash completion for daybook
_daybook() {
  local word=\${COMP_WORDS[COMP_CWORD]} words="\${COMP_WORDS[*]:1:2}" flags=
  case $words in
${commands
  .toSorted((a, b) => b.name.length - a.name.length)
  .map(command => `    '${command.name}'*) flags='${flags(command)}' ;;`)
  .join('\n')}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...second.keys(), 'help'].join(' ')}' -- "$word"))
  elif ((COMP_CWORD == 2)); then
    case \${COMP_WORDS[1]} in
${groups.map(([first, next]) => `      ${first}) COMPREPLY=($(compgen -W '${next.join(' ')}' -- "$word")) ;;`).join('\n')}
    esac
  fi
}
complete -o default -F _daybook daybook
`;
};

process.stdout.write(process.argv[2] === 'man' ? manPage() : completion());
