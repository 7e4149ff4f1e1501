/** A server of a release, as its operator and its visitors use it. */
import * as assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

export interface Serving {
  url: string;
  pid: number;
  /** Milliseconds from the start to the line that says where it listens. */
  startMs: number;
  /** Sends SIGTERM and waits for an orderly end. */
  stop(): Promise<void>;
}

/** Resolves when the server listens. Rejects with what it printed when it ends before. */
export const onceListening = (child: ChildProcessWithoutNullStreams): Promise<Serving> => {
  const startedAt = performance.now();
  const ended = once(child, 'exit');
  let printed = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += chunk;
      const url = /^Daybook listens on (http:\S+)\n/m.exec(printed)?.[1];
      if (url === undefined) return;
      const stop = async (): Promise<void> => {
        child.kill('SIGTERM');
        const [code] = await ended;
        assert.match(printed, / stopped\n/);
        assert.equal(code, 0, printed);
      };
      resolve({ url, pid: child.pid!, startMs: performance.now() - startedAt, stop });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', () => reject(new Error(`It did not serve: ${printed}`)));
  });
};

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

/** Sends a hit, which has to be recorded. Dashboard and tracker have to be there, too. */
export const visit = async (url: string, site: string, path: string): Promise<void> => {
  const hit = JSON.stringify({ s: site, u: `https://example.com${path}` });
  const answer = await fetch(`${url}/e`, { method: 'POST', body: hit, headers: { 'user-agent': browser } });
  assert.deepEqual([answer.status, answer.headers.get('x-daybook')], [202, 'recorded'], await answer.text());
};

export const hasPages = async (url: string): Promise<void> => {
  for (const path of ['/t.js', '/script.js', '/health']) assert.equal((await fetch(url + path)).status, 200, path);
  const page = await (await fetch(url)).text();
  const asset = /\/assets\/app-[^"]+\.js/.exec(page)?.[0];
  assert.ok(asset, page);
  assert.equal((await fetch(url + asset)).status, 200);
};

/** Pages and their hits of today, as the API tells them. */
export const pagesOf = async (url: string, site: string, key: string): Promise<Record<string, number>> => {
  const path = `/api/v1/sites/${site}/breakdown?dimension=path&range=today`;
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200);
  const { data } = (await answer.json()) as { data: { name: string; events: number }[] };
  return Object.fromEntries(data.map(({ name, events }) => [name, events]));
};
