import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from '../src/cli/commands.ts';
import { packageRoot } from '../src/package-root.ts';
import { runCommand } from './cli/helpers.ts';
import { temporaryDir } from './helpers.ts';
import { repeat } from './repeat.ts';
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

const full = (args: string[], dir: string, which: 'stdout' | 'stderr' = 'stdout'): Promise<Ended> =>
  new Promise(resolve => {
    const device = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [builtProgram, ...args], {
      cwd: packageRoot,
      env: { ...process.env, DAYBOOK_DATA: dir },
      stdio: which === 'stdout' ? ['ignore', device, 'pipe'] : ['ignore', 'pipe', device],
    });
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    child.stdout?.on('data', text => (ended.stdout += text));
    child.stderr?.on('data', text => (ended.stderr += text));
    child.on('close', code => {
      closeSync(device);
      resolve({ ...ended, code });
    });
  });

/**
 * Commands that write themselves, at length or beside threads, and two of the others. What all others say is printed in one place, so the
 * gate runs them in this process, and a run by hand, with TEST_REPEAT, each as a program.
 */
const writesItself = /^(help|--version|site list|check|doctor|export|person-data|import|backup|upgrade|demo)\b/;

const isLinux = process.platform === 'linux' ? test : test.skip;
isLinux('a full disk at the output is one sentence, whatever the command', async () => {
  const dir = temporaryDir();
  await daybook(['demo', '--days', '2', '--hits', '300'], { dir });
  const [site, hits] = ['marigold.example', join(dir, 'hits')];
  writeFileSync(
    hits,
    `${JSON.stringify({ at: '2024-01-01T00:00:00Z', visitor: 'a', hit: { u: `https://${site}/` } })}\n`,
  );
  await daybook(['key', 'add', 'one'], { dir });
  const settings = join(dir, 'daybook.yaml');
  writeFileSync(settings, 'version: 1');
  const printing = [
    ...[['help'], ['--version'], ['help', 'serve'], ['site', 'list'], ['site', 'list', '--json'], ['usage'], ['check']],
    ...[['doctor'], ['export', '-', '--site', site], ['backup', join(dir, 'copy.db')], ['seal'], ['upgrade']],
    ...[
      ['prune', '--older-than', '3000'],
      ['person-data', site, '--where', 'path=/'],
      ['erase', site, '--where', 'path=/', '--dry-run'],
    ],
    ...[
      ['import', hits, '--site', site, '--all'],
      ['import', 'list'],
      ['import', 'undo', '1'],
    ],
    ...[
      ['site', 'add', 'a.example'],
      ['site', 'set', site, '--timezone', 'Europe/Paris'],
    ],
    ...[
      ['key', 'add', 'two'],
      ['key', 'list'],
      ['key', 'revoke', '1'],
      ['rate', 'set', 'USD', 'EUR', '0.9'],
      ['rate', 'list'],
    ],
    ...[
      ['account', 'add', 'bob'],
      ['account', 'list'],
      ['account', 'set', 'bob', '--plan', 'pro'],
      ['account', 'link', 'bob'],
    ],
    ...[
      ['rollup', 'add', 'All', '--site', site],
      ['rollup', 'list'],
      ['rollup', 'set', 'All', '--site', site],
    ],
    ['rollup', 'remove', 'All'],
    ...[
      ['share', 'add', site, 'Press'],
      ['share', 'list', site],
      ['share', 'set', site, 'Press', '--part', 'events'],
      ['share', 'remove', site, 'Press'],
    ],
    ['repack'],
    ['provision', settings],
    ...[
      ['person', 'add', 'ada@example.com'],
      ['person', 'list'],
      ['person', 'link', 'ada@example.com'],
      ['member', 'add', 'ada@example.com', '--account', 'bob', '--role', 'owner'],
      ['member', 'list', '--account', 'bob'],
      ['person', 'add', 'vi@example.com'],
      ['member', 'add', 'vi@example.com', '--account', 'bob', '--role', 'viewer'],
      ['member', 'set', 'vi@example.com', '--account', 'bob', '--role', 'editor'],
      ['member', 'remove', 'vi@example.com', '--account', 'bob'],
      ['person', 'reset-factors', 'vi@example.com'],
      ['person', 'disable', 'vi@example.com'],
      ['person', 'enable', 'vi@example.com'],
      ['person', 'remove', 'vi@example.com'],
    ],
    ...[['audit'], ['audit', 'check']],
    ...[
      ['cluster', 'invite', 'c1', '--role', 'collect'],
      ['cluster', 'revoke', 'c1'],
      ['cluster', 'adopt'],
    ],
    ...[
      ['goal', 'set', site, 'Done', 'path=/'],
      ['goal', 'list', site],
      ['goal', 'remove', site, 'Done'],
    ],
    ...[
      ['segment', 'set', site, 'Home', 'path=/'],
      ['segment', 'list', site],
      ['segment', 'remove', site, 'Home'],
    ],
    ...[
      ['funnel', 'set', site, 'Way', 'step=path=/&step=path=/b'],
      ['funnel', 'list', site],
      ['funnel', 'remove', site, 'Way'],
    ],
    ...[
      ['channel', 'add', 'ntfy', 'phone', 'https://ntfy.example/topic'],
      ['channel', 'add', 'webhook', 'hook', 'https://hook.example/'],
      ['channel', 'list'],
      ['channel', 'test', 'phone'],
      ['channel', 'secret', 'hook'],
      ['alert', 'add', site, 'spike', '--channel', 'phone', '--param', 'sensitivity=keen'],
      ['alert', 'list', site],
      ['alert', 'try', site, 'silent'],
      ['alert', 'set', site, '1', 'drop'],
      ['alert', 'remove', site, '1'],
      ['channel', 'remove', 'hook'],
      ['report', 'add', site, 'Weekly', '--to', 'ada@a.example'],
      ['report', 'list', site],
      ['report', 'set', site, '1', '--pause'],
      ['report', 'preview', site, '1'],
      ['report', 'remove', site, '1'],
    ],
    ...[
      ['site', 'reset', 'a.example', '--yes'],
      ['site', 'remove', 'a.example', '--yes'],
    ],
  ];
  // Those that need other servers, report send and mail test among them, restore, which needs copies, mcp, which answers what comes in, and
  // demo, which is tried by itself.
  const others = [
    'serve',
    'collect',
    'answer',
    'report send',
    'import stop',
    'demo',
    'mcp',
    'mail test',
    'restore',
    'cluster import',
    'cluster retire',
  ];
  const isTried = (name: string): boolean => printing.some(args => args.join(' ').startsWith(name));
  assert.equal(
    commands.map(({ name }) => name).filter(name => !isTried(name)),
    others,
  );
  const demo = ['demo', '--days', '2', '--hits', '300'];
  for (const args of [...printing, demo]) {
    if (!(repeat > 1 || writesItself.test(args.join(' ')))) {
      const { stdout, stderr } = await runCommand(dir, args);
      assert.is.not(stdout, '', `${args.join(' ')}: ${stderr}`);
      continue;
    }
    const { code, stderr } = await full(args, args === demo ? temporaryDir() : dir);
    const said = 'daybook: Standard output cannot be written: ENOSPC: no space left on device, write.\n';
    assert.equal([code, stderr], [1, said], args.join(' '));
  }
  // Where nobody can be told, the code tells.
  assert.is((await full(['site', 'lost'], dir, 'stderr')).code, 2);
  assert.is((await full(['site', 'list'], dir, 'stderr')).code, 0);
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
