/** Who comes to the random world's sites, what they do there, and how a page's own script would send it. */
import type { Chance } from '../../src/cli/demo/random.ts';
import type { NaiveHit, NaiveProperty, NaiveVisit } from '../naive.ts';
import type { NaiveSum } from '../naive-sums.ts';

/** A browser: what its requests tell, and what products call it. */
export interface Person {
  /** Its id where visitors have one. */
  id: string;
  address: string;
  agent: Agent;
  place: Pick<NaiveVisit, 'country' | 'region' | 'city'>;
  language: string;
  width: number;
  height: number;
}

interface Agent {
  text: string;
  browser: string;
  os: string;
  device: string;
}

const agents: readonly Agent[] = [
  {
    text: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    ...{ browser: 'Chrome', os: 'Linux', device: 'desktop' },
  },
  {
    text: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
    ...{ browser: 'Firefox', os: 'Windows', device: 'desktop' },
  },
  {
    text: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    ...{ browser: 'Mobile Safari', os: 'iOS', device: 'mobile' },
  },
];

/** The first three bytes of addresses, and where they are. */
export const places = {
  '203.0.113': { country: 'DE', region: 'Land Berlin', city: 'Berlin' },
  '198.51.100': { country: 'FR', region: 'Île-de-France', city: 'Paris' },
} as const;
export const nowhere = { country: null, region: null, city: null };

export const somePeople = (chance: Chance, count: number): Person[] =>
  Array.from({ length: count }, (_, i) => {
    const [network, place] = chance.one([...Object.entries(places), ['192.0.2', nowhere] as const]);
    return {
      ...{ id: `visitor-${i + 1}`, address: `${network}.${i + 1}`, agent: chance.one(agents), place },
      ...{ language: chance.one(['de-DE', 'en-US']), width: chance.one([390, 1024, 1600]), height: 800 },
    };
  });

/** A hit as somebody makes it: all that a page's script could tell. */
export interface Said {
  person: Person;
  type: NaiveHit['type'];
  hostname: string;
  path: string;
  query: string | null;
  title: string | null;
  referrer: string | null;
  campaign: { source: string; medium: string; name: string } | null;
  clickId: string | null;
  event: string | null;
  duration: number;
  scroll: number | null;
  revenue: NaiveHit['revenue'];
  properties: NaiveProperty[];
  traits: Record<string, string> | null;
}

/** The values that fields have, for filters and for those that ask. */
export const vocabulary = {
  path: ['/', '/a', '/blog/one', '/blog/two', '/docs/x.html'],
  title: ['Home', 'Blog – one', '日本語'],
  query: ['a=1', 'b=2&c=3'],
  referrer: ['news.example', 'google.com', 't.co'],
  event: ['Signup', 'Play', 'https://partner.example/'],
  source: ['newsletter', 'ads'],
  medium: ['email', 'cpc'],
  campaign: ['spring', 'autumn'],
  clickId: ['gclid', 'fbclid'],
  plan: ['pro', 'free'],
} as const;

const types = [
  ...(['pageview', 'pageview', 'pageview', 'pageview'] as const),
  ...(['custom', 'outbound', 'revenue', 'duration', 'identify'] as const),
];

export const someHit = (chance: Chance, person: Person, domain: string): Said => {
  const type = chance.one(types);
  const or = <T>(share: number, value: () => T): T | null => (chance.is(share) ? value() : null);
  const isPage = type === 'pageview';
  const of = (name: keyof typeof vocabulary) => chance.one<string>(vocabulary[name]);
  const timed = type === 'duration' || (isPage && chance.is(0.3));
  return {
    ...{ person, type, hostname: chance.is(0.8) ? domain : `www.${domain}`, path: of('path') },
    ...{ query: or(0.3, () => of('query')), title: or(0.5, () => of('title')) },
    ...{ referrer: or(0.4, () => of('referrer')), clickId: or(0.1, () => of('clickId')) },
    campaign: or(0.2, () => ({ source: of('source'), medium: of('medium'), name: of('campaign') })),
    event: { custom: of('event'), outbound: 'https://partner.example/', revenue: 'Buy' }[type as string] ?? null,
    duration: timed ? 1000 * (1 + chance.below(90)) : 0,
    scroll: timed && chance.is(0.6) ? 10 * chance.below(11) : null,
    revenue:
      type === 'revenue' ? { amount: chance.below(9000) - 500, currency: chance.one(['EUR', 'USD', 'JPY']) } : null,
    properties:
      type === 'custom' || type === 'revenue'
        ? (
            [
              { key: 'plan', type: 'string', value: of('plan') },
              { key: 'seats', type: 'number', value: chance.below(9) / 2 },
              { key: 'trial', type: 'boolean', value: chance.below(2) },
            ] satisfies NaiveProperty[]
          ).filter(() => chance.is(0.5))
        : [],
    traits: type === 'identify' ? { email: `${person.id}@example.com`, plan: of('plan') } : null,
  };
};

export const addressOf = ({ hostname, path, query, campaign, clickId }: Said): string => {
  const utm = campaign && `utm_source=${campaign.source}&utm_medium=${campaign.medium}&utm_campaign=${campaign.name}`;
  const search = [query, utm, clickId && `${clickId}=x1`].filter(part => part).join('&');
  return `https://${hostname}${path}${search === '' ? '' : `?${search}`}`;
};

const wireValue = ({ type, value }: NaiveProperty): string | number | boolean =>
  type === 'boolean' ? value === 1 : value;

/** As POST /e takes it, but for the site. */
export const wireHit = (said: Said): Record<string, unknown> => {
  const { person, type, title, referrer, event, duration, scroll, revenue, properties, traits } = said;
  return {
    ...{ t: type, u: addressOf(said), l: person.language, w: person.width, h: person.height },
    ...(referrer !== null && { r: `https://www.${referrer}/x` }),
    ...(title !== null && { ti: title }),
    ...(event !== null && { n: event }),
    ...(duration > 0 && { d: duration }),
    ...(scroll !== null && { sc: scroll }),
    ...(revenue !== null && { v: revenue.amount, c: revenue.currency }),
    ...(properties.length > 0 && { p: Object.fromEntries(properties.map(one => [one.key, wireValue(one)])) }),
    ...(traits !== null && { p: traits }),
  };
};

/** What is kept of the hit itself. */
export const fieldsOf = (said: Said): Omit<NaiveHit, 'visit' | 'at'> => {
  const { type, path, hostname, title, query, event, duration, scroll, revenue, properties, traits } = said;
  const isMark = type === 'identify' || type === 'duration';
  const page = isMark ? { path: null, hostname: null, title: null, query: null } : { path, hostname, title, query };
  return {
    ...{ type, ...page, event, duration, scroll, revenue, properties },
    identity: traits === null ? null : { name: traits.email!, traits: JSON.stringify(traits) },
  };
};

/** What is kept of a visit besides whose and when it is. */
export type VisitTexts = Omit<NaiveVisit, 'id' | 'day' | 'visitor' | 'persistent' | 'seenBefore'>;

/** What is kept of the visit that the hit begins, as the page tells it. */
export const visitTextsOf = ({ person, referrer, campaign, clickId }: Said): VisitTexts => ({
  ...{ referrer, utmSource: campaign?.source ?? null, utmMedium: campaign?.medium ?? null },
  ...{ utmCampaign: campaign?.name ?? null, utmTerm: null, utmContent: null, clickId, network: null },
  ...{ ...person.place, language: person.language, width: person.width, height: person.height },
  ...{ browser: person.agent.browser, os: person.agent.os, device: person.agent.device },
});

const someSum = (chance: Chance): NaiveSum => {
  const visitors = 1 + chance.below(20);
  const visits = visitors + chance.below(5);
  const [bounces, visitMs] = [chance.below(visits), 1000 * chance.below(900)];
  return { visitors, visits, bounces, visitMs, pageviews: 2 * visits, events: 0 };
};

export interface SaidSums {
  whole: NaiveSum;
  path: Map<string, NaiveSum>;
  browser: Map<string, NaiveSum>;
  referrer: Map<string, NaiveSum>;
}

/** What another product counted on a day. Its tables need not agree with each other. */
export const someSums = (chance: Chance): SaidSums => ({
  whole: someSum(chance),
  path: new Map(vocabulary.path.filter(() => chance.is(0.4)).map(path => [path, someSum(chance)])),
  browser: new Map(agents.filter(() => chance.is(0.6)).map(({ browser }) => [browser, someSum(chance)])),
  referrer: new Map(),
});
