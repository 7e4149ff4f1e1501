/** A hit as the page is at this moment. */
import type { WireHit, WireType } from '../src/model/hit.ts';
import { automationSignals } from './automation.ts';
import type { Config } from './config.ts';
import { isDropped } from './drop.ts';
import type { DraftHit, Transport } from './transport.ts';

export interface Hits {
  /**
   * Sends a hit of the current page unless it is dropped: the address it was sent with. `more`
   * overrides.
   */
  send(type: WireType, more?: Partial<DraftHit>): string | undefined;
  /**
   * Gives the pageview that still waits for its title the address as it is now, if there is one:
   * the address it has then.
   */
  amend(): string | undefined;
  /** What the hits from now on name as their referrer. */
  refer(url: string): void;
}

/** What shows that somebody is there (docs/collecting.md, "A hit": `x`). */
const gestures = ['pointermove', 'pointerdown', 'keydown', 'scroll'];

/**
 * The parameters that say how somebody came, as far as visits keep them (docs/collecting.md, "The
 * page").
 */
const campaign = /[?&](utm_|ref=|source=|via=|\w+clid=|[gw]braid=)[^&#]*/g;

/**
 * Fills in what is read when a hit goes out: the title, which routers change after the address; and
 * sizes, which would make the browser lay out the page in the middle of loading it. The signals,
 * sizes among them, are read once, with the first hit.
 */
export const createCompletion = (): ((hit: WireHit) => void) => {
  const unseen = document.hidden && !document.prerendering;
  let signals: number | undefined;
  return hit => {
    signals ??= automationSignals(unseen);
    hit.ti ??= document.title;
    hit.w ??= innerWidth;
    hit.h ??= innerHeight;
    hit.b = signals;
  };
};

export const createHits = (config: Config, transport: Transport): Hits => {
  let r = document.referrer;
  let x: 1 | undefined;

  for (const gesture of gestures) {
    const seen = (event: Event): void => {
      if (event.isTrusted) x = 1;
    };
    // For good: the first event may be one that the page made up.
    addEventListener(gesture, seen, true);
  }

  /** `/#/` is `/`, which routers in the hash make of it. */
  const address = (): string => location.href.replace(/#\/?$/, '');

  return {
    send(t, more) {
      const hit = { s: config.site, t, u: address(), r, l: navigator.language, x, ...more };
      if (isDropped(config, hit.u!)) return undefined;
      transport.send(hit);
      return hit.u;
    },
    amend() {
      const hit = isDropped(config, location.href) ? undefined : transport.held();
      if (!hit) return undefined;
      let url = address();
      for (const [pair] of hit.u.matchAll(campaign)) {
        const text = pair.slice(1);
        if (!url.includes(text)) url = url.replace(/(?=#)|$/, () => (/\?/.test(url) ? '&' : '?') + text);
      }
      hit.u = url;
      return url;
    },
    refer(url) {
      r = url;
    },
  };
};
