/** A hit as the page is at this moment. */
import type { WireType } from '../src/model/hit.ts';
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

/** What shows that somebody is there (service.md, Hit, `x`). */
const gestures = ['pointermove', 'pointerdown', 'keydown', 'scroll'];

export const createHits = (config: Config, transport: Transport): Hits => {
  const b = automationSignals();
  let r = document.referrer;
  let x: 1 | undefined;

  for (const gesture of gestures) {
    const seen = (event: Event): void => {
      if (event.isTrusted) x = 1;
    };
    addEventListener(gesture, seen, { once: true, capture: true, passive: true });
  }

  return {
    send(t, more) {
      if (isDropped(config)) return false;
      const page = { u: location.href, r, l: navigator.language, w: innerWidth, h: innerHeight };
      transport.send({ s: config.site, t, ...page, b, x, ...more });
      return true;
    },
    refer(url) {
      r = url;
    },
  };
};
