import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from '../src/cli/commands.ts';
import { packageRoot } from '../src/package-root.ts';
import { runCommand } from './cli/helpers.ts';
import { temporaryDir } from './helpers.ts';
import { builtProgram } from './tools/build.ts';

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The program that `npm run build` made, as a process of its own. */
const daybook = (args: string[], { dir = temporaryDir(), deaf = false, node = [] as string[] } = {}): Promise<Ended> =>
  new Promise(resolve => {
    const child = spawn(process.execPath, [...node, builtProgram, ...args], {
      cwd: packageRoot,
      env: { ...process.env, DAYBOOK_DATA: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    if (deaf) child.stdout.destroy();
    else child.stdout.on('data', text => (ended.stdout += text));
    child.stderr.on('data', text => (ended.stderr += text));
    child.on('close', code => resolve({ ...ended, code }));
  });

test('the program prints its overview, help pages and version', async () => {
  const [bare, help, page, version] = await Promise.all([
    daybook(['--help']),
    daybook(['help']),
    daybook(['site', 'add', '--help']),
    daybook(['-V']),
  ]);
  assert.equal([bare.code, help.code, page.code, version.code], [0, 0, 0, 0]);
  assert.match(bare.stdout, /daybook site add DOMAIN/);
  assert.is(help.stdout, bare.stdout);
  assert.match(page.stdout, /--timezone ZONE/);
  assert.match(version.stdout, /^daybook \d+\.\d+\.\d+\n$/);
});

test('a Node that is too old is told in a sentence, before SQLite ends it without a word', async () => {
  const asOld = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`;
  const { code, stdout, stderr } = await daybook(['site', 'add', 'a.example'], { node: ['--import', asOld] });
  assert.equal([code, stdout], [1, '']);
  assert.match(stderr, /^daybook: Daybook needs Node 22 or later, and this is v[\d.]+\.\n$/);
});

test('ids and keys are random, and settings come from the environment', async () => {
  const dir = temporaryDir();
  const first = JSON.parse((await daybook(['site', 'add', 'a.example', '--json'], { dir })).stdout);
  const second = JSON.parse((await daybook(['site', 'add', 'b.example', '--json'], { dir })).stdout);
  assert.is.not(first.id, second.id);
  assert.is.not(first.publicKey, second.publicKey);
  assert.ok(Math.abs(Date.parse(first.createdAt) - Date.now()) < 60_000);
});

test('wrong usage exits with 2, failure with 1, both with one sentence', async () => {
  const noDirectory = join(temporaryDir(), 'file');
  writeFileSync(noDirectory, 'x');
  const noDatabase = temporaryDir();
  mkdirSync(noDatabase, { recursive: true });
  writeFileSync(join(noDatabase, 'daybook.db'), 'this is no database, but long enough to be looked at. '.repeat(20));
  const [unknown, missing, blocked, broken] = await Promise.all([
    daybook(['sitee']),
    daybook(['site', 'list']),
    daybook(['site', 'add', 'a.example'], { dir: noDirectory }),
    daybook(['site', 'add', 'a.example'], { dir: noDatabase }),
  ]);
  assert.equal([unknown.code, missing.code, blocked.code, broken.code], [2, 1, 1, 1]);
  assert.is(unknown.stderr, 'daybook: There is no command sitee. Did you mean site?\n');
  for (const { stdout, stderr } of [unknown, missing, blocked, broken]) {
    assert.is(stdout, '');
    assert.match(stderr, /^daybook: .+\n$/);
    assert.not.match(stderr, / {4}at /);
  }
  assert.match(broken.stderr, /daybook\.db cannot be opened: file is not a database/);
});

test('every command has a help page, and refuses flags that there are not', async () => {
  for (const { name } of commands) {
    const page = await runCommand(temporaryDir(), [...name.split(' '), '--help']);
    assert.equal([page.code, page.stderr], [0, ''], name);
    assert.ok(page.stdout.includes(`  daybook ${name}`), name);
    for (const line of page.stdout.split('\n')) assert.ok(line.length <= 80, `${name}: ${line}`);
    const wrong = await runCommand(temporaryDir(), [...name.split(' '), '--wrong-flag']);
    assert.equal([wrong.code, wrong.stdout], [2, ''], name);
    assert.match(wrong.stderr, /^daybook: .* has no flag --wrong-flag\..*\n$/, name);
  }
  const overview = (await runCommand(temporaryDir(), ['help'])).stdout;
  for (const line of overview.split('\n')) assert.ok(line.length <= 80, line);
  const told = /Every command but (.*) takes --json/.exec(overview.replaceAll('\n', ' '))![1]!.split(/, | and /);
  for (const { name, flags } of commands) assert.is('json' in flags, !told.includes(name), name);
});

test('the program ends quietly when nobody reads its output', async () => {
  const { code, stderr } = await daybook(['help'], { deaf: true });
  assert.equal([code, stderr], [0, '']);
});

test.run();
