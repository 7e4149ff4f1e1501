/** Rollups: several sites of the account read as one. Adds, changes and removes them. */

import { field, optional, optionalList, unlessTaken } from '../api/changes/fields.ts';
import { refuseManaged } from '../api/changes/managed.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { isDone } from '../http/reply.ts';
import { newRollup, withMembers } from '../model/new-site.ts';
import { isRollup, type Rollup, type Site } from '../model/site.ts';
import { currencyOf, rollupNameOf, rollupSitesOf, timezoneOf } from '../model/values.ts';
import type { InTeam, OnSite } from './allow.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, post } from './route.ts';

const rollupOf = ({ site }: OnSite): Rollup => {
  if (!isRollup(site)) throw new HttpError('app-no-site');
  return site;
};

export const rollupRoutes = (parts: AppParts): DashboardRoute[] => {
  const { sites, directory, views, now, random } = parts;

  /** The sites that a body lists, each once. Throws HttpError that names the field. */
  const membersOf = (body: Body, { account }: InTeam): Site[] | undefined => {
    const { sites: listed } = optionalList(body, 'sites', rollupSitesOf(directory.ofAccount(account.id)));
    return listed;
  };

  return [
    post('/app/rollups', 'sites', (call, login) => {
      const { body, origin } = call;
      directory.refresh();
      const members = membersOf(body, login);
      if (members === undefined) throw new HttpError('app-list-missing', { field: 'sites' });
      const given = {
        accountId: login.account.id,
        domain: field(body, 'name', rollupNameOf),
        ...optional(body, 'timezone', timezoneOf),
        ...optional(body, 'currency', currencyOf),
      };
      const { id, uuid } = unlessTaken('name', () => sites.add(newRollup(given, members, now(), random)));
      directory.reload(id);
      return views.siteReply(uuid, origin, login);
    }),
    post('/app/rollups/:site', 'sites', (call, login) => {
      const { body, origin } = call;
      const rollup = rollupOf(login);
      refuseManaged(parts, 'rollups', login.account.uuid, rollup.domain);
      const { name = rollup.domain } = optional(body, 'name', rollupNameOf);
      const members = membersOf(body, login) ?? directory.members(rollup);
      unlessTaken('name', () => sites.set(rollup.id, withMembers({ ...rollup, domain: name }, members)));
      directory.reload(rollup.id);
      return views.siteReply(rollup.uuid, origin, login);
    }),
    post('/app/rollups/:site/remove', 'sites', (_, login) => {
      const rollup = rollupOf(login);
      refuseManaged(parts, 'rollups', login.account.uuid, rollup.domain);
      sites.remove(rollup.id);
      directory.reload();
      parts.dropRows();
      return isDone();
    }),
  ];
};
