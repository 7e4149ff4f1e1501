/**
 * The tracker for pages that came with Umami's tag, bundled into /script.js and, for tags of its
 * version 1, /umami.js: Umami's attributes and functions, and our own.
 */
import type { WireHit } from '../src/model/hit.ts';
import { createTagged, found } from './clicks.ts';
import { type Config, listOf, readConfig } from './config.ts';
import { stored } from './drop.ts';
import { minorUnits } from './minor-units.ts';
import { quietly } from './quietly.ts';
import type { Started } from './start.ts';

type Fields = Record<string, unknown>;

/** What Umami's trackers put on the wire, and what pages give and get ("Tracker functions"). */
type Payload = Fields;

/** Umami's calls answer with a promise, which pages wait for before they lead elsewhere. */
type Call = (what?: unknown, data?: unknown) => Promise<void>;

/** A function itself, as in version 1: `umami('Signup')`. */
export interface Umami extends Call {
  track: Call;
  identify: Call;
  trackEvent: Call;
  trackView: Call;
}

declare global {
  interface Window {
    umami?: Umami;
  }
}

/**
 * What a page's own function, named by `data-before-send`, makes of a hit: Umami's payload, or
 * something falsy to drop it. It may take its time.
 */
type BeforeSend = (type: string, payload: Payload) => unknown;

/** Marks a hit that the page's function has answered. It is on no wire. */
const isAnswered = Symbol();

/** A route. Umami counts what routers in the hash push, and no anchor. */
const route = /^#[/!].+/;

/** Reads our attributes, and those of Umami's that mean the same. Throws as `readConfig`. */
export const readUmamiConfig = (tag: Pick<HTMLScriptElement, 'dataset' | 'src'>): Config => {
  const { dataset, src } = tag;
  const domains = listOf(dataset.domains);
  const config = readConfig({ dataset: { api: dataset.hostUrl, ...dataset } as DOMStringMap, src });
  const isManual = dataset.autoTrack === 'false';
  return {
    ...config,
    site: config.site || dataset.websiteId || '',
    // One address takes everything, as a proxy in front of it may know no other.
    api: `${config.api}/api/send?`,
    hash: config.hash || (dataset.excludeHash !== 'true' && route),
    auto: config.auto && !isManual,
    isManual,
    dnt: config.dnt || dataset.doNotTrack === 'true',
    isOff: () => !!stored('umami.disabled') || (!!domains[0] && !domains.includes(location.hostname)),
  };
};

const trimmed = (address: string, { excludeSearch, excludeHash }: DOMStringMap): string => {
  const url = new URL(address);
  if (excludeSearch === 'true') url.search = '';
  if (excludeHash === 'true') url.hash = '';
  return url.href;
};

/** As Umami writes a hit. */
const payloadOf = (hit: Partial<WireHit>, tag: string | undefined): Payload => ({
  ...{ website: hit.s, hostname: location.hostname, language: hit.l, tag },
  ...{ screen: `${screen.width}x${screen.height}`, url: hit.u, referrer: hit.r },
  ...{ title: hit.ti, name: hit.n, data: hit.p },
});

/** What a payload says of the page. What it lacks is the page's own. */
const pageOf = ({ website, url, referrer, title, language }: Payload): Partial<WireHit> =>
  JSON.parse(
    JSON.stringify({
      ...{ s: website, u: url == null ? url : new URL(`${url}`, location.href).href },
      ...{ r: referrer, ti: title, l: language },
    }),
  );

/** Umami's revenue is in major units. Without a currency, the event keeps what it said. */
const withRevenue = (hit: WireHit): WireHit => {
  const { revenue, currency = 'USD', ...p } = hit.p ?? {};
  const amount = Number(`${revenue}` || 'none');
  if (hit.t !== 'custom' || !Number.isFinite(amount)) return hit;
  try {
    return { ...hit, t: 'revenue', v: Math.round(amount * minorUnits(`${currency}`)), c: `${currency}`, p };
  } catch {
    return hit;
  }
};

/**
 * Umami's last word on a hit: the attributes of its tag, and the page's own function. A hit is made
 * anew, since one that is sent again is changed again. `send` takes a hit whose function took time.
 */
export const createChange =
  (dataset: DOMStringMap, send: (hit: WireHit) => void) =>
  (given: WireHit): WireHit | undefined => {
    const { tag, beforeSend = '' } = dataset;
    const hit: WireHit & { [isAnswered]?: true } = { ...given, u: trimmed(given.u, dataset) };
    if (hit.r) hit.r = trimmed(hit.r, dataset);
    const ask = (window as unknown as Record<string, BeforeSend | undefined>)[beforeSend];
    if (!ask || hit[isAnswered]) return withRevenue(tagged(hit, tag));
    let answer: unknown;
    try {
      answer = ask(hit.t === 'identify' ? 'identify' : 'event', payloadOf(tagged(hit, tag), tag));
    } catch {
      // The page meant to change the hit and could not, so this one stays in it.
    }
    // What has a name is an event there, and what has none a page.
    const changed = (payload: Payload): WireHit => {
      const { name: n, data: p } = payload;
      const t = /pageview|custom/.test(hit.t!) ? (n ? 'custom' : 'pageview') : hit.t;
      return { ...hit, ...pageOf(payload), t, n, p } as WireHit;
    };
    if (answer instanceof Promise) {
      answer.then(payload => payload && send({ ...changed(payload), [isAnswered]: true } as WireHit)).catch(() => {});
      return undefined;
    }
    return answer ? withRevenue(changed(answer as Payload)) : undefined;
  };

/** `data-tag` is a property of what counts. */
const tagged = (hit: WireHit, tag: string | undefined): WireHit =>
  tag && /pageview|custom|revenue/.test(hit.t!) ? { ...hit, p: { tag, ...hit.p } } : hit;

/** What a function made of the payload that it was given. The rest is the page's own. */
const changesOf = (payload: Payload, usual: Payload): Payload =>
  Object.fromEntries(Object.entries(payload).filter(([name, value]) => value !== usual[name]));

/** The functions that a page calls. They never throw. */
export const createUmami = (
  { calls, hits, page, transport }: Started,
  { site }: Config,
  { tag }: DOMStringMap,
): Umami => {
  const event = (n: string, p?: Fields, more?: Partial<WireHit>): unknown =>
    n && hits.send('custom', { ...more, n, p });

  /** An event if it has a name. A page view of another site says nothing of this page's. */
  const sendPayload = (payload: Payload): void => {
    const { name, data } = payload;
    const more = pageOf(payload);
    const p = { ...(payload.tag ? { tag: payload.tag } : {}), ...(data as Fields) };
    if (name) event(`${name}`, p, more);
    else if (more.s && more.s !== site) hits.send('pageview', { ...more, p });
    else {
      page.pageview();
      Object.assign(transport.held() ?? {}, more, { p });
    }
  };

  const track = (what?: unknown, data?: unknown): void => {
    if (what == null) page.pageview();
    else if (typeof what === 'string') event(what, data as Fields);
    else if (typeof what !== 'function') sendPayload(what as Payload);
    else {
      const { href: u } = location;
      const { referrer: r, title: ti } = document;
      const usual = payloadOf({ s: site, u, r, ti, l: navigator.language }, tag);
      const payload = what(usual);
      if (payload) sendPayload(changesOf(payload, usual));
    }
  };
  const promising = (call: (what?: unknown, data?: unknown) => void): Call => {
    const run = quietly(call);
    return async (what, data) => run(what, data);
  };
  // In version 1 a text that followed was the kind of the event.
  const trackEvent = promising((name, data) => event(`${name}`, typeof data === 'object' ? (data as Fields) : {}));
  return Object.assign((name: unknown) => trackEvent(name), {
    track: promising(track),
    identify: promising((who, traits) => calls.identify(who, traits as Fields)),
    trackEvent,
    trackView: promising((url, referrer) => sendPayload({ url, referrer })),
  });
};

/** `umami--click--signup` as a class of an element: version 1 knew events by it. */
const classEvent = /(?:^|\s)umami--(\w+)--([\w-]+)/;
const classEventTypes = ['click', 'dblclick', 'submit', 'change', 'input', 'focus', 'blur'];

/** Sends the events of elements. */
export const listenToElements = ({ track }: Umami): void => {
  const on = (type: string, handle: (event: Event) => void): void => addEventListener(type, quietly(handle), true);
  const send = createTagged('data-umami-event', track);
  for (const type of ['click', 'auxclick', 'submit'])
    on(type, event => (event as MouseEvent).button! > 1 || send(event));
  for (const type of classEventTypes)
    on(type, event => {
      const nameOf = (one: Element): string | undefined => {
        const [, of, name] = classEvent.exec(one.getAttribute?.('class') ?? '') ?? [];
        return of === type ? name : undefined;
      };
      const element = found(event, nameOf);
      if (element) track(nameOf(element));
    });
};
