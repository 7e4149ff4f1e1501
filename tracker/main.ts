/** The tracker, bundled into /t.js: wires what happens on the page to hits. */
import { createCalls } from './calls.ts';
import { outboundUrl, taggedEvent } from './clicks.ts';
import { createClock } from './clock.ts';
import { readConfig } from './config.ts';
import { isDropped } from './drop.ts';
import { createCompletion, createHits } from './hits.ts';
import { watchNavigation } from './navigation.ts';
import { createPage, isVisible } from './page.ts';
import { quietly } from './quietly.ts';
import { createTransport } from './transport.ts';
import { createUmami } from './umami.ts';
import { measureVitals } from './vitals.ts';

const start = (script: HTMLScriptElement): void => {
  const config = readConfig(script);
  if (!config.site) return;

  const transport = createTransport(config, createCompletion());
  const hits = createHits(config, transport);
  const vitals = config.vitals && !isDropped(config) ? measureVitals() : {};
  const clock = createClock(() => performance.now());
  const page = createPage(hits, transport, clock, vitals);
  const calls = createCalls(hits);
  const { event, identify, revenue } = calls;

  const on = <E extends Event>(types: string[], handle: (event: E) => void): void => {
    for (const type of types) addEventListener(type, quietly(handle) as (event: Event) => void, true);
  };

  on(['visibilitychange'], () => (isVisible() ? clock.lap(true) : page.leave()));
  on(['pagehide'], page.leave);
  on<PageTransitionEvent>(['pageshow'], ({ persisted }) => persisted && page.restore());
  on<MouseEvent>(['click', 'auxclick'], click => {
    if (click.button > 1) return;
    const tagged = taggedEvent(click);
    if (tagged) event(tagged.name, tagged.properties);
    const n = config.outbound && outboundUrl(click);
    if (n) hits.send('outbound', { n });
    // Firefox before 133 drops what it fetches when the click leads away.
    if (!('keepalive' in Request.prototype)) transport.flush();
  });
  quietly(watchNavigation)(config.hash, quietly(page.pageview));

  // First, since a page may have a `tracker` of its own that cannot be replaced.
  if (config.auto) page.pageview();
  const waiting = window.tracker?.q ?? [];
  window.tracker = Object.assign(quietly(event), {
    pageview: quietly(page.pageview),
    identify: quietly(identify),
    revenue: quietly(revenue),
  });
  if (script.dataset.websiteId) window.umami = createUmami(calls, page.pageview);
  for (const args of waiting) window.tracker(...args);
};

quietly(() => {
  const script = document.currentScript ?? document.querySelector('script[data-site]');
  if (script && !window.tracker?.pageview) start(script as HTMLScriptElement);
})();
