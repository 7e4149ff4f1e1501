/** What other products call browsers, systems and devices, as Daybook calls them. */
import { countryNames } from './country-names.ts';

const browsers: Readonly<Record<string, string>> = {
  'edge-chromium': 'Edge',
  edge: 'Edge',
  'edge-ios': 'Edge',
  'microsoft edge': 'Edge',
  ios: 'Mobile Safari',
  'ios-webview': 'Mobile Safari',
  'mobile safari': 'Mobile Safari',
  crios: 'Chrome',
  chrome: 'Chrome',
  'chrome mobile': 'Chrome',
  'chromium-webview': 'Chrome WebView',
  fxios: 'Firefox',
  firefox: 'Firefox',
  'mobile firefox': 'Firefox',
  'firefox mobile': 'Firefox',
  samsung: 'Samsung Internet',
  'samsung browser': 'Samsung Internet',
  facebook: 'Facebook',
  instagram: 'Instagram',
  safari: 'Safari',
  opera: 'Opera',
};

const systems: readonly (readonly [RegExp, string])[] = [
  [/^windows/i, 'Windows'],
  [/^(mac ?os|os x|macintosh)/i, 'Mac OS'],
  [/^(ios|ipados)/i, 'iOS'],
  [/^android/i, 'Android'],
  [/^(chrome|chromium) ?os/i, 'Chromium OS'],
  [/^(gnu\/)?linux/i, 'Linux'],
];

const devices: Readonly<Record<string, string>> = {
  desktop: 'desktop',
  laptop: 'desktop',
  mobile: 'mobile',
  phone: 'mobile',
  smartphone: 'mobile',
  phablet: 'mobile',
  tablet: 'tablet',
};

/** Null where the source does not tell. A version behind the name goes. */
export const browserNamed = (name: string): string | null => {
  const bare = name.replace(/ [\d.]+$/, '');
  return bare === '' ? null : (browsers[bare.toLowerCase()] ?? bare);
};

export const systemNamed = (name: string): string | null =>
  name === '' ? null : (systems.find(([pattern]) => pattern.test(name))?.[1] ?? name.replace(/ [\d.]+$/, ''));

export const deviceNamed = (name: string): string => devices[name.toLowerCase()] ?? 'unknown';

/** Two letters in capitals; null for anything else. */
export const countryNamed = (code: string): string | null => (/^[a-z]{2}$/i.test(code) ? code.toUpperCase() : null);

let countries: ReadonlyMap<string, string> | undefined;

/** The code of a country's English name; null where there is none. */
export const countryOfName = (name: string): string | null => {
  countries ??= new Map(Array.from(countryNames(), ([code, name]) => [name.toLowerCase(), code]));
  return countries.get(name.toLowerCase()) ?? null;
};

/** A text, or null for an empty one. */
export const orNull = (text: string): string | null => (text === '' ? null : text);

/** `https://google.com/search` and `google.com/search` as a domain. */
export const domainOf = (referrer: string): string | null =>
  orNull(
    referrer
      .replace(/^[a-z][a-z+.-]*:\/\//i, '')
      .replace(/[/?#].*$/s, '')
      .toLowerCase()
      .replace(/^www\./, ''),
  );

/** `DE` and `DE-BW` as a country and its region. */
export const placeNamed = (location: string): { country: string | null; region: string | null } => {
  const [country = '', region = ''] = location.split('-');
  return { country: countryNamed(country), region: orNull(region === '' ? '' : `${country}-${region}`) };
};

/** The address of a page, whose path may lack its slash and whose query its mark. */
export const pageOf = (hostname: string, path: string, query = ''): string => {
  const search = query === '' ? '' : query.startsWith('?') ? query : `?${query}`;
  return `https://${hostname}${path.startsWith('/') ? '' : '/'}${path}${search}`;
};
