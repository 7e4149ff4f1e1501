/** The man page and the completions of the shells, which the release holds. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from '../../src/cli/commands.ts';
import { temporaryDir } from '../helpers.ts';
import { bundled } from '../tools/build.ts';

const program = bundled('.ci/release/pages.ts');
const page = (...kind: string[]): string =>
  execFileSync(process.execPath, [program, ...kind], {
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: '1795000000' },
  });

test('the man page has all sections and commands, a date, and no wide line', () => {
  const man = page('man');
  assert.match(man, /^\.TH DAYBOOK 1 "2026-11-18" "daybook /);
  for (const heading of ['COMMANDS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES', 'SEE ALSO'])
    assert.ok(man.includes(`\n.SH ${heading}\n`), heading);
  for (const { name } of commands) assert.ok(man.includes(`\n.SS daybook ${name.replaceAll('-', '\\-')}`), name);
  const file = join(temporaryDir(), 'daybook.1');
  writeFileSync(file, man);
  const shown = spawnSync('nroff', ['-man', '-Tutf8', '-rLL=80n', file], { encoding: 'utf8' });
  // A machine without it shows no man pages.
  if (shown.error !== undefined) return;
  assert.is(shown.stderr, '');
  for (const line of stripVTControlCharacters(shown.stdout).split('\n')) {
    // Bold may be written as a character, a step back, and the character again.
    const stepsBack = line.split('\b').length - 1;
    assert.ok(line.length - 2 * stepsBack <= 80, line);
  }
});

test('bash completes commands, flags, sites, and values of which there are few', () => {
  const script = `${page('completion')}
daybook() { echo '[{"domain":"a.example"},{"domain":"b.example"}]'; }
completed() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _daybook; echo "\${COMPREPLY[*]}"; }
completed daybook ex
completed daybook site re
completed daybook site set ''
completed daybook export --site ''
completed daybook export --format ''
completed daybook site add --identity-mode c
completed daybook prune --un
completed daybook prune --undo ''`;
  assert.equal(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n'), [
    ...['export', 'reset remove', 'a.example b.example', 'a.example b.example', 'ndjson parquet umami', 'cookie'],
    ...['--undo', '', ''],
  ]);
});

test('the completions of zsh and fish know every command', () => {
  assert.match(page('completion', 'zsh'), /^#compdef daybook\n/);
  const fish = page('completion', 'fish');
  for (const { name, flags } of commands)
    for (const flag of Object.keys(flags))
      assert.ok(fish.includes(`'__daybook_is ${name}' -l ${flag} `), `${name} ${flag}`);
});

test.run();
