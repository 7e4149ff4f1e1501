/**
 * Hits on their way to the collector: one after the other, so that the landing hit, which carries the campaign, arrives first.
 * The identity mode is asked for before the first of them, and repeated by every answer.
 */
import type { WireHit } from '../src/model/hit.ts';
import type { IdentityMode } from '../src/model/site.ts';
import type { Config } from './config.ts';
import { removeVisitorId, visitorId } from './visitor-id.ts';

/** How long an answer, of the probe or to a hit, holds back what comes after it (docs/tracker.md, "Identity"). */
const holdMs = 1500;
/** Routers change the address first and the title after it: that long a pageview waits for its title. */
const titleMs = 200;
/** A request that fails faster was refused by the browser itself; a slower one may have been recorded, and is not repeated. */
const refusedMs = 50;
/** A hit that the collector cannot write now is sent again after this. */
const retryMs = 5000;
/** Hits that wait at most; what a page makes beyond them while the collector hangs is lost. */
const queueMax = 500;
/** Addresses and other texts are not read further (src/model/limits.ts), and a body must stay below 32 KiB. */
const urlCharsMax = 2000;
const textCharsMax = 500;

/** A hit whose undefined fields are left out when it becomes JSON. */
export type DraftHit = { [Field in keyof WireHit]: WireHit[Field] | undefined };

export interface Transport {
  /** Takes a hit; what is better read late is filled in when it goes out. */
  send(hit: DraftHit): void;
  /** Gives the waiting hits what they take from the page as it is now, before it becomes another. */
  settle(): void;
  /** Hands every waiting hit to the browser, which delivers it even when the page ends now. */
  flush(): void;
}

const ignore = (): void => {};

const sleep = (ms: number): Promise<undefined> => new Promise(resolve => setTimeout(resolve, ms));

/** The hit, safe from what the page does to its objects while it waits. Throws on a circle. */
const copy = (hit: DraftHit): WireHit => JSON.parse(JSON.stringify(hit));

const tryCopy = (hit: DraftHit): WireHit => {
  try {
    return copy(hit);
  } catch {
    // Properties that are no data: the hit counts without them.
    return copy({ ...hit, p: {} });
  }
};

/**
 * With `data-cookies` nobody is asked: the mode is cookie until an answer says otherwise. `complete` fills in what a hit
 * takes from the page last, and leaves alone what is there already.
 */
export const createTransport = ({ api, site, cookies }: Config, complete: (hit: WireHit) => void): Transport => {
  const queue: WireHit[] = [];
  let mode: IdentityMode | undefined = cookies ? 'cookie' : undefined;
  /** When the hits of before are through. Nothing is asked before there is a hit. */
  let turn: Promise<void> | undefined;

  const learn = ({ m }: { m: IdentityMode }): void => {
    if (m === 'hash' && m !== mode) removeVisitorId();
    mode = m;
  };

  const ask = async (path: string, init?: RequestInit): Promise<number> => {
    const response = await fetch(api + path, init);
    // Not every answer has a mode.
    await response.json().then(learn).catch(ignore);
    return response.status;
  };

  /** The status of the answer; undefined when none came within 1,500 ms. Rejects when none can come. */
  const exchange = (path: string, init?: RequestInit): Promise<number | undefined> =>
    Promise.race([ask(path, init), sleep(holdMs)]);

  const toBody = (hit: WireHit): string => {
    complete(hit);
    // While the mode is unknown, an id says that the site was in cookie mode lately.
    const id = mode !== 'hash' && visitorId(mode === 'cookie');
    if (id) hit.i = id;
    return JSON.stringify(hit, (key, value) =>
      typeof value === 'string' ? value.slice(0, 'ur'.includes(key) ? urlCharsMax : textCharsMax) : value,
    );
  };

  const byFetch = (body: string): Promise<number | undefined> =>
    exchange('/e', { method: 'POST', body, keepalive: true });
  const byBeacon = (body: string): boolean => navigator.sendBeacon?.(`${api}/e`, body);

  const begin = async (): Promise<void> => {
    if (document.prerendering) await new Promise(shown => addEventListener('prerenderingchange', shown));
    if (!mode) await exchange(`/c/${site}`).catch(ignore);
  };

  const next = async (): Promise<void> => {
    if (queue[0]?.t === 'pageview') await sleep(titleMs);
    const hit = queue.shift();
    if (!hit) return;
    const body = toBody(hit);
    // A timer, and no look at the clock: a refusal is told apart on a machine that is busy, too.
    let refused = true;
    setTimeout(() => {
      refused = false;
    }, refusedMs);
    try {
      if ((await byFetch(body)) !== 503) return;
      // The collector could not write it, and says that it did not.
      queue.unshift(hit);
      await sleep(retryMs);
      return next();
    } catch {
      if (refused) byBeacon(body);
    }
  };

  return {
    send(hit) {
      if (queue.length >= queueMax) return;
      queue.push(tryCopy(hit));
      turn = (turn ?? begin()).then(next).catch(ignore);
    },
    settle() {
      queue.forEach(complete);
    },
    flush() {
      if (document.prerendering) return;
      for (const hit of queue.splice(0)) {
        const body = toBody(hit);
        if (!byBeacon(body)) byFetch(body).catch(ignore);
      }
    },
  };
};
