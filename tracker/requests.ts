/** Requests to the collector. Every answer repeats the identity mode, which hits depend on. */
import type { WireHit } from '../src/model/hit.ts';
import { propertyTextCharsMax, urlCharsMax } from '../src/model/limits.ts';
import type { IdentityMode } from '../src/model/site.ts';
import type { Config } from './config.ts';
import { idle } from './idle.ts';
import { removeVisitorId, visitorId } from './visitor-id.ts';

/**
 * How long an answer, of the probe or to a hit, holds back what comes after it (docs/tracker.md,
 * "Identity").
 */
const holdMs = 1500;

export const ignore = (): void => {};

export const sleep = (ms: number): Promise<undefined> => new Promise(resolve => setTimeout(resolve, ms));

/** Ends after 1,500 ms at the latest. Rejects when no answer can come. */
export const soon = (answer: Promise<unknown>): Promise<unknown> => Promise.race([answer, sleep(holdMs)]);

/**
 * An object that inherits nothing: a page may have put `toJSON` or `signal` where all objects find
 * it.
 */
export const bare = <T extends object>(properties?: T): T => ({ __proto__: null, ...properties }) as T;

const textOf = (key: string, text: string): string =>
  text.replace(/^(https?:\/\/)[^/?#]*@/, '$1').slice(0, 'ur'.includes(key) ? urlCharsMax : propertyTextCharsMax);

/** With `data-cookies` nobody is asked: the mode is cookie until an answer says otherwise. */
export const createRequests = (config: Config, finish: (hit: WireHit) => void) => {
  let mode: IdentityMode | undefined = config.cookies ? 'cookie' : undefined;
  /** What the page put in the place of `fetch` fails. */
  let isBroken: boolean | undefined;

  const learn = ({ m }: { m: IdentityMode }): void => {
    if (m === 'hash' && m !== mode) removeVisitorId();
    mode = m;
  };

  const ask = async (path: string, init?: RequestInit): Promise<Response> => {
    const response = await fetch(config.api + path, bare(init));
    // Not every answer has a mode.
    await response.json().then(learn).catch(ignore);
    return response;
  };

  const question = (init?: RequestInit): Promise<Response> => ask(`/c/${config.site}`, init);
  const beacon = (body: string): boolean => navigator.sendBeacon?.(`${config.api}/e`, body);

  const begin = async (): Promise<void> => {
    if (document.prerendering) await new Promise(shown => document.addEventListener('prerenderingchange', shown));
    // The first request of a page costs as much as all the rest of its load.
    await idle();
    // A replaced fetch is tried with a question, which may fail or be asked twice, and not with a
    // hit.
    const isReplaced = !/native code/.test(`${self.fetch}`);
    if (!mode || isReplaced)
      await soon(question()).catch(() => {
        isBroken = isReplaced;
      });
  };

  const bodyOf = (given: WireHit): string | undefined => {
    finish(given);
    const hit = config.change(given);
    // While the mode is unknown, an id says that the site was in cookie mode lately.
    const id = hit && mode !== 'hash' && visitorId(mode === 'cookie');
    if (id) hit.i = id;
    // The collector reads no further, and a body must stay below 32 KiB.
    return hit && JSON.stringify(hit, (key, value) => (typeof value === 'string' ? textOf(key, value) : value));
  };

  const post = (body: string): Promise<Response | void> | undefined =>
    isBroken && beacon(body)
      ? undefined
      : // A request that failed may have been recorded, and is not repeated while the collector answers.
        // While a proxy has nobody behind it, pages of another origin cannot read what it says.
        ask('/e', { method: 'POST', body, keepalive: true })
          .catch(() => question({ cache: 'no-store' }))
          .catch(ignore);

  return [begin, beacon, post, bodyOf] as const;
};
