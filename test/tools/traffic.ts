/**
 * Traffic for the collector's benchmark: visits of browsers in their real distribution, from many addresses and
 * countries, on 5,000 paths of one site, as a reverse proxy on the same machine would hand them on. Seeded: every run
 * sends the same.
 */
import UserAgent from 'user-agents';
import { chanceFrom } from '../../src/cli/demo/random.ts';

/**
 * Stands where the last part of the client's address goes: whoever sends the requests fills in another one each time
 * round.
 */
export const addressMark = '\u0001';

const visitorsAtOnce = 2000;
const pathsMax = 5000;
const meanPages = 4;
const ipv6Share = 0.35;
const eventShare = 0.1;

const languages = 'en-US en-GB de-DE fr-FR es-ES pt-BR ja-JP zh-CN hi-IN it-IT'.split(' ');
const referrers = [
  'https://www.google.com/',
  'https://www.bing.com/',
  'https://duckduckgo.com/',
  'https://news.ycombinator.com/item?id=40000000',
  'https://www.reddit.com/r/programming/',
  'android-app://com.google.android.gm/',
  '',
];
const campaigns = [
  '?utm_source=newsletter&utm_medium=email&utm_campaign=spring',
  '?utm_source=google&utm_medium=cpc&utm_campaign=brand&utm_term=analytics&gclid=Cj0KCQjw0qTCBhCmARIsAAj8C4a',
  '?ref=producthunt',
  '',
  '',
];
const words = 'how to measure what people read without following them around the web one page at a time'.split(' ');

interface Visitor {
  address: string;
  userAgent: string;
  language: string;
  width: number;
  height: number;
  pagesLeft: number;
  /** Path and query of the page they are on; empty before the first. */
  page: string;
}

/** HTTP requests as bytes on the wire, all for one site, and how many visits they make. */
export const makeTraffic = (count: number, siteKey: string, seed: number): { requests: string[]; visits: number } => {
  const { number: random, below, one: pick } = chanceFrom(seed);
  const pickAgent = agentPicker(random);

  // A few pages are read by many, and many by few.
  const pickPath = (): string => {
    const page = Math.floor(pathsMax ** random());
    return `/${words[page % words.length]}/${words[(page * 7) % words.length]}-${words[(page * 13) % words.length]}-${page}`;
  };

  const arrive = (): Visitor => {
    const agent = pickAgent();
    const group = (): string => below(65_536).toString(16);
    const network =
      random() < ipv6Share ? `2a02:${group()}:${group()}::` : `${1 + below(222)}.${below(256)}.${below(256)}.`;
    return {
      address: network + addressMark,
      userAgent: agent.userAgent,
      language: pick(languages),
      width: agent.screenWidth,
      height: agent.screenHeight,
      pagesLeft: Math.ceil(Math.log(1 - random()) / Math.log(1 - 1 / meanPages)),
      page: '',
    };
  };

  const visitors = Array.from({ length: visitorsAtOnce }, arrive);
  const requests: string[] = [];
  let visits = visitorsAtOnce;
  while (requests.length < count) {
    const slot = below(visitorsAtOnce);
    const visitor = visitors[slot]!;
    const isEvent = visitor.page !== '' && random() < eventShare;
    const origin = 'https://www.example.com';
    const referrer = visitor.page === '' ? pick(referrers) : origin + visitor.page;
    if (!isEvent) visitor.page = visitor.page === '' ? pickPath() + pick(campaigns) : pickPath();
    const hit = {
      s: siteKey,
      t: isEvent ? 'custom' : 'pageview',
      u: origin + visitor.page,
      r: referrer,
      ti: `${visitor.page.split('?')[0]!.replace(/\W+/g, ' ')} – Example`,
      l: visitor.language,
      w: visitor.width,
      h: visitor.height,
      b: 0,
      x: 1,
      ...(isEvent
        ? { n: pick(['Signup', 'Download', 'Play']), p: { plan: pick(['free', 'pro']), step: below(5) } }
        : {}),
    };
    requests.push(requestOf(visitor, JSON.stringify(hit)));
    if (isEvent || --visitor.pagesLeft > 0) continue;
    visitors[slot] = arrive();
    visits++;
  }
  return { requests, visits };
};

const requestOf = ({ address, userAgent, language }: Visitor, body: string): string =>
  [
    'POST /e HTTP/1.1',
    'Host: collector.example.net',
    'X-Forwarded-Proto: https',
    `X-Forwarded-For: ${address}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `User-Agent: ${userAgent}`,
    'Content-Type: text/plain;charset=UTF-8',
    'Accept: */*',
    'Origin: https://www.example.com',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: cors',
    'Sec-Fetch-Dest: empty',
    'Referer: https://www.example.com/',
    'Accept-Encoding: gzip, deflate, br, zstd',
    `Accept-Language: ${language},en;q=0.9`,
    '',
    body,
  ].join('\r\n');

type Agent = Pick<ReturnType<typeof UserAgent.top>[number], 'userAgent' | 'screenWidth' | 'screenHeight'>;

/** Picks browsers as often as they are met. */
const agentPicker = (random: () => number): (() => Agent) => {
  const agents = UserAgent.top(10_000);
  const total = agents.reduce((sum, { weight }) => sum + weight, 0);
  const until: number[] = [];
  let sum = 0;
  for (const { weight } of agents) {
    sum += weight / total;
    until.push(sum);
  }
  return () => {
    const at = random();
    return agents[until.findIndex(end => at < end)] ?? agents[0]!;
  };
};

/** Requests without end: the same again and again, each time round from other addresses. */
export const endlessTraffic = (siteKey: string, made = 40_000): (() => string) => {
  const { requests } = makeTraffic(made, siteKey, 1);
  let sent = 0;
  return () => {
    const round = Math.floor(sent / requests.length) % 250;
    return requests[sent++ % requests.length]!.replace(addressMark, String(1 + round));
  };
};
