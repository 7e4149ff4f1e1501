/**
 * Hits on their way to the collector: one after the other, so that the landing hit, which carries
 * the campaign, arrives first. The identity mode is asked for before the first of them, and
 * repeated by every answer.
 */
import type { WireHit } from '../src/model/hit.ts';
import type { Config } from './config.ts';
import { bare, createRequests, ignore, sleep, soon } from './requests.ts';

/**
 * A pageview waits for a redirect, and for a title that is not that of the page before. It is
 * looked at so often at most, and each look counts this many times when the page is loaded and its
 * title is there. Looks, and not a clock, because the page is nowhere further after a second in
 * which it could not run.
 */
const looksMax = 20;
const titledLooks = 2;
const lookMs = 50;
/**
 * A hit that the collector did not take is sent again after this, then after twice as long, and so
 * on.
 */
const retryMs = 5000;
const retryMsMax = 60_000;
/** The collector or the proxy before it says that it was not taken; or nobody answers at all. */
const notTaken = /429|50[234]|undefined/;
/** Hits handed over in one request: a body must be below 32 KiB, of 3 bytes a character. */
const listCharsMax = 10_000;
/** Hits that wait at most; what a page makes beyond them while the collector hangs is lost. */
const queueMax = 500;

/** A hit whose undefined fields are left out when it becomes JSON. */
export type DraftHit = { [Field in keyof WireHit]: WireHit[Field] | undefined };

export interface Transport {
  /** Takes a hit; what is better read late is filled in when it goes out. */
  send(hit: DraftHit): void;
  /** The pageview that still waits for its title, if one does. It may be changed. */
  held(): WireHit | undefined;
  /**
   * Gives the waiting hits what they take from the page as it is now, before it becomes another.
   */
  settle(): void;
  /** Hands every waiting hit to the browser, which delivers it even when the page ends now. */
  flush(): void;
}

interface Waiting {
  hit: WireHit;
  /** How often it is still looked at. */
  looks: number;
  /** Title of the page before. */
  before: string;
}

/**
 * Properties, safe from what the page does to them while they wait. What is no data is left out.
 */
const copy = (properties: Record<string, unknown>): Record<string, unknown> => {
  const copied = bare<Record<string, unknown>>({});
  for (const key of Object.keys(properties))
    try {
      const value = properties[key];
      copied[key] = typeof value === 'bigint' ? Number(value) : JSON.parse(JSON.stringify(value));
    } catch {
      // A function, a circle, a getter that throws: the hit counts without it.
    }
  return copied;
};

const isUntitled = ({ hit }: Waiting): boolean => hit.t === 'pageview' && hit.ti === undefined;

const isHeld = (waiting: Waiting): boolean => {
  // 'loading' and 'interactive' come after 'complete'.
  const isUnready = document.title === waiting.before || document.readyState > 'd';
  waiting.looks -= isUnready ? 1 : titledLooks;
  return isUntitled(waiting) && waiting.looks > 0;
};

/** `complete` fills in what a hit takes from the page last, and leaves alone what is there. */
export const createTransport = (config: Config, complete: (hit: WireHit) => void): Transport => {
  const queue: Waiting[] = [];
  /** When the hits of before are through. Nothing is asked before there is a hit. */
  let turn: Promise<void> | undefined;
  let pauseMs = retryMs;
  let pausedUntil = 0;
  /** Title of the pageview before. */
  let title = '';

  const finish = (hit: WireHit): void => {
    complete(hit);
    if (hit.t === 'pageview') title = hit.ti!;
  };
  const [begin, beacon, post, bodyOf] = createRequests(config, finish);

  const next = async (): Promise<void> => {
    while (performance.now() < pausedUntil) await sleep(pausedUntil - performance.now());
    while (queue[0] && isHeld(queue[0])) await sleep(lookMs);
    const waiting = queue.shift();
    const body = waiting && bodyOf(waiting.hit);
    const posted = body && post(body);
    await (posted &&
      soon(
        posted.then(answer => {
          if (notTaken.test(`${answer?.status}`)) {
            pausedUntil = performance.now() + (Number(answer?.headers.get('retry-after')) * 1000 || pauseMs);
            pauseMs = Math.min(2 * pauseMs, retryMsMax);
            queue.unshift(waiting);
            run();
          } else pauseMs = retryMs;
        }),
      ));
  };

  const run = (): void => {
    turn = (turn ?? begin()).then(next).catch(ignore);
  };

  return {
    send(hit) {
      if (queue[queueMax - 1]) return;
      const { p } = hit;
      const draft = bare({ ...hit, p: p && copy(p) }) as WireHit;
      queue.push({ hit: draft, looks: looksMax, before: title });
      run();
    },
    held: () => queue.find(isUntitled)?.hit,
    settle() {
      for (const { hit } of queue) finish(hit);
    },
    flush() {
      if (document.prerendering) return;
      const bodies = queue.splice(0).flatMap(({ hit }) => bodyOf(hit) ?? []);
      const list = `{"hits":[${bodies}]}`;
      // In one request they cannot overtake each other.
      if (bodies[1] && list.length < listCharsMax && beacon(list)) return;
      for (const body of bodies) if (!beacon(body)) post(body);
    },
  };
};
