/** The page that is shown: its pageview, the time spent on it, its web vitals. */
import type { Clock } from './clock.ts';
import type { Hits } from './hits.ts';
import type { Transport } from './transport.ts';
import type { Vitals } from './vitals.ts';

export interface Page {
  /** The document shows another page, or this one again. */
  pageview(): void;
  /** The document comes back from the back/forward cache. */
  restore(): void;
  /** The page is hidden, or ends. What is not sent now may never be. */
  leave(): void;
}

export const isVisible = (): boolean => !document.hidden;

/**
 * Time, vitals and a return count only for a page whose pageview was sent: with `data-auto="false"` the page decides when it is, if it
 * does not navigate before.
 */
export const createPage = (hits: Hits, transport: Transport, clock: Clock, vitals: Vitals): Page => {
  // Vitals belong to the page that was loaded, wherever the visitor went in it.
  const loaded = location.href;
  /** Address of the page that is counted now. */
  let shown: string | undefined;
  let reported = false;

  const page: Page = {
    pageview() {
      const d = clock.lap(isVisible());
      transport.settle();
      if (shown) hits.refer(shown);
      shown = hits.send('pageview', { d: shown ? d : undefined }) ? location.href : undefined;
    },
    restore() {
      if (shown) page.pageview();
    },
    leave() {
      const d = clock.lap(false);
      if (shown && d) hits.send('duration', { d });
      // Not on pagehide, which comes before the measuring ends.
      if (shown && !isVisible() && !reported && Object.keys(vitals)[0]) {
        reported = true;
        hits.send('vitals', { u: loaded, p: vitals });
      }
      transport.flush();
    },
  };
  return page;
};
