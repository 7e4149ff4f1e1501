/** A server that is attacked: its sites and people, and what is measured of it meanwhile. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { newSite } from '../../src/model/new-site.ts';
import { newShare } from '../../src/model/share.ts';
import { dayMs, hourMs, utcDayOf } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { signInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { shares } from '../../src/store/shares.ts';
import { sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { type Server, start } from '../faults/server-process.ts';
import { addSite, hitRecord, recordedEntry, visitRecord } from '../helpers.ts';
import { must } from '../tools/conditions.ts';
import type { Attack, Own, Target } from './attacks.ts';
import { proxyAddress, send } from './requests.ts';

export interface Scene {
  server: Server;
  dataDir: string;
  target: Omit<Target, 'networks'>;
  /** API keys of the owner of the attacked site and of somebody else, and the other one's site. */
  ownerKey: string;
  neighbourKey: string;
  neighbourSite: string;
  /** How the owner signs in, with the cookie of their browser. */
  owner: { email: string; password: string; cookie: string };
}

const ownerKey = `tk_live_${'a'.repeat(32)}`;
const neighbourKey = `tk_live_${'b'.repeat(32)}`;
const attackerKey = `tk_live_${'c'.repeat(32)}`;
const share = 'public'.padEnd(24, 'x');
const owner = { email: 'ada@example.com', password: 'a long and unusual sentence' };
const attacker = { email: 'eve@example.com', password: 'another long and unusual sentence' };

/** Days of the past that every question reads. */
const pastDays = 7;

/** It is noon there unless another hour is given, so that no midnight comes between. */
export const setScene = async (
  dir: string,
  { attack, hour = 12, pastHits = 5000 }: { attack: Attack; hour?: number; pastHits?: number },
): Promise<Scene> => {
  const dataDir = join(dir, 'data');
  mkdirSync(dataDir, { recursive: true });
  const offsetMs = dayMs - (Date.now() % dayMs) + hour * hourMs;
  const now = Date.now() + offsetMs;
  const { own, ownerId, key, cookieKey, neighbourSite } = furnish(dataDir, now, pastHits, attack);
  const server = await start({ dataDir, offsetMs, env: { TRUST_PROXY: proxyAddress } });
  const signIn = (accountId: number, person: typeof owner): Promise<string> =>
    cookieOf(server.url, dataDir, { accountId, ...person }, now);
  const cookie = await signIn(ownerId, owner);
  const target = { url: server.url, share, email: owner.email, key, cookieKey };
  return {
    server,
    dataDir,
    target: { ...target, own: { ...own, cookie: await signIn(own.accountId, attacker) } },
    ownerKey,
    neighbourKey,
    neighbourSite,
    owner: { ...owner, cookie },
  };
};

/** Gives an account a password by a link, and resolves to the cookie of the browser. */
const cookieOf = async (
  url: string,
  dataDir: string,
  { accountId, ...person }: { accountId: number; email: string; password: string },
  now: number,
): Promise<string> => {
  // The first start made a link of its own.
  const link = randomBytes(24).toString('base64url');
  const db = openDatabase(dataDir);
  signInLinks(db).putForAccount(accountId, link, now);
  db.close();
  const used = await send({
    url,
    path: '/app/link/use',
    body: JSON.stringify({ token: link, ...person }),
    headers: { 'content-type': 'application/json', origin: url },
  });
  must(used.status === 200, `${person.email} got no password: ${used.text}`);
  return (used.headers['set-cookie'] ?? []).map(line => line.split(';')[0]).join('; ');
};

/** Makes accounts, sites and a past, before the server starts. */
const furnish = (
  dataDir: string,
  now: number,
  pastHits: number,
  attack: Attack,
): {
  key: string;
  cookieKey: string;
  neighbourSite: string;
  ownerId: number;
  own: Omit<Own, 'cookie'> & { accountId: number };
} => {
  const db = openDatabase(dataDir);
  // The attacker may ask for events and properties, too.
  const site = addSite(db);
  const cookieSite = addSite(db, { identityMode: 'cookie' });
  shares(db).add(site.id, share, { ...newShare, name: 'public', parts: ['events', 'properties'] }, 0);
  const neighbour = accounts(db).add('neighbour', 'unlimited', 0);
  const theirs = addSite(db, { accountId: neighbour.id });
  apiKeys(db).add(site.accountId, 'owner', ownerKey, 0);
  apiKeys(db).add(neighbour.id, 'neighbour', neighbourKey, 0);
  const writer = recorder(db);
  for (const { id: siteId } of [site, theirs]) {
    for (let back = pastDays; back > 0; back--) {
      const day = utcDayOf(now) - back;
      const entries = Array.from({ length: pastHits }, (_, i) => {
        const at = day * dayMs + i * 1000;
        const hit = { siteId, day, visitId: 1 + Math.floor(i / 2), at, path: `/shop/${i % 20}` };
        const visitor = Buffer.alloc(8);
        visitor.writeUInt32LE(1 + Math.floor(i / 2));
        return recordedEntry(
          hitRecord(hit),
          i % 2 === 0 ? visitRecord({ siteId, day, id: hit.visitId, visitor }) : undefined,
        );
      });
      writer.write(entries);
    }
  }
  const own = furnishOwn(db, attack);
  db.close();
  return {
    own,
    key: site.publicKey,
    cookieKey: cookieSite.publicKey,
    neighbourSite: theirs.publicKey,
    ownerId: site.accountId,
  };
};

/** Makes the attacker's account and its sites. */
const furnishOwn = (db: Database, { own = [] }: Attack): Omit<Own, 'cookie'> & { accountId: number } => {
  const { id: accountId } = accounts(db).add('attacker', 'unlimited', 0);
  apiKeys(db).add(accountId, 'attacker', attackerKey, 0);
  const all = sites(db);
  const made = db.transaction(() =>
    own.map((settings, i) =>
      all.add(newSite({ accountId, domain: `attacker${i}.example`, ...settings }, 0, randomBytes)),
    ),
  )();
  return {
    accountId,
    apiKey: attackerKey,
    keys: made.map(({ publicKey }) => publicKey),
    ids: made.map(({ uuid }) => uuid),
  };
};

/** Watches the memory of a server until it is stopped; resolves to the most it took, in bytes. */
export const watchMemory = ({ server, ownerKey }: Scene): { stop(): Promise<number> } => {
  let most = 0;
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const { text } = await send({
        url: server.url,
        method: 'GET',
        path: '/metrics',
        headers: { authorization: `Bearer ${ownerKey}` },
      });
      most = Math.max(most, Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1] ?? 0));
      await wait(500);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await watching;
      return most;
    },
  };
};

/** Milliseconds that the thread which takes hits has run so far. */
export const mainThreadMs = ({ server: { pid } }: Scene): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

/** Bytes of all files in the data directory. */
export const diskBytes = (dataDir: string): number =>
  readdirSync(dataDir).reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
