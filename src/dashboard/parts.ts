/** What the pages and routes of the dashboard work with. */
import type { IncomingMessage } from 'node:http';
import type { Access } from '../api/api.ts';
import type { Auditor } from '../api/changes/auditor.ts';
import type { Random } from '../model/ids.ts';
import type { NodeState } from '../model/node-state.ts';
import type { OtherHost } from '../model/other-host.ts';
import type { OAuth } from '../oauth/oauth.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import type { Keeper } from '../reports/keeper.ts';
import type { Accounts, ApiKeys } from '../store/accounts/accounts.ts';
import type { AuditStore } from '../store/accounts/audit.ts';
import type { CredentialStore } from '../store/accounts/credentials.ts';
import type { InvitationStore } from '../store/accounts/invitations.ts';
import type { Logins } from '../store/accounts/logins.ts';
import type { MemberStore } from '../store/accounts/members.ts';
import type { Persons } from '../store/accounts/persons.ts';
import type { SignInLinks } from '../store/accounts/sign-in-links.ts';
import type { Database } from '../store/database.ts';
import type { Definitions } from '../store/definitions.ts';
import type { Imports } from '../store/imports/imports.ts';
import type { Notes } from '../store/notes.ts';
import type { Provisioned } from '../store/provisioned.ts';
import type { Removals } from '../store/removal/removals.ts';
import type { Rules } from '../store/rules.ts';
import type { Shares } from '../store/shares.ts';
import type { SiteDirectory, Sites } from '../store/sites.ts';
import type { ClockLeap } from '../store/trusted-day.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { PasswordCheck } from './password-check.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import type { SignInParts } from './sign-in-parts.ts';
import type { SiteWork } from './site-work.ts';
import type { Uploads } from './uploads.ts';
import type { Views } from './views.ts';

export interface AppParts extends SignInParts {
  /** The connection that writes. */
  db: Database;
  accounts: Accounts;
  credentials: CredentialStore;
  logins: Logins;
  links: SignInLinks;
  invitations: InvitationStore;
  audit: AuditStore;
  auditor: Auditor;
  members: MemberStore;
  persons: Persons;
  provisioned: Provisioned;
  keys: ApiKeys;
  sites: Sites;
  shares: Shares;
  definitions: Definitions;
  notes: Notes;
  directory: SiteDirectory;
  passwords: Passwords;
  check: PasswordCheck;
  sessions: Sessions;
  known: KnownBrowsers;
  views: Views;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
  /** BASE_URL. */
  baseUrl: string | null;
  /** The client's address, behind trusted proxies. It limits attempts to sign in. */
  addressOf: (request: IncomingMessage) => string;
  removals: Pick<Removals, 'ofSite'>;
  rules: Rules;
  /** Counts the hits that rules leave out. */
  engine: QueryEngine;
  imports: Pick<Imports, 'ofSite'>;
  /** Brings days from a cluster, puts removed hits back, imports files, and takes imports back. */
  work: SiteWork;
  /** Files that wait to be imported. */
  uploads: Uploads;
  /** Access that people give to programs; null where addresses are not safe for it. */
  oauth: OAuth | null;
  /** Starts deleting the data of removed and reset sites. */
  dropRows: () => void;
  /** Of a site, the hosts that hits named lately and that it does not allow. */
  otherHosts: (siteId: number) => OtherHost[];
  /** What sends mail; null where no server for it is set. */
  mail: { wake(): void } | null;
  /** Reports of sites; null where the dashboard stands alone. */
  reports: (() => { keeper: Keeper; siteFor: Access['siteFor'] }) | null;
  /** The servers of the cluster; empty where there is none. */
  nodes: () => NodeState[];
  /** A clock by which old days are not deleted yet; null mostly, or missing. */
  clockLeap?: () => ClockLeap | null;
}
