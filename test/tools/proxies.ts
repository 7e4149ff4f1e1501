/** Proxies as the documents have them, but for addresses and TLS, and requests through them. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import * as assert from 'uvu/assert';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** What stands in the page for other things, and what it is here. */
export const replaced = (text: string, by: readonly [from: string | RegExp, to: string][]): string =>
  by.reduce((done, [from, to]) => {
    assert.ok(typeof from === 'string' ? done.includes(from) : from.test(done), `${from} is in the page`);
    return done.replaceAll(from instanceof RegExp ? new RegExp(from, 'g') : from, to);
  }, text);

/** Its program and arguments, with all that it writes in a directory; `config` stands within `http`. */
export const nginxWith = (dir: string, config: string): [program: string, ...args: string[]] => {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${dir}/${name};`);
  const file = join(dir, 'nginx.conf');
  writeFileSync(
    file,
    `user root; daemon off; pid ${join(dir, 'pid')}; worker_processes 1; error_log stderr;
     events {} http { access_log off; ${paths.join('\n')}\n${config} }`,
  );
  return ['/usr/sbin/nginx', '-c', file, '-e', 'stderr'];
};

export const haproxyWith = (dir: string, config: string): [program: string, ...args: string[]] => {
  const file = join(dir, 'haproxy.cfg');
  writeFileSync(file, `${config}\n`);
  return ['/usr/sbin/haproxy', '-db', '-f', file];
};

export interface AskedThrough {
  path: string;
  /** An address of this machine. */
  from?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** A request through a proxy that listens on this machine. */
export const askThrough = (
  port: number,
  { path, from = '127.0.0.1', headers = {}, body }: AskedThrough,
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
