/**
 * The tracker for pages that came with GoatCounter's tag, bundled into /count.js. GoatCounter
 * counts what the page tells it to, so navigations inside the page are not followed.
 */
import { isTracking } from '../src/model/tracking-parameters.ts';
import { found } from './clicks.ts';
import { type Config, readConfig } from './config.ts';
import { stored } from './drop.ts';
import { quietly } from './quietly.ts';
import { findTag, type Started, start } from './start.ts';

/** A value, or a function of the usual one. A path of null is not counted. */
type Given<T> = T | null | ((usual: T) => T | null);

interface Settings {
  path?: Given<string>;
  title?: Given<string>;
  referrer?: Given<string>;
  event?: boolean;
}

interface Goatcounter extends Settings {
  no_onload?: boolean;
  no_events?: boolean;
  allow_frame?: boolean;
  endpoint?: string;
  count?(vars?: Settings): void;
  bind_events?(): void;
  filter?(): string | false;
  get_query?(name: string): string | undefined;
}

declare global {
  interface Window {
    goatcounter?: Goatcounter;
  }
}

const settingNames = ['no_onload', 'no_events', 'allow_frame', 'path', 'title', 'referrer', 'event'] as const;

/** What the page said before the script came, and what the tag says. */
const readSettings = ({ goatcounterSettings = '{}' }: DOMStringMap): Goatcounter => {
  window.goatcounter ??= {};
  const settings = window.goatcounter;
  const given = JSON.parse(goatcounterSettings) as Goatcounter;
  for (const name of settingNames) if (name in given) Object.assign(settings, { [name]: given[name] });
  return settings;
};

const skipKey = 'skipgc';

const configOf = (tag: HTMLScriptElement, settings: Goatcounter): Config => {
  const endpoint = tag.dataset.goatcounter || settings.endpoint!;
  return {
    ...readConfig(tag),
    // The address says which one.
    site: 'goatcounter',
    api: `${new URL(endpoint, location.href).href}?`,
    outbound: false,
    auto: false,
    isManual: true,
    isOff: () => !!offReason(settings),
  };
};

/** Why nothing is counted now, if there is a reason. */
const offReason = ({ allow_frame: mayBeFramed }: Goatcounter): string | false => {
  if (!mayBeFramed && self !== parent) return 'frame';
  return stored(skipKey) === 't' && 'disabled with #toggle-goatcounter';
};

/** The canonical address of the page, where it is one of this host. */
const usualPath = (): string => {
  const canonical = document.querySelector<HTMLLinkElement>('link[rel=canonical][href]');
  const url = new URL(canonical?.href ?? location.href);
  const bare = (host: string): string => host.replace(/^www\./, '');
  const { pathname, search } = bare(url.hostname) === bare(location.hostname) ? url : location;
  return pathname + search;
};

const resultOf = (given: Given<string> | undefined, usual: string): string | null =>
  typeof given === 'function' ? given(usual) : (given ?? usual);

/** The address of a path, with what the page's own says of how somebody came. */
const addressOf = (path: string): string => {
  const url = new URL(`/${path.replace(/^\/+/, '')}`, location.href);
  for (const [name, value] of new URLSearchParams(location.search))
    if (isTracking(name) && !url.searchParams.has(name)) url.searchParams.append(name, value);
  return url.href;
};

const counter =
  ({ page, hits, transport }: Started, settings: Goatcounter) =>
  (vars: Settings = {}): void => {
    const told = { ...settings, ...vars };
    const path = resultOf(told.path, usualPath());
    const title = resultOf(told.title, document.title);
    const r = resultOf(told.referrer, '');
    if (path === null) return;
    if (vars.event || settings.event) {
      hits.send('custom', { n: path, ...(r && { r }), p: title ? { title } : undefined });
      return;
    }
    page.pageview();
    const hit = transport.held();
    if (!hit) return;
    if (path !== location.pathname + location.search) hit.u = addressOf(path);
    if (r) hit.r = r;
    if (title && title !== document.title) hit.ti = title;
  };

/** Counts elements with `data-goatcounter-click`, those too that come later. */
const listen = (count: (vars: Settings) => void): void => {
  const handle = (event: MouseEvent): void => {
    const element = event.button < 2 && found(event, one => one.dataset?.goatcounterClick !== undefined);
    if (!element) return;
    const { goatcounterClick, goatcounterTitle, goatcounterReferrer } = element.dataset;
    count({
      event: true,
      path: goatcounterClick || element.getAttribute('name') || element.id,
      title: goatcounterTitle || element.title || element.innerHTML.slice(0, 200),
      referrer: goatcounterReferrer || '',
    });
  };
  for (const type of ['click', 'auxclick']) addEventListener(type, quietly(handle) as () => void, true);
};

/** Lets people leave out their own visits. */
const toggle = (): void => {
  if (location.hash !== '#toggle-goatcounter') return;
  const isOff = stored(skipKey) === 't';
  if (isOff) localStorage.removeItem(skipKey);
  else localStorage.setItem(skipKey, 't');
  alert(`This browser is ${isOff ? 'counted again' : 'not counted any more'}.`);
};

quietly(() => {
  const tag = findTag('script[data-goatcounter]');
  if (!tag) return;
  const settings = readSettings(tag.dataset);
  toggle();
  const started = start(configOf(tag, settings));
  const count = counter(started, settings);
  Object.assign(settings, {
    count: quietly(count),
    bind_events() {},
    filter: () => offReason(settings),
    get_query: (name: string) => new URLSearchParams(location.search).get(name) ?? undefined,
  });
  if (!settings.no_events) listen(count);
  if (!settings.no_onload) count();
})();
