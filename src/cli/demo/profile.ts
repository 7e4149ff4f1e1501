/**
 * What a demo site is made of: its pages, what people do on them, and how they come. The sites
 * themselves are marigold.json and papertrail.json, which write a weighted choice as `{ "item":
 * weight }`; visits.ts walks through them.
 */
import type { IdentityMode } from '../../model/site.ts';
import marigold from './marigold.json' with { type: 'json' };
import papertrail from './papertrail.json' with { type: 'json' };
import type { Weighted } from './random.ts';

/** Fields of a hit's body (model/hit.ts) besides those that every hit of the visit has. */
export type HitFields = Record<string, unknown>;

/** What depends on the person or the site: functions in actions.ts. */
export type ActionName = 'signup' | 'identify' | 'subscribe' | 'addSeats' | 'refund' | 'addToCart' | 'purchase';

/** Something that happens on a page with a probability. */
export type Action = { probability: number } & (
  | {
      /**
       * Fields of the hit. An object with one of the keys of `draws` (actions.ts) stands for a
       * value that chance picks.
       */
      hit: HitFields;
    }
  | { call: ActionName }
);

/** Pages of one kind: people behave alike on them. */
export interface PageKind {
  /** Where the hosts of a site differ, its prefix, such as `docs.`. */
  host?: string;
  /**
   * Path, with its query where it has one, and title. `{word}` in a path is replaced by one of the
   * site's search words.
   */
  pages: Weighted<readonly [path: string, title: string]>;
  /** Median time that people look at one. */
  seconds: number;
  /** Probability that the visit ends here. */
  leave: number;
  next: Weighted<string>;
  actions?: readonly Action[];
}

export interface DemoSource {
  /** How many visits it brings on a day, relative to the other sources. */
  weight: number;
  /** It brings visits only from this day of the year on, for a number of days, most at first. */
  campaign?: { from: readonly [month: number, date: number]; days: number };
  /** A letter that goes out on the first Tuesday of a month. */
  newsletter?: true;
  /** Somebody's link to the site: see `Today.burst`. */
  burst?: { key: number; everyDays: number };
  referrer: string | null;
  /** Query of the landing page, such as its campaign. */
  query?: string;
  /** Kinds of page that people land on. */
  lands: Weighted<string>;
  /** How much likelier than usual people leave at once. */
  bounces: number;
  mobileShare: number;
  /** `customer`: people who have signed up; `staff`: the site's own. Anyone else otherwise. */
  who?: 'customer' | 'staff';
}

export interface Profile {
  domain: string;
  timezone: string;
  currency: string;
  identityMode: IdentityMode;
  excludedIps: string[];
  /** Share of all hits of the demo. */
  share: number;
  /** Share of those who are no customers that have been here before. */
  returning: number;
  /** How much busier November and December, and Saturday and Sunday, are. */
  busy?: { holidays: number; weekends: number };
  kinds: Readonly<Record<string, PageKind>>;
  sources: readonly DemoSource[];
  searchWords: readonly string[];
  /** Minor units that a seat of a plan costs a month. */
  prices?: Readonly<Record<string, number>>;
  /** Words that addresses of customers are made of, with spaces between them. */
  firstNames?: string;
  studios?: string;
  /** Minor units that each thing in the shop costs. */
  goods?: Readonly<Record<string, number>>;
}

type Weights = Record<string, number>;
type WrittenKind = Omit<PageKind, 'pages' | 'next'> & {
  pages: Record<string, [title: string, weight: number]>;
  next: Weights;
};
type WrittenSource = Omit<DemoSource, 'lands'> & { lands: Weights };
type WrittenProfile = Omit<Profile, 'kinds' | 'sources'> & {
  kinds: Record<string, WrittenKind>;
  /** What a source does not say for itself. */
  usual: WrittenSource;
  sources: Partial<WrittenSource>[];
};

const profileOf = ({ kinds, usual, sources, ...rest }: WrittenProfile): Profile => ({
  ...rest,
  kinds: Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, kindOf(kind)])),
  sources: sources.map(source => {
    const { lands, ...given } = { ...usual, ...source };
    return { ...given, lands: Object.entries(lands) };
  }),
});

const kindOf = ({ pages, next, ...rest }: WrittenKind): PageKind => ({
  ...rest,
  pages: Object.entries(pages).map(([path, [title, weight]]) => [[path, title], weight]),
  next: Object.entries(next),
});

/** The sites of the demo, in the order in which lines name them. */
export const profiles: readonly Profile[] = [marigold, papertrail].map(site =>
  profileOf(site as unknown as WrittenProfile),
);
