/** What a file of settings says is the file's to change, and nobody else's. */
import { HttpError } from '../../http/errors.ts';
import type { Site } from '../../model/site.ts';
import type { ProvisionedRow } from '../../store/provisioned.ts';
import type { ChangeParts } from './by.ts';

/** Throws HttpError where the file sets one of these fields, or names the thing at all. */
const refuse = (row: ProvisionedRow | undefined, fields?: readonly string[]): void => {
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
  refuse(managedSite(parts, site), fields);

/** Throws HttpError for what a file names in a team or site: a goal, a member, a key, a rollup. */
export const refuseManaged = (
  { provisioned }: Pick<ChangeParts, 'provisioned'>,
  kind: 'goals' | 'segments' | 'funnels' | 'members' | 'keys' | 'rollups' | 'teams',
  owner: string,
  name: string,
): void => refuse(provisioned.find(kind, owner, name));
