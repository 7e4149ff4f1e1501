/** Reports of a real database, by the real API, with a clock that a test moves. */
import { randomBytes } from 'node:crypto';
import { createApi } from '../../src/api/api.ts';
import type { Site } from '../../src/model/site.ts';
import { utcDayOf } from '../../src/model/time.ts';
import { createQueryPool } from '../../src/query/threads/pool.ts';
import { createDesk } from '../../src/reports/desk.ts';
import { startDueReports } from '../../src/reports/due-reports.ts';
import { createKeeper } from '../../src/reports/keeper.ts';
import { shownToOthers } from '../../src/roles/reports.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { auditStore } from '../../src/store/accounts/audit.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/database.ts';
import { shares } from '../../src/store/shares.ts';
import { siteDirectory } from '../../src/store/sites.ts';
import { storesOf } from '../../src/store/stores.ts';
import { type Entry, recorder, type VisitRecord } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, visitRecord } from '../helpers.ts';

export const origin = 'https://stats.example';

export interface SceneOptions {
  dataDir: string;
  now: () => number;
  /** How often the dueReports looks by itself. */
  everyMs?: number;
  mailDomains?: string[];
  sendsMail?: boolean;
}

export const openScene = ({ dataDir, now, everyMs = 1e9, mailDomains = [], sendsMail = true }: SceneOptions) => {
  const db = openDatabase(dataDir);
  const pool = createQueryPool({ dataDir, workers: 1, cacheBytesMax: 2 ** 24, deadlineMs: 20_000, waitingMax: 256 });
  const directory = siteDirectory(db);
  const logged: string[] = [];
  const log = (event: string, fields = {}): void => void logged.push(`${event} ${JSON.stringify(fields)}`);
  const api = createApi({ ...storesOf(db), directory, engine: pool, now, log });
  const stores = { members: members(db), persons: persons(db), audit: auditStore(db) };
  const shareOf = shownToOthers(shares(db), now);
  const { access } = api;
  const desk = createDesk({ ...stores, access, accounts: accounts(db), origin: () => origin, shareOf });
  const of = { ...stores, db, desk, origin: () => origin, now, wake: () => {}, sendsMail };
  const keeper = createKeeper({ ...of, random: randomBytes, mailDomains });
  const dueReports = startDueReports({ ...of, directory, log, everyMs });
  /** What somebody of the default account with all rights sees. */
  const callerOf = (site: Site) => {
    directory.reload();
    const account = accounts(db).byId(site.accountId)!;
    const rights = new Set(['read', 'share'] as const);
    return {
      account,
      grants: [{ account, rights, sites: null, hidden: new Set<never>(), isPublic: false }],
      byKey: false,
    };
  };
  const signal = new AbortController().signal;
  return {
    ...{ db, api, keeper, dueReports, logged, directory, callerOf, signal },
    viewOf: (site: Site) => access.siteFor(callerOf(site), site.uuid, signal).view,
    /** Asks the API as it answers programs. */
    close: async (): Promise<void> => {
      await dueReports.close();
      await api.close();
      await pool.close();
      db.close();
    },
  };
};

let visitId = 0;

/** Visits of one page view each, with visitors of their own. */
export const addVisits = (
  db: Database,
  siteId: number,
  at: number,
  count: number,
  visit: Partial<VisitRecord> = {},
  path = '/',
): void => {
  const day = utcDayOf(at);
  const entries = Array.from({ length: count }, (): Entry => {
    const id = ++visitId;
    const visitor = randomBytes(8);
    const hit = hitRecord({ siteId, day, visitId: id, at, path });
    return recordedEntry(hit, visitRecord({ siteId, day, id, visitor, ...visit }));
  });
  recorder(db).write(entries);
};

export const addMember = (
  db: Database,
  accountId: number,
  email: string,
  given: Partial<Parameters<ReturnType<typeof members>['set']>[0]> = {},
): number => {
  const person = persons(db).add(email, 0);
  members(db).set({ accountId, personId: person.id, role: 'viewer', sites: null, hidden: [], createdAt: 0, ...given });
  return person.id;
};
