/** Real parts for tests: directories that go away, databases, and rows to fill them with. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSite } from '../src/model/new-site.ts';
import type { Site } from '../src/model/site.ts';
import { type VisitTextName, visitTextNames } from '../src/model/visit-fields.ts';
import { accounts } from '../src/store/accounts/accounts.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { sites } from '../src/store/sites.ts';
import type { Entry, HitRecord, VisitRecord } from '../src/store/write/recorder.ts';

/** A new directory under the system's temporary one, removed when the process ends. */
export const temporaryDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-test-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
};
process.setMaxListeners(0);

/** A new database in a new directory. */
export const temporaryDatabase = (): { dataDir: string; db: Database } => {
  const dataDir = temporaryDir();
  return { dataDir, db: openDatabase(dataDir) };
};

/** A site of the default account with sensible settings, of which some can be given. */
export const addSite = (db: Database, settings: Partial<Site> = {}): Site => {
  const account = accounts(db).named('default', 0);
  const number = sites(db).list().length + 1;
  const given = {
    accountId: account.id,
    domain: `site${number}.example`,
    uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    publicKey: `pk_live_${String(number).padStart(24, '0')}`,
    visitorKey: `key of site ${number}`,
    currency: 'EUR',
    ...settings,
  };
  return sites(db).add(newSite(given, settings.createdAt ?? 0, randomBytes));
};

export const visitRecord = (visit: Pick<VisitRecord, 'siteId' | 'day' | 'id'> & Partial<VisitRecord>): VisitRecord => ({
  visitor: Buffer.from('0102030405060708', 'hex'),
  persistent: false,
  ...(Object.fromEntries(visitTextNames.map(name => [name, null])) as Record<VisitTextName, null>),
  device: 'unknown',
  width: 0,
  height: 0,
  ...visit,
});

export const hitRecord = (
  hit: Pick<HitRecord, 'siteId' | 'day' | 'visitId' | 'at'> & Partial<HitRecord>,
): HitRecord => ({
  type: 'pageview',
  path: '/',
  hostname: 'site1.example',
  title: null,
  query: null,
  event: null,
  duration: 0,
  scroll: null,
  revenue: null,
  properties: [],
  identity: null,
  ...hit,
});

/** What a recorded hit writes, with the visit it begins if it does. */
export const recordedEntry = (hit: HitRecord, visit?: VisitRecord): Entry => ({
  siteId: hit.siteId,
  at: hit.at,
  outcome: 'recorded',
  hit,
  ...(visit === undefined ? {} : { visit }),
  ...(visit?.persistent === true ? { cookieVisitor: visit.visitor } : {}),
});
