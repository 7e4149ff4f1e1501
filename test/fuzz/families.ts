/** Hits as other products' clients send them: each is answered as documented, whatever it holds. */
import { Agent, request } from 'node:http';
import type { Chance } from '../../src/cli/demo/random.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { chrome, startCollector } from '../collect/start-collector.ts';
import { must } from '../tools/conditions.ts';
import { mutateBytes, mutateFields, mutateText, nastyText, randomJson } from './random-input.ts';
import type { Target } from './target.ts';

const key = `tk_live_${'f'.repeat(32)}`;
const url = 'https://example.com/a?utm_source=b&c=d#e';

const matomo = {
  idsite: '7',
  rec: '1',
  url,
  action_name: 'A',
  e_c: 'Video',
  e_a: 'play',
  revenue: '9.99',
  idgoal: '0',
};
const bodies: readonly [path: string, body: Record<string, unknown>][] = [
  ['/api/event', { n: 'pageview', u: url, d: 'example.com', r: 'https://news.example/', p: { plan: 'pro' }, h: 1 }],
  ['/api/event', { name: 'engagement', url, domain: 'example.com,other.example', e: 4000, sd: 70 }],
  ['/api/event', { n: 'Buy', u: url, d: 'example.com', $: { amount: '10.29', currency: 'EUR' }, m: '{"a":"b"}' }],
  [
    '/api/v0/count',
    { no_sessions: true, hits: [{ path: '/a', title: 'A', size: [1920, 1, 1], created_at: '2026-11-20T12:00:00Z' }] },
  ],
  ['/gc/code/api/v0/count', { hits: [{ path: 'x', event: true, ip: '192.0.2.1', user_agent: chrome, session: 's' }] }],
  [
    '/matomo.php',
    {
      token_auth: key,
      requests: [`?${new URLSearchParams(matomo)}`, matomo, { ...matomo, cip: '192.0.2.1', cdt: '1' }],
    },
  ],
  [
    '/api/send',
    {
      type: 'event',
      payload: { website: 'example.com', url, ip: '192.0.2.1', userAgent: chrome, timestamp: 1, id: 'u' },
    },
  ],
];
const queries: readonly [path: string, query: Record<string, string>][] = [
  ['/count', { p: '/a', t: 'A', r: 'https://news.example/', e: 'true', s: '1920,1080,1', q: '?utm_source=x', b: '0' }],
  ['/gc/code/count', { p: '/a?ref=x', t: 'A', b: '150' }],
  ['/matomo.php', { ...matomo, cvar: '{"1":["a","b"]}', dimension1: 'x', res: '1920x1080', _id: '0123456789abcdef' }],
  ['/piwik.php', { ...matomo, e_c: '', link: 'https://other.example/', send_image: '0' }],
  ['/api/event', { p: '/e' }],
];

const documented = new Set([200, 202, 204, 400, 401, 403, 404, 405, 413, 429]);
/** An answer names each hit of a list at most once. */
const answerBytesMax = 256 * 1024;

const queryOf = (chance: Chance, given: Record<string, string>): string => {
  const pairs = Object.entries(mutateFields(chance, given)).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  ]);
  const query = `${new URLSearchParams(pairs)}`;
  return (chance.is(0.2) ? mutateText(chance, query) : query).replace(/[^!-~]/g, '').slice(0, 8000);
};

const bodyOf = (chance: Chance, given: Record<string, unknown>): Buffer => {
  const json = chance.is(0.1) ? randomJson(chance) : chance.is(0.8) ? mutateFields(chance, given) : given;
  const lists = Object.entries(given).filter(([, value]) => typeof value === 'object' && value !== null);
  // What stands inside a list or object is broken, too.
  const inner = lists.map(([name, value]) => [
    name,
    Array.isArray(value)
      ? Array.from({ length: chance.is(0.05) ? 501 : chance.below(4) }, () => {
          const one = chance.one(value);
          return typeof one === 'string'
            ? mutateText(chance, one)
            : mutateFields(chance, one as Record<string, unknown>);
        })
      : mutateFields(chance, value as Record<string, unknown>),
  ]);
  const text = JSON.stringify(chance.is(0.5) ? { ...given, ...Object.fromEntries(inner) } : json) ?? '';
  return chance.is(0.2) ? mutateBytes(chance, Buffer.from(text)) : Buffer.from(text);
};

export const families: Target = {
  name: 'families',
  what: 'hits in the forms of other products',
  share: 0.04,
  lanes: 8,
  async open() {
    const site = { domain: 'example.com', aliases: ['matomo:7', 'goatcounter:code', 'localhost'] };
    const collector = await startCollector({ site });
    apiKeys(collector.db).add(accounts(collector.db).named('default', 0).id, 'fuzz', key, 0);
    const { hostname, port } = new URL(collector.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const send = (method: string, path: string, headers: Record<string, string>, body?: Buffer) =>
      new Promise<{ status: number; bytes: number }>((resolve, reject) => {
        const sent = request({ hostname, port, method, path, agent, headers }, response => {
          let bytes = 0;
          response.on('data', chunk => (bytes += chunk.length));
          response.on('end', () => resolve({ status: response.statusCode!, bytes }));
          response.on('error', reject);
        });
        sent.on('error', reject);
        sent.end(body);
      });
    return {
      async one(chance) {
        const headers: Record<string, string> = {
          ...{ 'user-agent': chrome, 'x-forwarded-for': `198.${chance.below(250)}.${chance.below(250)}.1` },
          ...(chance.is(0.5) && { authorization: `Bearer ${key}` }),
          ...(chance.is(0.3) && { host: 'localhost' }),
          ...(chance.is(0.1) && {
            referer: nastyText(chance)
              .replace(/[^!-~]/g, '')
              .slice(0, 1000),
          }),
        };
        const isQuery = chance.is(0.4);
        const [path, given] = chance.one<readonly [string, Record<string, unknown>]>(isQuery ? queries : bodies);
        const target = isQuery ? `${path}?${queryOf(chance, given as Record<string, string>)}` : path;
        const body = isQuery ? undefined : bodyOf(chance, given);
        const { status, bytes } = await send(isQuery ? 'GET' : 'POST', target, headers, body);
        const what = `${status} to ${target} ${body ?? ''}`;
        must(documented.has(status), what);
        must(bytes <= answerBytesMax, `${bytes} bytes: ${what}`);
      },
      async close() {
        agent.destroy();
        const failures = collector.logged.filter(event => event.endsWith('-failed'));
        await collector.close();
        must(failures.length === 0, failures.slice(0, 3).join('\n'));
      },
    };
  },
};
