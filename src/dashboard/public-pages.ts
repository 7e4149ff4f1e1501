/**
 * What a server that only answers shows people: public pages, and for everything else where the
 * primary is.
 */
import type { Authenticate } from '../api/auth.ts';
import type { HttpError } from '../http/errors.ts';
import type { Handle } from '../http/listener.ts';
import type { Log } from '../log.ts';
import { accounts } from '../store/accounts/accounts.ts';
import type { Database } from '../store/database.ts';
import { type SiteDirectory, sites as siteStore } from '../store/sites.ts';
import { readAssets } from './assets.ts';
import { shareAuthenticator } from './authenticators.ts';
import { pageHandler } from './handler.ts';
import { sharedPages } from './pages.ts';
import type { DashboardRoute } from './route.ts';

export interface PublicPagesParts {
  db: Database;
  directory: SiteDirectory;
  /** BASE_URL; null to use the address that a request was made to. */
  baseUrl: string | null;
  /** What says where else to go. */
  elsewhere: () => HttpError;
  log: Log;
  /** Where .ci/dashboard.mjs put the app. */
  assetsDir?: string;
}

export interface PublicPages {
  /** Answers requests to a page, its files or /app; false, and nothing done, for other paths. */
  handle: Handle;
  /** For the API: who looks at a public page. */
  authenticators: readonly Authenticate[];
}

/** Throws an Error that says what to do when the app is not built. */
export const createPublicPages = (parts: PublicPagesParts): PublicPages => {
  const { db, assetsDir = 'dist/assets' } = parts;
  const assets = readAssets(assetsDir);
  const sites = siteStore(db);
  const refuse = (method: DashboardRoute['method'], path: string): DashboardRoute => ({
    method,
    path,
    right: 'anybody',
    answer() {
      throw parts.elsewhere();
    },
  });
  const routes = [
    ...assets.routes,
    ...sharedPages(sites, assets.shell),
    ...(['GET', 'POST'] as const).map(method => refuse(method, '/app/*')),
  ];
  return {
    handle: pageHandler({
      ...parts,
      said: assets.said,
      routes,
      missing: refuse('GET', '/*'),
      auditor: { note() {}, noteRefused() {} },
      loginOf: () => undefined,
    }),
    authenticators: [shareAuthenticator({ sites, accounts: accounts(db) })],
  };
};
