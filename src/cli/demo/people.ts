/**
 * The people who visit a demo site: new ones, and those who come back. countries.json says where
 * they come from, with some public address ranges of each country's access networks, by the city
 * where the shipped geo database places them. Nothing is ever sent to these addresses, and Daybook
 * keeps no address.
 */
import { type Browser, browserOf } from './browsers.ts';
import written from './countries.json' with { type: 'json' };
import type { DemoSource, Profile } from './profile.ts';
import type { Chance, Weighted } from './random.ts';

/** Somebody who visits the site, on one day or again and again. */
export interface DemoPerson {
  country: Country;
  ip: string;
  browser: Browser;
  language: string;
  /** The visitor id of cookie mode. */
  cookie: string;
  /** Set once they have signed up. */
  account: { email: string; plan: string; seats: number } | null;
}

interface Country {
  code: string;
  /** Share of the visits, among those of the other countries. */
  weight: number;
  /** Hours that its clocks are ahead of UTC in winter. */
  utcHours: number;
  languages: Weighted<string>;
  /** Pays in euros, and not in dollars. */
  euro: boolean;
  ranges: Weighted<string>;
}

export const countries: readonly Country[] = written.map(({ languages, ranges, ...rest }) => ({
  ...rest,
  languages: Object.entries(languages),
  ranges: Object.values(ranges) as [range: string, weight: number][],
}));
const countryWeights = countries.map(country => [country, country.weight] as const);

/** A random address inside a range of IPv4. */
const addressIn = (chance: Chance, range: string): string => {
  const [base, bits] = range.split('/') as [string, string];
  const first = base.split('.').reduce((number, part) => number * 256 + Number(part), 0);
  const address = first + 1 + chance.below(2 ** (32 - Number(bits)) - 2);
  return [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.');
};

const personOf = (chance: Chance, country: Country, ip: string, browser: Browser): DemoPerson => ({
  country,
  ip,
  browser,
  language: chance.weighted(country.languages),
  cookie: `v${chance.below(2 ** 32).toString(36)}${chance.below(2 ** 32).toString(36)}`,
  account: null,
});

/** How many people are remembered; those before them do not come back. */
const rememberedMax = 4000;

export interface People {
  /** The person that a source brings at a time. */
  visitor(source: DemoSource, at: number): DemoPerson;
  /** Call it after a visit: somebody may have signed up. */
  left(person: DemoPerson): void;
}

export const peopleOf = (profile: Profile, chance: Chance): People => {
  const known: DemoPerson[] = [];
  const customers: DemoPerson[] = [];
  const germany = countries.find(({ code }) => code === 'DE')!;

  const stranger = (source: DemoSource, at: number): DemoPerson => {
    const country = chance.weighted(countryWeights);
    const ip = addressIn(chance, chance.weighted(country.ranges));
    return personOf(chance, country, ip, browserOf(chance, at, source.mobileShare));
  };

  return {
    visitor(source, at) {
      if (source.who === 'staff')
        return personOf(chance, germany, profile.excludedIps[0]!, browserOf(chance, at, source.mobileShare));
      if (source.who === 'customer' && customers.length > 0) return chance.one(customers);
      if (known.length === 0 || !chance.is(profile.returning)) return stranger(source, at);
      // Most who come back were here a short while ago.
      const back = Math.min(known.length, 1 + Math.floor(chance.around(30, 1.6)));
      return known[known.length - back]!;
    },
    left(person) {
      if (person.account !== null && !customers.includes(person)) customers.push(person);
      if (known.at(-1) !== person) known.push(person);
      if (known.length > rememberedMax) known.splice(0, rememberedMax / 2);
      if (customers.length > rememberedMax) customers.shift();
    },
  };
};
