/**
 * Sites: adds, changes, resets and removes them.
 */
import { HttpError } from '../http/errors.ts';
import type { TeamGrant } from '../model/grant.ts';
import { listedMax } from '../model/limits.ts';
import { newSite } from '../model/new-site.ts';
import type { Right } from '../model/rights.ts';
import { hitSettings, isRollup, type Site } from '../model/site.ts';
import { isoTime } from '../model/time.ts';
import {
  aliasesOf,
  allowedHostsOf,
  currencyOf,
  domainOf,
  embedHostsOf,
  excludedCountriesOf,
  excludedIpsOf,
  excludedPathsOf,
  identityModeOf,
  keepDaysOf,
  leftOutOf,
  senderHitsOf,
  timezoneOf,
} from '../model/values.ts';
import { noteZone } from '../store/notes.ts';
import { type InTeam, type OnSite, siteWithHits } from './allow.ts';
import { type Body, field, optional, optionalList, unlessTaken } from './fields.ts';
import type { AppParts } from './parts.ts';
import { requireProof } from './proof.ts';
import { type DashboardRoute, done, get, ok, post } from './route.ts';
import type { OtherHostList, SiteView } from './wire.ts';

/** Settings that take another right than most. */
const settingRights: Partial<Record<keyof Site, Right>> = {
  domain: 'sites',
  identityMode: 'reset',
  keepDays: 'reset',
  embedHosts: 'share',
};

/** Throws HttpError where somebody may not make such a change. */
const refuseForbidden = ({ rights }: TeamGrant, site: Site, changed: Site): void => {
  for (const [name, right] of Object.entries(settingRights) as [keyof Site, Right][]) {
    const isSame = JSON.stringify(site[name]) === JSON.stringify(changed[name]);
    if (!isSame && !rights.has(right)) throw new HttpError('app-not-allowed');
  }
};

/** Throws HttpError where a change would bring an account above what its sites may list. */
const refuseTooMany = ({ directory }: Pick<AppParts, 'directory'>, site: Site, changed: Site): void => {
  const more = listed(changed) - listed(site);
  const now = directory.ofAccount(site.accountId).reduce((sum, each) => sum + listed(each), 0);
  if (more > 0 && now + more > listedMax) throw new HttpError('app-too-many-listed');
};
const listed = ({ aliases, excludedIps, excludedPaths, allowedHosts }: Site): number =>
  aliases.length + excludedIps.length + excludedPaths.length + allowedHosts.length;

/** Throws HttpError for what cannot be a setting. */
const changedSite = (site: Site, body: Body): Site => ({
  ...site,
  ...optional(body, 'domain', domainOf),
  ...optional(body, 'timezone', timezoneOf),
  ...optional(body, 'currency', currencyOf),
  ...optional(body, 'identityMode', identityModeOf),
  ...optionalList(body, 'aliases', aliasesOf),
  ...optionalList(body, 'excludedIps', excludedIpsOf),
  ...optionalList(body, 'excludedPaths', excludedPathsOf),
  ...optionalList(body, 'allowedHosts', allowedHostsOf),
  ...optionalList(body, 'excludedCountries', excludedCountriesOf),
  ...optionalList(body, 'embedHosts', embedHostsOf),
  ...optionalList(body, 'leftOut', leftOutOf),
  ...optional(body, 'senderHits', senderHitsOf),
  ...optional(body, 'senderBurst', senderHitsOf),
  ...optional(body, 'keepDays', keepDaysOf),
});

type SitePath = `/app/sites/:site${string}`;

export const siteRoutes = (parts: AppParts): DashboardRoute[] => {
  const { sites, notes, directory, views, now, random, dropRows, otherHosts } = parts;
  const view = (uuid: string, origin: string, { grant }: InTeam) =>
    ok<SiteView>(views.site(directory.find(uuid)!, origin, grant));

  /** Changes a site and answers with the changed one. */
  const change = (path: SitePath, right: Right, work: (on: OnSite, body: Body) => void): DashboardRoute =>
    post(path, right, (call, on) => {
      work(on, call.body);
      directory.reload(on.site.id);
      return view(on.site.uuid, call.origin, on);
    });

  /** Deletes data of a site, for somebody who has typed its domain. */
  const destroy = (path: SitePath, work: (site: Site) => void): DashboardRoute =>
    post(path, 'reset', (call, on) => {
      const site = siteWithHits(on);
      requireProof(parts, on);
      if (field(call.body, 'domain', domainOf) !== site.domain) {
        throw new HttpError('app-bad-value', { error: `Type ${site.domain} to confirm.`, field: 'domain' });
      }
      work(site);
      directory.reload();
      dropRows();
      return done();
    });

  return [
    post('/app/sites', 'sites', ({ origin, body }, login) => {
      const given = {
        accountId: login.account.id,
        domain: field(body, 'domain', domainOf),
        timezone: field(body, 'timezone', timezoneOf),
        currency: field(body, 'currency', currencyOf),
      };
      const { id, uuid } = unlessTaken('domain', () => sites.add(newSite(given, now(), random)));
      directory.reload(id);
      return view(uuid, origin, login);
    }),

    get('/app/sites/:site/other-hosts', 'settings', (_, { site }) =>
      ok<OtherHostList>({
        data: otherHosts(site.id).map(({ lastAt, ...host }) => ({ ...host, lastAt: isoTime(lastAt) })),
      }),
    ),

    change('/app/sites/:site', 'settings', (on, body) => {
      const { site, grant } = on;
      if (isRollup(site) && hitSettings.some(name => name in body)) throw new HttpError('app-is-rollup');
      const changed = changedSite(site, body);
      refuseForbidden(grant, site, changed);
      if (changed.keepDays !== site.keepDays) requireProof(parts, on);
      refuseTooMany(parts, site, changed);
      unlessTaken('aliases' in body ? 'aliases' : 'domain', () => sites.set(site.id, changed));
      noteZone(notes, site, changed, now());
    }),

    destroy('/app/sites/:site/reset', ({ id }) => sites.reset(id)),
    destroy('/app/sites/:site/remove', ({ id }) => sites.remove(id)),
  ];
};
