/** What commands do that cannot write their output. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from '../../src/cli/commands.ts';
import { packageRoot } from '../../src/package-root.ts';
import { temporaryDir } from '../helpers.ts';
import { repeat } from '../repeat.ts';
import { builtProgram } from '../tools/build.ts';
import { runCommand } from './helpers.ts';

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

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
 * Commands that write themselves, at length or beside threads, and two of the others. What all others say is printed in one place, so
 * they run in this process, and with TEST_REPEAT each as a program.
 */
const writesItself = /^(help|--version|site list|check|doctor|export|person-data|import|backup|upgrade|demo)\b/;

const isLinux = process.platform === 'linux' ? test : test.skip;
isLinux('a full disk at the output is one sentence, whatever the command', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['demo', '--days', '2', '--hits', '300']);
  const [site, hits] = ['marigold.example', join(dir, 'hits')];
  writeFileSync(
    hits,
    `${JSON.stringify({ at: '2024-01-01T00:00:00Z', visitor: 'a', hit: { u: `https://${site}/` } })}\n`,
  );
  await runCommand(dir, ['key', 'add', 'one']);
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

test.run();
