/**
 * What docs/cluster.md prints is run as it stands there, on machines that have nothing yet: network namespaces with the addresses and names
 * of the page, ClickHouse on two of them, and nginx with the page's configuration between a browser and the servers.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/package-root.ts';
import { temporaryDir } from '../helpers.ts';
import { builtProgram } from '../tools/build.ts';
import { endChild } from '../tools/children.ts';
import { until } from '../tools/conditions.ts';
import { hasClickHouse, writeServer } from './servers.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const page = readFileSync(join(packageRoot, 'docs/cluster.md'), 'utf8');
const prefix = `daybook-${process.pid}`;
const machines = {
  ch1: '10.0.0.41',
  ch2: '10.0.0.42',
  primary: '10.0.0.11',
  collector: '10.0.0.21',
  balancer: '10.0.0.10',
  browser: '10.0.0.99',
} as const;
type Machine = keyof typeof machines;
const names = Object.keys(machines) as Machine[];
const hosts = `127.0.0.1 localhost\n${machines.ch1} ch1\n${machines.ch2} ch2\n${machines.balancer} hits.example.com stats.example.com api.example.com\n`;

const namespaceOf = (machine: string): string => `${prefix}-${machine}`;
const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
const hasNamespaces = (): boolean => {
  if (process.getuid?.() !== 0 || !existsSync('/usr/sbin/nginx')) return false;
  const made = spawnSync('ip', ['netns', 'add', namespaceOf('try')]).status === 0;
  if (made) ip('netns', 'del', namespaceOf('try'));
  return made;
};

/** Machines on one switch, which is a machine, too. */
const startNetwork = (): void => {
  ip('netns', 'add', namespaceOf('switch'));
  ip('-n', namespaceOf('switch'), 'link', 'add', 'switch', 'type', 'bridge');
  ip('-n', namespaceOf('switch'), 'link', 'set', 'switch', 'up');
  for (const [i, machine] of names.entries()) {
    const of = namespaceOf(machine);
    ip('netns', 'add', of);
    mkdirSync(`/etc/netns/${of}`, { recursive: true });
    writeFileSync(`/etc/netns/${of}/hosts`, hosts);
    ip('-n', of, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', `port${i}`, 'netns', namespaceOf('switch'));
    ip('-n', namespaceOf('switch'), 'link', 'set', `port${i}`, 'master', 'switch', 'up');
    ip('-n', of, 'address', 'add', `${machines[machine]}/24`, 'dev', 'eth0');
    for (const link of ['lo', 'eth0']) ip('-n', of, 'link', 'set', link, 'up');
  }
};

const endNetwork = (): void => {
  for (const machine of [...names, 'switch']) {
    spawnSync('ip', ['netns', 'del', namespaceOf(machine)]);
    rmSync(`/etc/netns/${namespaceOf(machine)}`, { recursive: true, force: true });
  }
};

const children: ChildProcess[] = [];
const tryIt = hasClickHouse() && hasNamespaces() ? test : test.skip;
test.after(async () => {
  await Promise.all(children.map(child => endChild(child)));
  endNetwork();
});

/** Each machine has `daybook` and a directory of its own. */
const stage = temporaryDir();
const environmentOf = (machine: Machine): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${stage}:${process.env.PATH}`,
  DAYBOOK_DATA: join(stage, machine),
  GEO_DB: '/dev/null',
});

const begin = (machine: Machine, command: string, args: string[], input = '') => {
  const child = spawn('ip', ['netns', 'exec', namespaceOf(machine), command, ...args], {
    ...{ cwd: stage, env: environmentOf(machine), stdio: ['pipe', 'pipe', 'pipe'] },
  });
  children.push(child);
  const said = { text: '', child };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (said.text += text));
  child.stdin.end(input);
  return said;
};

const run = async (machine: Machine, line: string): Promise<string> => {
  const said = begin(machine, 'bash', ['-c', line]);
  await until(line, () => said.child.exitCode !== null, 120_000);
  assert.is(said.child.exitCode, 0, `${line}: ${said.text}`);
  return said.text;
};

/** The lines with which the page begins a cluster. */
const printed = (): [serve: string, invite: string, read: string, collect: string] => {
  const [block] = /(?: {4}.*\n)+/.exec(page.slice(page.indexOf('## Roles')))!;
  const lines = block
    .trimEnd()
    .split('\n')
    .map(line => line.trim());
  assert.is(lines.length, 4, block);
  return lines as [string, string, string, string];
};

const nginxConfig = (): string => {
  const after = page.slice(page.indexOf('\nnginx, `/etc/nginx'));
  const [block] = /(?: {4}.*\n|\n)+(?=\S)/.exec(after.slice(after.indexOf('\n\n') + 1))!;
  const plain = block.replace(/listen 443 ssl;/g, 'listen 80;').replace(/ssl_certificate.*;\n/g, '');
  const dirs = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${stage}/${name};`);
  return `user root; daemon off; pid ${stage}/nginx.pid; worker_processes 1; error_log stderr;
    events {} http { access_log off; ${dirs.join('\n')} ${plain} }`;
};

const statusOf = async (url: string): Promise<string> =>
  run('browser', `node -e "fetch('${url}').then(r => console.log(r.status), e => console.log(e.cause.code))"`);

tryIt('the printed lines make a cluster out of empty machines, behind the printed proxy', async () => {
  startNetwork();
  writeFileSync(join(stage, 'daybook'), `#!/bin/sh\nexec ${process.execPath} ${builtProgram} "$@"\n`);
  chmodSync(join(stage, 'daybook'), 0o755);
  for (const machine of ['ch1', 'ch2'] as const) {
    const dir = join(stage, machine);
    const ports = { http: 8123, tcp: 9000, inter: 9009, keeper: null, host: machines[machine] };
    const [program, ...args] = writeServer(dir, ports);
    begin(machine, program, args);
  }
  writeFileSync(join(stage, 'nginx.conf'), nginxConfig());
  const nginx = begin('balancer', '/usr/sbin/nginx', ['-c', join(stage, 'nginx.conf'), '-e', 'stderr']);
  for (const machine of ['ch1', 'ch2'])
    await until(
      `${machine} answers`,
      async () => (await statusOf(`http://${machine}:8123/`)).trim() === '200',
      120_000,
    );

  const [serve, invite, read, collect] = printed();
  const primary = begin('primary', 'bash', ['-c', serve]);
  await until('the primary listens', () => primary.text.includes('http://10.0.0.11:8080'), 120_000);
  const [key] = (await run('primary', 'daybook key add test')).split('\n');
  await run('primary', 'daybook site add a.example');
  const [token] = (await run('primary', invite)).split('\n');
  const collector = begin('collector', 'bash', ['-c', `${read}\n${collect}`], `${token}\n`);
  await until('the collector listens', () => collector.text.includes('http://10.0.0.21:8080'), 120_000).catch(error => {
    throw new Error(`${error.message} ${collector.text} ${primary.text}`);
  });

  const hit = `fetch('http://hits.example.com/e', { method: 'POST', headers: { 'user-agent': '${chrome}' },
    body: JSON.stringify({ s: 'a.example', u: 'https://a.example/' }) }).then(r => console.log(r.status, r.headers.get('x-daybook')))`;
  writeFileSync(join(stage, 'hit.mjs'), hit);
  await until(
    'the hit is taken',
    async () => (await run('browser', `node hit.mjs`)).trim() === '202 recorded',
    120_000,
  ).catch(error => {
    throw new Error(`${error.message} ${nginx.text} ${collector.text}`);
  });
  const count = `fetch('http://stats.example.com/api/v1/sites', { headers: { authorization: 'Bearer ${key}' } }).then(r => r.json())
    .then(({ data }) => fetch('http://stats.example.com/api/v1/sites/' + data[0].id + '/stats?range=7d', { headers: { authorization: 'Bearer ${key}' } }))
    .then(async r => console.log(r.status, r.headers.get('x-daybook-engine'), (await r.json()).pageviews))`;
  writeFileSync(join(stage, 'count.mjs'), count);
  let said = '';
  await until(
    'it is answered',
    async () => {
      said = (await run('browser', 'node count.mjs')).trim();
      return /^200 clickhouse [1-9]/.test(said);
    },
    120_000,
  ).catch(error => {
    throw new Error(`${error.message} ${said} ${primary.text} ${collector.text}`);
  });

  // The proxy lets nobody follow; who tries says what may be wrong.
  assert.match(await statusOf('http://stats.example.com/cluster/state?role=collect'), /^404/);
  const lost = begin('collector', 'bash', [
    '-c',
    `export CLUSTER_TOKEN=${token}; daybook collect --data ${stage}/lost --port 8081 --primary http://stats.example.com`,
  ]);
  await until(
    'it says so',
    () =>
      lost.text.includes(
        'no primary at this address; is /cluster/ closed by a proxy, or the primary of an earlier version?',
      ),
    120_000,
  );
});

test.run();
