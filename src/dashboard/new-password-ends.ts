/**
 * What a new password may end besides the other logins: whoever knew the old one may have made keys
 * and public pages, or copied those that there were.
 */

import { isOn } from '../api/changes/fields.ts';
import type { Body } from '../http/json-body.ts';
import type { TeamGrant } from '../model/grant.ts';
import type { AppParts } from './parts.ts';
import type { Revocation } from './wire.ts';

/** What a request asks to revoke. Throws HttpError that names a field that is no switch. */
export const revocationOf = (body: Body): Required<Revocation> => ({
  revokeKeys: isOn(body, 'revokeKeys'),
  withdrawPages: isOn(body, 'withdrawPages'),
});

/** In all teams where somebody may. */
export const revoke = (
  { keys, sites, shares }: Pick<AppParts, 'keys' | 'sites' | 'shares'>,
  grants: readonly TeamGrant[],
  { revokeKeys, withdrawPages }: Required<Revocation>,
): void => {
  for (const { account, rights } of grants) {
    if (revokeKeys && rights.has('keys')) for (const { id } of keys.list(account.id)) keys.revoke(id);
    if (withdrawPages && rights.has('share')) for (const { id } of sites.list(account.id)) shares.removeAll(id);
  }
};
