/**
 * The tracker for pages that came with Plausible's tag, bundled into /js/script.js and all its
 * variants, and into /js/pa-….js. What a variant does is in its name; the newer script waits for
 * `plausible.init()`.
 */
import { globMatches } from '../src/model/glob.ts';
import type { WireHit } from '../src/model/hit.ts';
import { found } from './clicks.ts';
import { anyHash, type Config, listOf, readConfig } from './config.ts';
import { stored } from './drop.ts';
import { minorUnits } from './minor-units.ts';
import { quietly } from './quietly.ts';
import { findTag, type Started, start } from './start.ts';

type Properties = Record<string, unknown>;

interface EventOptions {
  props?: Properties;
  /** An older name of `props`. */
  meta?: Properties;
  revenue?: { amount: unknown; currency: string };
  u?: string | (() => string);
  url?: string;
  callback?: (result?: { status: number }) => void;
}

/** What `plausible.init` takes, as far as it means something here. */
interface Options {
  hashBasedRouting?: boolean;
  outboundLinks?: boolean;
  fileDownloads?: boolean | { fileExtensions: string[] };
  formSubmissions?: boolean;
  autoCapturePageviews?: boolean;
  customProperties?: Properties | ((name: string) => Properties);
  transformRequest?: (payload: Properties) => Properties | null | undefined;
  endpoint?: string;
}

interface Plausible {
  (name: string, options?: EventOptions): void;
  init?(options?: Options): void;
  /** Calls and options from before the script arrived. */
  q?: Iterable<[name: string, options?: EventOptions]>;
  o?: Options;
}

declare global {
  interface Window {
    plausible?: Plausible;
  }
}

const fileTypes =
  'pdf,xlsx,docx,txt,rtf,csv,exe,key,pps,ppt,pptx,7z,pkg,rar,gz,zip,avi,mov,mp4,mpeg,wmv,midi,mp3,wav,wma,dmg';
const outboundName = 'Outbound Link: Click';

const resultOf = <T>(value: T | ((...args: string[]) => T), ...args: string[]): T =>
  typeof value === 'function' ? (value as (...args: string[]) => T)(...args) : value;

/** What the tag and the name of the script say, in the words of the newer script. */
const optionsOf = (tag: HTMLScriptElement, variant: string): Options => {
  const has = (feature: string): boolean => `.${variant}.`.includes(`.${feature}.`);
  const types = tag.getAttribute('file-types');
  const more = tag.getAttribute('add-file-types');
  return {
    hashBasedRouting: has('hash'),
    outboundLinks: has('outbound-links'),
    fileDownloads: has('file-downloads') && { fileExtensions: listOf(types ?? `${fileTypes},${more ?? ''}`) },
    autoCapturePageviews: !has('manual'),
    endpoint: tag.dataset.api ?? '',
  };
};

/** The attributes `event-…` of the tag. */
const attributesOf = (tag: HTMLScriptElement): Properties =>
  Object.fromEntries(
    [...tag.attributes].flatMap(({ name, value }) => (name.startsWith('event-') ? [[name.slice(6), value]] : [])),
  );

const isListed = (globs: readonly string[], path: string): boolean =>
  globs.some(glob => globMatches(glob, path) || globMatches(`${glob}/`, path));

const configOf = (tag: HTMLScriptElement, site: string, options: Options): Config => {
  const { include } = tag.dataset;
  const base = readConfig(tag);
  return {
    ...base,
    site,
    // One address takes everything, as a proxy in front of it may know no other.
    api: `${options.endpoint || `${new URL(tag.src).origin}/api/event`}?`,
    hash: !!options.hashBasedRouting && anyHash,
    outbound: !!options.outboundLinks,
    auto: options.autoCapturePageviews !== false,
    isManual: options.autoCapturePageviews === false,
    exclude: base.exclude.flatMap(glob => (glob ? [glob, `${glob}/`] : [])),
    isOff: () => stored('plausible_ignore') === 'true' || (!!include && !isListed(listOf(include), location.pathname)),
    change: hit => changed(hit, attributesOf(tag), options),
  };
};

/** A hit of its own, since one that is sent again is changed again. */
const changed = (given: WireHit, attributes: Properties, options: Options): WireHit | undefined => {
  if (!/pageview|custom|outbound|revenue/.test(given.t!)) return given;
  const u = options.hashBasedRouting ? given.u : given.u.replace(/#.*/, '');
  const isLink = given.t === 'outbound';
  const name = isLink ? outboundName : (given.n ?? 'pageview');
  const own = resultOf(options.customProperties, name);
  const hit: WireHit = { ...given, u, p: { ...attributes, ...(typeof own === 'object' && own), ...given.p } };
  if (!options.transformRequest) return hit;
  const payload = options.transformRequest({
    ...{ n: name, u: hit.u, d: hit.s, r: hit.r || null },
    p: isLink ? { url: hit.n, ...hit.p } : hit.p,
  });
  if (!payload) return undefined;
  const { u: address, r, p } = payload as { u: string; r?: string; p?: Properties };
  Object.assign(hit, { u: address, r: r ?? '', p });
  if (isLink && p) {
    const { url, ...rest } = p;
    Object.assign(hit, { n: url, p: rest });
  } else if (hit.n) hit.n = `${payload.n}`;
  return hit;
};

const createPlausible = ({ hits, page, transport }: Started): ((name: string, options?: EventOptions) => void) => {
  const send = (name: string, { props, meta, revenue, u, url }: EventOptions): unknown => {
    const p = props ?? meta;
    const address = resultOf(u) ?? url;
    const more = { p, ...(address && { u: new URL(address, location.href).href }) };
    if (name === 'pageview') {
      page.pageview();
      return Object.assign(transport.held() ?? {}, more);
    }
    const { amount, currency = '' } = revenue ?? {};
    const v = amount == null ? Number.NaN : Math.round(Number(amount) * minorUnits(currency));
    return v - v === 0
      ? hits.send('revenue', { ...more, n: name, v, c: currency })
      : hits.send('custom', { ...more, n: `${name}` });
  };
  return (name, options = {}) => {
    const { callback } = options;
    let sent: unknown;
    try {
      sent = send(name, options);
      // Most callbacks lead to another page, so the browser gets the hit now.
      if (callback) transport.flush();
    } finally {
      if (callback) setTimeout(() => callback(sent ? { status: 202 } : undefined));
    }
  };
};

/** `plausible-event-plan=pro` as a class or an attribute of an element. */
const taggedOf = (element: Element): Map<string, string> => {
  const pairs = [
    ...[...element.classList].map(name => /^plausible-(\w+-.+?)(?:=|--)(.+)/.exec(name) ?? []),
    ...[...element.attributes].map(({ name, value }) => ['', /^plausible-(.+)/.exec(name)?.[1], value]),
  ];
  return new Map(pairs.flatMap(([, key, value]) => (key && value ? [[key, value.replace(/\+/g, ' ')]] : [])));
};

const nameKey = 'event-name';

/** The event of a click or a submit on a tagged element. */
const taggedEvent = (event: Event): [string, EventOptions] | undefined => {
  const element = found(
    event,
    one => one.classList && taggedOf(one).has(nameKey) && (one.localName === 'form') === (event.type === 'submit'),
  );
  if (!element) return undefined;
  const props: Properties = {};
  const revenue: Properties = {};
  const tagged = taggedOf(element);
  for (const [key, value] of tagged) {
    if (key.startsWith('revenue-')) revenue[key.slice(8)] = value;
    else if (key !== nameKey) props[key.slice(6)] = value;
  }
  const link = linkOf(event);
  if (link) props.url = link.href;
  return [tagged.get(nameKey)!, { props, ...(revenue.amount ? { revenue: revenue as never } : {}) }];
};

const linkOf = (event: Event): HTMLAnchorElement | undefined =>
  found(event, one => one.localName === 'a' && (one as HTMLAnchorElement).href) as HTMLAnchorElement | undefined;

/** Downloads, forms and tagged elements. Links to other hosts are the tracker's own matter. */
const listen = (send: Plausible, { outboundLinks, fileDownloads, formSubmissions }: Options): void => {
  const types = typeof fileDownloads === 'object' ? fileDownloads.fileExtensions : listOf(fileTypes);
  const handle = (event: MouseEvent): void => {
    if (event.button > 1) return;
    const tagged = taggedEvent(event);
    if (tagged) send(...tagged);
    else if (event.type === 'submit') {
      const form = event.target as HTMLFormElement;
      if (formSubmissions && (form.noValidate || form.checkValidity()))
        send('Form: Submission', { props: { path: location.pathname } });
    } else if (fileDownloads) {
      const link = linkOf(event);
      const url = link?.href.split('?')[0] ?? '';
      const isOutbound = outboundLinks && link?.host !== location.host;
      if (link && !isOutbound && types.includes(url.split('.').pop()!)) send('File Download', { props: { url } });
    }
  };
  for (const type of ['click', 'auxclick', 'submit']) addEventListener(type, quietly(handle) as () => void, true);
};

const run = (tag: HTMLScriptElement, site: string, options: Options): void => {
  const waiting = window.plausible?.q ?? [];
  const started = start(configOf(tag, site, options));
  const plausible: Plausible = quietly(createPlausible(started));
  plausible.init = () => {};
  window.plausible = plausible;
  listen(plausible, options);
  for (const args of waiting) plausible(...args);
};

quietly(() => {
  const tag = findTag('script[data-domain],script[src*="/js/pa-"]');
  if (!tag) return;
  const [, id] = /\/(pa-[^/.]+)\.js/.exec(tag.src) ?? [];
  const [, variant = ''] = /\.(.*)\.js/.exec(tag.src.split('/').pop()!) ?? [];
  const { domain } = tag.dataset;
  if (domain || !id) {
    if (domain) run(tag, listOf(domain)[0]!, optionsOf(tag, variant));
    return;
  }
  const usual = { outboundLinks: true, fileDownloads: true, formSubmissions: true };
  const init = quietly((options?: Options) => run(tag, id, { ...usual, ...options }));
  const stub = window.plausible;
  if (stub?.o) init(stub.o);
  else window.plausible = Object.assign(stub ?? (() => {}), { init });
})();
