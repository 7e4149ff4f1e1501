/** Links to the public pages of a site: makes them, changes what they show, and takes them away. */

import { field, optional, optionalList, unlessTaken } from '../api/changes/fields.ts';
import { changedNames, refuseManaged } from '../api/changes/managed.ts';
import { expiryOf, lastDayOf, shareSegmentOf } from '../api/changes/share-changes.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { makeToken } from '../model/ids.ts';
import { newShare, type ShareLink, type ShareSettings } from '../model/share.ts';
import type { Site } from '../model/site.ts';
import { isoTime, isoTimeOrNull } from '../model/time.ts';
import { nameOf, passwordOf, publicPartsOf } from '../model/values.ts';
import type { OnSite } from './allow.ts';
import type { AppParts } from './parts.ts';
import { type Call, type DashboardRoute, get, ok, post } from './route.ts';
import type { ShareList, ShareView } from './wire.ts';

export const shareRoutes = (parts: AppParts): DashboardRoute[] => {
  const { shares, now, random } = parts;
  const list = ({ origin }: Call, { site }: OnSite) =>
    ok<ShareList>({ data: shares.ofSite(site.id).map(share => shareView(share, site, origin)) });

  const settingsOf = settingsReader(parts);
  const noted = ({ note, body }: Call & { body: Body }, on: OnSite, share: { name: string }): void => {
    const settings = Object.keys(body).slice(0, 20);
    const by = { person: on.person, accountId: on.account.id };
    note({ ...by, action: 'shared', subject: on.site.domain, details: { link: share.name, settings } });
  };

  const ownShare = ({ parameters }: Call, { site }: OnSite): ShareLink => {
    const found = shares.ofSite(site.id).find(({ id }) => String(id) === parameters.share);
    if (found === undefined) throw new HttpError('app-no-share');
    return found;
  };

  return [
    get('/app/sites/:site/shares', 'share', list),

    post('/app/sites/:site/shares', 'share', async (call, on) => {
      const { name: _, ...given } = await settingsOf(on.site, call.body);
      const settings = { ...newShare, ...given, name: field(call.body, 'name', nameOf) };
      unlessTaken('name', () => shares.add(on.site.id, makeToken(random), settings, now()));
      noted(call, on, settings);
      return list(call, on);
    }),

    post('/app/sites/:site/shares/:share', 'share', async (call, on) => {
      const given = await settingsOf(on.site, call.body);
      const share = ownShare(call, on);
      const { expiresAt: expires = share.expiresAt, ...others } = given;
      const fields = changedNames({ ...share, expires: share.expiresAt }, { ...others, expires });
      refuseManaged(parts, 'shares', on.site.uuid, share.name, fields);
      unlessTaken('name', () => shares.set(share.id, { ...share, ...given }));
      noted(call, on, share);
      return list(call, on);
    }),

    post('/app/sites/:site/shares/:share/address', 'share', (call, on) => {
      const share = ownShare(call, on);
      shares.setToken(share.id, makeToken(random));
      noted(call, on, share);
      return list(call, on);
    }),

    post('/app/sites/:site/shares/:share/remove', 'share', (call, on) => {
      const share = ownShare(call, on);
      refuseManaged(parts, 'shares', on.site.uuid, share.name);
      shares.remove(share.id);
      const by = { person: on.person, accountId: on.account.id };
      call.note({ ...by, action: 'unshared', subject: on.site.domain, details: { link: share.name } });
      return list(call, on);
    }),
  ];
};

/** Reads what a body says of a link. Throws HttpError. */
const settingsReader =
  ({ definitions, passwords, now }: AppParts) =>
  async (site: Site, body: Body): Promise<Partial<ShareSettings>> => {
    const expiry = optional(body, 'expires', typed => expiryOf(typed, site, now()));
    const given = {
      ...optional(body, 'name', nameOf),
      ...optionalList(body, 'parts', publicPartsOf),
      ...optional(body, 'segment', typed => shareSegmentOf(definitions, site, typed)),
      ...('expires' in expiry && { expiresAt: expiry.expires! }),
    };
    const { password } = optional(body, 'password', typed => (typed === '' ? null : passwordOf(typed)));
    if (password === undefined) return given;
    return { ...given, password: password === null ? null : await passwords.record(password) };
  };

const shareView = (share: ShareLink, site: Site, origin: string): ShareView => {
  const { id, name, token, parts, segment, password, expiresAt, createdAt, lastUsedAt } = share;
  return {
    ...{ id: String(id), name, parts, segment, hasPassword: password !== null },
    url: `${origin}/share/${token}`,
    expires: expiresAt === null ? null : lastDayOf(expiresAt, site),
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
  };
};
