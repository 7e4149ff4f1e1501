/** Sites, by their domains. PUT says what is to be under a name, so it can be sent again. */
import { HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import { isDone, json } from '../../http/reply.ts';
import { newSite } from '../../model/new-site.ts';
import { identityModes, isRollup, ownersSite, type Site } from '../../model/site.ts';
import { siteSettingsOf } from '../../model/site-settings.ts';
import { domainOf, timezoneOf, uuidOf } from '../../model/values.ts';
import { type By, type ChangeParts, noteBy } from '../changes/by.ts';
import { optional, reading, unlessTaken } from '../changes/fields.ts';
import { refuseManagedSite } from '../changes/managed.ts';
import { changeSite, publicKeyOf } from '../changes/site-changes.ts';
import { done } from '../operation.ts';
import type { Parameter } from '../request/parameters.ts';
import type { ApiCall } from '../route.ts';
import { count, described, each, instant, list, nullable, object, oneOf, type Schema, text, uuid } from '../schema.ts';
import { type AdminOperation, need, readIn } from './admin-operation.ts';

const asGiven = (typed: string | undefined): string | undefined => typed;
const confirmation: Parameter<string | undefined> = {
  ...{ schema: text, meaning: 'The domain once more', isRequired: true, read: asGiven },
};

const siteListFields = each(siteSettingsOf('list'), list(text));

/** A site with all its settings. */
export const ownersSiteSchema = object({
  ...{ id: uuid, publicKey: text, domain: text, timezone: text, currency: text },
  ...{
    identityMode: oneOf(identityModes),
    createdAt: instant,
    senderHits: nullable(count),
    senderBurst: nullable(count),
    keepDays: nullable(count),
  },
  ...siteListFields,
});
const siteBody = object(
  {},
  {
    ...each(siteSettingsOf('text'), text),
    ...siteListFields,
    id: described(uuid, 'Only when the site is made'),
    publicKey: described(text, 'Likewise: `pk_live_` and 24 letters and digits'),
  },
);
const patchBody = object({}, { ...(siteBody.properties as Record<string, Schema>), domain: text });

/** The site of a path by its domain alone: an alias may move to another. */
const siteAt = (call: ApiCall): { site: Site | undefined; domain: string; by: By } => {
  const domain = reading('domain', () => domainOf(call.parameters.domain!));
  const by = call.by();
  const { sites } = call.changes();
  const named = sites.named(by.grant.account.id, domain);
  const site = named && isRollup(named) ? undefined : named;
  const isOthers = site !== undefined && by.grant.sites !== null && !by.grant.sites.has(site.uuid);
  if (isOthers) throw new HttpError('site-not-found');
  return { site, domain, by };
};
const knownSite = (call: ApiCall): { site: Site; by: By } => {
  const { site, by } = siteAt(call);
  if (site === undefined) throw new HttpError('site-not-found');
  return { site, by };
};

/** Changes settings of a site. Throws HttpError. */
export const changeSiteBy = (changes: ChangeParts, by: By, site: Site, body: Body): Site => {
  const changed = changeSite(changes, site, body, by);
  changes.directory.reload(site.id);
  const settings = Object.keys(body).slice(0, 20);
  if (settings.length > 0) noteBy(changes, by, 'site-changed', changed.domain, { settings });
  return changed;
};

/** Adds a site. Throws HttpError. */
export const addSite = (changes: ChangeParts, by: By, domain: string, body: Body): Site => {
  need(by, 'sites');
  const { db, sites, directory, now, random } = changes;
  const { id: uuid, publicKey } = { ...optional(body, 'id', uuidOf), ...optional(body, 'publicKey', publicKeyOf) };
  // A site that begins in its zone gets no note that the zone has changed.
  const zone = optional(body, 'timezone', timezoneOf);
  const chosen = { ...(uuid && { uuid }), ...(publicKey && { publicKey }), ...zone };
  const given = { accountId: by.grant.account.id, domain, ...chosen };
  const site = db
    .transaction(() => {
      const added = unlessTaken('domain', () => sites.add(newSite(given, now(), random)));
      return changeSite(changes, added, body, by);
    })
    .immediate();
  directory.reload(site.id);
  noteBy(changes, by, 'site-added', domain);
  return site;
};

/** Removes a site and all its hits. */
export const removeSite = (changes: ChangeParts, by: By, site: Site): void => {
  need(by, 'reset');
  refuseManagedSite(changes, site);
  changes.sites.remove(site.id);
  changes.directory.reload();
  changes.dropRows();
  noteBy(changes, by, 'site-removed', site.domain);
};

const byDomain = '/api/ext/sites/by-domain/:domain';
export const siteOperations: AdminOperation[] = [
  {
    ...{ method: 'GET', path: byDomain, name: 'getSite', right: 'settings', gives: ownersSiteSchema },
    summary: 'A site with all its settings',
    answer: call => json(200, ownersSite(knownSite(call).site)),
  },
  {
    ...{ method: 'PUT', path: byDomain, name: 'putSite', right: 'settings', takes: siteBody, gives: ownersSiteSchema },
    makes: true,
    summary: 'Makes a site, or changes the settings that are given; others stay',
    async answer(call) {
      const body = await call.body();
      const { site, domain, by } = siteAt(call);
      refuseOther(body, 'domain', domain);
      if (site === undefined) return json(201, ownersSite(addSite(call.changes(), by, domain, body)));
      refuseOther(body, 'id', site.uuid);
      refuseOther(body, 'publicKey', site.publicKey);
      const { domain: _, id: __, publicKey: ___, ...settings } = body;
      return json(200, ownersSite(changeSiteBy(call.changes(), by, site, settings)));
    },
  },
  {
    ...{ method: 'PATCH', path: byDomain, name: 'changeSite', right: 'settings', takes: patchBody },
    gives: ownersSiteSchema,
    summary: 'Changes settings of a site, its domain too',
    async answer(call) {
      const body = await call.body();
      const { site, by } = knownSite(call);
      return json(200, ownersSite(changeSiteBy(call.changes(), by, site, body)));
    },
  },
  {
    ...{ method: 'DELETE', path: byDomain, name: 'removeSite', right: 'reset', gives: done },
    summary: 'Removes a site and all its hits',
    own: { confirm: confirmation },
    answer(call) {
      const { site, by } = knownSite(call);
      if (readIn(call, 'confirm', confirmation) !== site.domain)
        throw new HttpError('app-bad-value', { error: `confirm must be ${site.domain}`, field: 'confirm' });
      removeSite(call.changes(), by, site);
      return isDone();
    },
  },
];

/** What PUT does not change: the name in the path, and what was chosen when a site was made. */
const refuseOther = (body: Body, name: string, is: string): void => {
  if (body[name] === undefined || body[name] === is) return;
  throw new HttpError('app-bad-value', { error: `it is ${is}, and PUT does not change it`, field: name });
};
