/**
 * The tracker for pages that came with Matomo's tag, bundled into /matomo.js and /piwik.js: it does
 * what the page asks by `_paq`, or by the trackers of `Matomo`. Matomo counts what the page tells
 * it to, so navigations inside the page are not followed.
 */
import type { WireHit } from '../src/model/hit.ts';
import { found } from './clicks.ts';
import { readConfig } from './config.ts';
import { type Consent, createConsent } from './matomo-consent.ts';
import { quietly } from './quietly.ts';
import { findTag, type Started, start } from './start.ts';

type Fields = Record<string, unknown>;
type Command = [name: string | ((this: unknown) => void), ...args: unknown[]];
type Methods = Record<string, (...args: never[]) => unknown>;

interface Queue {
  push(...commands: Command[]): void;
  length?: number;
}

/** What stands at `window.Matomo`, which modules of frameworks wait for. */
interface Products {
  initialized: true;
  getTracker(url?: string, site?: unknown): Methods;
  addTracker(url?: string, site?: unknown): Methods;
  getAsyncTracker(url?: string, site?: unknown): Methods;
  getAsyncTrackers(): Methods[];
  on(): void;
  off(): void;
  trigger(): void;
  addPlugin(): void;
}

declare global {
  interface Window {
    _paq?: Command[] | Queue;
    Matomo?: Products;
    Piwik?: Products;
    matomoAsyncInit?(): void;
    piwikAsyncInit?(): void;
  }
}

const downloads =
  '7z|aac|apk|arc|arj|asc|asf|asx|avi|azw3|bin|bz2?|csv|deb|dmg|docx?|epub|exe|flv|gif|gz|gzip|hqx|ibooks|jar|jpe?g|js|json|md5|mobi|mov|mp3|mp4|mpe?g|msi|msp|od[bfgpst]|ogg|ogv|pdf|phps|png|pptx?|pptm|qtm?|ra|ram|rar|rpm|rtf|sea|sha\\d*|sit|sql|tar|tbz2?|tgz|torrent|txt|wav|webm|wma|wmv|wpd|xlsx?|xlsm|xml|xz|z|zip';

/** What the page has told of its links, for all its trackers. */
interface Links {
  areCounted: boolean;
  downloads: string;
  /** Hosts of its own; `*.` stands for any below. */
  domains: string[];
}

/** Without what is not told, which Matomo's calls may write as false. */
const given = (properties: Fields): Fields =>
  Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value != null && value !== '' && value !== false),
  );

/** A hit, or Matomo's parameters of a goal or an order: its amount is of the site's currency. */
type MatomoHit = Partial<WireHit> & { goal?: Fields };

interface Parts {
  started: Started;
  consent: Consent;
  links: Links;
  endpoint: string;
  /** The number of the tracker's site, and of the script's. */
  site: string;
  ownSite: string;
}

/** One tracker of the page. */
const createTracker = ({ started, consent, links, endpoint, site, ownSite }: Parts): Methods => {
  const { hits, page, transport, calls } = started;
  const told: { u?: string; ti?: string; r?: string } = {};
  let properties: Fields = {};
  let number = site;
  let s: string | undefined;

  const setSiteId = (next: unknown): void => {
    number = `${next}`;
    s = number === ownSite ? undefined : `matomo:${number}`;
  };
  setSiteId(site);

  const pageview = (more: MatomoHit): void => {
    if (s) hits.send('pageview', more);
    else {
      page.pageview();
      Object.assign(transport.held() ?? {}, more);
    }
  };
  /** `data` has this hit's own dimensions. Most callbacks lead elsewhere, so the hit goes first. */
  const send = (more: MatomoHit, own: Fields = {}, data: unknown = {}, callback?: unknown): void => {
    const { u, r, ti } = told;
    const isPage = more.t === 'pageview';
    const p = given({ ...own, ...properties, ...(data as Fields) });
    const hit = given({ s, u, r, ...(isPage && { ti }), ...more, p }) as MatomoHit;
    consent.whenGiven(hit, () => (isPage ? pageview(hit) : hits.send(more.t ?? 'custom', hit)));
    if (typeof callback !== 'function') return;
    transport.flush();
    setTimeout(() => callback());
  };
  const goal = (parameters: Fields, data?: unknown, callback?: unknown): void =>
    // Amounts are of the site's currency, which only the server knows.
    send({ goal: given(parameters) }, {}, data, callback);

  return {
    trackPageView: (ti?: string, data?: unknown, callback?: unknown) =>
      send({ t: 'pageview', ...(ti && { ti }) }, {}, data, callback),
    trackEvent: (n: unknown, action?: unknown, name?: unknown, value?: unknown, data?: unknown, callback?: unknown) =>
      send({ n: `${n}` }, { action, name, value }, data, callback),
    trackSiteSearch: (keyword: string, category?: unknown, results?: unknown, data?: unknown) =>
      send({ n: 'Site search' }, { keyword, category, results }, data),
    trackGoal: (idgoal: unknown, revenue?: unknown, data?: unknown, callback?: unknown) =>
      goal({ idgoal, revenue }, data, callback),
    trackEcommerceOrder: (id: unknown, revenue: unknown) => goal({ idgoal: '0', ec_id: id, revenue }),
    trackEcommerceCartUpdate: (revenue: unknown) => goal({ idgoal: '0', revenue }),
    trackLink: (url: string, kind?: string, data?: unknown, callback?: unknown) =>
      kind === 'download'
        ? send({ n: 'File Download' }, { url }, data, callback)
        : send({ t: 'outbound', n: url }, {}, data, callback),
    ...contentMethods(send),
    setUserId: (id: unknown) => !s && id && consent.whenGiven({}, () => calls.identify(id)),
    setCustomUrl: (url: string) => Object.assign(told, { u: new URL(url, location.href).href }),
    setReferrerUrl: (r: string) => Object.assign(told, { r }),
    setDocumentTitle: (ti: string) => Object.assign(told, { ti }),
    ...propertySetters(
      () => properties,
      next => {
        properties = next;
      },
    ),
    ...linkSetters(links),
    ...consent.methods,
    setSiteId,
    getSiteId: () => number,
    getTrackerUrl: () => endpoint,
    getCurrentUrl: () => told.u ?? location.href,
  };
};

const contentMethods = (send: (more: MatomoHit, own: Fields) => void): Methods => ({
  trackContentImpression: (name: string, piece?: unknown, target?: unknown) =>
    send({ n: 'Content impression' }, { name, piece, target }),
  trackContentInteraction: (interaction: string, name: string, piece?: unknown, target?: unknown) =>
    send({ n: 'Content interaction' }, { name, piece, target, interaction }),
});

/** Custom dimensions and variables. */
const propertySetters = (read: () => Fields, write: (properties: Fields) => void): Methods => {
  const names: Fields = {};
  const set = (name: string, value: unknown): void => write(given({ ...read(), [name]: value }));
  return {
    setCustomDimension: (id: number, value: unknown) => set(`dimension${id}`, value),
    getCustomDimension: (id: number) => read()[`dimension${id}`],
    deleteCustomDimension: (id: number) => set(`dimension${id}`, null),
    setCustomVariable(index: number, name: string, value: unknown) {
      names[index] = name;
      set(name, value);
    },
    deleteCustomVariable: (index: number) => set(`${names[index]}`, null),
  };
};

const listOf = (given: unknown): string[] => (Array.isArray(given) ? given : `${given}`.split('|'));

const linkSetters = (links: Links): Methods => ({
  enableLinkTracking: () => Object.assign(links, { areCounted: true }),
  disableLinkTracking: () => Object.assign(links, { areCounted: false }),
  setDomains: (domains: unknown) => Object.assign(links, { domains: listOf(domains) }),
  setDownloadExtensions: (types: unknown) => Object.assign(links, { downloads: listOf(types).join('|') }),
  addDownloadExtensions: (types: unknown) =>
    Object.assign(links, { downloads: [links.downloads, ...listOf(types)].join('|') }),
});

const isOwnHost = (host: string, { domains }: Links): boolean =>
  host === location.host ||
  domains.some(domain => {
    const name = domain.replace(/^https?:\/\/|[/:].*/g, '');
    return name.startsWith('*.') ? `.${host}`.endsWith(name.slice(1)) : host === name;
  });

/** Tells the trackers of clicks on links, by Matomo's classes and the kind of file. */
const listen = (links: Links, trackers: readonly Methods[]): void => {
  const handle = (event: MouseEvent): void => {
    if (!links.areCounted || event.button > 1) return;
    const link = found(event, one => one.localName === 'a' && (one as HTMLAnchorElement).href) as
      | HTMLAnchorElement
      | undefined;
    const has = (kind: string): boolean => new RegExp(`(matomo|piwik)_${kind}(\\s|$)`).test(link!.className);
    if (!link || !/^http/.test(link.protocol) || has('ignore')) return;
    const isDownload = link.hasAttribute('download') || has('download');
    const isFile = new RegExp(`\\.(${links.downloads})$`, 'i').test(link.pathname);
    const kind = has('link') ? 'link' : isDownload || isFile ? 'download' : !isOwnHost(link.host, links) && 'link';
    if (kind) for (const { trackLink } of trackers) trackLink!(...([link.href, kind] as never[]));
  };
  for (const type of ['click', 'auxclick']) addEventListener(type, quietly(handle) as () => void, true);
};

/** What Matomo runs before the rest of the queue, wherever it stands there. */
const early = ['setTrackerUrl', 'setSiteId', 'addTracker', 'enableLinkTracking', 'requireConsent', 'setConsentGiven'];

/** A page may call all that Matomo has. Of cookies, timers and so on, nothing happens. */
const forgiving = (methods: Methods): Methods => {
  const safe: Methods = {};
  for (const name of Object.keys(methods))
    safe[name] = (...args) => {
      let result: unknown;
      quietly(() => {
        result = methods[name]!(...args);
      })();
      return result;
    };
  // Whoever awaits a tracker would wait for its `then`.
  return new Proxy(safe, { get: (all, name: string) => all[name] ?? (name === 'then' ? undefined : () => {}) });
};

const run = (tag: HTMLScriptElement): void => {
  let queue: Command[] = Array.from((window._paq as Command[]) ?? []);
  const trackers: Methods[] = [];
  const links: Links = { areCounted: false, downloads, domains: [] };
  const consent = createConsent();
  let started: Started | undefined;
  let ownSite = '';
  const endpointOf = (url: unknown): string => new URL((url as string) || 'matomo.php', tag.src).href;

  /** Sends to the first one's address, which is ours. One with another address sends nothing. */
  const create = (url?: unknown, site?: unknown): Methods => {
    const first = trackers[0];
    const endpoint = url || !first ? endpointOf(url) : (first.getTrackerUrl!() as string);
    const number = `${site ?? ownSite}`;
    if (!number) return forgiving({});
    ownSite ||= number;
    started ??= begin(tag, consent, endpoint, number);
    if (first && endpoint !== first.getTrackerUrl!()) return forgiving({ getSiteId: () => number });
    return forgiving(createTracker({ started, consent, links, endpoint, site: number, ownSite }));
  };
  const add = (url?: unknown, site?: unknown): Methods => {
    const tracker = create(url, site);
    trackers.push(tracker);
    return tracker;
  };
  const apply = quietly(([name, ...args]: Command) => {
    if (name === 'addTracker') add(...args);
    else
      for (const tracker of name === 'setSiteId' ? trackers.slice(0, 1) : [...trackers])
        if (typeof name === 'function') name.apply(tracker);
        else tracker[name]!(...(args as never[]));
  });
  const argumentOf = (name: string): unknown => queue.find(([command]) => command === name)?.[1];
  /** Nothing can be counted before the page says of which site. */
  const drain = (): void => {
    const site = argumentOf('setSiteId');
    if (!trackers[0] && site !== undefined) add(argumentOf('setTrackerUrl'), site);
    if (!trackers[0]) return;
    const isEarly = ([name]: Command): boolean => early.includes(`${name}`);
    const waiting = queue;
    queue = [];
    for (const command of waiting.filter(isEarly)) apply(command);
    for (const command of waiting) if (!isEarly(command)) apply(command);
  };
  const known = (url?: string, site?: unknown): Methods =>
    trackers.find(one => site === undefined || one.getSiteId!() === `${site}`) ??
    (site === undefined ? forgiving({}) : add(url, site));

  const ignored = (): void => {};
  window.Matomo = window.Piwik = {
    initialized: true,
    getTracker: create,
    addTracker: add,
    getAsyncTracker: known,
    getAsyncTrackers: () => trackers,
    ...{ on: ignored, off: ignored, trigger: ignored, addPlugin: ignored },
  };
  window._paq = {
    push(...more) {
      queue.push(...more);
      drain();
    },
  };
  drain();
  for (const name of ['piwikAsyncInit', 'matomoAsyncInit'] as const) quietly(() => window[name]?.())();
  listen(links, trackers);
};

const begin = (tag: HTMLScriptElement, consent: Consent, endpoint: string, site: string): Started =>
  start({
    ...readConfig(tag),
    site: `matomo:${site}`,
    api: `${endpoint}?`,
    outbound: false,
    auto: false,
    isManual: true,
    isOff: () => !consent.isGiven(),
  });

quietly(() => {
  const tag = findTag('script[src$="matomo.js"],script[src$="piwik.js"]');
  if (tag) run(tag);
})();
