/**
 * What a stranger can do who knows a site's public key and its public page, and what an account can do to others. Each goes on until it is
 * told to stop.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  aliasesMax,
  excludedIpsMax,
  excludedPathsMax,
  globCharsMax,
  listedMax,
  sitesMax,
} from '../../src/model/limits.ts';
import type { Site } from '../../src/model/site.ts';
import { browser, forwardedFrom, localFrom, proxyAgent, type Sending, type Sent, send } from './requests.ts';

export interface Target {
  url: string;
  /** Public key of the attacked site, and of one that keeps visitors by cookie. */
  key: string;
  cookieKey: string;
  /** Token of the attacked site's public page. */
  share: string;
  /** With which its owner signs in. */
  email: string;
  /** How many networks the attack comes from. */
  networks: number;
  own: Own;
}

/** The attacker's own account: its API key, the cookie of its browser, and its sites' public keys and ids. */
export interface Own {
  apiKey: string;
  cookie: string;
  keys: string[];
  ids: string[];
}

export interface Attacking {
  target: Target;
  isOver: () => boolean;
  /** Sends a request from one of the networks, and counts how it was answered. */
  send(sending: Omit<Sending, 'url' | 'agent'>): Promise<Sent>;
  /** Counts a connection in place of a request. */
  count(status: number): void;
}

export interface Attack {
  name: string;
  /** Completes "An attacker …". */
  does: string;
  /** What it does again and again, in so many places at once. */
  atOnce: number;
  /** Hits of each request; 1 if missing. */
  hits?: number;
  /** Settings of the attacker's own sites; none if missing. */
  own?: readonly Partial<Site>[];
  step(attacking: Attacking): Promise<unknown>;
}

const random = (bytes: number): string => randomBytes(bytes).toString('base64url');
const json = (value: unknown): Pick<Sending, 'body' | 'headers'> => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json', 'user-agent': browser },
});
const page = (key: string, path: string): Record<string, unknown> => ({ s: key, u: `https://shop.example${path}` });
const manyOf = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const share = ({ share }: Target): Record<string, string> => ({ authorization: `Share ${share}` });
const question = (target: Target, asked: string): Pick<Sending, 'method' | 'path' | 'headers'> => ({
  method: 'GET',
  path: `/api/v1/sites/${target.key}/${asked}`,
  headers: share(target),
});

/** User agents that make careless patterns look again and again at the same characters. */
const traps: readonly (() => string)[] = [
  () => `Mozilla/5.0 (${'Linux; '.repeat(randomInt(200, 900))}${random(4)}`,
  () => `Mozilla/5.0 (Linux; Android ${'1.'.repeat(randomInt(500, 2500))}; ${random(4)}`,
  () => `${'a/1 '.repeat(randomInt(200, 1500))}${random(4)}!`,
  () => `Mozilla/5.0 (${' '.repeat(randomInt(500, 6000))}${random(4)}`,
  () => `${'Smart-TV;'.repeat(randomInt(100, 600))}${random(4)}`,
];
const trap = (): string => traps[randomInt(traps.length)]!();

/** The nth list of as many aliases as a site may have. */
const aliases = (n: number): string[] => manyOf(aliasesMax, i => `alias${i}-${n}.example`);
/** As many globs as a site may have, of the length and number of stars that go back the most and find nothing. */
const worstGlobs = manyOf(excludedPathsMax, i => `${`/${'**a'.repeat(4)}`.padEnd(globCharsMax - 6, 'a')}b${100 + i}**`);
const worstIps = manyOf(excludedIpsMax, i => `2001:db8:${(4096 + i).toString(16)}::/48`);
/** Sites with as many of all as a site may have, of an account that has as many as it may have. */
const fullSites = Math.floor(listedMax / (aliasesMax + excludedIpsMax + excludedPathsMax));
const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

export const attacks: readonly Attack[] = [
  {
    name: 'flood',
    does: 'sends pageviews as fast as they are answered',
    atOnce: 64,
    step: ({ target, send }) => send({ path: '/e', ...json(page(target.key, '/')) }),
  },
  {
    name: 'random paths',
    does: 'sends a new path, title, query and referrer with each pageview',
    atOnce: 64,
    step: ({ target, send }) =>
      send({
        path: '/e',
        ...json({
          ...page(target.key, `/${random(300)}?utm_campaign=${random(60)}&q=${random(60)}`),
          ti: random(300),
          r: `https://${random(8).toLowerCase()}.example/`,
        }),
      }),
  },
  {
    name: 'random properties',
    does: 'sends 50 random property keys and values under the name of a real event, and asks for its values by the public page',
    atOnce: 8,
    async step({ target, send }) {
      const data = () => Object.fromEntries(manyOf(50, () => [random(6), random(6)]));
      const event = () => ({
        type: 'event',
        payload: { website: target.key, hostname: 'shop.example', url: '/', name: 'Sold', data: data() },
      });
      await send({ path: '/api/batch', ...json(manyOf(24, event)) });
      await send(question(target, 'events?event=Sold&range=7d'));
    },
  },
  {
    name: 'random numbers',
    does: 'sends 50 numbers with each event',
    atOnce: 64,
    step: ({ target, send }) =>
      send({
        path: '/e',
        ...json({
          ...page(target.key, '/'),
          t: 'custom',
          n: 'Sold',
          p: Object.fromEntries(manyOf(50, i => [`number${i}`, Math.random()])),
        }),
      }),
  },
  {
    name: 'large traits',
    does: 'identifies visitors with as many traits as a body holds',
    atOnce: 16,
    step: ({ target, send }) =>
      send({
        path: '/e',
        ...json({
          ...page(target.key, '/'),
          t: 'identify',
          p: Object.fromEntries(manyOf(40, i => [`t${i}`, random(360)])),
        }),
      }),
  },
  {
    name: 'random visitors',
    does: 'sends a new visitor with each hit, to a site that keeps visitors by cookie',
    atOnce: 64,
    step: ({ target, send }) => send({ path: '/e', ...json({ ...page(target.cookieKey, '/'), i: random(12) }) }),
  },
  {
    name: 'user agents',
    does: 'sends user agents that are traps for patterns, as hits and as reports of crawlers',
    atOnce: 16,
    async step({ target, send }) {
      const headers = { 'content-type': 'application/json', 'user-agent': trap() };
      await send({ path: '/e', body: JSON.stringify(page(target.key, '/')), headers });
      const report = () => ({ s: target.key, u: 'https://shop.example/', ua: trap().slice(0, 500), st: 200 });
      await send({ path: '/crawl', ...json(manyOf(40, report)) });
    },
  },
  {
    name: 'odd bodies',
    does: 'sends deep arrays, keys that collide in hash tables, broken UTF-8 and bodies of 32 KiB',
    atOnce: 32,
    async step({ target, send }) {
      const kib = 32 * 1024;
      const colliding = manyOf(2500, i => `"${i * 2 ** 20}":1`).join();
      const bodies: (string | Buffer)[] = [
        '['.repeat(kib),
        `{"s":"${target.key}","u":"https://shop.example/","p":{${colliding.slice(0, 30_000).replace(/,[^,]*$/, '')}}}`,
        randomBytes(kib),
        JSON.stringify({ ...page(target.key, '/'), ti: '\u0000'.repeat(5000) }),
        JSON.stringify(manyOf(2000, () => null)),
      ];
      for (const body of bodies) {
        const headers = { 'user-agent': browser };
        await send({ path: '/e', body, headers });
        await send({ path: '/api/batch', body, headers });
      }
    },
  },
  {
    name: 'dear questions',
    does: 'asks the dearest questions of the public page, each another one',
    atOnce: 48,
    step: ({ target, send }) =>
      send(
        question(
          target,
          [
            `breakdown?dimension=path&limit=500&range=30d&path!*=${random(3)}`,
            `series?range=30d&title!*=${random(3)}`,
            `events?event=Sold&range=30d&path!*=${random(3)}`,
            `breakdown?dimension=title&limit=500&range=30d&path!*=${random(3)}`,
          ][randomInt(4)]!,
        ),
      ),
  },
  {
    name: 'passwords',
    does: 'tries passwords of the owner',
    atOnce: 32,
    step: ({ target, send }) =>
      send({
        path: '/app/sign-in',
        body: JSON.stringify({ email: target.email, password: random(12) }),
        headers: { 'content-type': 'application/json', origin: target.url },
      }),
  },
  {
    name: 'slow bodies',
    does: 'sends a byte of a body each second, over as many connections as it gets',
    atOnce: 4000,
    async step(attacking) {
      const socket = await opened(attacking);
      if (socket === undefined) return wait(200);
      socket.write('POST /e HTTP/1.1\r\nhost: shop.example\r\ncontent-length: 32000\r\n\r\n');
      while (!attacking.isOver() && !socket.destroyed) {
        socket.write('x');
        await wait(1000);
      }
      socket.destroy();
    },
  },
  {
    name: 'connections',
    does: 'opens connections as fast as they are taken, and leaves them open',
    atOnce: 12_000,
    async step(attacking) {
      const socket = await opened(attacking);
      if (socket === undefined) return wait(200);
      while (!attacking.isOver() && !socket.destroyed) await wait(500);
      socket.destroy();
    },
  },
  {
    name: 'escaped paths',
    does: 'sends the longest paths, of characters that are escaped, to a site that excludes `/admin/**` and `/**/preview/**`',
    atOnce: 16,
    hits: 5,
    own: [{ excludedPaths: ['/admin/**', '/**/preview/**'] }],
    step({ target, send }) {
      const path = `/${randomInt(2) === 0 ? 'admin/' : ''}${'€'.repeat(1970)}`;
      return send({ path: '/api/batch', ...json(manyOf(5, () => page(target.own.keys[0]!, path))) });
    },
  },
  {
    name: 'excluded paths',
    does: 'excludes the dearest paths that a site may exclude, and sends long paths to it',
    atOnce: 16,
    hits: 16,
    own: [{ excludedPaths: worstGlobs }],
    step({ target, send }) {
      const hit = page(target.own.keys[0]!, `/${'a'.repeat(1900)}`);
      return send({ path: '/api/batch', ...json(manyOf(16, () => hit)) });
    },
  },
  {
    name: 'patterns',
    does: 'asks with an API key for patterns that stand for many long texts',
    atOnce: 8,
    own: [{}],
    step({ target, send }) {
      const long = 'a'.repeat(990);
      const pattern = randomInt(2) === 0 ? `^${long}.*${long}$` : 'a|'.repeat(990);
      const filters = manyOf(30, () => ['matches', 'event:page', [pattern]]);
      return send({ path: '/api/v2/query', ...query(target, JSON.stringify(filters)) });
    },
  },
  {
    name: 'deep JSON',
    does: 'sends filters and properties as deep as a body holds',
    atOnce: 16,
    own: [{}],
    async step({ target, send }) {
      await send({ path: '/api/v2/query', ...query(target, deep(25_000)) });
      const body = `{"s":"${target.own.keys[0]}","u":"https://shop.example/","t":"custom","n":"e","p":${deep(16_000)}}`;
      await send({ path: '/e', body, headers: { 'user-agent': browser } });
    },
  },
  {
    name: 'many sites',
    does: 'has as many sites, aliases and exclusions as an account may have, changes the settings of the largest, and looks at all',
    atOnce: 30,
    own: manyOf(sitesMax, n =>
      n < fullSites ? { aliases: aliases(n), excludedPaths: worstGlobs, excludedIps: worstIps } : {},
    ),
    async step({ target, send }) {
      const headers = { 'content-type': 'application/json', origin: target.url, cookie: target.own.cookie };
      const n = randomInt(fullSites);
      // A site's own names, or those of another, which are refused.
      const settings = { aliases: aliases(randomInt(4) === 0 ? randomInt(fullSites) : n).slice(randomInt(2)) };
      await send({ path: `/app/sites/${target.own.ids[n]}`, body: JSON.stringify(settings), headers });
      const site = { domain: 'one-more.example', timezone: 'UTC', currency: 'EUR' };
      await send({ path: '/app/sites', body: JSON.stringify(site), headers });
      await send({ method: 'GET', path: '/app/me', headers });
      const byKey = { authorization: `Bearer ${target.own.apiKey}` };
      await send({ method: 'GET', path: '/api/v1/sites', headers: byKey });
    },
  },
];

/** A question of the attacker's account about its first site, in Plausible's form. */
const query = ({ own }: Target, filters: string): Pick<Sending, 'body' | 'headers'> => ({
  body: `{"site_id":"${own.ids[0]}","date_range":"7d","metrics":["visitors"],"filters":${filters}}`,
  headers: { 'content-type': 'application/json', authorization: `Bearer ${own.apiKey}` },
});

export const hitsOfBatch = 200;

/** Goes on for a whole day, whose clock runs as fast as the hits come (day.ts). */
export const dayOfPaths: Attack = {
  name: 'a day of random paths',
  does: 'sends a new path with each of 10 million pageviews of a day',
  atOnce: 16,
  step: ({ target, send }) =>
    send({ path: '/api/batch', ...json(manyOf(hitsOfBatch, () => page(target.key, `/${random(18)}`))) }),
};

const opened = async ({ target, count }: Attacking): Promise<Socket | undefined> => {
  const { hostname, port } = new URL(target.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: localFrom(randomInt(target.networks)) });
  socket.on('error', () => {});
  socket.resume();
  const event = await Promise.race([once(socket, 'connect').then(() => 'open'), once(socket, 'close')]).catch(() => '');
  count(event === 'open' ? 200 : 0);
  return event === 'open' ? socket : undefined;
};

/** How many requests were answered with each status; 0: not at all. */
export type Answers = Record<number, number>;

/** Runs an attack until it is over, and counts the answers. */
export const runAttack = async (
  attack: Attack,
  target: Target,
  answers: Answers,
  isOver: () => boolean,
): Promise<void> => {
  const agent = proxyAgent(attack.atOnce);
  const count = (status: number): void => {
    answers[status] = (answers[status] ?? 0) + 1;
  };
  const attacking: Attacking = {
    target,
    isOver,
    count,
    async send(sending) {
      const from = forwardedFrom(randomInt(target.networks), randomInt(254));
      const sent = await send({ ...sending, url: target.url, agent, headers: { ...sending.headers, ...from } });
      count(sent.status);
      // An attacker without patience would only measure its own event loop.
      if (sent.status === 0) await wait(50);
      return sent;
    },
  };
  const lane = async (): Promise<void> => {
    while (!isOver()) await attack.step(attacking);
  };
  await Promise.all(manyOf(attack.atOnce, lane));
  agent.destroy();
};
