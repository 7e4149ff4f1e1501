/** Wires what happens on the page to hits. */
import { type Calls, createCalls } from './calls.ts';
import { createTagged, outboundUrl } from './clicks.ts';
import { createClock } from './clock.ts';
import type { Config } from './config.ts';
import { createCompletion, createHits, type Hits } from './hits.ts';
import { idle } from './idle.ts';
import { watchNavigation } from './navigation.ts';
import { createPage, isVisible, type Page } from './page.ts';
import { quietly } from './quietly.ts';
import { createScroll } from './scroll.ts';
import { createTransport, type Transport } from './transport.ts';
import { measureVitals, type Vitals } from './vitals.ts';

/**
 * A tab that stays open says so before its visit is over, which is after half an hour without a
 * hit.
 */
const reportMs = 15 * 60_000;
/** A page that was to be left and is there after this stays. */
const stayMs = 5000;

/** Whether the page is part of another one of the same origin that is counted. */
const isPart = (selector: string): boolean => {
  try {
    return top !== self && !!top!.document.querySelector(selector);
  } catch {
    // Another origin's, of which nothing can be known.
    return false;
  }
};

/**
 * The tag that runs, or that stands in the page as a module; none where the script runs already, or
 * where the page around this one has it.
 */
export const findTag = (selector: string): HTMLScriptElement | undefined =>
  (window.tracker as Partial<DaybookTracker> | undefined)?.pageview || isPart(selector)
    ? undefined
    : ((document.currentScript ?? document.querySelector(selector)) as HTMLScriptElement);

/** Set by the build: a module for bundlers leaves the globals alone. */
declare const isModule: boolean;

export interface Started {
  calls: Calls;
  page: Page;
  hits: Hits;
  transport: Transport;
}

/** Runs the tracker in this page: counts it, listens to it, and puts the calls in place. */
export const start = (config: Config): Started => {
  const transport = createTransport(config, createCompletion());
  const hits = createHits(config, transport);
  const vitals: Vitals = {};
  const clock = createClock(() => performance.now(), isVisible);
  const page = createPage(hits, transport, clock, createScroll(), vitals);
  const calls = createCalls(hits);
  const { event, identify, revenue } = calls;
  const tagged = createTagged('data-track', event);

  const on = <E extends Event>(types: string[], handle: (event: E) => void): void => {
    for (const type of types) addEventListener(type, quietly(handle) as (event: Event) => void, true);
  };

  on(['visibilitychange'], () => (isVisible() ? clock.start() : page.leave()));
  // Firefox ends the process of a page that gives way to another site's, with what it was handed in
  // its last moments: `pagehide` is too late.
  on(['beforeunload', 'pagehide'], () => {
    page.leave();
    // A download, or the visitor's second thought, leaves the page where it is, and its time goes
    // on.
    setTimeout(clock.start, stayMs);
  });
  on<PageTransitionEvent>(['pageshow'], ({ persisted }) => persisted && page.restore());
  on<MouseEvent>(['click', 'auxclick', 'submit'], click => {
    if (click.button > 1) return;
    tagged(click);
    let n: string | false | undefined;
    setTimeout(
      quietly(() => {
        if (n && !click.defaultPrevented) hits.send('outbound', { n });
        // Firefox before 133 drops what it fetches when the click leads away.
        if (!('keepalive' in Request.prototype)) transport.flush();
      }),
    );
    n = config.outbound && outboundUrl(click);
  });
  config.isManual || quietly(watchNavigation)(config.hash, quietly(page.navigate));
  setInterval(quietly(page.report), reportMs);

  // First, since a page may have a `tracker` of its own that cannot be replaced.
  if (config.auto) page.pageview();
  if (!isModule) {
    const waiting = window.tracker?.q ?? [];
    window.tracker = Object.assign(quietly(event), {
      pageview: quietly(page.pageview),
      identify: quietly(identify),
      revenue: quietly(revenue),
    });
    for (const args of waiting) window.tracker(...args);
  }
  // What was painted before is told to those who come later, too.
  const measure = quietly(() => {
    measureVitals(vitals);
    // After the library's own listener, which ends the measuring.
    on(['visibilitychange'], page.reportVitals);
  });
  if (config.vitals) idle().then(measure);
  return { calls, page, hits, transport };
};
