/** The proxies of docs/proxy.md, as the page has them but for addresses and TLS, where they are installed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../src/package-root.ts';
import { freePorts } from './cluster/servers.ts';
import { addSite, temporaryDir } from './helpers.ts';
import { startTestServer } from './start-server.ts';
import { endChild } from './tools/children.ts';
import { until } from './tools/conditions.ts';
import { askThrough, haproxyWith, nginxWith, replaced } from './tools/proxies.ts';

/** The indented lines of a section. */
const recipe = (title: string): string => {
  const page = readFileSync(join(packageRoot, 'docs', 'proxy.md'), 'utf8');
  const section = page
    .slice(page.indexOf(`\n## ${title}\n`))
    .slice(1)
    .split('\n## ')[0]!;
  return [...section.matchAll(/^ {4}(.*)\n|^\n/gm)].map(([, line]) => line ?? '').join('\n');
};

/** Writes the settings into a directory of its own, and gives the program that takes them. */
type Proxy = (dir: string, port: number, daybook: string) => [program: string, ...args: string[]];

const nginx: Proxy = (dir, port, daybook) =>
  nginxWith(dir, `server { listen 127.0.0.1:${port}; ${replaced(recipe('nginx'), [['127.0.0.1:8080', daybook]])} }`);

const caddy: Proxy = (dir, port, daybook) => {
  const site = replaced(recipe('Caddy'), [
    ['example.com', `http://127.0.0.1:${port}`],
    ['127.0.0.1:8080', daybook],
  ]);
  writeFileSync(join(dir, 'Caddyfile'), `{\nadmin off\nauto_https off\n}\n${site}`);
  return ['/usr/bin/caddy', 'run', '--config', join(dir, 'Caddyfile')];
};

const apache: Proxy = (dir, port, daybook) => {
  const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers'].map(
    name => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  mkdirSync(join(dir, 'empty'));
  writeFileSync(
    join(dir, 'apache.conf'),
    `ServerRoot ${dir}\nServerName localhost\nPidFile ${dir}/pid\nErrorLog ${dir}/error.log\nListen 127.0.0.1:${port}
${modules.join('\n')}
<VirtualHost *:${port}>
DocumentRoot ${dir}/empty
${replaced(recipe('Apache'), [['127.0.0.1:8080', daybook]])}
</VirtualHost>`,
  );
  return ['/usr/sbin/apache2', '-X', '-f', join(dir, 'apache.conf')];
};

const haproxy: Proxy = (dir, port, daybook) => {
  const config = replaced(recipe('HAProxy'), [
    [/bind :443 ssl crt \S+/, `bind 127.0.0.1:${port}`],
    ['127.0.0.1:8080', daybook],
  ]);
  return haproxyWith(dir, config);
};

const tryOn = async (proxy: Proxy): Promise<void> => {
  const server = await startTestServer();
  const { publicKey } = addSite(server.db, { excludedIps: ['127.0.0.7'] });
  const [dir, [port]] = [temporaryDir(), await freePorts(1)];
  const [program, ...args] = proxy(dir, port!, new URL(server.url).host);
  const child: ChildProcess = spawn(program, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr!.on('data', text => (said += text));
  try {
    await until('it listens', () => {
      assert.is(child.exitCode, null, said);
      return askThrough(port!, { path: '/js/app.js' }).then(
        () => true,
        () => false,
      );
    });
    const script = await askThrough(port!, { path: '/js/app.js' });
    assert.equal([script.status, /data-site|dataset/.test(script.text)], [200, true], said);
    assert.equal((await askThrough(port!, { path: `/in/c/${publicKey}` })).status, 200);
    const body = JSON.stringify({ s: publicKey, u: 'https://a.example/' });
    for (const [from, outcome] of [
      ['127.0.0.7', 'ignored; reason=excluded-ip'],
      ['127.0.0.8', 'recorded'],
    ] as const)
      for (const claimed of ['203.0.113.7', '127.0.0.7', '127.0.0.8, 127.0.0.9'])
        assert.is(
          (await askThrough(port!, { path: '/in/e', from, body, headers: { 'x-forwarded-for': claimed } })).outcome,
          outcome,
        );
    for (const path of ['/metrics', '/in/metrics', '/in/health', '/in/sign-in'])
      assert.is.not((await askThrough(port!, { path })).status, 200, `${path} is not passed on`);
  } finally {
    await endChild(child);
    await server.close();
  }
};

for (const [name, proxy, program] of [
  ['nginx', nginx, '/usr/sbin/nginx'],
  ['Caddy', caddy, '/usr/bin/caddy'],
  ['Apache', apache, '/usr/sbin/apache2'],
  ['HAProxy', haproxy, '/usr/sbin/haproxy'],
] as const)
  (existsSync(program) ? test : test.skip)(`through ${name} the script and hits come, with the visitor’s address`, () =>
    tryOn(proxy),
  );

test.run();
