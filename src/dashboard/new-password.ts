/**
 * A password that somebody chooses: long enough, and none that everybody tries first. It may end
 * more than the other logins: whoever knew the old one may have made keys and public pages, or
 * copied those that there were.
 */

import { field, isOn } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import type { TeamGrant } from '../model/grant.ts';
import { passwordOf } from '../model/values.ts';
import type { AppParts } from './parts.ts';
import type { Revocation } from './wire.ts';

/** Throws HttpError that names the field when the password is too short or easy to guess. */
export const newPassword = async (body: Body, name: string, email: string): Promise<string> => {
  const password = field(body, name, passwordOf);
  if (await isCommon(password, email)) {
    throw new HttpError('app-bad-value', {
      error: 'This password is one of the first that anybody would guess: choose another.',
      field: name,
    });
  }
  return password;
};

/**
 * The list is that of zxcvbn: some 18,000 passwords of eight characters or more, from leaks, most
 * common first. It is loaded when it is needed, which is seldom.
 */
const isCommon = async (password: string, email: string): Promise<boolean> => {
  const typed = password.toLowerCase();
  if (typed === email || typed === email.split('@')[0] || /^(.)\1*$/u.test(typed)) return true;
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return dictionary['passwords-common'].includes(typed);
};

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
