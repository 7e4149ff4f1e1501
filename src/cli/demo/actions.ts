/** What people do on the pages of a demo site: the hits of a page's actions. */
import type { DemoPerson } from './people.ts';
import type { Action, ActionName, HitFields, Profile } from './profile.ts';
import type { Chance } from './random.ts';

/** The hit of an action that chance has picked; null when the person cannot do it. */
export const hitOf = (action: Action, chance: Chance, person: DemoPerson, profile: Profile): HitFields | null =>
  'call' in action ? calls[action.call](chance, person, profile) : (drawn(action.hit, chance) as HitFields);

/** Values that chance picks, by the key that stands for them in the files of the sites. */
const draws: Record<string, (chance: Chance, argument: never) => unknown> = {
  one: (chance, items: unknown[]) => chance.one(items),
  weighted: (chance, weights: Record<string, number>) => chance.weighted(Object.entries(weights)),
  /** A whole number around a median, with a spread. */
  around: (chance, [median, spread]: [number, number]) => Math.round(chance.around(median, spread)),
  /** A whole number, both ends included. */
  whole: (chance, [from, to]: [number, number]) => from + chance.below(to - from + 1),
  chance: (chance, probability: number) => chance.is(probability),
  /** A date in a year. */
  dateIn: (chance, year: number) =>
    new Date(Date.UTC(year, chance.below(12), 1 + chance.below(28))).toISOString().slice(0, 10),
};

const drawn = (written: unknown, chance: Chance): unknown => {
  if (typeof written !== 'object' || written === null) return written;
  const [[key, argument] = []] = Object.entries(written);
  const draw = draws[key ?? ''];
  if (draw !== undefined) return draw(chance, argument as never);
  return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, drawn(value, chance)]));
};

type Call = (chance: Chance, person: DemoPerson, profile: Profile) => HitFields | null;

const signup: Call = (chance, person, { firstNames = '', studios = '' }) => {
  if (person.account !== null) return null;
  const name = chance.one(firstNames.split(' '));
  const plan = chance.weighted([
    ['solo', 6],
    ['studio', 3],
    ['agency', 1],
  ]);
  const seats = plan === 'solo' ? 1 : 2 + Math.floor(chance.around(plan === 'studio' ? 2 : 9, 0.6));
  const email = `${name}.${chance.below(900) + 100}@${chance.one(studios.split(' '))}.example`;
  person.account = { email, plan, seats };
  const method = chance.one(['email', 'email', 'google', 'apple']);
  return { t: 'custom', n: 'Signup', p: { plan, seats, method, trial: true } };
};

const identify: Call = (_, { account }) => (account === null ? null : { t: 'identify', p: { ...account } });

const subscribe: Call = (chance, { account, country }, profile) => {
  if (account === null) return null;
  const yearly = chance.is(0.35);
  const { plan, seats } = account;
  const v = monthPrice(profile, plan) * seats * (yearly ? 10 : 1);
  const p = { plan, seats, interval: yearly ? 'year' : 'month' };
  return { t: 'revenue', n: 'Subscription', v, c: currencyOf(country), p };
};

const addSeats: Call = (chance, { account, country }, profile) => {
  if (account === null) return null;
  const seats = 1 + chance.below(3);
  account.seats += seats;
  const v = monthPrice(profile, account.plan) * seats;
  return { t: 'revenue', n: 'Seats added', v, c: currencyOf(country), p: { seats } };
};

const refund: Call = (_, { account, country }, profile) => {
  if (account === null) return null;
  const v = -monthPrice(profile, account.plan) * account.seats;
  return { t: 'revenue', n: 'Refund', v, c: currencyOf(country) };
};

const addToCart: Call = (chance, _, { goods = {} }) => {
  const [item, cents] = chance.one(Object.entries(goods));
  return { t: 'custom', n: 'Add to cart', p: { item, price: cents / 100, quantity: 1 + chance.below(3) } };
};

const purchase: Call = (chance, { country }, { goods = {} }) => {
  const items = 1 + chance.count(1.3);
  let v = 0;
  for (let i = 0; i < items; i++) v += chance.one(Object.values(goods));
  return { t: 'revenue', n: 'Purchase', v, c: currencyOf(country), p: { items, gift: chance.is(0.15) } };
};

const calls: Record<ActionName, Call> = { signup, identify, subscribe, addSeats, refund, addToCart, purchase };

/** Minor units of one seat's month. */
const monthPrice = ({ prices = {} }: Profile, plan: string): number => prices[plan]!;

const currencyOf = ({ euro }: DemoPerson['country']): string => (euro ? 'EUR' : 'USD');
