/** The demo's second site: a small stationery shop whose visitors agreed to a cookie, so that it knows who comes back. */
import type { Action, PageKind, Profile, Source } from './profile.ts';
import type { Chance } from './random.ts';

const goods: readonly (readonly [slug: string, name: string, cents: number])[] = [
  ['dot-grid-notebook', 'Dot grid notebook', 1800],
  ['index-cards', 'Index cards, 200', 900],
  ['drafting-pencil', 'Drafting pencil', 2400],
  ['brass-clips', 'Brass clips', 1200],
  ['desk-pad', 'Felt desk pad', 4800],
  ['ink-midnight', 'Ink, midnight blue', 1600],
  ['letter-set', 'Letter set', 2200],
];

const titled = (title: string): string => `${title} | Paper Trail`;

const cart: Action = {
  probability: 0.2,
  hit: chance => {
    const [, item, price] = chance.one(goods);
    return { t: 'custom', n: 'Add to cart', p: { item, price: price / 100, quantity: 1 + chance.below(3) } };
  },
};

const basket = (chance: Chance): { items: number; cents: number } => {
  const items = 1 + chance.count(1.3);
  let cents = 0;
  for (let i = 0; i < items; i++) cents += chance.one(goods)[2];
  return { items, cents };
};

const purchase: Action = {
  probability: 1,
  hit: (chance, { country }) => {
    const { items, cents } = basket(chance);
    const gift = chance.is(0.15);
    return { t: 'revenue', n: 'Purchase', v: cents, c: country.euro ? 'EUR' : 'USD', p: { items, gift } };
  },
};

const kinds: Record<string, PageKind> = {
  home: {
    pages: [[['/', 'Paper Trail – Things to write with'], 1]],
    seconds: 20,
    leave: 0.42,
    next: [
      ['shelf', 60],
      ['item', 30],
      ['about', 6],
    ],
  },
  shelf: {
    pages: [
      [['/shop', titled('Everything')], 6],
      [['/shop?sort=new', titled('New')], 3],
      [['/shop/notebooks', titled('Notebooks')], 5],
      [['/shop/pens', titled('Pens and pencils')], 4],
      [['/search?q={word}', titled('Search')], 2],
    ],
    seconds: 28,
    leave: 0.34,
    next: [
      ['item', 70],
      ['shelf', 24],
      ['cart', 3],
    ],
  },
  item: {
    pages: goods.map(([slug, name], i) => [[`/item/${slug}`, titled(name)], 10 - i] as const),
    seconds: 36,
    leave: 0.48,
    next: [
      ['item', 30],
      ['shelf', 34],
      ['cart', 9],
      ['about', 4],
    ],
    actions: [
      cart,
      { probability: 0.12, hit: chance => ({ t: 'custom', n: 'Open photo', p: { number: 1 + chance.below(5) } }) },
      { probability: 0.01, hit: () => ({ t: 'outbound', n: 'https://www.pinterest.com/papertrail-example/' }) },
    ],
  },
  cart: {
    pages: [[['/cart', titled('Your cart')], 1]],
    seconds: 30,
    leave: 0.4,
    next: [
      ['checkout', 62],
      ['item', 24],
      ['shelf', 14],
    ],
  },
  checkout: {
    pages: [[['/checkout', titled('Checkout')], 1]],
    seconds: 75,
    leave: 0.3,
    next: [['thanks', 1]],
    actions: [
      {
        probability: 0.12,
        hit: chance => ({ t: 'custom', n: 'Coupon', p: { code: chance.one(['HELLO10', 'WRITE15', 'OLDFRIEND']) } }),
      },
    ],
  },
  thanks: {
    pages: [[['/thanks', titled('Thank you')], 1]],
    seconds: 18,
    leave: 0.8,
    next: [['home', 1]],
    actions: [purchase],
  },
  about: {
    pages: [
      [['/about', titled('About the shop')], 3],
      [['/shipping', titled('Shipping and returns')], 4],
      [['/journal/how-paper-is-made', titled('How paper is made')], 3],
    ],
    seconds: 40,
    leave: 0.5,
    next: [
      ['shelf', 50],
      ['home', 30],
    ],
  },
};

const source = (weight: number, row: Partial<Source> = {}): Source => ({
  visits: ({ steady, month, weekday }) =>
    weight * steady * (month >= 11 ? 1.7 : 1) * (weekday === 0 || weekday === 6 ? 1.9 : 1),
  referrer: null,
  lands: [
    ['home', 50],
    ['item', 30],
    ['shelf', 20],
  ],
  bounces: 1,
  mobileShare: 0.58,
  ...row,
});

export const papertrail: Profile = {
  domain: 'papertrail.example',
  timezone: 'America/New_York',
  currency: 'USD',
  identityMode: 'cookie',
  excludedIps: [],
  share: 0.14,
  returning: 0.38,
  kinds,
  sources: [
    source(34, { referrer: 'https://www.google.com/' }),
    source(26),
    source(14, { referrer: 'https://www.pinterest.com/', mobileShare: 0.8, lands: [['item', 1]] }),
    source(11, {
      referrer: 'https://l.instagram.com/',
      query: 'utm_source=instagram&utm_medium=social',
      mobileShare: 0.97,
    }),
    source(5, { referrer: 'https://www.etsy.com/' }),
    source(8, {
      query: 'utm_source=letter&utm_medium=email&utm_campaign=back-in-stock',
      bounces: 0.8,
      lands: [['item', 1]],
    }),
    source(4, { referrer: 'https://www.reddit.com/r/stationery/' }),
  ],
  searchWords: ['notebook', 'a5', 'refill', 'gift', 'fountain pen', 'stickers'],
};
