/** What the pages and routes of the dashboard work with. */
import type { Access } from '../api/api.ts';
import type { Auditor } from '../api/changes/auditor.ts';
import type { NodeState } from '../model/node-state.ts';
import type { OidcSettings } from '../model/oidc.ts';
import type { OtherHost } from '../model/other-host.ts';
import type { OAuth } from '../oauth/oauth.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import type { HitsOfSite } from '../query/removal-rules/hits-of-rule.ts';
import type { Keeper } from '../reports/keeper.ts';
import type { Database } from '../store/database.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { Stores } from '../store/stores.ts';
import type { ClockLeap } from '../store/trusted-day.ts';
import type { Entrance } from './entrance.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { PasskeyPlace } from './passkeys/options.ts';
import type { PasswordCheck } from './password-check.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import type { Pending } from './sign-in-pending.ts';
import type { SiteWork } from './site-work.ts';
import type { Uploads } from './uploads.ts';
import type { Views } from './views.ts';
import type { SignInWays } from './wire.ts';
import type { DashboardWorld } from './world.ts';

export interface AppParts extends DashboardWorld, Stores {
  /** The connection that writes. */
  db: Database;
  auditor: Auditor;
  directory: SiteDirectory;
  passwords: Passwords;
  check: PasswordCheck;
  sessions: Sessions;
  known: KnownBrowsers;
  views: Views;
  entrance: Entrance;
  ways: SignInWays;
  /** Where passkeys belong; null where there are none. */
  place: PasskeyPlace | null;
  /** What passkeys are asked for. */
  challenges: Pending<string>;
  /** The provider that people sign in with; null where there is none. */
  oidc: OidcSettings | null;
  /** Counts the hits that rules leave out. */
  engine: QueryEngine;
  /** On a cluster: why no rule can be made of hits there, a sentence; null where one can. */
  whyNoRule?: (of: HitsOfSite) => Promise<string | null>;
  /** Puts removed hits back, imports files, and takes imports back. */
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
