/**
 * What a file of settings may hold: one row for each kind of thing (kind.ts). Checking, the diff
 * and applying come from here.
 */
import { saveDefinition } from '../api/changes/definition-changes.ts';
import { unlessTaken } from '../api/changes/fields.ts';
import { scopesOf } from '../api/changes/key-changes.ts';
import { hiddenOf, roleOf } from '../api/changes/place.ts';
import { publicKeyOf, setSite } from '../api/changes/site-changes.ts';
import { definitionNameOf, definitionOf } from '../api/definitions.ts';
import type { DefinitionBodies, DefinitionKind } from '../model/definitions.ts';
import { isApiKey } from '../model/ids.ts';
import { newRollup, newSite, withMembers } from '../model/new-site.ts';
import { queryText } from '../model/query-text.ts';
import { isLimitable } from '../model/rights.ts';
import { usualScopes } from '../model/scopes.ts';
import { type Account, type ApiKey, isRollup, type Rollup, type Site } from '../model/site.ts';
import { siteSettings } from '../model/site-settings.ts';
import {
  currencyOf,
  domainOf,
  emailOf,
  nameOf,
  planOf,
  rateOf,
  rollupNameOf,
  rollupSitesOf,
  timezoneOf,
  uuidOf,
  ValueError,
} from '../model/values.ts';
import type { Member } from '../store/accounts/members.ts';
import type { Rate } from '../store/rates.ts';
import {
  type FileKind,
  type FileWorld,
  type GivenFields,
  kind,
  list,
  number,
  only,
  onOff,
  text,
  type Where,
} from './kind.ts';
import { alerts, channels, reports } from './message-kinds.ts';
import { oidc } from './oidc.ts';
import { shares } from './shares.ts';

const numbers: readonly string[] = ['senderHits', 'senderBurst', 'keepDays'];

const settingNames = Object.keys(siteSettings);

/** The domains of sites of the team by their ids, in the order that `domainList` has them in. */
const domainsOf = ({ sites }: FileWorld, { account }: Where, uuids: readonly string[] | null): string[] | null =>
  uuids &&
  sites
    .list(account!.id)
    .flatMap(({ uuid, domain }) => (uuids.includes(uuid) ? domain : []))
    .sort();

/** The ids of sites of the team by their domains. */
const uuidsOf = ({ sites }: FileWorld, { id, name }: Account, domains: readonly string[]): string[] => {
  const all = sites.list(id).filter(site => !isRollup(site));
  return domains.map(domain => {
    const site = all.find(each => each.domain === domain);
    if (site === undefined) throw new ValueError(`The team ${name} has no site ${domain}.`);
    return site.uuid;
  });
};

const domainList = list(typed => {
  if (typed.length === 0) throw new ValueError('Name a site.');
  return [...new Set(typed.map(domainOf))].sort();
});

const definition = <K extends DefinitionKind>(
  of: K,
  plural: string,
  fields: FileKind['fields'],
  needs: readonly string[],
  bodyOf: (given: GivenFields, was: DefinitionBodies[K] | undefined) => DefinitionBodies[K],
  values: (body: DefinitionBodies[K]) => GivenFields,
): FileKind =>
  kind<DefinitionBodies[K]>({
    ...{ plural, key: ['name'], needs, fields: { name: text(definitionNameOf), ...fields } },
    find: ({ definitions }, { site }, { name }) => definitions.find(site!.id, of, name as string)?.body,
    values,
    set(world, { site }, given, was) {
      const body = bodyOf(given, was);
      saveDefinition(world, site!.id, of, given.name as string, body);
      return body;
    },
    remove: ({ definitions }, { site }, _, [name]) => void definitions.remove(site!.id, of, name!),
  });

const stepsOf = (typed: readonly string[]): string => {
  const question = queryText(new URLSearchParams(typed.map(step => ['step', step])));
  return definitionOf('funnel', { question }).question;
};

const goals = definition(
  'goal',
  'goals',
  {
    conditions: text(conditions => definitionOf('goal', { conditions }).conditions),
    value: number(value => definitionOf('goal', { conditions: 'event=x', value }).value),
  },
  ['conditions'],
  (given, was) => ({ value: null, ...was, ...only(given, ['conditions', 'value']) }) as DefinitionBodies['goal'],
  ({ conditions, value }) => ({ conditions, value }),
);
const segments = definition(
  'segment',
  'segments',
  { filters: text(filters => definitionOf('segment', { filters }).filters) },
  ['filters'],
  ({ filters }, was) => ({ filters: (filters as string | undefined) ?? was!.filters }),
  ({ filters }) => ({ filters }),
);
const funnels = definition(
  'funnel',
  'funnels',
  { steps: list(stepsOf) },
  ['steps'],
  ({ steps }, was) => ({ question: (steps as string | undefined) ?? was!.question }),
  ({ question }) => ({ steps: question }),
);

const unlessRollup = (site: Site | undefined): Site | undefined => (site && isRollup(site) ? undefined : site);

const sites = kind<Site>({
  ...{ plural: 'sites', key: ['domain'], isKept: true, inside: [goals, segments, funnels, shares, alerts, reports] },
  fields: {
    ...{ domain: text(domainOf), id: text(uuidOf), publicKey: text(publicKeyOf) },
    ...Object.fromEntries(
      Object.entries(siteSettings).map(([name, { kind, read }]) => [
        name,
        kind === 'list' ? list(typed => read([...typed])) : (numbers.includes(name) ? number : text)(read),
      ]),
    ),
  },
  find(world, { account }, { id, domain }) {
    const withId = id === undefined ? undefined : unlessRollup(world.sites.withId(id as string));
    const site = withId ?? unlessRollup(world.sites.named(account!.id, domain as string));
    if (site !== undefined && site.accountId !== account!.id)
      throw new ValueError(`The id ${String(id)} is that of a site of another team.`);
    return site;
  },
  values: ({ uuid, ...site }) => ({ ...site, id: uuid, aliases: [...site.aliases].sort() }),
  set(world, { account }, given, was) {
    const { id, publicKey, domain } = given;
    if (was === undefined) {
      const chosen = Object.fromEntries(
        Object.entries({ uuid: id, publicKey }).filter(([, value]) => value !== undefined),
      );
      const of = { accountId: account!.id, domain: domain as string, ...chosen, ...only(given, settingNames) };
      return unlessTaken('domain', () => world.sites.add(newSite(of, world.now(), world.random)));
    }
    if (id !== undefined && id !== was.uuid)
      throw new ValueError(`${was.domain} has the id ${was.uuid}, which cannot be changed.`);
    if (publicKey !== undefined && publicKey !== was.publicKey)
      throw new ValueError(`${was.domain} has the public key ${was.publicKey}, which cannot be changed.`);
    const changed: Site = { ...was, ...only(given, ['domain', ...settingNames]) };
    setSite(world, was, changed, 'domain');
    return changed;
  },
  whereInside: (site, where) => ({ ...where, site }),
});

const rollups = kind<Rollup>({
  ...{ plural: 'rollups', key: ['name'], needs: ['sites'] },
  fields: { name: text(rollupNameOf), sites: domainList, timezone: text(timezoneOf), currency: text(currencyOf) },
  find({ sites }, { account }, { name }) {
    const found = sites.named(account!.id, name as string);
    return found && isRollup(found) ? found : undefined;
  },
  values: ({ members, timezone, currency }, world, _, where) => ({
    ...{ timezone, currency, sites: domainsOf(world, where, members) },
  }),
  set(world, { account }, given, was) {
    const all = world.sites.list(account!.id);
    const settings = only(given, ['timezone', 'currency']);
    if (was === undefined) {
      const of = { accountId: account!.id, domain: given.name as string, ...settings };
      const members = rollupSitesOf(all)(given.sites as string[]);
      const add = () => world.sites.add(newRollup(of, members, world.now(), world.random)) as Rollup;
      return unlessTaken('name', add);
    }
    const members =
      'sites' in given
        ? rollupSitesOf(all)(given.sites as string[])
        : all.filter(({ uuid }) => was.members.includes(uuid));
    const changed = withMembers({ ...was, ...settings }, members) as Rollup;
    world.sites.set(was.id, changed);
    return changed;
  },
  remove: ({ sites }, _, { id }) => sites.remove(id),
});

const members = kind<Member>({
  ...{ plural: 'members', key: ['email'], needs: ['role'] },
  fields: { email: text(emailOf), role: text(roleOf), sites: domainList, hidden: list(hiddenOf) },
  find({ persons, members }, { account }, { email }) {
    const person = persons.ofEmail(email as string);
    return person && members.find(account!.id, person.id);
  },
  values: ({ role, sites, hidden }, world, _, where) => ({ role, hidden, sites: domainsOf(world, where, sites) }),
  set(world, { account }, given, was) {
    const { email, role = was?.role, sites, hidden } = given as { email: string } & Partial<Member>;
    if (!isLimitable(role!) && (sites !== undefined || hidden !== undefined))
      throw new ValueError(`${role} sees all of a team: sites and hidden are for editors and viewers.`);
    const usual = { sites: null, hidden: role === 'viewer' ? (['visits'] as const) : [] };
    const before = was !== undefined && isLimitable(was.role) ? was : usual;
    const limits = isLimitable(role!)
      ? {
          sites: sites == null ? before.sites : uuidsOf(world, account!, sites),
          hidden: [...(hidden ?? before.hidden)],
        }
      : { sites: null, hidden: [] };
    const person = world.persons.ofEmail(email) ?? world.persons.add(email, world.now());
    const member = { accountId: account!.id, personId: person.id, role: role!, ...limits, createdAt: world.now() };
    world.members.set(member);
    return member;
  },
  remove: ({ members }, _, { accountId, personId }) => members.remove(accountId, personId),
});

const keyOf = (typed: string): string => {
  if (isApiKey(typed)) return typed;
  throw new ValueError('A key is tk_live_ and 32 letters and digits.');
};
const dayOf = (typed: string): number => {
  const at = /^\d{4}-\d\d-\d\d$/.test(typed) ? Date.parse(`${typed}T00:00:00Z`) : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw new ValueError('Write a day like 2027-12-31.');
};
const keys = kind<ApiKey>({
  ...{ plural: 'keys', key: ['name'], needs: ['value'] },
  fields: {
    ...{ name: text(nameOf), value: { ...text(keyOf), isSecret: true }, scopes: list(scopesOf) },
    ...{ sites: domainList, expires: text(dayOf) },
  },
  find: ({ keys }, { account }, { name }) => keys.list(account!.id).find(key => key.name === name),
  values: ({ id, scopes, sites, expiresAt: expires }, world, { value }, where) => ({
    ...{ scopes, expires, sites: domainsOf(world, where, sites) },
    // A digest is all that is known of it.
    value: value !== undefined && world.keys.find(value as string)?.id === id ? value : 'another',
  }),
  set(world, { account }, given, was) {
    const { name, value, scopes = was?.scopes ?? [...usualScopes], expires = was?.expiresAt ?? null } = given;
    const sites = 'sites' in given ? uuidsOf(world, account!, given.sites as string[]) : (was?.sites ?? null);
    const limits = { scopes: scopes as ApiKey['scopes'], sites, expiresAt: expires as number | null };
    const known = value === undefined ? was : world.keys.find(value as string);
    if (known !== undefined && known.id !== was?.id) throw new ValueError('Another key has this value.');
    if (known !== undefined) return world.keys.limit(known.id, limits);
    const madeBy = world.maker(account!).id;
    const added = world.keys.add(account!.id, name as string, value as string, world.now(), { ...limits, madeBy });
    if (was !== undefined) world.keys.revoke(was.id);
    return added;
  },
  // A command can make several of one name.
  remove({ keys }, { account }, { name }) {
    for (const key of keys.list(account!.id)) if (key.name === name) keys.revoke(key.id);
  },
});

const teams = kind<Account>({
  ...{ plural: 'teams', key: ['name'], isKept: true, inside: [sites, rollups, members, keys, channels] },
  fields: { name: text(nameOf), plan: text(planOf), requireSecondFactor: onOff },
  find: ({ accounts }, _, { name }) => accounts.list().find(account => account.name === name),
  values: ({ plan, secondFactor: requireSecondFactor }) => ({ plan, requireSecondFactor }),
  set({ accounts, now }, _, given, was) {
    const { name, plan = was?.plan ?? 'unlimited', requireSecondFactor } = given as Record<string, unknown>;
    const account = was ?? accounts.add(name as string, plan as Account['plan'], now());
    accounts.setPlan(account.id, plan as Account['plan']);
    if (requireSecondFactor !== undefined) accounts.setSecondFactor(account.id, requireSecondFactor === true);
    return accounts.byId(account.id)!;
  },
  whereInside: account => ({ account, site: null }),
});

const rates = kind<Rate>({
  ...{ plural: 'rates', key: ['from', 'to'], needs: ['rate'] },
  fields: { from: text(currencyOf), to: text(currencyOf), rate: number(rateOf) },
  find: ({ rates }, _, { from, to }) => rates.list().find(({ source, target }) => source === from && target === to),
  values: ({ rate }) => ({ rate }),
  set({ rates }, _, { from: source, to: target, rate }) {
    const row = { source, target, rate } as Rate;
    rates.set(row);
    return row;
  },
  remove: ({ rates }, _, { source, target }) => rates.remove(source, target),
});

/** What stands at the top of a file. */
export const kinds: readonly FileKind[] = [teams, rates, oidc];
