/**
 * The server side of the dashboard: pages, the app's files, and what the app asks and changes beyond the numbers (wire.ts). The numbers are the
 * API's, which learns from `authenticators` who looks at them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Authenticate } from '../api/auth.ts';
import { type Reply, send } from '../api/reply.ts';
import { type Log, reasonOf } from '../log.ts';
import { makeToken, type Random } from '../model/ids.ts';
import { packageRoot } from '../package-root.ts';
import { accountLinks } from '../store/accounts/account-links.ts';
import { accounts as accountStore, apiKeys, defaultAccountName } from '../store/accounts/accounts.ts';
import { credentials as credentialStore } from '../store/accounts/credentials.ts';
import { logins as loginStore } from '../store/accounts/logins.ts';
import type { Database } from '../store/database.ts';
import { arrivals } from '../store/read/arrivals.ts';
import { type SiteDirectory, sites as siteStore } from '../store/sites.ts';
import { accountEndpoints } from './account-settings.ts';
import { readAssets } from './assets.ts';
import { cookieAuthenticator, shareAuthenticator } from './authenticators.ts';
import { Failed } from './failure.ts';
import { keyEndpoints } from './key-settings.ts';
import { originOf } from './origin.ts';
import { createPages } from './pages.ts';
import { createPasswords } from './passwords.ts';
import { createRouter } from './router.ts';
import { createSessions } from './sessions.ts';
import { signInEndpoints } from './sign-in.ts';
import { siteEndpoints } from './site-settings.ts';
import { createViews } from './views.ts';

export interface DashboardParts {
  /** The connection that writes. */
  db: Database;
  directory: SiteDirectory;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
  log: Log;
  /** The client's address, as far as proxies are trusted: attempts to sign in are limited by it. */
  addressOf: (request: IncomingMessage) => string;
  /** BASE_URL; null where the address is the one that a request was made to. */
  baseUrl: string | null;
  /** Where browsers reach the collector; null where that is the dashboard's own address. */
  collectorUrl: () => string | null;
  /** Begins to delete what removed and reset sites have left behind. */
  dropRows: () => void;
  /** Where .ci/dashboard.mjs put the app. */
  assetsDir?: string;
}

export interface Dashboard {
  /** Answers a request to one of the dashboard's paths; false, and nothing done, when the path is none of them. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  /** For the API: who is signed in, and who looks at a public page. */
  authenticators: readonly Authenticate[];
  /**
   * Path of the link that sets the first e-mail and password, behind `#` its token; null when there is an account that can be
   * signed in to.
   */
  firstRunPath(): string | null;
}

const appPath = /^\/app(\/|$)/;

/** Throws an Error that says what to do when the app is not built. */
export const createDashboard = (parts: DashboardParts): Dashboard => {
  const { db, directory, now, random, log, addressOf, baseUrl, collectorUrl, dropRows } = parts;
  const assets = readAssets(parts.assetsDir ?? join(packageRoot, 'dist', 'assets'));
  const [accounts, credentials, logins, links] = [
    accountStore(db),
    credentialStore(db),
    loginStore(db),
    accountLinks(db),
  ];
  const sites = siteStore(db);
  const passwords = createPasswords(random);
  const door = createSessions({ accounts, logins, passwords, now, random });
  const views = createViews({ directory, sites, credentials, collectorUrl });
  const pages = createPages({ credentials, directory, sites, views, assets: assets.shell });
  const answerApp = createRouter({ door, baseUrl }, [
    ...signInEndpoints({ accounts, credentials, logins, links, passwords, door, views, now, addressOf }),
    ...siteEndpoints({ sites, directory, arrivals: arrivals(db), views, now, random, dropRows }),
    ...keyEndpoints({ keys: apiKeys(db), now, random }),
    ...accountEndpoints({ credentials, logins, passwords, door, views }),
  ]);

  const answerPage = async (request: IncomingMessage, path: string): Promise<Reply> => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new Failed(405, 'A page can only be looked at.', {}, { allow: 'GET, HEAD' });
    const search = (request.url ?? '').slice(path.length);
    return pages.answer({ path, search, origin: originOf(request, baseUrl), login: door.loginOf(request) });
  };

  const failed = (error: unknown): Reply => {
    if (error instanceof Failed) return error.reply;
    log('dashboard-failed', { reason: reasonOf(error) });
    return new Failed(500, 'Something went wrong here; the log of the server tells what.').reply;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse, answer: Promise<Reply>): Promise<void> => {
    const reply = await answer.catch(failed);
    request.resume();
    if (!response.destroyed) await send(request, response, reply);
  };

  const answererOf = (request: IncomingMessage, path: string): typeof answerApp | undefined => {
    if (appPath.test(path)) return answerApp;
    return pages.has(path) || asksForPage(request) ? answerPage : undefined;
  };

  const offerFirstRun = (): string | null => {
    if (credentials.any()) return null;
    const token = makeToken(random);
    links.put(accounts.named(defaultAccountName, now()).id, token, now());
    return `/first-run#${token}`;
  };
  const firstRun = offerFirstRun();

  return {
    handle(request, response, path) {
      if (assets.handle(request, response, path)) return true;
      const answer = answererOf(request, path);
      if (answer === undefined) return false;
      directory.refresh();
      serve(request, response, answer(request, path)).catch(error => {
        log('answer-failed', { reason: reasonOf(error) });
        response.destroy();
      });
      return true;
    },
    authenticators: [shareAuthenticator({ sites, directory, accounts }), cookieAuthenticator(door)],
    firstRunPath: () => (credentials.any() ? null : firstRun),
  };
};

/** Browsers say so when somebody goes to an address. */
const asksForPage = ({ headers }: IncomingMessage): boolean => /\btext\/html\b/.test(headers.accept ?? '');
