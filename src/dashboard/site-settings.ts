/**
 * Sites: adds, changes, resets and removes them.
 */

import { addSite } from '../api/admin/sites.ts';
import { field } from '../api/changes/fields.ts';
import { refuseManagedSite } from '../api/changes/managed.ts';
import { changeSite } from '../api/changes/site-changes.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { isDone } from '../http/reply.ts';
import type { Right } from '../model/rights.ts';
import type { Site } from '../model/site.ts';
import { isoTime } from '../model/time.ts';
import { currencyOf, domainOf, timezoneOf } from '../model/values.ts';
import { type OnSite, siteWithHits } from './allow.ts';
import { byOf } from './by.ts';
import type { AppParts } from './parts.ts';
import { requireProof } from './proof.ts';
import { type DashboardRoute, get, ok, post } from './route.ts';
import type { OtherHostList } from './wire.ts';

type SitePath = `/app/sites/:site${string}`;

export const siteRoutes = (parts: AppParts): DashboardRoute[] => {
  const { sites, directory, views, dropRows, otherHosts } = parts;

  /** Changes a site and answers with the changed one. */
  const change = (path: SitePath, right: Right, work: (on: OnSite, body: Body) => void): DashboardRoute =>
    post(path, right, (call, on) => {
      work(on, call.body);
      directory.reload(on.site.id);
      return views.siteReply(on.site.uuid, call.origin, on);
    });

  /** Deletes data of a site, for somebody who has typed its domain. */
  const destroy = (path: SitePath, work: (site: Site) => void): DashboardRoute =>
    post(path, 'reset', (call, on) => {
      const site = siteWithHits(on);
      requireProof(parts, on);
      refuseManagedSite(parts, site);
      if (field(call.body, 'domain', domainOf) !== site.domain) {
        throw new HttpError('app-bad-value', { error: `Type ${site.domain} to confirm.`, field: 'domain' });
      }
      work(site);
      directory.reload();
      dropRows();
      return isDone();
    });

  return [
    post('/app/sites', 'sites', (call, on) => {
      const { body, origin } = call;
      const domain = field(body, 'domain', domainOf);
      const settings = { timezone: field(body, 'timezone', timezoneOf), currency: field(body, 'currency', currencyOf) };
      return views.siteReply(addSite(parts, byOf(parts, call, on), domain, settings).uuid, origin, on);
    }),

    get('/app/sites/:site/other-hosts', 'settings', (_, { site }) =>
      ok<OtherHostList>({
        data: otherHosts(site.id).map(({ lastAt, ...host }) => ({ ...host, lastAt: isoTime(lastAt) })),
      }),
    ),

    change('/app/sites/:site', 'settings', (on, body) => {
      changeSite(parts, on.site, body, { grant: on.grant, prove: () => requireProof(parts, on) });
    }),

    destroy('/app/sites/:site/reset', ({ id }) => sites.reset(id)),
    destroy('/app/sites/:site/remove', ({ id }) => sites.remove(id)),
  ];
};
