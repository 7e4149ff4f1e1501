/**
 * Sites: adds, changes, resets and removes them, shares their dashboards, and tells whether hits
 * arrive.
 */
import { HttpError } from '../http/errors.ts';
import { makeToken } from '../model/ids.ts';
import { listedMax } from '../model/limits.ts';
import { newSite } from '../model/new-site.ts';
import { hitSettings, isRollup, type Site } from '../model/site.ts';
import {
  aliasesOf,
  currencyOf,
  domainOf,
  embedHostsOf,
  excludedIpsOf,
  excludedPathsOf,
  identityModeOf,
  leftOutOf,
  publicPartsOf,
  senderHitsOf,
  timezoneOf,
} from '../model/values.ts';
import { noteZone } from '../store/notes.ts';
import { type Body, field, optional, optionalList, unlessTaken } from './fields.ts';
import type { AppParts } from './parts.ts';
import { type Call, type DashboardRoute, done, ok, post } from './route.ts';
import type { Login } from './sessions.ts';
import type { SiteView } from './wire.ts';

/** The site or rollup that a path names. Throws HttpError unless it belongs to the account. */
export const siteNamed = (
  { directory }: Pick<AppParts, 'directory'>,
  { parameters }: Call,
  { account }: Login,
): Site => {
  // A command may have changed it while the body was read.
  directory.refresh();
  const site = directory.find(parameters.site!);
  if (site?.accountId !== account.id) throw new HttpError('app-no-site');
  return site;
};

/** The site that a path names, for what rollups have none of. Throws HttpError. */
export const ownSite = (parts: Pick<AppParts, 'directory'>, call: Call, login: Login): Site => {
  const site = siteNamed(parts, call, login);
  if (isRollup(site)) throw new HttpError('app-is-rollup');
  return site;
};

/** Throws HttpError where a change would bring an account above what its sites may list. */
const refuseTooMany = ({ directory }: Pick<AppParts, 'directory'>, site: Site, changed: Site): void => {
  const more = listed(changed) - listed(site);
  const now = directory.ofAccount(site.accountId).reduce((sum, each) => sum + listed(each), 0);
  if (more > 0 && now + more > listedMax) throw new HttpError('app-too-many-listed');
};
const listed = ({ aliases, excludedIps, excludedPaths }: Site): number =>
  aliases.length + excludedIps.length + excludedPaths.length;

export const siteRoutes = (parts: AppParts): DashboardRoute[] => {
  const { sites, notes, directory, views, now, random, dropRows } = parts;
  const named = (call: Call, login: Login): Site => siteNamed(parts, call, login);
  const view = (uuid: string, origin: string) => ok<SiteView>(views.site(directory.find(uuid)!, origin));

  /** Changes a site and answers with the changed one. */
  const change = (path: string, work: (site: Site, body: Body) => void): DashboardRoute =>
    post(path, (call, login) => {
      const site = named(call, login);
      work(site, call.body);
      directory.reload(site.id);
      return view(site.uuid, call.origin);
    });

  /** Deletes data of a site, for somebody who has typed its domain. */
  const destroy = (path: string, work: (site: Site) => void): DashboardRoute =>
    post(path, (call, login) => {
      const site = ownSite(parts, call, login);
      if (field(call.body, 'domain', domainOf) !== site.domain) {
        throw new HttpError('app-bad-value', { error: `Type ${site.domain} to confirm.`, field: 'domain' });
      }
      work(site);
      directory.reload();
      dropRows();
      return done();
    });

  return [
    post('/app/sites', ({ origin, body }, { account }) => {
      const given = {
        accountId: account.id,
        domain: field(body, 'domain', domainOf),
        timezone: field(body, 'timezone', timezoneOf),
        currency: field(body, 'currency', currencyOf),
      };
      const { id, uuid } = unlessTaken('domain', () => sites.add(newSite(given, now(), random)));
      directory.reload(id);
      return view(uuid, origin);
    }),

    change('/app/sites/:site', (site, body) => {
      if (isRollup(site) && hitSettings.some(name => name in body)) throw new HttpError('app-is-rollup');
      const changed = {
        ...site,
        ...optional(body, 'domain', domainOf),
        ...optional(body, 'timezone', timezoneOf),
        ...optional(body, 'currency', currencyOf),
        ...optional(body, 'identityMode', identityModeOf),
        ...optionalList(body, 'aliases', aliasesOf),
        ...optionalList(body, 'excludedIps', excludedIpsOf),
        ...optionalList(body, 'excludedPaths', excludedPathsOf),
        ...optionalList(body, 'publicParts', publicPartsOf),
        ...optionalList(body, 'embedHosts', embedHostsOf),
        ...optionalList(body, 'leftOut', leftOutOf),
        ...optional(body, 'senderHits', senderHitsOf),
        ...optional(body, 'senderBurst', senderHitsOf),
      };
      refuseTooMany(parts, site, changed);
      unlessTaken('aliases' in body ? 'aliases' : 'domain', () => sites.set(site.id, changed));
      noteZone(notes, site, changed, now());
    }),

    change('/app/sites/:site/share', ({ id }) => sites.setShareToken(id, makeToken(random))),
    change('/app/sites/:site/share/withdraw', ({ id }) => sites.setShareToken(id, null)),
    destroy('/app/sites/:site/reset', ({ id }) => sites.reset(id)),
    destroy('/app/sites/:site/remove', ({ id }) => sites.remove(id)),
  ];
};
