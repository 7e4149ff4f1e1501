/**
 * What other products call browsers, systems, devices and places, as live hits of the same visitor
 * have it. Umami has the names of detect-browser, Matomo and Plausible those of Device Detector,
 * GoatCounter those of gadget, and Google Analytics its own.
 */
import { countryNames, shortCountryNames } from './country-names.ts';
import type { Row } from './import-rows.ts';

/** By the name of live hits. Names that differ in letters' case alone are told, too. */
const browserNames: Readonly<Record<string, string>> = {
  'Android Browser': 'android',
  Baidu: 'baidu browser',
  Brave: 'brave',
  Chrome: 'chrome|crios|chrome mobile|chrome mobile ios',
  'Chrome WebView': 'chromium-webview|chrome webview|android webview',
  DuckDuckGo: 'duckduckgo privacy browser',
  Edge: 'edge|edge-chromium|edge-ios|microsoft edge',
  Epiphany: 'gnome web',
  Facebook: 'facebook',
  Firefox: 'firefox|fxios|mobile firefox|firefox mobile|firefox mobile ios',
  HeyTap: 'heytapbrowser',
  'Huawei Browser': 'huawei browser mobile',
  IE: 'ie|internet explorer',
  IEMobile: 'pie|ie mobile',
  Instagram: 'instagram',
  KAKAOTALK: 'kakaotalk',
  'MIUI Browser': 'miui|mi browser',
  'Mobile Safari': 'ios|mobile safari',
  NetFront: 'netfront',
  Opera: 'opera|opera mobile|opera devices',
  'Opera Mini': 'opera-mini|opera mini ios',
  Puffin: 'puffin web browser',
  QQBrowser: 'qq browser|qq browser mini',
  Safari: 'safari',
  'Samsung Internet': 'samsung|samsung browser|samsung browser lite',
  Silk: 'silk|mobile silk|amazon silk',
  'Sogou Mobile': 'sogou mobile browser',
  UCBrowser: 'uc browser|uc browser mini|uc browser turbo',
  'Vivo Browser': 'vivo browser',
  WebKit: 'ios-webview|safari (in-app)',
  Whale: 'whale browser',
  Yandex: 'yandexbrowser|yabrowser|yandex browser|yandex browser lite',
};
const browsers: ReadonlyMap<string, string> = new Map(
  Object.entries(browserNames).flatMap(([name, others]) => others.split('|').map(other => [other, name] as const)),
);

/** The first that fits. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/^windows phone/, 'Windows Phone'],
  [/^windows mobile/, 'Windows Mobile'],
  [/^windows/, 'Windows'],
  [/^(mac ?os|mac|os x|macintosh)\b/, 'Mac OS'],
  [/^(ios|ipados)\b/, 'iOS'],
  [/^(android|fire os|wear os|cyanogenmod|lineage os|mocordroid|hyperos|smartisan os|yunos)\b/, 'Android'],
  [/^(chrome|chromium) ?os/, 'Chromium OS'],
  // GoatCounter takes a distribution for the version.
  [/^linux ubuntu/, 'Ubuntu'],
  [/^linux debian/, 'Debian'],
  [/^linux fedora/, 'Fedora'],
  [/^linux centos/, 'CentOS'],
  [/^(gnu\/)?linux\b/, 'Linux'],
  [/^arch linux/, 'Arch'],
  [/^open ?bsd/, 'OpenBSD'],
  [/^(sun ?os|solaris)/, 'Solaris'],
  [/^blackberry/, 'BlackBerry'],
  [/^symbian/, 'Symbian'],
  [/^kaios/, 'KAIOS'],
  [/^playstation/, 'PlayStation'],
];

/** What stands for a name that is not known. */
const isUnknown = (name: string): boolean => name === '' || /^(unknown|unk|\(unknown\)|\(not set\))$/i.test(name);

const withoutVersion = (name: string): string => name.trim().replace(/ [\d.]+$/, '');

const devices: Readonly<Record<string, string>> = {
  desktop: 'desktop',
  laptop: 'desktop',
  mobile: 'mobile',
  phone: 'mobile',
  smartphone: 'mobile',
  phablet: 'mobile',
  'feature phone': 'mobile',
  'portable media player': 'mobile',
  tablet: 'tablet',
};

/**
 * Null where the source does not tell. A version behind the name goes. Several products call Safari
 * of phones Safari, too: the system tells them apart, as the source names it.
 */
export const browserNamed = (name: string, system = ''): string | null => {
  const bare = withoutVersion(name);
  if (isUnknown(bare)) return null;
  const found = browsers.get(bare.toLowerCase()) ?? bare;
  return found === 'Safari' && systemNamed(system) === 'iOS' ? 'Mobile Safari' : found;
};

export const systemNamed = (name: string): string | null => {
  const bare = withoutVersion(name);
  if (isUnknown(bare)) return null;
  return systems.find(([pattern]) => pattern.test(bare.toLowerCase()))?.[1] ?? bare;
};

export const deviceNamed = (name: string): string => devices[name.toLowerCase()] ?? 'unknown';

/** Two letters in capitals; null for anything else, and for the codes that stand for no country. */
export const countryNamed = (code: string): string | null =>
  /^[a-z]{2}$/i.test(code) && !/^(xx|zz)$/i.test(code) ? code.toUpperCase() : null;

let countries: ReadonlyMap<string, string> | undefined;

const plain = (name: string): string => name.toLowerCase().replaceAll('’', "'");

/** The code of a country's English name; null where there is none. */
export const countryOfName = (name: string): string | null => {
  countries ??= new Map([
    ...Array.from([...shortCountryNames(), ...countryNames()], ([code, name]) => [plain(name), code] as const),
    ['turkey', 'TR'],
  ]);
  return countries.get(plain(name)) ?? null;
};

/** A text, or null for an empty one. */
export const orNull = (text: string): string | null => (text === '' ? null : text);

/** What columns called as the parameters of addresses are, `utm_source`, say of the campaign. */
export const campaignIn = (row: Row) => ({
  utmSource: orNull(row.text('utm_source')),
  utmMedium: orNull(row.text('utm_medium')),
  utmCampaign: orNull(row.text('utm_campaign')),
  utmTerm: orNull(row.text('utm_term')),
  utmContent: orNull(row.text('utm_content')),
});

/** A referrer as an address: products leave out schemes but those of apps. Empty stays empty. */
export const referrerAddress = (referrer: string): string =>
  referrer === '' || /^[a-z][a-z+.-]*:\/\//i.test(referrer) ? referrer : `https://${referrer}`;

/** The domain of what products name and not address, as live hits mostly have it; in lower case. */
const domainsOfNames: Readonly<Record<string, string>> = {
  google: 'google.com',
  bing: 'bing.com',
  yahoo: 'search.yahoo.com',
  duckduckgo: 'duckduckgo.com',
  baidu: 'baidu.com',
  yandex: 'yandex.ru',
  ecosia: 'ecosia.org',
  'hacker news': 'news.ycombinator.com',
  'telegram messenger': 'org.telegram.messenger',
  'slack chat': 'com.slack',
};

/** A referrer that a product names, as Google, or writes as an address; null for none. */
export const referrerNamed = (name: string): string | null =>
  domainsOfNames[name.toLowerCase()] ?? (/^[\w-]+(\.[\w-]+)+(\/|$)/.test(name) ? domainOf(name) : orNull(name));

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
