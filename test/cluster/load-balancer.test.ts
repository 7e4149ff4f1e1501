/** The load balancers of docs/cluster.md, as the page has them but for addresses and TLS, where they are installed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/package-root.ts';
import { openDatabase, openReader } from '../../src/store/database.ts';
import { type Server, start } from '../faults/server-process.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { primaryFlags } from '../start-server.ts';
import { endChild } from '../tools/children.ts';
import { until } from '../tools/conditions.ts';
import { type AskedThrough, askThrough, haproxyWith, nginxWith, replaced } from '../tools/proxies.ts';
import { freePorts } from './servers.ts';

/** The indented lines after a paragraph that begins with this text. */
const configOf = (beginning: string): string => {
  const page = readFileSync(join(packageRoot, 'docs', 'cluster.md'), 'utf8');
  const after = page.slice(page.indexOf(`\n${beginning}`) + 1);
  const block = after.slice(after.indexOf('\n\n') + 2).match(/^(?: {4}.*\n|\n)+/)![0];
  return block.replace(/^ {4}/gm, '');
};

interface Servers {
  primary: Server;
  collectors: Server[];
  answer: Server;
}

const addressesOf = ({ primary, collectors, answer }: Servers): [string, string][] => {
  const hostOf = ({ url }: Server): string => new URL(url).host;
  return [
    ['10.0.0.21:8080', hostOf(collectors[0]!)],
    ['10.0.0.22:8080', hostOf(collectors[1]!)],
    ['10.0.0.31:8080', hostOf(answer)],
    ['10.0.0.32:8080', hostOf(answer)],
    ['10.0.0.11:8080', hostOf(primary)],
  ];
};

/** The program and its arguments, for a directory of its own and a port. */
type Balancer = (dir: string, port: number, servers: Servers) => [program: string, ...args: string[]];

const nginx: Balancer = (dir, port, servers) => {
  const config = replaced(configOf('nginx, `/etc/nginx/conf.d'), [
    ...addressesOf(servers),
    ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
    [/ssl_certificate.*;\n/, ''],
  ]);
  return nginxWith(dir, config);
};

const haproxy: Balancer = (dir, port, servers) => {
  const config = replaced(configOf('HAProxy, `/etc/haproxy'), [
    ...addressesOf(servers),
    [/bind :443 ssl crt \S+/, `bind 127.0.0.1:${port}`],
  ]);
  return haproxyWith(dir, config);
};

/** A request through the load balancer. */
const ask = (
  port: number,
  { host, headers, ...asked }: AskedThrough & { host: string },
): ReturnType<typeof askThrough> => askThrough(port, { ...asked, headers: { host, ...headers } });

const startAll = async (env: Record<string, string>, dirs: readonly string[]): Promise<Servers> => {
  const primary = await start({ dataDir: dirs[0]!, env: { ...env, CLICKHOUSE: primaryFlags.clickhouse } });
  const follow = (ROLE: string, dataDir: string) => start({ dataDir, env: { ...env, ROLE, PRIMARY: primary.url } });
  const [one, two, answer] = await Promise.all([
    follow('collect', dirs[1]!),
    follow('collect', dirs[2]!),
    follow('answer', dirs[3]!),
  ]);
  return { primary, collectors: [one!, two!], answer: answer! };
};

const clients = Array.from({ length: 40 }, (_, i) => `127.0.0.${i + 2}`);
const excluded = clients[7]!;

const visitorsIn = (dataDir: string): Set<string> => {
  const db = openReader(dataDir);
  const all = db.prepare('select hex(visitor) from visit').pluck().all() as string[];
  db.close();
  return new Set(all);
};

const tryOn = async (balancer: Balancer): Promise<void> => {
  const dirs = Array.from({ length: 4 }, temporaryDir);
  const db = openDatabase(dirs[0]!);
  const { publicKey } = addSite(db, { excludedIps: [excluded] });
  db.close();
  const servers = await startAll({ CLUSTER_TOKEN: primaryFlags.token, TRUST_PROXY: '127.0.0.1' }, dirs);
  const dir = temporaryDir();
  const [port] = await freePorts(1);
  const [program, ...args] = balancer(dir, port!, servers);
  const child: ChildProcess = spawn(program, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr!.on('data', text => (said += text));
  const send = (from: string, path: string, headers: Record<string, string> = {}) =>
    ask(port!, {
      from,
      host: 'hits.example.com',
      path: '/e',
      headers,
      body: JSON.stringify({ s: publicKey, u: `https://a.example${path}` }),
    });
  try {
    await until('it listens', async () => {
      assert.is(child.exitCode, null, said);
      return ask(port!, { from: '127.0.0.1', host: 'hits.example.com', path: '/health' }).then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    for (const path of ['/a', '/b'])
      for (const from of clients) {
        const { outcome } = await send(from, path, { 'x-forwarded-for': '203.0.113.7' });
        assert.is(outcome, from === excluded ? 'ignored; reason=excluded-ip' : 'recorded', `${from} ${said}`);
      }
    const [first, second] = [visitorsIn(dirs[1]!), visitorsIn(dirs[2]!)];
    assert.is(first.size + second.size, clients.length - 1, 'each client is one visitor, at one collector');
    assert.ok(first.size > 5 && second.size > 5, `${first.size} and ${second.size}`);

    const at = (host: string, path: string) => ask(port!, { from: '127.0.0.1', host, path });
    assert.is((await at('api.example.com', '/api/v1/sites')).status, 401);
    assert.is((await at('stats.example.com', '/health')).status, 200);
    const headers = { authorization: `Bearer ${primaryFlags.token}` };
    const inside = { from: '127.0.0.1', host: 'stats.example.com', path: '/cluster/state?role=answer', headers };
    assert.is((await ask(port!, inside)).status, 404);

    await servers.collectors[0]!.kill();
    for (const from of clients)
      if (from !== excluded) assert.is((await send(from, '/c')).outcome, 'recorded', `${from} ${said}`);
    const all = visitorsIn(dirs[2]!);
    assert.is(all.size, clients.length - 1, 'those of the one that was killed came');
    for (const visitor of second) assert.ok(all.has(visitor));
  } finally {
    await endChild(child);
    await Promise.all([...servers.collectors.slice(1), servers.answer, servers.primary].map(server => server.stop()));
    if (servers.collectors[0]!.alive()) await servers.collectors[0]!.stop();
  }
};

for (const [name, balancer, program] of [
  ['nginx', nginx, '/usr/sbin/nginx'],
  ['HAProxy', haproxy, '/usr/sbin/haproxy'],
] as const)
  (existsSync(program) ? test : test.skip)(`${name} keeps each client at its collector`, () => tryOn(balancer));

test.run();
