/** What the settings OIDC_… say of the provider that people sign in with. */
import type { MemberRole } from './person.ts';

/** Whom the provider may bring in who is no person here yet. */
export const oidcCreates = ['invited', 'domain', 'anybody'] as const;
export type OidcCreate = (typeof oidcCreates)[number];

/** What the members of a group are; `site` is a domain, and undefined for all sites. */
export interface OidcGroup {
  group: string;
  role: MemberRole;
  site: string | undefined;
}

export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  /** What the button calls it. */
  name: string;
  scopes: string;
  create: OidcCreate;
  /** The domains of e-mails that the provider vouches for, in lower case. */
  domains: readonly string[];
  role: MemberRole;
  /** Name of the account that people are added to. */
  account: string;
  groupsClaim: string;
  /** Null: the provider says nothing about roles. */
  groups: readonly OidcGroup[] | null;
  /** Nobody signs in by password. */
  isOnly: boolean;
  /** How long such a sign-in lasts, in milliseconds. */
  lastsMs: number;
}
