/** The page that is shown: its pageview, how long and how far it is seen, its web vitals. */
import type { WireHit } from '../src/model/hit.ts';
import type { Clock } from './clock.ts';
import type { Hits } from './hits.ts';
import type { Scroll } from './scroll.ts';
import type { Transport } from './transport.ts';
import type { Vitals } from './vitals.ts';

export interface Page {
  /** The document shows another page, or this one again. */
  pageview(): void;
  /**
   * The address is another: of the page that was to be shown, if that may be a redirect and still
   * waits, else of the next page, if it is one.
   */
  navigate(mayRedirect: boolean, isPage: boolean): void;
  /** The document comes back from the back/forward cache. */
  restore(): void;
  /** Tells how long and how far the page was seen since the last time, if it was. */
  report(): void;
  /** The page is hidden, or ends. What is not sent now may never be. */
  leave(): void;
  /** The page was hidden, and its vitals are measured. */
  reportVitals(): void;
}

export const isVisible = (): boolean => !document.hidden;

/**
 * Time, vitals and a return count only for a page whose pageview was sent: with `data-auto="false"`
 * the page decides when it is, if it does not navigate before.
 */
export const createPage = (hits: Hits, transport: Transport, clock: Clock, scroll: Scroll, vitals: Vitals): Page => {
  // Vitals belong to the page that was loaded, wherever the visitor went in it.
  const loaded = location.href;
  /** Address of the page that is counted now, as its pageview has it. */
  let shown: string | undefined;
  let reported = false;

  /** How long and how far the page was seen since this was last asked, if it was. */
  const measure = (): Pick<WireHit, 'd' | 'sc'> => {
    const d = clock.stop();
    return shown && d ? { d, sc: scroll.depth() } : {};
  };

  /**
   * Under the address of the pageview, with its campaign: what is handed over when a page is left
   * may overtake it, and then begins the visit.
   */
  const tellTime = (u = shown, seen = measure()): void => {
    if (seen.d) hits.send('duration', { u, ...seen });
  };

  const page: Page = {
    pageview() {
      const before = shown;
      const seen = measure();
      clock.start();
      scroll.reset();
      transport.settle();
      if (before) hits.refer(before);
      shown = hits.send('pageview', seen);
      // A page that is left out cannot carry the time of the one before it.
      if (!shown) tellTime(before, seen);
    },
    navigate(mayRedirect, isPage) {
      const amended = mayRedirect && shown && hits.amend();
      if (amended) shown = amended;
      else if (isPage) page.pageview();
    },
    restore() {
      if (shown) page.pageview();
    },
    report() {
      tellTime();
      clock.start();
    },
    leave() {
      tellTime();
      transport.flush();
    },
    reportVitals() {
      if (isVisible() || !shown || reported || !Object.keys(vitals)[0]) return;
      reported = true;
      hits.send('vitals', { u: loaded, p: vitals });
      transport.flush();
    },
  };
  return page;
};
