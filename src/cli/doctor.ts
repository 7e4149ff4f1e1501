/**
 * `daybook doctor`: looks at everything a server depends on, and says what is not as it should be.
 */
import { lookup } from 'node:dns/promises';
import type { DatabaseFacts } from '../collect/address-database.ts';
import { cityDatabase } from '../collect/geo.ts';
import { networkDatabase } from '../collect/networks.ts';
import { type Config, mailOf, placeOf, readConfig } from '../config.ts';
import { canonicalAddress } from '../http/client-address.ts';
import { reasonOf } from '../log.ts';
import { addressMatcher } from '../model/ip-ranges.ts';
import { outcomes } from '../model/outcomes.ts';
import { dayMs, utcDayName, utcDayOf } from '../model/time.ts';
import { isTimezone } from '../model/values.ts';
import { version } from '../package-root.ts';
import { cacheBytesFor, memoryOfProcess } from '../query/cache-size.ts';
import { alerts } from '../store/alerts/alerts.ts';
import { clusterStore } from '../store/cluster.ts';
import { controlTags } from '../store/control-tags.ts';
import { pointsIn } from '../store/copies/learn.ts';
import { keyOf, objects } from '../store/copies/objects.ts';
import { isBesideData, openPlace } from '../store/copies/open-place.ts';
import { readOwner } from '../store/copies/owner.ts';
import type { PlaceSettings } from '../store/copies/place.ts';
import { readVerified } from '../store/copies/verify.ts';
import { type Database, databaseFile, lockDataDir, openReader, openToOthers } from '../store/database.ts';
import { followerStore } from '../store/follower.ts';
import { freeBytes } from '../store/free-bytes.ts';
import { nodeTokens } from '../store/node-tokens.ts';
import {
  databaseStats,
  latestVisits,
  newestHitAt,
  outcomesSince,
  sqliteVersion,
} from '../store/read/database-stats.ts';
import { sites } from '../store/sites.ts';
import { command } from './command.ts';
import { settingFlags } from './flags.ts';
import { counted, formatBytes, formatTime } from './format.ts';

export const doctor = command({
  name: 'doctor',
  flags: settingFlags(['geoDb', 'geoAsnDb', 'trustProxy', 'clickhouse', 'primary', 'mailFrom', 'smtpTls']),
  summary: 'Check what a server depends on',
  details: `Run it as the server runs: as its user, with its data directory and settings. "!!" deserves a look, "XX" needs fixing.
It changes nothing and may run beside a server. To check the data itself for damage, run daybook check.`,
  database: 'find',
  run: async ({ dataDir, env, now }, { flags }) => {
    const config = readConfig(env, flags);
    // Not as other commands do: opening for writing would bring an older file up to date.
    const db = openReader(dataDir);
    try {
      const findings = await examine({ db, dataDir, now: now(), time: now, config });
      const bad = findings.filter(({ state }) => state === 'bad').map(({ about }) => about);
      return {
        json: findings,
        text: findings.map(({ state, about, text }) => `${marks[state]}  ${about.padEnd(10)}${text}`).join('\n'),
        failure: bad.length === 0 ? undefined : `Something needs fixing: ${bad.join(', ')}.`,
      };
    } finally {
      db.close();
    }
  },
});

const marks: Record<Finding['state'], string> = { good: 'ok', odd: '!!', bad: 'XX' };

const examine = async (patient: Patient): Promise<Finding[]> => {
  const findings: Finding[] = [];
  for (const [about, check] of Object.entries(checks)) {
    for (const [state, text] of await check(patient)) findings.push({ about, state, text });
  }
  return findings;
};

/** What is examined. */
interface Patient {
  db: Database;
  dataDir: string;
  /** UTC milliseconds. */
  now: number;
  /** What time it is by now. */
  time: () => number;
  config: Config;
}

/** - `odd`: may be meant so, and deserves a look. `bad`: something will not work. */
type State = 'good' | 'odd' | 'bad';
interface Finding {
  about: string;
  state: State;
  text: string;
}
type Said = readonly [State, string];
type Check = (patient: Patient) => Said[] | Promise<Said[]>;

/**
 * Databases of one's own are renewed monthly, so an older one was forgotten. What ships is as old
 * as the release: places and networks that are a year old are still right for nearly every visit.
 */
const ownAgeMaxMs = 92 * dayMs;
const shippedAgeMaxMs = 550 * dayMs;
/**
 * Less free space than the first deserves a look; less than the second needs fixing, since a full
 * disk refuses hits.
 */
const freeBytesOdd = 2 * 2 ** 30;
const freeBytesBad = 200 * 2 ** 20;
/** Above this the maintenance does not keep up with the log. */
const logBytesOdd = 512 * 2 ** 20;
/** Nearly every visit from a public address has a country. */
const placedShareOdd = 0.5;
const placedVisitsMin = 20;
/** The clocks of two machines differ by less than this. */
const clockSlackMs = 60_000;
/** A day is sealed some minutes after it ends. */
const sealSlackDays = 1;

const program: Check = ({ db }) => {
  const text = `Daybook ${version} on Node ${process.versions.node} with SQLite ${sqliteVersion(db)}`;
  return [['good', text]];
};

const service: Check = ({ dataDir }) => {
  try {
    lockDataDir(dataDir)();
    return [['odd', `no server uses ${dataDir} right now`]];
  } catch {
    return [['good', `a server uses ${dataDir}`]];
  }
};

const disk: Check = ({ db, dataDir }) => {
  const { databaseBytes, logBytes } = databaseStats(db)();
  const free = freeBytes(dataDir);
  const state: State = free < freeBytesBad ? 'bad' : free < freeBytesOdd ? 'odd' : 'good';
  const said: Said[] = [[state, `${formatBytes(free)} free; the database takes ${formatBytes(databaseBytes)}`]];
  if (logBytes > logBytesOdd)
    said.push(['odd', `the log has grown to ${formatBytes(logBytes)}: is the server overloaded?`]);
  return said;
};

const memory: Check = ({ config }) => {
  const kept = config.queryCacheBytes ?? cacheBytesFor();
  const bytes = memoryOfProcess();
  const state: State = kept > bytes / 2 ? 'odd' : 'good';
  return [[state, `${formatBytes(bytes)} for this process; questions keep up to ${formatBytes(kept)} of it`]];
};

const files: Check = ({ dataDir }) => {
  const open = openToOthers(databaseFile(dataDir));
  if (open.length === 0) return [['good', 'only their owner may read them']];
  return [['odd', `other users of this machine may read ${open.join(', ')}: run chmod 600 on it`]];
};

const days: Check = ({ db, now }) => {
  const { sealedDays, sealedHits, newestSealed, lastSealedAt, openDays, oldestOpen, openRows } = databaseStats(db)();
  const newest =
    newestSealed === null || lastSealedAt === null
      ? ''
      : `; the newest is ${utcDayName(newestSealed)}, sealed at ${formatTime(lastSealedAt)} UTC`;
  const said: Said[] = [
    ['good', `${counted(sealedDays, 'day')} sealed with ${counted(sealedHits, 'hit')}${newest}`],
    ['good', `${counted(openDays, 'day')} open with ${counted(openRows, 'row')}`],
  ];
  if (oldestOpen !== null && oldestOpen < utcDayOf(now) - sealSlackDays) {
    const text =
      followerStore(db).get() === undefined
        ? 'not sealed: start the server, or run daybook seal'
        : 'not forgotten: ClickHouse has not been found to have all of it';
    said.push(['odd', `${utcDayName(oldestOpen)} is over and ${text}`]);
  }
  return said;
};

const hits: Check = ({ db, now }) => {
  const newest = newestHitAt(db);
  if (newest === null) return [['odd', 'no hit has ever been recorded: do the pages load the tracker?']];
  const counts = outcomesSince(db, now - dayMs);
  const total = counts.reduce((sum, { hits }) => sum + hits, 0);
  const text = `${counted(total, 'hit')} in the last 24 hours; the newest was recorded at ${formatTime(newest)} UTC`;
  const said: Said[] = [[total === 0 ? 'odd' : 'good', text]];
  for (const { outcome, hits } of counts) {
    const share = `${((100 * hits) / total).toFixed(1)} %`;
    // An outcome of an older or newer version has no row here.
    const { status, meaning } = outcomes[outcome] ?? { status: 202, meaning: outcome };
    said.push([status === 503 ? 'odd' : 'good', `${share} ${outcome}: ${meaning}`]);
  }
  return said;
};

const clock: Check = ({ db, now }) => {
  const newest = newestHitAt(db) ?? 0;
  if (newest <= now + clockSlackMs) return [['good', `${formatTime(now)} UTC`]];
  const { newestSealed } = databaseStats(db)();
  const day = Math.max(utcDayOf(newest), newestSealed === null ? 0 : newestSealed + 1);
  const said = `it is ${formatTime(now)} UTC here, but there are hits from ${formatTime(newest)}: the clock is behind, or was ahead`;
  const ahead = day > utcDayOf(now) ? `. New hits count for ${utcDayName(day)} until that day comes` : '';
  return [['bad', said + ahead]];
};

const proxy: Check = ({ db, config }) => {
  const trusted = config.trustProxy.length === 0 ? 'no proxy' : config.trustProxy.join(', ');
  const { visits, placed } = latestVisits(db);
  const seen =
    visits === 0
      ? 'there are no visits today to judge by'
      : `${placed} of the latest ${counted(visits, 'visit')} have a country`;
  const chosen =
    'every client with a private address can choose the one that it is known by, unless the proxy replaces X-Forwarded-For: name the proxy’s own address in TRUST_PROXY';
  const wide: Said[] = config.trustProxy.includes('private') ? [['odd', chosen]] : [];
  if (visits < placedVisitsMin || placed >= placedShareOdd * visits)
    return [['good', `trusts ${trusted}; ${seen}`], ...wide];
  const text = `trusts ${trusted}, but only ${seen}: check that the proxy sends X-Forwarded-For and is listed in TRUST_PROXY, or all visitors look like one machine`;
  return [['odd', text], ...wide];
};

const metrics: Check = ({ config: { metricsToken, baseUrl } }) => {
  if (metricsToken !== null) return [['good', 'only those with METRICS_TOKEN may read /metrics']];
  if (!baseUrl?.startsWith('https:')) return [['good', 'only programs on this machine may read /metrics']];
  const text = `a proxy that passes requests on without X-Forwarded-For shows /metrics to everybody: see whether ${baseUrl}/metrics answers 404, or set METRICS_TOKEN`;
  return [['odd', text]];
};

const places: Check = ({ config: { geoDb }, now }) =>
  ageOf(() => cityDatabase.facts(geoDb), { file: geoDb, setting: 'GEO_DB', loss: 'no visit has a place', now });

const networks: Check = ({ config: { geoAsnDb }, now }) =>
  ageOf(() => networkDatabase.facts(geoAsnDb), {
    ...{ file: geoAsnDb, setting: 'GEO_ASN_DB', loss: 'no visit has a network', now },
  });

/** What becomes of it when a database cannot be used, and which setting names another. */
interface AboutDatabase {
  file: string | null;
  setting: string;
  loss: string;
  now: number;
}

const ageOf = async (
  facts: () => Promise<DatabaseFacts>,
  { file, setting, loss, now }: AboutDatabase,
): Promise<Said[]> => {
  try {
    const ageMaxMs = file === null ? shippedAgeMaxMs : ownAgeMaxMs;
    const { file: used, type, madeAt } = await facts();
    const age = Math.floor((now - madeAt) / dayMs);
    const old = now - madeAt > ageMaxMs;
    const hint = old ? `: a newer Daybook ships a newer one, and ${setting} names another` : '';
    const text = `${type} of ${utcDayName(utcDayOf(madeAt))}, ${counted(age, 'day')} old${hint} (${used})`;
    return [[old ? 'odd' : 'good', text]];
  } catch (error) {
    return [['bad', `${file ?? 'the database that ships'} cannot be used, so ${loss}: ${reasonOf(error)}`]];
  }
};

const zones: Check = ({ db }) => {
  const said: Said[] = [['good', `time zone data ${process.versions.tz ?? 'of the system'}`]];
  for (const { domain, timezone } of sites(db).list()) {
    if (isTimezone(timezone)) continue;
    const text = `${domain} is in ${timezone}, which this Node does not know: run daybook site set ${domain} --timezone ZONE`;
    said.push(['bad', text]);
  }
  return said;
};

/** A copy is made every minute or so, and its owner says so every few minutes. */
const copyAgeOdd = 15 * 60_000;
const copyAgeBad = dayMs;
/** Proofs are daily by default. */
const proofAgeOdd = 8 * dayMs;

const copies: Check = async patient => {
  const to = placeOf(patient.config);
  if (to === null) return [['odd', 'none are kept: BACKUP_TO names a place for them']];
  const said: Said[] = [];
  if (to.to.startsWith('http:')) said.push(['odd', `they go to ${to.to} in the clear: use https`]);
  if (to.key === null && /^(s3|https?):/.test(to.to))
    said.push(['odd', 'whoever can read the bucket can read them: BACKUP_KEY encrypts them']);
  return [...said, ...(await copiesIn(to, patient))];
};

const copiesIn = async (to: PlaceSettings, { dataDir, now }: Patient): Promise<Said[]> => {
  try {
    const place = openPlace(to);
    const sealed = objects(keyOf(to));
    // A bucket that is missing is said of the list alone by some servers.
    const newest = (await pointsIn(place)).at(-1);
    const owner = await readOwner(place, sealed);
    if (owner === null) return [['bad', `there are none in ${to.to} yet`]];
    if (newest === undefined) return [['bad', `${owner.host} has not finished the first one in ${to.to} yet`]];
    const age = now - owner.at;
    const state: State = age > copyAgeBad ? 'bad' : age > copyAgeOdd ? 'odd' : 'good';
    const made = `the newest in ${to.to} was made at ${formatTime(newest.at)} UTC by ${owner.host}`;
    const said: Said[] = [[state, `${made}, which was there last at ${formatTime(owner.at)} UTC`]];
    if (isBesideData(to.to, dataDir))
      said.push(['odd', 'they are on the disk of the data: if it is lost, so are they']);
    const proof = await readVerified(place, sealed);
    if (proof === null) said.push(['odd', 'none was restored and checked yet']);
    else {
      const isOld = now - proof.at > proofAgeOdd;
      said.push([
        isOld ? 'odd' : 'good',
        `that of ${formatTime(proof.point)} UTC was restored and checked, and is whole`,
      ]);
    }
    return said;
  } catch (error) {
    return [['bad', reasonOf(error)]];
  }
};

const cluster: Check = async ({ config, time, db }) => {
  if (config.clickhouse === null) return [];
  const id = clusterStore(db).id();
  const { placement } = await import('../cluster/placement.ts');
  const wrong = await placement(config.clickhouse, id)
    .check()
    .then(
      () => null,
      error => reasonOf(error),
    );
  if (id !== null && wrong !== null) return [...ofServers(config, db), ['bad', wrong]];
  const { openCluster } = await import('../cluster/cluster.ts');
  const { examineCluster } = await import('../cluster/examine.ts');
  const { newerDays, OlderCopyError } = await import('../cluster/older-copy.ts');
  const said = [...ofServers(config, db), ...(await examineCluster(config.clickhouse, time))];
  if (said.some(([state]) => state === 'bad')) return said;
  const [newer] = await newerDays(db, openCluster(config.clickhouse), 0);
  return newer === undefined ? said : [...said, ['bad', new OlderCopyError(newer).message]];
};

/** What a primary says of the servers that follow it. */
const ofServers = ({ clusterToken, primary: followed }: Config, db: Database): Said[] => {
  if (followed !== null || followerStore(db).get() !== undefined) return [];
  const said: Said[] = [];
  const invited = nodeTokens(db).list();
  if (invited.length > 0)
    said.push(['good', `${counted(invited.length, 'server')} invited: ${invited.map(({ name }) => name).join(', ')}`]);
  if (clusterToken !== null)
    said.push([
      'odd',
      'CLUSTER_TOKEN is one token for all servers, so none can be shut out alone: daybook cluster invite makes one for each',
    ]);
  const refused = controlTags(db, Buffer.alloc).refused();
  if (refused > 0)
    said.push([
      'bad',
      'state-unknown: servers have settings that this primary does not know, and keep them: see whether it is the right one, then run daybook cluster adopt',
    ]);
  return said;
};

/** Who listens on the way to the primary learns the token, and so the password of ClickHouse. */
const primary: Check = async ({ config, db }) => {
  const url = config.primary ?? followerStore(db).get()?.primaryUrl;
  if (url === undefined) return [];
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || (await isNear(hostname))) return [['good', `the primary is at ${url}`]];
  return [
    [
      'odd',
      `the primary is at ${url}, and the token goes there over http: use https, or an address of a private network`,
    ],
  ];
};

const isNear = async (hostname: string): Promise<boolean> => {
  const isOwn = addressMatcher(['loopback', 'private']);
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => isOwn(canonicalAddress(address)));
};

const mail: Check = async ({ config, db }) => {
  const settings = mailOf(config);
  if (settings === null) {
    const [none, mailing] = ['none is sent: SMTP_URL names no server', alerts(db).mailing()];
    return mailing === 0 ? [['good', none]] : [['odd', `${none}, and ${counted(mailing, 'alert')} would send some`]];
  }
  const { host, port } = settings.server;
  const { verifyLogin } = await import('../outbox/smtp.ts');
  return verifyLogin(settings).then(
    () => [['good', `${host}:${port} lets us in`]],
    error => [['bad', `${host}:${port} does not let us in: ${reasonOf(error)}`]],
  );
};

/** In the order in which they are shown. */
const checks = {
  ...{ program, service, disk, memory, files, copies, days, hits },
  ...{ clock, proxy, places, networks, zones, cluster, primary, mail, metrics },
} satisfies Record<string, Check>;
