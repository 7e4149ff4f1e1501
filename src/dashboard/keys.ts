/** API keys of a team. */
import { HttpError } from '../http/errors.ts';
import { covers } from '../model/grant.ts';
import { makeApiKey } from '../model/ids.ts';
import { isScope, type KeyScope, scopeNames, usualScopes } from '../model/scopes.ts';
import { isRollup } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import { nameOf, ValueError } from '../model/values.ts';
import type { InTeam } from './allow.ts';
import { field, optional, optionalList, unlessTaken } from './fields.ts';
import type { AppParts } from './parts.ts';
import { requireProof } from './proof.ts';
import { type DashboardRoute, done, get, ok, post } from './route.ts';
import { keyView } from './views.ts';
import type { Keys, NewKey } from './wire.ts';

export const keyRoutes = (parts: AppParts): DashboardRoute[] => {
  const { keys, directory, now, random } = parts;
  return [
    get('/app/keys', 'keys', (_, { account }) => ok<Keys>({ data: keys.list(account.id).map(keyView) })),

    post('/app/keys', 'keys', ({ body }, login) => {
      const key = makeApiKey(random);
      const name = field(body, 'name', nameOf);
      const { scopes = [...usualScopes] } = optionalList(body, 'scopes', scopesOf);
      if (scopes.includes('manage')) requireProof(parts, login);
      const { sites = null } = optionalList(body, 'sites', typed => sitesIn(login, directory, typed));
      const { days = null } = optional(body, 'days', daysOf);
      const expiresAt = days === null ? null : now() + days * dayMs;
      const limits = { scopes, sites, expiresAt, madeBy: login.person.id };
      const added = unlessTaken('name', () => keys.add(login.account.id, name, key, now(), limits));
      return ok<NewKey>({ ...keyView(added), key });
    }),

    post('/app/keys/:key/revoke', 'keys', ({ parameters }, { account }) => {
      const own = keys.list(account.id).find(({ id }) => String(id) === parameters.key);
      if (own === undefined) throw new HttpError('app-no-key');
      keys.revoke(own.id);
      return done();
    }),
  ];
};

const scopesOf = (typed: readonly string[]): KeyScope[] => {
  if (typed.length === 0 || !typed.every(isScope)) throw new ValueError(`A scope is one of ${scopeNames.join(', ')}.`);
  return scopeNames.filter(name => typed.includes(name));
};

/** The ids of sites of the team. Throws HttpError for one that is not, and ValueError for none. */
export const sitesIn = (
  { grant, account }: InTeam,
  directory: AppParts['directory'],
  typed: readonly string[],
): string[] => {
  if (typed.length === 0) throw new ValueError('Choose a site.');
  const all = directory.ofAccount(account.id).filter(site => covers(grant, site, directory.members));
  const found = [...new Set(typed)].map(id => all.find(({ uuid }) => uuid === id));
  const sites = found.flatMap(site => (site === undefined || isRollup(site) ? [] : site.uuid));
  if (sites.length < found.length) throw new HttpError('app-no-site');
  return sites;
};

const daysMax = 3650;
/** Empty for never. */
const daysOf = (typed: string): number | null => {
  if (typed === '') return null;
  if (/^\d{1,4}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= daysMax) return Number(typed);
  throw new ValueError(`Give 1 to ${daysMax} days.`);
};
