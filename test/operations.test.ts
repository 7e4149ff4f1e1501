import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../src/cli/arguments.ts';
import { commands } from '../src/cli/commands.ts';
import { settingNames, settings } from '../src/config.ts';
import { packageRoot } from '../src/package-root.ts';
import { operationsFile, operationsPage } from './operations.ts';

const page = readFileSync(operationsFile, 'utf8');

test('the settings and faults on the page are those of the code: npm run docs writes them', () => {
  assert.is(page, operationsPage(page));
  for (const name of settingNames) assert.ok(page.includes(`| \`${settings[name].env}\` |`), settings[name].env);
});

test('every command on the page exists', () => {
  const known = (words: string): boolean =>
    commands.some(({ name }) => `${words} `.startsWith(`${name} `) || name === words.split(' ')[0]);
  const invoked = [...page.matchAll(/^ {4}.*daybook(?:\.js)? ([a-z][a-z-]*(?: [a-z]+)?)/gm)].map(([, words]) => words!);
  assert.ok(invoked.length > 3);
  for (const words of invoked) assert.ok(known(words), words);
});

test('the service of a clone is restricted as the one of the Debian package', () => {
  const unit = readFileSync(join(packageRoot, '.ci/release/debian/daybook.service'), 'utf8');
  const own = /^(User|Environment|EnvironmentFile|WorkingDirectory|ExecStart)=/;
  const [, service = ''] = unit.split('[Service]\n');
  const shared = service.split('\n').filter(line => /^[A-Z]\w+=/.test(line) && !own.test(line));
  assert.ok(shared.length > 30);
  for (const line of shared) assert.ok(page.includes(`\n    ${line}\n`), line);
});

/** The words of a line as a shell has them, up to the end of its first command. */
const wordsOf = (line: string): string[] => {
  const words: string[] = [];
  for (const [part] of line.matchAll(/(?:'[^']*'|"[^"]*"|\$\([^)]*\)|\\.|[^\s'"\\])+/g)) {
    if (/^(?:&&|\|\|?|;|#|>|2>)/.test(part)) break;
    words.push(part.replace(/'([^']*)'|"([^"]*)"/g, '$1$2').replace(/\\(.)/g, '$1'));
  }
  return words;
};

test('every command that a page prints is taken as it is printed', () => {
  const pages = ['README.md', ...['operations', 'moving', 'importing', 'cluster'].map(name => `docs/${name}.md`)];
  let taken = 0;
  for (const name of pages) {
    const text = readFileSync(join(packageRoot, name), 'utf8');
    for (const [, line] of text.matchAll(/^ {4}(?:npx |docker exec daybook node dist\/)?daybook(?:\.js)? (.+)$/gm)) {
      // What stands for the reader's own.
      const words = wordsOf(line!.replace('FILE…', 'hits.ndjson'));
      try {
        assert.is.not(parseArguments(words, commands).kind, undefined);
      } catch (error) {
        assert.unreachable(`${name}: daybook ${line}: ${(error as Error).message}`);
      }
      taken++;
    }
  }
  assert.ok(taken > 25, String(taken));
});

test.run();
