/** Sites as people, keys and files change them. */
import { HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import type { Grant } from '../../model/grant.ts';
import { listedMax } from '../../model/limits.ts';
import type { Right } from '../../model/rights.ts';
import { hitSettings, isRollup, type Site } from '../../model/site.ts';
import { siteSettings } from '../../model/site-settings.ts';
import { domainOf, ValueError } from '../../model/values.ts';
import { noteZone } from '../../store/notes.ts';
import type { By, ChangeParts } from './by.ts';
import { optional, optionalList, unlessTaken } from './fields.ts';
import { changedNames, refuseManagedSite } from './managed.ts';

/** The settings that a body has. Throws HttpError that names the field. */
const settingsIn = (body: Body): Partial<Site> =>
  Object.assign(
    {},
    optional(body, 'domain', domainOf),
    ...Object.entries(siteSettings).map(([name, { kind, read }]) =>
      kind === 'text'
        ? optional<string, unknown>(body, name, read)
        : optionalList<string, unknown>(body, name, typed => read([...typed])),
    ),
  );

/** Settings that take another right than most. */
const settingRights: Partial<Record<keyof Site, Right>> = {
  domain: 'sites',
  identityMode: 'reset',
  keepDays: 'reset',
  embedHosts: 'share',
};

/** Throws HttpError where somebody may not make such a change. */
const refuseForbidden = ({ rights }: Grant, site: Site, changed: Site): void => {
  for (const [name, right] of Object.entries(settingRights) as [keyof Site, Right][]) {
    const isSame = JSON.stringify(site[name]) === JSON.stringify(changed[name]);
    if (!isSame && !rights.has(right)) throw new HttpError('app-not-allowed');
  }
};

/** Throws HttpError where a change would bring an account above what its sites may list. */
const refuseTooMany = ({ sites }: Pick<ChangeParts, 'sites'>, site: Site, changed: Site): void => {
  const more = listed(changed) - listed(site);
  if (more <= 0) return;
  const now = sites.list(site.accountId).reduce((sum, each) => sum + listed(each), 0);
  if (now + more > listedMax) throw new HttpError('app-too-many-listed');
};
const listed = ({ aliases, excludedIps, excludedPaths, allowedHosts }: Site): number =>
  aliases.length + excludedIps.length + excludedPaths.length + allowedHosts.length;

/**
 * Changes settings of a site, and gives it as it is then. Whoever calls it reloads the directory.
 * Throws HttpError.
 */
export const changeSite = (
  parts: Pick<ChangeParts, 'sites' | 'notes' | 'now' | 'accounts' | 'provisioned'>,
  site: Site,
  body: Body,
  { grant, prove }: Pick<By, 'grant' | 'prove'>,
): Site => {
  if (isRollup(site) && hitSettings.some(name => name in body)) throw new HttpError('app-is-rollup');
  const changed = { ...site, ...settingsIn(body) };
  refuseForbidden(grant, site, changed);
  if (changed.keepDays !== site.keepDays) prove();
  refuseManagedSite(parts, site, changedNames(site, changed));
  setSite(parts, site, changed, 'aliases' in body ? 'aliases' : 'domain');
  return changed;
};

/**
 * Writes settings of a site. Throws HttpError that names `blamed` where a name is another site's,
 * and where the account would list more than it may.
 */
export const setSite = (
  parts: Pick<ChangeParts, 'sites' | 'notes' | 'now'>,
  site: Site,
  changed: Site,
  blamed: string,
): void => {
  refuseTooMany(parts, site, changed);
  unlessTaken(blamed, () => parts.sites.set(site.id, changed));
  noteZone(parts.notes, site, changed, parts.now());
};

/**
 * A public key that somebody chooses, so that tags can be written before the site is made. Throws
 * ValueError.
 */
export const publicKeyOf = (typed: string): string => {
  if (/^pk_live_[\dA-Za-z]{24}$/.test(typed)) return typed;
  throw new ValueError('A public key is pk_live_ and 24 letters and digits.');
};
