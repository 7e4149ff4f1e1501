/** The proxies of docs/proxy.md, as the page has them but for addresses and TLS, where they are installed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../src/package-root.ts';
import { freePorts } from './cluster/servers.ts';
import { addSite, temporaryDir } from './helpers.ts';
import { startTestServer } from './start-server.ts';
import { endChild } from './tools/children.ts';
import { until } from './tools/conditions.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** The indented lines of a section. */
const recipe = (title: string): string => {
  const page = readFileSync(join(packageRoot, 'docs', 'proxy.md'), 'utf8');
  const section = page
    .slice(page.indexOf(`\n## ${title}\n`))
    .slice(1)
    .split('\n## ')[0]!;
  return [...section.matchAll(/^ {4}(.*)\n|^\n/gm)].map(([, line]) => line ?? '').join('\n');
};

/** What stands in the page for other things, and what it is here. */
const replaced = (text: string, by: readonly [from: string | RegExp, to: string][]): string =>
  by.reduce((done, [from, to]) => {
    assert.ok(typeof from === 'string' ? done.includes(from) : from.test(done), `${from} is in the page`);
    return done.replaceAll(from instanceof RegExp ? new RegExp(from, 'g') : from, to);
  }, text);

/** Writes the settings into a directory of its own, and gives the program that takes them. */
type Proxy = (dir: string, port: number, daybook: string) => [program: string, ...args: string[]];

const nginx: Proxy = (dir, port, daybook) => {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${dir}/${name};`);
  writeFileSync(
    join(dir, 'nginx.conf'),
    `user root; daemon off; pid ${dir}/pid; worker_processes 1; error_log stderr; events {}
     http { access_log off; ${paths.join('\n')}
     server { listen 127.0.0.1:${port}; ${replaced(recipe('nginx'), [['127.0.0.1:8080', daybook]])} } }`,
  );
  return ['/usr/sbin/nginx', '-c', join(dir, 'nginx.conf'), '-e', 'stderr'];
};

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
  writeFileSync(join(dir, 'haproxy.cfg'), `${config}\n`);
  return ['/usr/sbin/haproxy', '-db', '-f', join(dir, 'haproxy.cfg')];
};

interface Asked {
  from?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request from an address of this machine. */
const ask = (
  port: number,
  path: string,
  { from = '127.0.0.1', headers, body }: Asked = {},
): Promise<{ status: number; outcome: string; text: string }> =>
  new Promise((resolve, reject) => {
    const asking = request(
      {
        ...{ host: '127.0.0.1', port, localAddress: from, path, method: body === undefined ? 'GET' : 'POST' },
        headers: { 'user-agent': chrome, 'content-type': 'text/plain', ...headers },
        agent: false,
      },
      response => {
        let text = '';
        response.on('data', part => (text += part));
        response.on('end', () =>
          resolve({ status: response.statusCode!, outcome: String(response.headers['x-daybook'] ?? ''), text }),
        );
      },
    );
    asking.on('error', reject);
    asking.end(body);
  });

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
      return ask(port!, '/js/app.js').then(
        () => true,
        () => false,
      );
    });
    const script = await ask(port!, '/js/app.js');
    assert.equal([script.status, /data-site|dataset/.test(script.text)], [200, true], said);
    assert.equal((await ask(port!, `/in/c/${publicKey}`)).status, 200);
    const body = JSON.stringify({ s: publicKey, u: 'https://a.example/' });
    for (const [from, outcome] of [
      ['127.0.0.7', 'ignored; reason=excluded-ip'],
      ['127.0.0.8', 'recorded'],
    ] as const)
      for (const claimed of ['203.0.113.7', '127.0.0.7', '127.0.0.8, 127.0.0.9'])
        assert.is(
          (await ask(port!, '/in/e', { from, body, headers: { 'x-forwarded-for': claimed } })).outcome,
          outcome,
        );
    for (const path of ['/metrics', '/in/metrics', '/in/health', '/in/sign-in'])
      assert.is.not((await ask(port!, path)).status, 200, `${path} is not passed on`);
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
