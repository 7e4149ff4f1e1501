/**
 * Who somebody is here whom the provider has named. Nobody becomes a person that there is because
 * of an e-mail alone: the provider may let people write down any. So it has to be verified and of a
 * domain that the provider vouches for, or else the person proves once who they are.
 */

import { HttpError } from '../../http/errors.ts';
import type { OidcSettings } from '../../model/oidc.ts';
import type { MemberRole } from '../../model/person.ts';
import { emailOf } from '../../model/values.ts';
import type { OidcClaims } from './client.ts';

/** Why nobody comes in; the page has a sentence for each. */
const oidcFailures = [
  'away',
  'denied',
  'refused',
  'expired',
  'no-email',
  'no-group',
  'not-invited',
  'not-verified',
  'disabled',
  'no-account',
] as const;
export type OidcFailure = (typeof oidcFailures)[number];

export interface KnownPeople {
  /** Whose an identity at the provider is. */
  ofSubject(subject: string): KnownPerson | undefined;
  ofEmail(email: string): KnownPerson | undefined;
  /** Whether somebody signs in with the provider already, by whatever subject. */
  isLinked(personId: number): boolean;
  /** Whether an invitation of this e-mail is open. */
  isInvited(email: string): boolean;
}

export interface KnownPerson {
  id: number;
  email: string;
  disabledAt: number | null;
}

/** What the groups say that somebody is; `sites` are domains, null for all. */
export interface GroupRole {
  role: MemberRole;
  sites: string[] | null;
}

/** `email` is undefined where it may not follow the provider. */
export type Who =
  | { kind: 'known'; personId: number; email: string | undefined }
  | { kind: 'link'; personId: number; email: string }
  | { kind: 'prove'; personId: number; email: string }
  | { kind: 'create'; email: string; isInvited: boolean }
  | { kind: 'refused'; failure: OidcFailure };

export const whoIs = (claims: OidcClaims, settings: OidcSettings, people: KnownPeople): Who => {
  const refused = (failure: OidcFailure): Who => ({ kind: 'refused', failure });
  if (settings.groups !== null && groupRole(claims.groups, settings) === undefined) return refused('no-group');
  const email = readableEmail(claims.email);
  const isVouched = email !== undefined && claims.isEmailVerified && isOfProvider(settings, email);

  const known = people.ofSubject(claims.subject);
  if (known !== undefined) {
    if (known.disabledAt !== null) return refused('disabled');
    const mayFollow = isVouched && email !== known.email && people.ofEmail(email) === undefined;
    return { kind: 'known', personId: known.id, email: mayFollow ? email : undefined };
  }
  if (email === undefined) return refused('no-email');
  const same = people.ofEmail(email);
  if (same !== undefined) {
    if (same.disabledAt !== null) return refused('disabled');
    // An e-mail may have gone to somebody else, who is not the person that had it.
    return { kind: isVouched && !people.isLinked(same.id) ? 'link' : 'prove', personId: same.id, email };
  }
  const isInvited = people.isInvited(email);
  if (isInvited && isVouched) return { kind: 'create', email, isInvited };
  if (isInvited) return refused('not-verified');
  if (settings.create === 'invited') return refused('not-invited');
  // Else somebody could wait under the e-mail of another, who is then linked to the same person.
  if (!claims.isEmailVerified) return refused('not-verified');
  if (settings.create === 'domain' && !isVouched) return refused('not-invited');
  return { kind: 'create', email, isInvited };
};

/**
 * What the groups of the settings make of somebody: the highest role, with the sites that it is
 * given for. Undefined for somebody in none of them.
 */
export const groupRole = (claimed: readonly string[] | undefined, { groups }: OidcSettings): GroupRole | undefined => {
  const own = (groups ?? []).filter(({ group }) => claimed?.includes(group));
  const role = rolesDown.find(each => own.some(group => group.role === each));
  if (role === undefined) return undefined;
  const sites = own.filter(group => group.role === role).map(({ site }) => site);
  return { role, sites: sites.includes(undefined) ? null : (sites as string[]) };
};
const rolesDown: readonly MemberRole[] = ['owner', 'admin', 'editor', 'viewer'];

/**
 * Whether the provider says whose an e-mail is. Nobody gives themselves such an e-mail: whom the
 * provider names by it later would become the same person.
 */
const isOfProvider = (settings: Pick<OidcSettings, 'domains'> | null, email: string): boolean =>
  settings?.domains.includes(email.slice(email.indexOf('@') + 1)) === true;

/** Throws HttpError for an e-mail that only the provider gives. */
export const refuseOfProvider = (settings: Pick<OidcSettings, 'domains'> | null, email: string): void => {
  if (isOfProvider(settings, email)) throw new HttpError('app-of-provider', { field: 'email' });
};

const readableEmail = (email: string | undefined): string | undefined => {
  try {
    return email === undefined ? undefined : emailOf(email);
  } catch {
    // It is what the provider says, and none that anybody could have here.
    return undefined;
  }
};
