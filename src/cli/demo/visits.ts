/** One visit to a demo site: what its browser sends, from the landing page to the last. */
import { hitOf } from './actions.ts';
import type { Browser } from './browsers.ts';
import type { DemoPerson } from './people.ts';
import type { DemoSource, HitFields, PageKind, Profile } from './profile.ts';
import type { Chance } from './random.ts';

/** What a browser sends at a time, as in a line of an import. */
export interface DemoHit {
  /** UTC milliseconds. */
  at: number;
  ip: string;
  ua: string;
  /** A hit's body (model/hit.ts) without its `s`. */
  hit: HitFields;
}

/** Nobody looks at more pages than this in one visit. */
const pagesMax = 40;

export const visitHits = (
  chance: Chance,
  profile: Profile,
  source: DemoSource,
  person: DemoPerson,
  startAt: number,
): DemoHit[] => {
  const hits: DemoHit[] = [];
  const { browser, language, ip, cookie } = person;
  const common = {
    l: language,
    w: browser.width,
    h: browser.height,
    ...(profile.identityMode === 'cookie' && { i: cookie }),
  };
  let touched = false;
  let identified = false;
  const send = (at: number, fields: HitFields): void => {
    const x = touched ? { x: 1 } : {};
    hits.push({ at: Math.round(at), ip, ua: browser.userAgent, hit: { ...common, ...x, ...fields } });
  };

  let at = startAt;
  let kindName = chance.weighted(source.lands);
  let shown: { path: string; u: string } | undefined;
  let lookedMs = 0;
  let scrolled = 0;
  for (let pages = 0; ; pages++) {
    const kind = profile.kinds[kindName]!;
    const [path, ti] = pageOf(chance, profile, kind, shown?.path);
    const u = urlOf(profile, kind, path, pages === 0 ? source.query : undefined);
    const r = shown?.u ?? source.referrer;
    send(at, { t: 'pageview', u, ti, ...(r !== null && { r }), ...(pages > 0 && { d: lookedMs, sc: scrolled }) });
    if (pages === 0) sendVitals(chance, person, vitals => send(at + 800, { t: 'vitals', u, p: vitals }));

    lookedMs = Math.round(Math.min(25 * 60_000, chance.around(kind.seconds, 0.85) * 1000));
    scrolled = scrolledAfter(lookedMs / 1000 / kind.seconds);
    const leaves = pages === pagesMax || chance.is(Math.min(0.96, kind.leave * (pages === 0 ? source.bounces : 0.62)));
    touched ||= !leaves || chance.is(0.6);
    for (const action of kind.actions ?? []) {
      const fields = chance.is(action.probability) ? hitOf(action, chance, person, profile) : null;
      if (fields?.t === 'identify') {
        // A page identifies its visitor once, when it has loaded.
        if (!identified) send(at + 300, { u, ti, ...fields });
        identified = true;
      } else if (fields !== null) send(at + lookedMs * (0.15 + 0.7 * chance.number()), { u, ti, ...fields });
    }
    at += lookedMs;
    shown = { path, u };
    if (leaves) break;
    kindName = chance.weighted(kind.next);
  }
  // Sometimes a browser is closed so fast that its last hit is lost.
  if (chance.is(0.92)) send(at, { t: 'duration', u: shown.u, d: lookedMs, sc: scrolled });
  return hits.sort((a, b) => a.at - b.at);
};

/** The seen part of the page, in percent: who looks as long as most sees three quarters. */
const scrolledAfter = (looked: number): number => Math.round(100 * (1 - 0.7 * Math.exp(-looked)));

/** A page of the kind; another one than the one shown, if there is one. */
const pageOf = (
  chance: Chance,
  { searchWords }: Profile,
  { pages }: PageKind,
  shown: string | undefined,
): readonly [path: string, title: string] => {
  const others = pages.length > 1 ? pages.filter(([[path]]) => path !== shown) : pages;
  const [path, title] = chance.weighted(others);
  return [path.replace('{word}', () => encodeURIComponent(chance.one(searchWords))), title];
};

const urlOf = ({ domain }: Profile, { host = '' }: PageKind, path: string, query: string | undefined): string => {
  if (query === undefined) return `https://${host}${domain}${path}`;
  const [bare, hash] = path.split('#');
  return `https://${host}${domain}${bare}${bare!.includes('?') ? '&' : '?'}${query}${hash === undefined ? '' : `#${hash}`}`;
};

/** Medians of a fast page near its server, in milliseconds, and how far apart visits are. */
const vitalMedians = { ttfb: 190, fcp: 760, lcp: 1250, inp: 72 } as const;
const measures: Record<Browser['engine'], readonly (keyof typeof vitalMedians | 'cls')[]> = {
  chromium: ['ttfb', 'fcp', 'lcp', 'inp', 'cls'],
  webkit: ['ttfb', 'fcp', 'lcp'],
  gecko: ['ttfb', 'fcp', 'lcp', 'inp'],
};

/** The server stands in Germany; phones are slower than desktops. */
const sendVitals = (chance: Chance, { browser, country }: DemoPerson, send: (vitals: HitFields) => void): void => {
  if (chance.is(0.15)) return;
  const distance = 1 + Math.min(10, Math.abs(country.utcHours - 1)) * 0.09;
  const slowness = (browser.mobile ? 1.55 : 1) * chance.around(distance, 0.25);
  const vitals: HitFields = {};
  for (const name of measures[browser.engine]) {
    if (name === 'cls') vitals.cls = Math.round(Math.min(1, chance.around(0.03, 1.1)) * 10_000) / 10_000;
    else if (name !== 'inp' || chance.is(0.7)) {
      vitals[name] = Math.round(chance.around(vitalMedians[name], 0.38) * slowness);
    }
  }
  send(vitals);
};
