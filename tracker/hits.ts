/** A hit as the page is at this moment. */
import type { WireHit, WireType } from '../src/model/hit.ts';
import { automationSignals } from './automation.ts';
import type { Config } from './config.ts';
import { isDropped } from './drop.ts';
import type { DraftHit, Transport } from './transport.ts';

export interface Hits {
  /** Sends a hit of the current page unless it is dropped; says whether it was sent. `more` overrides. */
  send(type: WireType, more?: Partial<DraftHit>): boolean;
  /** What the hits from now on name as their referrer. */
  refer(url: string): void;
}

/** What shows that somebody is there (docs/collecting.md, "A hit": `x`). */
const gestures = ['pointermove', 'pointerdown', 'keydown', 'scroll'];

/**
 * Fills in what is read when a hit goes out: the title, which routers change after the address; and sizes, which would make the
 * browser lay out the page in the middle of loading it. The signals, sizes among them, are read once, with the first hit.
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

  return {
    send(t, more) {
      if (isDropped(config)) return false;
      transport.send({ s: config.site, t, u: location.href, r, l: navigator.language, x, ...more });
      return true;
    },
    refer(url) {
      r = url;
    },
  };
};
