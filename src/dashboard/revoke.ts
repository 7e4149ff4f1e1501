/**
 * What a new password may end besides the other logins: whoever knew the old one may have made keys
 * and public pages, or copied those that there were.
 */
import { type Body, isOn } from './fields.ts';
import type { AppParts } from './parts.ts';
import type { Revocation } from './wire.ts';

/** What a request asks to revoke. Throws HttpError that names a field that is no switch. */
export const revocationOf = (body: Body): Required<Revocation> => ({
  revokeKeys: isOn(body, 'revokeKeys'),
  withdrawPages: isOn(body, 'withdrawPages'),
});

export const revoke = (
  { keys, sites, directory }: Pick<AppParts, 'keys' | 'sites' | 'directory'>,
  accountId: number,
  { revokeKeys, withdrawPages }: Required<Revocation>,
): void => {
  if (revokeKeys) for (const { id } of keys.list(accountId)) keys.revoke(id);
  if (!withdrawPages) return;
  for (const { id } of sites.list(accountId)) sites.setShareToken(id, null);
  directory.reload();
};
