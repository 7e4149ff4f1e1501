/**
 * Channels: which kind of place a visit came from. One ordered table of rules, of which the first
 * that holds decides (docs/definitions.md, "Channels"). It follows the default channel group of GA4
 * (https://support.google.com/analytics/answer/9756891) and the acquisition channels of Plausible
 * (https://plausible.io/docs/top-referrers), which agree but for names.
 */
import { aiHosts, searchHosts, socialHosts } from './channel-hosts.ts';

/** What a channel is worked out from, all of it of the visit; null where there is none. */
export interface VisitSource {
  /** The name of an ad's click parameter, such as gclid. */
  clickId: string | null;
  utmMedium: string | null;
  utmSource: string | null;
  referrer: string | null;
}

/** What a referrer or a source is, by its host or its name. */
export const places = [
  'none',
  'other',
  'search',
  'social',
  'video',
  'shopping',
  'ai',
  'email',
  'sms',
  'push',
  'affiliate',
] as const;
export type ReferrerPlace = (typeof places)[number];

/** What a medium says. `cpm` is paid, and where the place says nothing more, it is a banner. */
export const mediums = [
  'none',
  'other',
  'paid',
  'cpm',
  'display',
  'social',
  'video',
  'organic',
  'email',
  'affiliate',
  'audio',
  'sms',
  'push',
] as const;
export type Medium = (typeof mediums)[number];

/** What an ad's click parameter says. Facebook and Pinterest add theirs to any link. */
export const clicks = ['none', 'search ad', 'social ad', 'display ad', 'social'] as const;
export type Click = (typeof clicks)[number];

interface Source {
  place: ReferrerPlace;
  medium: Medium;
  click: Click;
}

interface Rule {
  channel: string;
  meaning: string;
  when: (source: Source & { isPaid: boolean }) => boolean;
}

const rules = [
  {
    channel: 'Paid shopping',
    meaning: 'a shop, and a medium of ads',
    when: ({ place, isPaid }) => place === 'shopping' && isPaid,
  },
  {
    channel: 'Paid search',
    meaning: 'a search engine and a medium of ads, or gclid, gbraid, wbraid, msclkid or yclid',
    when: ({ place, isPaid, click }) => (place === 'search' && isPaid) || click === 'search ad',
  },
  {
    channel: 'Paid social',
    meaning: 'a social network and a medium of ads, or ttclid, twclid, li_fat_id, rdt_cid or ScCid',
    when: ({ place, isPaid, click }) => (place === 'social' && isPaid) || click === 'social ad',
  },
  {
    channel: 'Paid video',
    meaning: 'a video site, and a medium of ads',
    when: ({ place, isPaid }) => place === 'video' && isPaid,
  },
  {
    channel: 'Display',
    meaning: 'medium display, banner, expandable, interstitial or cpm, or dclid',
    when: ({ medium, click }) => medium === 'display' || medium === 'cpm' || click === 'display ad',
  },
  { channel: 'Paid other', meaning: 'any other medium of ads', when: ({ isPaid }) => isPaid },
  { channel: 'AI assistants', meaning: 'an assistant such as ChatGPT', when: ({ place }) => place === 'ai' },
  { channel: 'Organic shopping', meaning: 'a shop', when: ({ place }) => place === 'shopping' },
  {
    channel: 'Organic social',
    meaning: 'a social network, or medium social, social-network, social-media or sm; or fbclid or epik',
    when: ({ place, medium, click }) => place === 'social' || medium === 'social' || click === 'social',
  },
  {
    channel: 'Organic video',
    meaning: 'a video site, or a medium with video in it',
    when: ({ place, medium }) => place === 'video' || medium === 'video',
  },
  {
    channel: 'Organic search',
    meaning: 'a search engine, or medium organic',
    when: ({ place, medium }) => place === 'search' || medium === 'organic',
  },
  {
    channel: 'Email',
    meaning: 'a mail program, or source or medium email, e-mail, newsletter or mail',
    when: ({ place, medium }) => place === 'email' || medium === 'email',
  },
  {
    channel: 'Affiliates',
    meaning: 'source or medium affiliate',
    when: ({ place, medium }) => place === 'affiliate' || medium === 'affiliate',
  },
  { channel: 'Audio', meaning: 'medium audio or podcast', when: ({ medium }) => medium === 'audio' },
  { channel: 'SMS', meaning: 'source or medium sms', when: ({ place, medium }) => place === 'sms' || medium === 'sms' },
  {
    channel: 'Push',
    meaning: 'a medium that ends with push, or with mobile or notification in it; or source firebase',
    when: ({ place, medium }) => place === 'push' || medium === 'push',
  },
  {
    channel: 'Referral',
    meaning: 'any other referrer, source or medium',
    when: ({ place, medium }) => place !== 'none' || medium !== 'none',
  },
  { channel: 'Direct', meaning: 'nothing of all this', when: () => true },
] as const satisfies readonly Rule[];

/** The channels, in the order of their rules. */
export const channels: readonly Pick<Rule, 'channel' | 'meaning'>[] = rules;
export const channelNames: readonly string[] = rules.map(({ channel }) => channel);

/** The position of a channel among the names. */
export const channelAt = (source: Source): number => {
  const isPaid = source.medium === 'paid' || source.medium === 'cpm';
  return rules.findIndex(({ when }: Rule) => when({ ...source, isPaid }));
};

export const channelOf = ({ clickId, utmMedium, utmSource, referrer }: VisitSource): string => {
  const place = utmSource === null ? placeOf(referrer) : placeOf(utmSource);
  return channelNames[channelAt({ place, medium: mediumOf(utmMedium), click: clickOf(clickId) })]!;
};

const mediumTests: readonly [Medium, RegExp][] = [
  ['cpm', /^cpm$/],
  // As GA4 has it.
  ['paid', /^(.*cp.*|ppc|retargeting|paid.*)$/],
  ['display', /^(display|banner|expandable|interstitial)$/],
  ['social', /^(social|social[- ]network|social[- ]media|sm)$/],
  ['video', /video/],
  ['organic', /^organic$/],
  ['email', /^(e[-_ ]?mail|newsletter|mail)$/],
  ['affiliate', /^affiliates?$/],
  ['audio', /^(audio|podcast)$/],
  ['sms', /^sms$/],
  ['push', /push$|mobile|notification/],
];

export const mediumOf = (text: string | null): Medium => {
  if (text === null || text === '(none)') return 'none';
  const medium = text.toLowerCase();
  return mediumTests.find(([, test]) => test.test(medium))?.[0] ?? 'other';
};

const clicksByName: ReadonlyMap<string, Click> = new Map([
  ...['gclid', 'gbraid', 'wbraid', 'msclkid', 'yclid'].map(name => [name, 'search ad'] as const),
  ...['ttclid', 'twclid', 'li_fat_id', 'rdt_cid', 'ScCid'].map(name => [name, 'social ad'] as const),
  ['dclid', 'display ad'] as const,
  ...['fbclid', 'epik'].map(name => [name, 'social'] as const),
]);

export const clickOf = (name: string | null): Click => (name && clicksByName.get(name)) || 'none';

/** What the lists leave out: names that people give as sources, apps, and kinds without a list. */
const more: readonly [ReferrerPlace, string][] = [
  ['search', 'google googleads adwords bing yahoo duckduckgo ecosia brave startpage qwant baidu yandex naver kagi'],
  ['search', 'com.google.android.googlequicksearchbox search.brave.com kagi.com'],
  ['social', 'facebook fb instagram ig twitter x linkedin pinterest reddit tiktok threads mastodon bluesky snapchat'],
  ['social', 'telegram whatsapp discord com.facebook.katana com.twitter.android com.linkedin.android'],
  ['social', 'com.reddit.frontpage com.instagram.android org.telegram.messenger com.pinterest'],
  ['video', 'youtube yt vimeo twitch youtube.com youtu.be vimeo.com twitch.tv dailymotion.com netflix.com'],
  ['video', 'com.google.android.youtube rumble.com odysee.com bilibili.com'],
  ['shopping', 'amazon ebay etsy shopify amazon.{} ebay.{} etsy.com shopping.google.com aliexpress.com walmart.com'],
  ['shopping', 'idealo.{} alibaba.com rakuten.com temu.com'],
  ['ai', 'chatgpt openai claude gemini copilot perplexity mistral deepseek grok'],
  ['email', 'email e-mail e_mail newsletter mail mailchimp mail.google.com outlook.live.com outlook.office.com'],
  ['email', 'mail.yahoo.com mail.proton.me webmail com.google.android.gm'],
  ['sms', 'sms'],
  ['push', 'firebase onesignal'],
  ['affiliate', 'affiliate affiliates'],
];

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

/** What later lists say counts. */
const placesByName = new Map<string, ReferrerPlace>(
  [['search', searchHosts], ['social', socialHosts], ['ai', aiHosts], ...more].flatMap(([place, names]) =>
    wordsOf(names!).map((name): [string, ReferrerPlace] => [name, place as ReferrerPlace]),
  ),
);

/** What a host without `www.`, or the name of a source is. */
export const placeOf = (text: string | null): ReferrerPlace => {
  if (text === null || text === '(direct)') return 'none';
  const name = text.toLowerCase().replace(/^www\./, '');
  const exact = placesByName.get(name) ?? placesByName.get(withoutCountry(name));
  if (exact !== undefined) return exact;
  // Subdomains belong to what they are part of, but those of a search engine may be anything.
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const parent = name.slice(dot + 1);
    const place = placesByName.get(parent) ?? placesByName.get(withoutCountry(parent));
    if (place !== undefined && parent.includes('.')) return place === 'search' ? 'other' : place;
  }
  return 'other';
};

/** `google.co.uk` as `google.{}`. */
const withoutCountry = (host: string): string => host.replace(/^([^.]+)\.(com|(com?\.)?[a-z]{2})$/, '$1.{}');
