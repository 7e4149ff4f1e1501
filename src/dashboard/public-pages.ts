/**
 * What a server that only answers shows people: public pages, and for everything else where the
 * primary is.
 */
import type { Authenticate } from '../api/auth.ts';
import type { HttpError } from '../http/errors.ts';
import type { Handle } from '../http/listener.ts';
import type { Database } from '../store/database.ts';
import type { SiteDirectory } from '../store/sites.ts';
import { storesOf } from '../store/stores.ts';
import { readAssets } from './assets.ts';
import { pageHandler } from './handler.ts';
import { sharedPages } from './pages.ts';
import { createPasswordCheck } from './password-check.ts';
import { createPasswords } from './passwords.ts';
import { refusing } from './route.ts';
import { createShareDoor } from './share-door.ts';
import type { DashboardWorld } from './world.ts';

export interface PublicPagesParts extends DashboardWorld {
  db: Database;
  directory: SiteDirectory;
  /** What says where else to go. */
  elsewhere: () => HttpError;
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
  const { db, now, assetsDir = 'dist/assets' } = parts;
  const assets = readAssets(assetsDir);
  const passwords = createPasswords(parts.random);
  const stores = storesOf(db);
  const check = createPasswordCheck({ ...stores, passwords, now });
  const door = createShareDoor({ ...parts, ...stores, check });
  const [missing] = refusing('/*', parts.elsewhere);
  const routes = [
    ...assets.routes,
    ...sharedPages(door, assets.shell),
    ...door.routes,
    ...refusing('/app/*', parts.elsewhere),
  ];
  return {
    handle: pageHandler({
      ...parts,
      said: assets.said,
      routes,
      missing: missing!,
      auditor: { note() {}, noteRefused() {} },
      loginOf: () => undefined,
    }),
    authenticators: [door.authenticate],
  };
};
