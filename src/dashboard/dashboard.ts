/**
 * The server side of the dashboard: pages, the app's files, and what the app reads and changes
 * beyond the numbers (wire.ts). The API answers the numbers, and learns from `authenticators` who
 * asks.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate } from '../api/auth.ts';
import { HttpError } from '../http/errors.ts';
import { type Reply, respond } from '../http/reply.ts';
import { createRouter, type Found } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import { makeToken } from '../model/ids.ts';
import type { Language } from '../model/locale.ts';
import { accountLinks } from '../store/accounts/account-links.ts';
import { accounts as accountStore, apiKeys, defaultAccountName } from '../store/accounts/accounts.ts';
import { credentials as credentialStore } from '../store/accounts/credentials.ts';
import { logins as loginStore } from '../store/accounts/logins.ts';
import type { Database } from '../store/database.ts';
import { definitions } from '../store/definitions.ts';
import { imports } from '../store/imports/imports.ts';
import { notes } from '../store/notes.ts';
import { arrivals } from '../store/read/database-stats.ts';
import { removals } from '../store/removal/removals.ts';
import { sites as siteStore } from '../store/sites.ts';
import { acceptedLanguage } from './accepted-language.ts';
import { accountRoutes } from './account-settings.ts';
import { readAssets } from './assets.ts';
import { cookieAuthenticator, shareAuthenticator } from './authenticators.ts';
import { definitionRoutes } from './definitions.ts';
import { replyIn } from './failure-texts.ts';
import { importRoutes } from './imports.ts';
import { noteRoutes } from './notes.ts';
import { createPages } from './pages.ts';
import type { Parts } from './parts.ts';
import { createPasswordCheck } from './password-check.ts';
import { createPasswordLogins, type PasswordLogins } from './password-logins.ts';
import { createPasswords, type PasswordCost } from './passwords.ts';
import { removalRoutes } from './removals.ts';
import { rollupRoutes } from './rollups.ts';
import { type DashboardRoute, originOf } from './route.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { signInRoutes } from './sign-in.ts';
import { siteRoutes } from './site-settings.ts';
import { createViews } from './views.ts';

export interface DashboardParts
  extends Pick<Parts, 'directory' | 'now' | 'random' | 'addressOf' | 'dropRows' | 'work' | 'uploads'> {
  /** The connection that writes. */
  db: Database;
  log: Log;
  /** BASE_URL; null to use the address that a request was made to. */
  baseUrl: string | null;
  /** Where browsers reach the collector; null for the dashboard's own address. */
  collectorUrl: () => string | null;
  /** Where .ci/dashboard.mjs put the app. */
  assetsDir?: string;
  passwordCost?: PasswordCost;
}

export interface Dashboard {
  /**
   * Answers a request to one of the dashboard's paths; false, and nothing done, for any other path.
   */
  handle(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** For the API: who is signed in, and who looks at a public page. */
  authenticators: readonly Authenticate[];
  /** For the APIs of other products, whose clients sign in with a password. */
  passwordLogins: PasswordLogins;
  /**
   * Path of the link that sets the first e-mail and password, with its token behind `#`; null when
   * somebody can sign in already.
   */
  firstRunPath(): string | null;
}

/** Throws an Error that says what to do when the app is not built. */
export const createDashboard = (given: DashboardParts): Dashboard => {
  const { db, directory, now, random, log } = given;
  const assets = readAssets(given.assetsDir ?? 'dist/assets');
  const accounts = accountStore(db);
  const credentials = credentialStore(db);
  const logins = loginStore(db);
  const links = accountLinks(db);
  const sites = siteStore(db);
  const passwords = createPasswords(random, given.passwordCost);
  const check = createPasswordCheck({ credentials, passwords, now });
  const sessions = createSessions({ accounts, logins, baseUrl: given.baseUrl, now, random });
  const views = createViews({ ...given, sites, credentials });
  const stores = {
    ...{ accounts, credentials, logins, links, sites },
    keys: apiKeys(db),
    arrivals: arrivals(db),
    removals: removals(db),
    imports: imports(db),
    definitions: definitions(db),
    notes: notes(db),
  };
  const parts: Parts = { ...given, ...stores, passwords, check, sessions, views };
  const pages = createPages(parts, assets.shell);
  const findRoute = createRouter([
    ...assets.routes,
    ...pages.routes,
    ...signInRoutes(parts),
    ...siteRoutes(parts),
    ...[...rollupRoutes(parts), ...removalRoutes(parts), ...importRoutes(parts)],
    ...[...definitionRoutes(parts), ...noteRoutes(parts)],
    ...accountRoutes(parts),
    ...unknownAppRoutes,
  ]);

  const answer = async (request: IncomingMessage, found: Found<DashboardRoute>): Promise<Reply> => {
    const { route, parameters, allow } = found;
    if (route === undefined) throw new HttpError('app-method-not-allowed', {}, { allow });
    directory.refresh();
    const origin = originOf(request, given.baseUrl);
    const reply = await route.answer({ request, parameters, origin, login: () => sessions.loginOf(request) });
    return { ...reply, headers: { ...reply.headers, ...transportHeaders(origin) } };
  };

  const missing: Found<DashboardRoute> = { route: pages.missing, parameters: {}, allow: '' };

  const offerFirstRun = (): string | null => {
    if (credentials.any()) return null;
    const token = makeToken(random);
    links.put(accounts.named(defaultAccountName, now()).id, token, now());
    return `/first-run#${token}`;
  };
  const firstRun = offerFirstRun();

  return {
    handle(request, response, path) {
      const found = findRoute(request.method, path) ?? (asksForPage(request) ? missing : undefined);
      if (found === undefined) return false;
      respond(
        request,
        response,
        answer(request, found).catch(error => failureReply(error, languageOf(request, sessions), log)),
        log,
      );
      return true;
    },
    authenticators: [shareAuthenticator(parts), cookieAuthenticator(parts)],
    passwordLogins: createPasswordLogins(parts),
    firstRunPath: () => (credentials.any() ? null : firstRun),
  };
};

/** Where the dashboard is on https, browsers shall never ask for it in the clear again, for a year. */
const transportHeaders = (origin: string): Record<string, string> =>
  origin.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};

const unknownAppRoutes = (['GET', 'POST'] as const).map(
  (method): DashboardRoute => ({
    method,
    path: '/app/*',
    answer() {
      throw new HttpError('app-not-found');
    },
  }),
);

/** Browsers say so when somebody goes to an address. */
const asksForPage = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '');

const failureReply = (error: unknown, language: Language, log: Log): Reply => {
  if (error instanceof HttpError) return replyIn(language, error);
  log('dashboard-failed', { reason: reasonOf(error) });
  return replyIn(language, new HttpError('app-failed'));
};

const languageOf = (request: IncomingMessage, sessions: Sessions): Language =>
  sessions.loginOf(request)?.account.locale.language ?? acceptedLanguage(request.headers['accept-language']);
