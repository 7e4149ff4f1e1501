/**
 * The tracker for pages that came with Umami's tag, bundled into /script.js: Umami's attributes and
 * functions, and our own.
 */
import type { WireHit } from '../src/model/hit.ts';
import type { Calls } from './calls.ts';
import { type Config, listOf, readConfig } from './config.ts';
import { isOn } from './drop.ts';
import { minorUnits } from './minor-units.ts';
import { quietly } from './quietly.ts';

export interface Umami {
  track(name?: unknown, data?: Record<string, unknown>): void;
  identify(who: unknown, traits?: Record<string, unknown>): void;
}

declare global {
  interface Window {
    umami?: Umami;
  }
}

/**
 * What a page's own function, named by `data-before-send`, makes of a hit: Umami's payload, or
 * something falsy to drop it.
 */
type BeforeSend = (type: string, payload: Record<string, unknown>) => Record<string, unknown> | undefined;

/** Reads our attributes, and those of Umami's that mean the same. Throws as `readConfig`. */
export const readUmamiConfig = (tag: Pick<HTMLScriptElement, 'dataset' | 'src'>): Config => {
  const { dataset, src } = tag;
  const domains = listOf(dataset.domains);
  const config = readConfig({ dataset: { api: dataset.hostUrl, ...dataset } as DOMStringMap, src });
  return {
    ...config,
    site: config.site || dataset.websiteId || '',
    // One address takes everything, as a proxy in front of it may know no other.
    api: `${config.api}/api/send?`,
    auto: config.auto && dataset.autoTrack !== 'false',
    dnt: config.dnt || dataset.doNotTrack === 'true',
    eventAttributes: [...config.eventAttributes, 'data-umami-event'],
    isOff: () => isOn('umami.disabled') || (!!domains[0] && !domains.includes(location.hostname)),
    change: hit => changed(hit, dataset),
  };
};

/** A hit of its own, since one that is sent again is changed again. */
const changed = (given: WireHit, dataset: DOMStringMap): WireHit | undefined => {
  const { tag, beforeSend = '' } = dataset;
  const hit: WireHit = { ...given, u: trimmed(given.u, dataset) };
  if (hit.r) hit.r = trimmed(hit.r, dataset);
  if (tag && /pageview|custom|revenue/.test(hit.t!)) hit.p = { tag, ...hit.p };
  const ask = (window as unknown as Record<string, BeforeSend | undefined>)[beforeSend];
  if (!ask) return hit;
  let payload: Record<string, unknown> | undefined;
  try {
    payload = ask(hit.t === 'identify' ? 'identify' : 'event', {
      ...{ website: hit.s, hostname: location.hostname, language: hit.l, tag },
      ...{ screen: `${screen.width}x${screen.height}`, url: hit.u, referrer: hit.r },
      ...{ title: hit.ti, name: hit.n, data: hit.p },
    });
  } catch {
    // The page meant to change the hit and could not, so this one stays in it.
  }
  if (!payload) return undefined;
  const { url: u, referrer: r, title: ti, name: n, data: p } = payload;
  return Object.assign(hit, { u: new URL(`${u}`, location.href).href, r, ti, n, p });
};

const trimmed = (address: string, { excludeSearch, excludeHash }: DOMStringMap): string => {
  const url = new URL(address);
  if (excludeSearch === 'true') url.search = '';
  if (excludeHash === 'true') url.hash = '';
  return url.href;
};

/**
 * Umami counts revenue in major units. Its forms that take a function or a payload send a pageview
 * of the current address.
 */
export const createUmami = ({ event, identify }: Calls, pageview: () => void): Umami => ({
  track: quietly((name?: unknown, data?: Record<string, unknown>) => {
    if (typeof name !== 'string') pageview();
    else if (typeof data?.revenue !== 'number') event(name, data);
    else event(name, { ...data, revenue: Math.round(data.revenue * minorUnits((data.currency as string) ?? 'USD')) });
  }),
  identify: quietly(identify),
});
