/**
 * The server side of the dashboard: pages, the app's files, and what the app reads and changes
 * beyond the numbers (wire.ts). The API answers the numbers, and learns from `authenticators` who
 * asks.
 */
import type { ApiParts, OnExported } from '../api/api.ts';
import type { Authenticate, Caller, ProgramLogins } from '../api/auth.ts';
import { createAuditor } from '../api/changes/auditor.ts';
import { HttpError } from '../http/errors.ts';
import type { Handle } from '../http/listener.ts';
import { makeToken } from '../model/ids.ts';
import type { OidcSettings } from '../model/oidc.ts';
import { defaultAccountName } from '../store/accounts/accounts.ts';
import { type LoginBounds, usualBounds } from '../store/accounts/logins.ts';
import { storesOf } from '../store/stores.ts';
import { loginRoutes } from './account-logins.ts';
import { accountRoutes } from './account-settings.ts';
import { alertRoutes } from './alerts.ts';
import { readAssets } from './assets.ts';
import { cookieAuthenticator, personCaller } from './authenticators.ts';
import { definitionRoutes } from './definitions.ts';
import { createEntrance } from './entrance.ts';
import { factorRoutes } from './factors/routes.ts';
import { pageHandler } from './handler.ts';
import { importRoutes } from './imports.ts';
import { invitationRoutes } from './invitations.ts';
import { keyRoutes } from './keys.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import { linkRoutes } from './link-routes.ts';
import { mailLinkRoutes } from './mail-links.ts';
import { memberRoutes } from './members.ts';
import { nodeRoutes } from './nodes.ts';
import { noteRoutes } from './notes.ts';
import { createOidcDoor } from './oidc/routes.ts';
import { createPages } from './pages.ts';
import type { AppParts } from './parts.ts';
import { challengeMs, passkeyPlace } from './passkeys/options.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { createPasswordCheck } from './password-check.ts';
import { createPasswordLogins } from './password-logins.ts';
import { createPasswords, type PasswordCost } from './passwords.ts';
import { personRoutes } from './persons.ts';
import { programRoutes } from './programs.ts';
import { proofRoutes } from './proof.ts';
import { removalRoutes } from './removals.ts';
import { reportRoutes } from './reports.ts';
import { rollupRoutes } from './rollups.ts';
import { type DashboardRoute, originOf, refusing } from './route.ts';
import { createSessions } from './sessions.ts';
import { createShareDoor } from './share-door.ts';
import { shareRoutes } from './shares.ts';
import { signInRoutes } from './sign-in.ts';
import { createPending } from './sign-in-pending.ts';
import { siteRoutes } from './site-settings.ts';
import { teamRoutes } from './teams.ts';
import { createViews } from './views.ts';
import type { DashboardWorld } from './world.ts';

export interface DashboardParts
  extends DashboardWorld,
    Pick<
      AppParts,
      | ('db' | 'directory' | 'engine' | 'dropRows' | 'otherHosts' | 'whyNoRule')
      | ('work' | 'uploads' | 'nodes' | 'clockLeap')
    > {
  /** The provider that people sign in with; missing where there is none. */
  oidc?: OidcSettings | null;
  /** How long people stay signed in, where it is not the usual. */
  bounds?: LoginBounds;
  /** Where browsers reach the collector; null for the dashboard's own address. */
  collectorUrl: () => string | null;
  /** Where .ci/dashboard.mjs put the app. */
  assetsDir?: string;
  passwordCost?: PasswordCost;
  /** Access that people give to programs; null or missing where there is none. */
  oauth?: AppParts['oauth'];
  /** What sends mail, and reports; null or missing where there are none. */
  mail?: AppParts['mail'];
  reports?: AppParts['reports'];
  /** Days that what people did is kept; 0 or missing: for ever. */
  auditDays?: number;
  /** Whether the log gets a line for each. */
  auditLog?: boolean;
}

export interface Dashboard {
  /**
   * Answers a request to one of the dashboard's paths; false, and nothing done, for any other path.
   */
  handle: Handle;
  /** For the API: who is signed in, and who looks at a public page. */
  authenticators: readonly Authenticate[];
  /** For the API: writes down what left the server. */
  onExported: OnExported;
  /** For the APIs of other products, whose clients sign in with a password. */
  passwordLogins: ProgramLogins;
  /** Who a person is for the API, with the rights of this moment; undefined for nobody. */
  callerOf(personId: number): Caller | undefined;
  /**
   * Path of the link that sets the first e-mail and password, with its token behind `#`; null when
   * somebody can sign in already.
   */
  firstRunPath(): string | null;
  /** For the API: what changes work with. */
  changes: NonNullable<ApiParts['changes']>;
  /** What each path takes. */
  routes: readonly Pick<DashboardRoute, 'method' | 'path' | 'right'>[];
}

/** Throws an Error that says what to do when the app is not built. */
export const createDashboard = (given: DashboardParts): Dashboard => {
  const { now, random } = given;
  const assets = readAssets(given.assetsDir ?? 'dist/assets');
  const parts = partsOf(given);
  const { accounts, auditor, credentials, links, sessions } = parts;
  const door = createShareDoor({ ...parts, log: given.log });
  const pages = createPages(parts, door, assets.shell);
  const routes = [
    ...assets.routes,
    ...pages.routes,
    ...door.routes,
    ...mailLinkRoutes(parts, assets.shell),
    ...appRoutes(parts),
  ];

  const offerFirstRun = (): string | null => {
    if (credentials.any()) return null;
    const token = makeToken(random);
    links.putForAccount(accounts.named(defaultAccountName, now()).id, token, now());
    return `/first-run#${token}`;
  };
  const firstRun = offerFirstRun();

  const served = { said: assets.said, routes, missing: pages.missing, auditor, loginOf: sessions.loginOf };
  return {
    handle: pageHandler({ ...given, ...served }),
    authenticators: [door.authenticate, cookieAuthenticator(parts)],
    onExported: auditor.noteExported,
    passwordLogins: createPasswordLogins(parts),
    callerOf: personCaller(parts),
    changes: { ...parts, originOf: request => originOf(request, given.baseUrl) },
    routes,
    firstRunPath: () => (credentials.any() ? null : firstRun),
  };
};

const partsOf = (given: DashboardParts): AppParts => {
  const { db, now, random, baseUrl, oidc = null, bounds = usualBounds, auditDays = 0, auditLog = false } = given;
  const stores = storesOf(db, bounds);
  const auditor = createAuditor({ ...given, audit: stores.audit, auditDays, auditLog });
  const passwords = createPasswords(random, given.passwordCost);
  const check = createPasswordCheck({ ...stores, passwords, now });
  const sessions = createSessions({ ...given, ...stores, idleMs: bounds.idleMs });
  const known = createKnownBrowsers({ ...given, ...stores });
  const views = createViews({ ...given, ...stores });
  const place = passkeyPlace(baseUrl);
  return {
    ...{ oauth: null, mail: null, reports: null },
    ...{ ...given, ...stores, auditor, passwords, check, sessions, known, views, place, oidc },
    challenges: createPending<string>(given, { cookie: 'daybook-passkey', lastsMs: challengeMs }),
    ways: { password: oidc?.isOnly !== true, passkey: place !== null, provider: oidc?.name ?? null },
    entrance: createEntrance({ ...given, ...stores, known, sessions, views }),
  };
};

const appRoutes = (parts: AppParts): DashboardRoute[] => {
  const door = parts.oidc && createOidcDoor(parts, parts.oidc);
  return [
    ...[...signInRoutes(parts, door), ...factorRoutes(parts), ...passkeyRoutes(parts), ...proofRoutes(parts)],
    ...(door?.routes ?? []),
    ...linkRoutes(parts),
    ...[...siteRoutes(parts), ...shareRoutes(parts)],
    ...[...rollupRoutes(parts), ...removalRoutes(parts), ...importRoutes(parts)],
    ...[...definitionRoutes(parts), ...noteRoutes(parts), ...alertRoutes(parts), ...reportRoutes(parts)],
    ...[...accountRoutes(parts), ...keyRoutes(parts), ...loginRoutes(parts)],
    ...[...nodeRoutes(parts), ...programRoutes(parts)],
    ...[...teamRoutes(parts), ...memberRoutes(parts), ...invitationRoutes(parts), ...personRoutes(parts)],
    ...refusing('/app/*', () => new HttpError('app-not-found')),
  ];
};
