/** Those who suffer from an attack or do not: visitors whose hits come anyhow, the owner who looks at the numbers, and a neighbour. */
import { setTimeout as wait } from 'node:timers/promises';
import { browser, localFrom, send } from './requests.ts';

export interface Honest {
  /** Hits that were taken at once, and those that were taken when they were sent again. */
  atOnce: number;
  onRepeat: number;
  /** Numbers of those that were taken. */
  taken: number[];
  /** Hits that were given up. */
  lost: number;
  /** Milliseconds from sending a hit to its 202, repeats not included. */
  hitTimes: number[];
  /** What the thread that takes hits ran meanwhile, in milliseconds: no other program's load is in it. */
  busyTimes: number[];
}

/** Networks of visitors, apart from those of the attacker. */
const visitorNetworks = { first: 15_000, count: 200 };
const ownerNetwork = 14_999;
/** The tracker sends a hit again for much longer. */
const triesMax = 10;
const pauseMaxMs = 3000;

/** Sends a hit over a connection of its own, as a browser does that comes for one page. */
const sendHit = async (
  url: string,
  key: string,
  number: number,
  busyMs: () => number,
): Promise<{ tries: number; ms: number; busy: number } | undefined> => {
  const body = JSON.stringify({
    s: key,
    t: 'custom',
    n: 'Sold',
    u: `https://shop.example/shop/${number % 20}`,
    p: { n: number },
  });
  const from = localFrom(visitorNetworks.first + (number % visitorNetworks.count));
  for (let tries = 1; tries <= triesMax; tries++) {
    const [began, busyBefore] = [performance.now(), busyMs()];
    const { status, headers } = await send({ url, path: '/e', body, from, headers: { 'user-agent': browser } });
    if (status === 202) return { tries, ms: performance.now() - began, busy: busyMs() - busyBefore };
    const told = Number(headers['retry-after'] ?? 0) * 1000;
    await wait(Math.min(pauseMaxMs, Math.max(told, 100 * 2 ** tries)));
  }
  return undefined;
};

export interface Visiting {
  url: string;
  /** Public key of the site. */
  key: string;
  perSecond: number;
  /** Numbers the hits. */
  next: () => number;
  /** How long the thread that takes hits has run so far. */
  busyMs: () => number;
}

/** Sends hits of a site until it is stopped. */
export const startVisitors = ({ url, key, perSecond, next, busyMs }: Visiting): { stop(): Promise<Honest> } => {
  const honest: Honest = { atOnce: 0, onRepeat: 0, taken: [], lost: 0, hitTimes: [], busyTimes: [] };
  const open = new Set<Promise<void>>();
  const one = async (number: number): Promise<void> => {
    const sent = await sendHit(url, key, number, busyMs);
    if (sent === undefined) {
      honest.lost++;
      return;
    }
    honest.taken.push(number);
    honest.hitTimes.push(sent.ms);
    honest.busyTimes.push(sent.busy);
    if (sent.tries === 1) honest.atOnce++;
    else honest.onRepeat++;
  };
  const timer = setInterval(() => {
    const sent: Promise<void> = one(next()).finally(() => open.delete(sent));
    open.add(sent);
  }, 1000 / perSecond);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return honest;
    },
  };
};

export interface Answered {
  times: number[];
  /** How many were answered with something else than 200. */
  others: number;
}

/** Asks again and again, so many times a second whether or not the answers come, until it is stopped. */
export const startAsking = (
  url: string,
  authorization: string,
  perSecond: number,
  path: (turn: number) => string,
): { stop(): Promise<Answered> } =>
  repeated(perSecond, turn =>
    send({ url, method: 'GET', path: path(turn), from: localFrom(ownerNetwork), headers: { authorization } }),
  );

/** Signs in again and again, by a browser that was signed in before, until it is stopped. */
export const startSigningIn = (
  url: string,
  perSecond: number,
  { email, password, cookie }: { email: string; password: string; cookie: string },
): { stop(): Promise<Answered> } =>
  repeated(perSecond, () =>
    send({
      url,
      path: '/app/sign-in',
      body: JSON.stringify({ email, password }),
      from: localFrom(ownerNetwork),
      headers: { 'content-type': 'application/json', origin: url, cookie },
    }),
  );

const repeated = (
  perSecond: number,
  ask: (turn: number) => Promise<{ status: number }>,
): { stop(): Promise<Answered> } => {
  const answered: Answered = { times: [], others: 0 };
  const open = new Set<Promise<void>>();
  let turn = 0;
  const one = async (): Promise<void> => {
    const began = performance.now();
    const { status } = await ask(turn++);
    answered.times.push(performance.now() - began);
    if (status !== 200) answered.others++;
  };
  const timer = setInterval(() => {
    const asked: Promise<void> = one().finally(() => open.delete(asked));
    open.add(asked);
  }, 1000 / perSecond);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return answered;
    },
  };
};
