/** A whole server, asked anything: it answers each request with a status that is documented, and never with 500. */
import { randomBytes as cryptoRandom } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Chance } from '../../src/cli/demo/random.ts';
import { readConfig } from '../../src/config.ts';
import { dimensionNames } from '../../src/model/dimensions.ts';
import { rangeKeys } from '../../src/model/ranges.ts';
import { dayMs } from '../../src/model/time.ts';
import { startServer } from '../../src/server.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { definitions } from '../../src/store/definitions.ts';
import { temporaryDir } from '../helpers.ts';
import { firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { must } from '../tools/conditions.ts';
import { mutateBytes, mutateText, nastyText, randomText } from './random-input.ts';
import type { Target } from './target.ts';

const key = `tk_live_${'z'.repeat(32)}`;

const open = async () => {
  const dataDir = temporaryDir();
  const db = openDatabase(dataDir);
  storeSite(db, randomSite(randomFrom(5)), firstDay + 3);
  apiKeys(db).add(accounts(db).named('default', 0).id, 'fuzz', key, 0);
  const { id, uuid: site } = db.prepare('select id, uuid from site').get() as { id: number; uuid: string };
  definitions(db).set(id, 'goal', 'Signup', { conditions: 'event=Signup|prop:plan=pro', value: 100 }, 9);
  db.close();
  const failures: string[] = [];
  const server = await startServer({
    config: readConfig({}, { data: dataDir, port: '0', 'geo-db': '/dev/null' }),
    now: () => (firstDay + 4) * dayMs + 3_600_000,
    random: cryptoRandom,
    log: (event, fields) => {
      if (event.endsWith('-failed')) failures.push(`${event} ${JSON.stringify(fields)}`);
    },
  });
  return { server, site, failures };
};

const endpoints = 'stats series breakdown events realtime nothing'.split(' ');
const extended = 'table series goals visits vitals crawlers outcomes visit-hits funnel journey'.split(' ');
const own =
  'limit metrics interval compare dimension conversionGoal conditions event property series histogram by cursor sort dir q mode converted bounced paid returning raw share step scope anchor via direction show folder'.split(
    ' ',
  );
const operators = ['', '!', '*', '^', '$', '!*', '>', '!<', '>3', '~', '='];

const pathOf = (chance: Chance, site: string): string => {
  const named = chance.is(0.97) ? site : encodeLoosely(randomText(chance));
  const path = chance.weighted([
    [`/api/v1/sites/${named}/${chance.one(endpoints)}`, 6],
    [`/api/ext/sites/${named}/${chance.one(extended)}`, 3],
    [`/api/export/${named}`, 1],
    ['/api/v1/sites', 0.3],
    [
      `/${chance.one(['app', 'app/', 'share/x', 'login', 'assets/x', 'c/pk_live_x', 'health', 'favicon.ico', ''])}`,
      0.7,
    ],
  ]);
  return chance.is(0.04) ? mutateText(chance, path).replace(/[^\x21-\x7e]/g, encodeLoosely) : path;
};

/** Half a character has no encoding. */
const encodeLoosely = (text: string): string => encodeURIComponent(text.toWellFormed());

const pairOf = (chance: Chance): [string, string] => {
  const kind = chance.below(5);
  if (kind === 0) return ['range', chance.is(0.8) ? chance.one(rangeKeys) : randomText(chance)];
  if (kind === 1)
    return [
      chance.one(['from', 'to']),
      chance.is(0.7) ? `2024-10-${String(1 + chance.below(33)).padStart(2, '0')}` : randomText(chance),
    ];
  if (kind === 2)
    return [
      chance.one(own),
      chance.is(0.5)
        ? chance.one([
            ...dimensionNames,
            'path',
            'prop:plan',
            'Signup',
            '1',
            'asc',
            '-1',
            'name',
            'path=/',
            'event=Signup|path^=/b',
            'visitor',
          ])
        : nastyText(chance),
    ];
  const field = chance.is(0.95)
    ? chance.one(['', 'visit:']) +
      chance.one([
        ...dimensionNames,
        'propKey',
        'propValue',
        'duration',
        'prop:plan',
        'prop:"a',
        'trait:email',
        'name',
        'status',
      ])
    : randomText(chance);
  return [
    field + chance.one(operators),
    chance.is(0.5) ? chance.one(['/', 'Direct / none', 'DE', 'a', '']) : randomText(chance),
  ];
};

const queryOf = (chance: Chance): string => {
  const pairs = Array.from({ length: chance.below(chance.is(0.02) ? 120 : 5) }, () => pairOf(chance));
  const text = pairs.map(pair => pair.map(encodeLoosely).join('=')).join('&');
  return chance.is(0.05) ? mutateText(chance, text).replace(/[^\x21-\x7e]/g, encodeLoosely) : text;
};

const documented = new Set([
  200, 202, 204, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 413, 414, 415, 429, 431,
]);

interface Answer {
  status: number;
  type: string;
  body: string;
}

export const questions: Target = {
  name: 'questions',
  what: 'questions to the API of a running server',
  share: 0.04,
  lanes: 8,
  async open() {
    const { server, site, failures } = await open();
    const { hostname, port } = new URL(server.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const ask = (path: string): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const sent = request({ hostname, port, path, agent, headers: { authorization: `Bearer ${key}` } }, response => {
          let body = '';
          response.on('data', chunk => (body += chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode!, type: response.headers['content-type'] ?? '', body }),
          );
          response.on('error', reject);
        });
        sent.on('error', reject);
        sent.end();
      });
    /**
     * Where the machine stands still for a while, questions pass their deadline and connections end, and are well a moment later; what
     * is wrong with an answer is so the second time too.
     */
    const askTwice = (path: string): Promise<Answer> =>
      ask(path).then(
        answer => (answer.status === 503 ? ask(path) : answer),
        () => ask(path),
      );
    return {
      async one(chance) {
        const path = `${pathOf(chance, site)}?${queryOf(chance)}`.replace(/^(?!\/)/, '/');
        const { status, type, body } = await askTwice(path);
        must(documented.has(status), `${status} ${body} to ${path}`);
        if (type.startsWith('application/json')) JSON.parse(body);
      },
      async close() {
        agent.destroy();
        await server.close();
        must(failures.length === 0, failures.slice(0, 3).join('\n'));
      },
    };
  },
};

const goodRequests = (site: string): string[] => [
  `GET /api/v1/sites/${site}/stats?range=7d HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer ${key}\r\nCookie: a=b; daybook=x\r\nConnection: close\r\n\r\n`,
  'POST /e HTTP/1.1\r\nHost: a.example\r\nContent-Type: text/plain\r\nUser-Agent: Mozilla/5.0\r\nX-Forwarded-For: 203.0.113.9, 10.0.0.1\r\nContent-Length: 48\r\nConnection: close\r\n\r\n{"s":"pk_live_x","u":"https://a.example/","t":1}',
  'POST /crawl HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n[]\r\n0\r\n\r\n',
  'OPTIONS /api/send HTTP/1.1\r\nHost: a.example\r\nAccess-Control-Request-Headers: content-type,x-umami-cache\r\nConnection: close\r\n\r\n',
  'POST /app/login HTTP/1.1\r\nHost: a.example\r\nOrigin: http://a.example\r\nContent-Type: application/json\r\nContent-Length: 31\r\nConnection: close\r\n\r\n{"email":"a@b.c","password":""}',
];

/** How long an answer may take; what is half a request waits for the rest of it, and is cut off by us. */
const requestMs = 40;

export const requests: Target = {
  name: 'requests',
  what: 'broken HTTP on the wire',
  share: 0.01,
  lanes: 32,
  async open() {
    const { server, site, failures } = await open();
    const { hostname, port } = new URL(server.url);
    const good = goodRequests(site).map(text => Buffer.from(text, 'latin1'));
    const exchange = (bytes: Buffer): Promise<string> =>
      new Promise(resolve => {
        let answer = '';
        const socket = connect(Number(port), hostname);
        socket.setTimeout(requestMs, () => socket.destroy());
        socket.on('data', chunk => (answer += chunk.toString('latin1')));
        socket.on('error', () => {});
        socket.on('close', () => resolve(answer));
        socket.end(bytes);
      });
    return {
      async one(chance) {
        const bytes = mutateBytes(chance, chance.one(good));
        const answer = await exchange(bytes);
        must(!/^HTTP\/1\.1 5(?!03)/m.test(answer), `${answer} to ${JSON.stringify(bytes.toString('latin1'))}`);
      },
      async close() {
        must((await fetch(`${server.url}/health`)).status === 200, 'It is not well.');
        await server.close();
        must(failures.length === 0, failures.slice(0, 3).join('\n'));
      },
    };
  },
};
