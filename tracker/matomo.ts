/**
 * The tracker for pages that came with Matomo's tag, bundled into /matomo.js and /piwik.js: it does
 * what the page asks by `_paq`. Matomo counts what the page tells it to, so navigations inside the
 * page are not followed.
 */
import type { WireHit } from '../src/model/hit.ts';
import { found } from './clicks.ts';
import { readConfig } from './config.ts';
import { quietly } from './quietly.ts';
import { findTag, type Started, start } from './start.ts';

type Command = [name: string | ((this: unknown) => void), ...args: unknown[]];

interface Queue {
  [index: number]: Command;
  length: number;
  push(...commands: Command[]): void;
}

declare global {
  interface Window {
    _paq?: Queue;
  }
}

const downloads =
  /\.(7z|aac|apk|arc|arj|asc|asf|asx|avi|azw3|bin|bz2?|csv|deb|dmg|docx?|epub|exe|flv|gif|gz|gzip|hqx|ibooks|jar|jpe?g|js|json|md5|mobi|mov|mp3|mp4|mpe?g|msi|msp|od[bfgpst]|ogg|ogv|pdf|phps|png|pptx?|pptm|qtm?|ra|ram|rar|rpm|rtf|sea|sha\d*|sit|sql|tar|tbz2?|tgz|torrent|txt|wav|webm|wma|wmv|wpd|xlsx?|xlsm|xml|xz|z|zip)$/i;

/** What the page has told so far. */
interface State {
  url?: string;
  title?: string;
  referrer?: string;
  dimensions: Record<string, unknown>;
  /** Nobody is counted before the visitor consents. */
  needsConsent: boolean;
  isOff: boolean;
  outbound: boolean;
}

/** Without what is not told, which Matomo's calls may write as false. */
const given = (properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value != null && value !== '' && value !== false),
  );

/** Amounts are of the site's currency, which only the server knows, so they go there in Matomo's form. */
const sendGoal = (endpoint: string, site: string, state: State, parameters: Record<string, unknown>): void => {
  if (state.isOff || state.needsConsent) return;
  const page = { idsite: site, rec: 1, url: state.url ?? location.href, send_image: 0 };
  const body = new URLSearchParams(given({ ...page, ...parameters }) as Record<string, string>);
  navigator.sendBeacon(endpoint, body);
};

const commandsOf = ({ hits, page, transport, calls }: Started, state: State, endpoint: string, site: string) => {
  const p = (own: Record<string, unknown> = {}) => ({ ...given(own), ...state.dimensions });
  const send = (n: unknown, own: Record<string, unknown>): unknown => hits.send('custom', { n: `${n}`, p: p(own) });
  const goal = (parameters: Record<string, unknown>): void => sendGoal(endpoint, site, state, parameters);
  const order = (id: unknown, revenue: unknown): void => goal({ idgoal: 0, ec_id: id, revenue });
  return {
    trackPageView(title?: string) {
      page.pageview();
      const ti = title || state.title;
      const { url: u, referrer: r } = state;
      Object.assign(transport.held() ?? {}, given({ u, r, ti }), { p: p() });
    },
    trackEvent: (category: string, action?: unknown, name?: unknown, value?: unknown) =>
      send(category, { action, name, value }),
    trackSiteSearch: (keyword: string, category?: unknown, results?: unknown) =>
      send('Site search', { keyword, category, results }),
    trackGoal: (id: unknown, revenue?: unknown) => goal({ idgoal: id, revenue }),
    trackEcommerceOrder: order,
    trackEcommerceCartUpdate: (revenue: unknown) => goal({ idgoal: 0, revenue }),
    trackLink: (url: string, kind?: string) =>
      kind === 'download' ? send('File Download', { url }) : hits.send('outbound', { n: url }),
    trackContentImpression: (name: string, piece?: unknown, target?: unknown) =>
      send('Content impression', { name, piece, target }),
    trackContentInteraction: (interaction: string, name: string, piece?: unknown, target?: unknown) =>
      send('Content interaction', { name, piece, target, interaction }),
    setUserId: (id: unknown) => calls.identify(id),
  };
};

/** What the page may say at any time. What is not here is not ours to do: cookies, timers, and so on. */
const settersOf = (state: State): Record<string, (...args: never[]) => void> => ({
  setCustomUrl(url: string) {
    state.url = new URL(url, location.href).href;
  },
  setDocumentTitle(title: string) {
    state.title = title;
  },
  setReferrerUrl(url: string) {
    state.referrer = url;
  },
  setCustomDimension(id: number, value: unknown) {
    state.dimensions = { ...state.dimensions, ...given({ [`dimension${id}`]: value }) };
  },
  deleteCustomDimension(id: number) {
    const { [`dimension${id}`]: _, ...rest } = state.dimensions;
    state.dimensions = rest;
  },
  setCustomVariable(_: number, name: string, value: unknown) {
    state.dimensions = { ...state.dimensions, ...given({ [name]: value }) };
  },
  enableLinkTracking() {
    state.outbound = true;
  },
  requireConsent() {
    state.needsConsent = true;
  },
  setConsentGiven() {
    state.needsConsent = false;
  },
  rememberConsentGiven() {
    state.needsConsent = false;
  },
  forgetConsentGiven() {
    state.needsConsent = true;
  },
  optUserOut() {
    state.isOff = true;
  },
  forgetUserOptOut() {
    state.isOff = false;
  },
  setDoNotTrack(isOn: boolean) {
    state.isOff ||= isOn && navigator.doNotTrack === '1';
  },
});

const listen = ({ hits }: Started, state: State): void => {
  const handle = (event: MouseEvent): void => {
    if (!state.outbound || event.button > 1) return;
    const link = found(event, one => one.localName === 'a' && (one as HTMLAnchorElement).href) as
      | HTMLAnchorElement
      | undefined;
    if (!link || !/^http/.test(link.protocol)) return;
    if (link.hasAttribute('download') || downloads.test(link.pathname))
      hits.send('custom', { n: 'File Download', p: { url: link.href } });
    else if (link.host !== location.host) hits.send('outbound', { n: link.href });
  };
  for (const type of ['click', 'auxclick']) addEventListener(type, quietly(handle) as () => void, true);
};

quietly(() => {
  const tag = findTag('script[src$="matomo.js"],script[src$="piwik.js"]');
  if (!tag) return;
  const queue: Command[] = Array.from(window._paq ?? []);
  const argumentOf = (name: string): string | undefined =>
    queue.find(([command]) => command === name)?.[1] as string | undefined;
  const site = `${argumentOf('setSiteId')}`;
  const endpoint = new URL(argumentOf('setTrackerUrl') ?? 'matomo.php', tag.src).href;
  const state: State = { dimensions: {}, needsConsent: false, isOff: false, outbound: false };
  const started = start({
    ...readConfig(tag),
    site: `matomo:${site}`,
    api: `${endpoint}?`,
    outbound: false,
    auto: false,
    isManual: true,
    isOff: () => state.isOff || state.needsConsent,
    change: (hit: WireHit) => hit,
  });
  const setters = settersOf(state);
  const commands: Record<string, unknown> = { ...setters, ...commandsOf(started, state, endpoint, site) };
  const run = quietly(([name, ...args]: Command) => {
    const command = typeof name === 'function' ? name : commands[name];
    if (typeof command === 'function') command.apply(commands, args);
  });
  // What is set before the first page is true for it, wherever it stands.
  const [first, then] = [true, false].map(isFirst => queue.filter(([name]) => `${name}` in setters === isFirst));
  for (const command of [...first!, ...then!]) run(command);
  window._paq = { length: 0, push: (...more) => more.forEach(run) };
  listen(started, state);
})();
