/** What a file of settings says is the file's to change, and nobody else's. */
import { HttpError } from '../../http/errors.ts';
import type { Site } from '../../model/site.ts';
import type { ProvisionedRow } from '../../store/provisioned.ts';
import type { ChangeParts } from './by.ts';

/** Throws HttpError where the file sets one of these fields, or names the thing at all. */
export const refuseFields = (row: ProvisionedRow | undefined, fields?: readonly string[]): void => {
  if (row === undefined || fields?.some(name => row.fields.includes(name)) === false) return;
  throw new HttpError('app-managed', { error: `This is set in ${row.file}.` });
};

/** What it is looked up in. */
export type ManagedParts = Pick<ChangeParts, 'accounts' | 'provisioned'>;

/** What the file says of a site; undefined where it does not name it. */
export const managedSite = (
  { accounts, provisioned }: ManagedParts,
  { accountId, domain }: Site,
): ProvisionedRow | undefined => provisioned.find('sites', accounts.byId(accountId)?.uuid ?? '', domain);

/** Throws HttpError where a file sets one of these fields of a site, or without them the site. */
export const refuseManagedSite = (parts: ManagedParts, site: Site, fields?: readonly string[]): void =>
  refuseFields(managedSite(parts, site), fields);

/** Kinds of things in a team or site that a file may name. */
type ManagedKind =
  | ('goals' | 'segments' | 'funnels' | 'shares' | 'alerts' | 'reports')
  | ('members' | 'keys' | 'rollups' | 'channels' | 'teams');

/**
 * Throws HttpError for what a file names in a team or site, or where `fields` are given, sets one
 * of them.
 */
export const refuseManaged = (
  { provisioned }: Pick<ChangeParts, 'provisioned'>,
  kind: ManagedKind,
  owner: string,
  name: string,
  fields?: readonly string[],
): void => refuseFields(provisioned.find(kind, owner, name), fields);

/** The fields in which one differs from the other. */
export const changedNames = (was: object, changed: object): string[] =>
  Object.entries(changed).flatMap(([name, is]) =>
    JSON.stringify((was as Record<string, unknown>)[name]) === JSON.stringify(is) ? [] : name,
  );
