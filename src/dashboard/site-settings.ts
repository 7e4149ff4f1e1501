/** Sites: adding, changing, emptying and removing them, their public pages, and whether anything comes in. */
import { makePublicKey, makeToken, makeUuid, type Random } from '../model/ids.ts';
import type { Site } from '../model/site.ts';
import { currencyOf, domainOf, excludedIpsOf, excludedPathsOf, identityModeOf, timezoneOf } from '../model/values.ts';
import type { ArrivalCounts } from '../store/read/arrivals.ts';
import type { SiteDirectory, Sites } from '../store/sites.ts';
import { type Body, field, optional, optionalList, unlessTaken } from './body.ts';
import { type Call, done, type Endpoint, get, type Login, ok, post } from './endpoint.ts';
import { Failed } from './failure.ts';
import type { Views } from './views.ts';
import type { Arrivals, SiteView } from './wire.ts';

export interface SiteParts {
  sites: Sites;
  directory: SiteDirectory;
  arrivals: (siteId: number, now: number) => ArrivalCounts;
  views: Views;
  now: () => number;
  random: Random;
  /** Begins to delete what removed and reset sites have left behind. */
  dropRows: () => void;
}

export const siteEndpoints = ({ sites, directory, arrivals, views, now, random, dropRows }: SiteParts): Endpoint[] => {
  /** The site that a path names, if it is the account's own. */
  const named = ({ parameters }: Call, { account }: Login): Site => {
    // While the body was read, a command may have changed it.
    directory.refresh();
    const site = directory.find(parameters.site!);
    if (site?.accountId !== account.id) throw new Failed(404, 'There is no such site.');
    return site;
  };
  const view = (uuid: string, origin: string) => ok<SiteView>(views.site(directory.find(uuid)!, origin));

  /** An endpoint that changes a site and shows what became of it. */
  const change = (path: string, work: (site: Site, body: Body) => void): Endpoint =>
    post(path, (call, login) => {
      const site = named(call, login);
      work(site, call.body);
      directory.reload();
      return view(site.uuid, call.origin);
    });

  /** An endpoint that deletes data, for who has typed the domain. */
  const destroy = (path: string, work: (site: Site) => void): Endpoint =>
    post(path, (call, login) => {
      const site = named(call, login);
      if (field(call.body, 'domain', domainOf) !== site.domain)
        throw new Failed(400, `That is not ${site.domain}.`, { field: 'domain' });
      work(site);
      directory.reload();
      dropRows();
      return done();
    });

  return [
    post('/app/sites', ({ origin, body }, { account }) => {
      const site = {
        accountId: account.id,
        uuid: makeUuid(random),
        publicKey: makePublicKey(random),
        domain: field(body, 'domain', domainOf),
        timezone: field(body, 'timezone', timezoneOf),
        currency: field(body, 'currency', currencyOf),
        identityMode: 'hash' as const,
        excludedIps: [],
        excludedPaths: [],
        createdAt: now(),
      };
      unlessTaken('domain', () => sites.add(site));
      directory.reload();
      return view(site.uuid, origin);
    }),

    change('/app/sites/:site', (site, body) => {
      const changed = {
        ...site,
        ...optional(body, 'domain', domainOf),
        ...optional(body, 'timezone', timezoneOf),
        ...optional(body, 'currency', currencyOf),
        ...optional(body, 'identityMode', identityModeOf),
        ...optionalList(body, 'excludedIps', excludedIpsOf),
        ...optionalList(body, 'excludedPaths', excludedPathsOf),
      };
      unlessTaken('domain', () => sites.set(site.id, changed));
    }),

    change('/app/sites/:site/share', ({ id }) => sites.setShareToken(id, makeToken(random))),
    change('/app/sites/:site/share/withdraw', ({ id }) => sites.setShareToken(id, null)),
    destroy('/app/sites/:site/reset', ({ id }) => sites.reset(id)),
    destroy('/app/sites/:site/remove', ({ id }) => sites.remove(id)),

    get('/app/sites/:site/arrivals', (call, login) => ok<Arrivals>(arrivals(named(call, login).id, now()))),
  ];
};
