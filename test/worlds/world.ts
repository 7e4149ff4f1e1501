/**
 * A random world: sites, what comes to them, and all that may be done to what came, in any order. After each step random
 * questions are asked of the running server, and of the same API over a naive recount of the hits that must be there.
 */
import { hash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ApiParts } from '../../src/api/api.ts';
import { createApi } from '../../src/api/api.ts';
import { definitionsOf } from '../../src/api/definitions.ts';
import { hitsToRemove } from '../../src/api/hits-to-remove.ts';
import { zoneOf } from '../../src/api/request/zone.ts';
import { summedSite } from '../../src/api/sum-sets.ts';
import { type Chance, chanceFrom, seedOf } from '../../src/cli/demo/random.ts';
import { dailyVisitor, lastingVisitor, toldVisitor, visitorBuffer } from '../../src/collect/visitor.ts';
import { type IdentityMode, type Plan, planRetentionDays, type Site } from '../../src/model/site.ts';
import { dayMs, hourMs, minuteMs, utcDayName, utcDayOf } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { definitions } from '../../src/store/definitions.ts';
import { notes } from '../../src/store/notes.ts';
import { rates } from '../../src/store/rates.ts';
import { salts } from '../../src/store/salts.ts';
import { siteDirectory, sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { cityRecord, writeMmdb } from '../collect/mmdb.ts';
import { type Server, start } from '../faults/server-process.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import type { NaiveSite } from '../naive.ts';
import type { NaiveRecord } from '../naive-records.ts';
import { fillAll } from '../query/fill-all.ts';
import { must, until } from '../tools/conditions.ts';
import { type PastFormat, type PastHit, pastFormats } from './formats.ts';
import {
  type Arrival,
  arrivalOf,
  dropBefore,
  isCounting,
  keepVisitors,
  leftOutBy,
  naiveEngine,
  newOf,
  type SiteModel,
  siteOf,
  sumsOf,
  undoImport,
  wholeOf,
} from './model.ts';
import { createOwner, type Imported, send } from './owner.ts';
import {
  type Person,
  places,
  type Said,
  someHit,
  somePeople,
  someSums,
  visitTextsOf,
  vocabulary,
  wireHit,
} from './people.ts';
import { someFilter, someQuestion } from './questions.ts';
import { sumFormats } from './sum-formats.ts';

export interface WorldOptions {
  seed: number;
  steps: number;
  /** Steps that are not taken: what others do stays the same. */
  skip?: readonly number[];
  /** Questions to each site after each step. */
  asks?: number;
  /** A database on ClickHouse, as `--clickhouse` takes it, that days go to and come back from. */
  clickhouse?: string | undefined;
  tell?: (line: string) => void;
}

export interface WorldReport {
  steps: number;
  questions: number;
}

/** Zones with days of 23, 23.5, 24.5 and 25 hours, and one that left out a day; and when. */
const moments = [
  { timezone: 'Asia/Kathmandu', date: '2026-06-10' },
  { timezone: 'Pacific/Apia', date: '2011-12-28' },
  { timezone: 'Australia/Lord_Howe', date: '2026-04-02' },
  { timezone: 'Australia/Lord_Howe', date: '2026-10-01' },
  { timezone: 'Europe/Berlin', date: '2026-03-26' },
  { timezone: 'America/St_Johns', date: '2026-10-29' },
] as const;

const key = `tk_live_${'w'.repeat(32)}`;
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const pastDays = 6;

interface WorldSite {
  site: Site;
  model: SiteModel;
  /** What is to be read now; undefined where that has changed. */
  known: NaiveSite | undefined;
}

/** UTC milliseconds, `from` <= at < `to`, and what says so to an import. */
interface Days {
  from: number;
  to: number;
  flags: string[];
}
const allDays: Days = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, flags: [] };

interface PastFile {
  format: PastFormat;
  hits: readonly PastHit[];
  /** What visitors are made with of whom the file names by address. */
  secret: string;
  isNewOnly: boolean;
}

class World {
  readonly #chance: Chance;
  readonly #people: Person[];
  /** Questions that come back. */
  readonly #asked: string[];
  readonly #geoDb: string;
  readonly #tell: (line: string) => void;
  readonly #timezone: string;
  readonly #clickhouse: string | undefined;
  readonly #owner = createOwner(() => ({ url: this.#server!.url, dataDir: this.#dataDir, now: this.#now }));
  #copies = temporaryDir();
  #sites: WorldSite[] = [];
  #dataDir = temporaryDir();
  #now: number;
  #server: Server | undefined;
  #plan: Plan = 'unlimited';
  /** Contents that were imported and taken back. */
  #files = 0;
  /** Set by the recount, where sums are in an answer in a way that it does not know. */
  #isUntold = false;
  questions = 0;

  constructor({ seed, clickhouse, tell = () => {} }: WorldOptions) {
    this.#clickhouse = clickhouse;
    this.#chance = chanceFrom(seedOf(seed, 0));
    this.#tell = tell;
    const { timezone, date } = this.#chance.one(moments);
    this.#timezone = timezone;
    // No hit of a format that has whole seconds comes at the instant of a live one.
    this.#now = Date.parse(`${date}T00:00:00.000Z`) + this.#chance.below(dayMs / 1000) * 1000 + 137;
    this.#people = somePeople(this.#chance, 6);
    const nobody = { now: this.#now, visitors: [], visits: [] };
    this.#asked = Array.from({ length: 6 }, () => someQuestion(this.#chance, nobody));
    this.#geoDb = join(temporaryDir(), 'city.mmdb');
    const networks = Object.entries(places).map(([network, { country, region, city }]) => [
      `${network}.0/24`,
      cityRecord(country, region, city),
    ]);
    writeMmdb(this.#geoDb, 6, Object.fromEntries(networks));
  }

  async open(): Promise<void> {
    const db = openDatabase(this.#dataDir);
    const modes: readonly IdentityMode[] = ['hash', 'cookie'];
    for (const identityMode of modes) {
      const domain = `${identityMode}.example`;
      const site = addSite(db, { timezone: this.#timezone, identityMode, domain, createdAt: this.#now });
      const model = {
        id: site.id,
        domain,
        own: [],
        imports: [],
        rules: [],
        firstDays: new Map(),
        records: [],
        sums: [],
      };
      this.#sites.push({ site, model, known: undefined });
    }
    apiKeys(db).add(accounts(db).named('default', 0).id, 'world', key, 0);
    rates(db).set({ source: 'USD', target: 'EUR', rate: 0.9 });
    for (const { site } of this.#sites) {
      const { set } = definitions(db);
      set(site.id, 'goal', 'Signup', { conditions: 'event=Signup', value: 2500 }, 1);
      set(site.id, 'segment', 'Germany', { filters: 'country=DE' }, 2);
    }
    db.close();
    const members = this.#sites.flatMap(({ model }) => ['--site', model.domain]);
    await this.#must(['rollup', 'add', 'Both', ...members]);
    await this.#start();
    this.#tell(`${this.#timezone}, ${new Date(this.#now).toISOString()}`);
  }

  async close(): Promise<void> {
    if (this.#server?.alive()) await this.#server.kill();
  }

  async #start(): Promise<void> {
    const env = {
      GEO_DB: this.#geoDb,
      GEO_ASN_DB: '/dev/null',
      CLOCK_STANDS_AT: String(this.#now),
      SENDER_BURST: '100000',
      QUERY_WORKERS: '2',
      QUERY_DEADLINE_S: '600',
      BACKUP_TO: this.#copies,
    };
    this.#server = await start({ dataDir: this.#dataDir, env });
  }

  async #advance(ms: number): Promise<void> {
    this.#now += ms;
    await this.#server!.advance(ms);
  }

  async #run(args: readonly string[], more: { random?: (bytes: number) => Buffer; signal?: AbortSignal } = {}) {
    const env = { GEO_DB: this.#geoDb, GEO_ASN_DB: '/dev/null' };
    return runCommand(this.#dataDir, [...args, '--json'], { now: () => this.#now, env, ...more });
  }

  async #must(args: readonly string[], more?: { random: (bytes: number) => Buffer }) {
    const ran = await this.#run(args, more);
    must(ran.code === 0, `daybook ${args.join(' ')}: ${ran.stderr}`);
    return ran.json();
  }

  #saltOfToday(): string {
    const db = openDatabase(this.#dataDir);
    const salt = salts(db).of(utcDayOf(this.#now));
    db.close();
    must(salt !== undefined, 'There is no salt of today.');
    return salt.toString('hex');
  }

  /** Live hits of somebody, and how the day goes on. */
  async #hits(chance: Chance): Promise<string> {
    let sent = 0;
    for (let visits = 1 + chance.below(3); visits > 0; visits--) {
      const person = chance.one(this.#people);
      const one = chance.one(this.#sites);
      await this.#advance(chance.one([1, 1000, 20_000, 5 * minuteMs, 29 * minuteMs, 31 * minuteMs, 2 * hourMs]));
      for (let batches = 1 + chance.below(3); batches > 0; batches--) {
        const said = Array.from({ length: 1 + chance.below(3) }, () => someHit(chance, person, one.model.domain));
        const hasCookie = chance.is(0.7);
        await this.#send(one, said, hasCookie, chance.is(0.7));
        sent += said.length;
        await this.#advance(chance.one([1, 700, 20_000, 61_000]));
      }
    }
    return `${sent} live hits`;
  }

  /** To one of the endpoints that take hits. */
  async #send(one: WorldSite, said: readonly Said[], hasCookie: boolean, isBatch: boolean): Promise<void> {
    const { site, model } = one;
    const { person } = said[0]!;
    const body = said.map(hit => ({ s: site.publicKey, ...wireHit(hit), ...(hasCookie && { i: person.id }) }));
    const headers = { 'x-forwarded-for': person.address, 'user-agent': person.agent.text };
    if (isBatch) {
      const got = await send(`${this.#server!.url}/api/batch`, headers, JSON.stringify(body));
      must(got.status === 200 && JSON.parse(got.body).errors === 0, `${got.status} ${got.body}`);
    } else
      for (const hit of body) {
        const got = await send(`${this.#server!.url}/e`, headers, JSON.stringify(hit));
        must(got.status === 202, `${got.status} ${got.body}`);
      }
    const persistent = hasCookie && site.identityMode === 'cookie';
    const visitor = persistent
      ? lastingVisitor(site, person.id)
      : dailyVisitor(this.#saltOfToday(), site.id, person.address, person.agent.text);
    const whose = { visitor: visitorBuffer(visitor).toString('hex'), persistent };
    const arrivals = said.map(hit => arrivalOf(model, this.#now, hit, visitTextsOf(hit), whose));
    model.own.push(...arrivals);
    for (const { at } of arrivals) model.records.push({ importId: null, record: { at, outcome: 'recorded' } });
    keepVisitors(model, arrivals);
    one.known = undefined;
  }

  /** A crawler, or a report of web vitals. */
  async #record(chance: Chance): Promise<string> {
    const one = chance.one(this.#sites);
    const { site, model } = one;
    const { address, agent } = chance.one(this.#people);
    const path = chance.one(vocabulary.path);
    const isCrawl = chance.is(0.5);
    const values = { lcp: 100 * (1 + chance.below(60)), ...(chance.is(0.5) && { cls: chance.below(40) / 100 }) };
    await this.#advance(chance.one([1000, 7 * minuteMs, hourMs]));
    const body = {
      s: site.publicKey,
      u: `https://${model.domain}${path}`,
      ...(!isCrawl && { t: 'vitals', p: values }),
    };
    const headers = { 'x-forwarded-for': address, 'user-agent': isCrawl ? googlebot : agent.text };
    const crawls = this.#crawls();
    const got = await send(`${this.#server!.url}/e`, headers, JSON.stringify(body));
    must(got.status === 202, `${got.status} ${got.body}`);
    // What is no hit is written a moment after the answer.
    if (isCrawl) await until('the crawl is written', () => this.#crawls() > crawls);
    const record: NaiveRecord = isCrawl
      ? { at: this.#now, outcome: 'crawler', crawl: { name: 'Googlebot', path, status: 'unknown' } }
      : { at: this.#now, outcome: 'recorded', vital: { path, device: agent.device, ...values } };
    model.records.push({ importId: null, record });
    return isCrawl ? 'a crawler' : 'web vitals';
  }

  #crawls(): number {
    const db = openDatabase(this.#dataDir);
    const count = db.prepare('select coalesce(sum(crawls), 0) from crawl').pluck().get() as number;
    db.close();
    return count;
  }

  async #midnight(chance: Chance): Promise<string> {
    const days = chance.one([1, 1, 1, 2]);
    const to = (utcDayOf(this.#now) + days) * dayMs + chance.below(hourMs / 1000) * 1000 + 137;
    await this.#advance(to - this.#now);
    return `it becomes ${new Date(to).toISOString()}`;
  }

  async #restart(chance: Chance): Promise<string> {
    const isKilled = chance.is(0.6);
    if (isKilled) await this.#server!.kill();
    else await this.#server!.stop();
    if (chance.is(0.2)) this.#now += chance.one([minuteMs, 40 * minuteMs, dayMs]);
    await this.#start();
    return isKilled ? 'killed' : 'restarted';
  }

  /** Files of the past, of today too. */
  async #import(chance: Chance): Promise<string> {
    const one = chance.one(this.#sites);
    const { domain } = one.model;
    const format = chance.one(pastFormats);
    const isNewOnly = chance.is(0.4);
    const found = this.#past(chance, one.model, format);
    const inFile = isNewOnly ? this.#withKnown(chance, one.model, format, found) : found;
    if (inFile.length === 0) return 'nothing to import';
    // The server's own random bytes, and so its visitors of an address, are not known here.
    const isByOwner = format.naming !== 'address' && chance.is(0.3);
    const days = isByOwner || chance.is(0.7) ? allDays : this.#someDays(chance, one.site);
    const hits = inFile.filter(({ at }) => at >= days.from && at < days.to);
    const name = `past-${++this.#files}.txt`;
    const content = Buffer.from(format.write(inFile, domain));
    const isCut = format.naming !== 'address' && chance.is(0.3);
    const { ran, secret } = isByOwner
      ? await this.#importByOwner(chance, one, { name, content, isNewOnly, isCut })
      : await this.#importByCommand(chance, [isNewOnly ? '--new-only' : '--all', ...days.flags], one, {
          ...{ name, content, isCut },
        });
    const taken = this.#take(one, ran.id!, { format, hits, secret, isNewOnly });
    const told = ran.outcomes === null ? taken : (ran.outcomes.recorded ?? 0);
    must(told === taken, `${taken} hits were to import: ${JSON.stringify(ran)}`);
    const how = [isNewOnly ? `new ones of ${hits.length}` : '', ...days.flags, isByOwner ? 'by the owner' : ''];
    const said = `import ${ran.id} of ${taken} hits as ${format.name} into ${domain}, ${ran.days.join(' ')}`;
    return `${said}, ${how.filter(part => part !== '').join(' ')}${isCut ? ', perhaps interrupted before' : ''}`;
  }

  /** By `daybook import`, which may be interrupted and run again. */
  async #importByCommand(
    chance: Chance,
    flags: readonly string[],
    { model }: WorldSite,
    { name, content, isCut }: { name: string; content: Buffer; isCut: boolean },
  ): Promise<{ ran: Imported; secret: string }> {
    const file = join(temporaryDir(), name);
    writeFileSync(file, content);
    const asked: Buffer[] = [];
    const random = (bytes: number): Buffer => {
      asked.push(randomBytes(bytes));
      return asked.at(-1)!;
    };
    const command = ['import', file, ...flags, '--site', model.domain];
    const stop = new AbortController();
    if (isCut) setTimeout(() => stop.abort(), chance.below(60));
    const tried = await this.#run(command, { random, signal: stop.signal });
    must(tried.code === 0 || (isCut && tried.code === 130), `${command.join(' ')}: ${tried.stderr}`);
    const ran = tried.code === 0 ? tried.json() : await this.#must(command, { random });
    return { ran, secret: asked.findLast(({ length }) => length === 32)?.toString('hex') ?? '' };
  }

  /** In the dashboard, where it may be stopped or the server killed, and begun again. */
  async #importByOwner(
    chance: Chance,
    { site }: WorldSite,
    { name, content, isNewOnly, isCut }: { name: string; content: Buffer; isNewOnly: boolean; isCut: boolean },
  ): Promise<{ ran: Imported; secret: string }> {
    const path = `/app/sites/${site.uuid}`;
    const begin = async (): Promise<void> => {
      const uploads = [await this.#owner.upload(path, name, content)];
      const known = isNewOnly ? 'leave-out' : 'import';
      await this.#owner.post(`${path}/imports`, { uploads, format: '', known, dryRun: false });
    };
    await begin();
    if (isCut) {
      await wait(chance.below(60));
      if (chance.is(0.5)) await this.#owner.post(`${path}/imports/stop`, {});
      else {
        await this.#server!.kill();
        await this.#start();
      }
      const { report } = await this.#owner.settled(`${path}/imports`);
      const { data } = await this.#owner.get(`${path}/imports`);
      const done = data.find((of: { file: string; isFinished: boolean }) => of.file === name && of.isFinished);
      if (done !== undefined) return { ran: report ?? { id: done.id, outcomes: null, days: [] }, secret: '' };
      await begin();
    }
    const { failure, report } = await this.#owner.settled(`${path}/imports`);
    must(failure === null && report !== null, `The import by the owner failed: ${failure}`);
    return { ran: report, secret: '' };
  }

  /** Some days of the site, as an import has flags for them. */
  #someDays(chance: Chance, { timezone }: Site): Days {
    const zone = zoneOf(timezone);
    const today = Math.floor(zone.local(this.#now) / dayMs);
    const [first, last] = [today - chance.below(pastDays), today - chance.below(pastDays)].sort((a, b) => a - b);
    const [hasFrom, hasTo] = chance.one([
      [true, true],
      [true, false],
      [false, true],
    ]);
    return {
      from: hasFrom ? zone.instant(first! * dayMs) : allDays.from,
      to: hasTo ? zone.instant((last! + 1) * dayMs) : allDays.to,
      flags: [...(hasFrom ? ['--from', utcDayName(first!)] : []), ...(hasTo ? ['--to', utcDayName(last!)] : [])],
    };
  }

  /** Hits without marks, beside some that an import of the same files brought, also when rules left them out since. */
  #withKnown(chance: Chance, { imports }: SiteModel, format: PastFormat, hits: readonly PastHit[]): PastHit[] {
    const same = imports.filter(one => one.format === format).flatMap(({ past }) => past);
    const again = same.filter(() => chance.is(0.6));
    const all = [...hits, ...again].filter(({ said: { type } }) => type !== 'identify' && type !== 'duration');
    return all.sort(() => chance.number() - 0.5);
  }

  #past(chance: Chance, { domain }: SiteModel, format: PastFormat): PastHit[] {
    const hits: PastHit[] = [];
    const days = chance.one([[0], [0, 1], [1], [2, 4, 5], Array.from({ length: pastDays }, (_, i) => i)]);
    for (let visits = 1 + chance.below(8); visits > 0; visits--) {
      const person = chance.one(this.#people);
      const day = utcDayOf(this.#now) - chance.one(days);
      let at = day * dayMs + chance.below(dayMs);
      for (let count = 1 + chance.below(4); count > 0; count--) {
        at = Math.ceil(at / format.stepMs) * format.stepMs;
        const said = format.told(someHit(chance, person, domain), domain);
        if (said !== null && at <= this.#now && utcDayOf(at) === day) hits.push({ at, said });
        at += chance.one([1000, 20_000, 61_000, 29 * minuteMs, 31 * minuteMs]);
      }
    }
    return hits.sort(() => chance.number() - 0.5);
  }

  /** Knows an import's hits, day by day as they are written; gives how many there are. */
  #take(one: WorldSite, id: number, { format, hits, secret, isNewOnly }: PastFile): number {
    const { site, model } = one;
    const today = utcDayOf(this.#now);
    const saltOf = (day: number): string =>
      day === today ? this.#saltOfToday() : hash('sha256', `${secret} ${day}`, 'hex').slice(0, 32);
    const taken: Arrival[] = [];
    for (const day of [...new Set(hits.map(({ at }) => utcDayOf(at)))].sort((a, b) => a - b)) {
      const salt = format.naming === 'address' ? saltOf(day) : '';
      const arrivals = hits
        .filter(({ at }) => utcDayOf(at) === day)
        .map(({ at, said }) => {
          const { person } = said;
          const persistent = format.naming === 'lasting' && site.identityMode === 'cookie';
          const visitor = persistent
            ? lastingVisitor(site, person.id)
            : format.naming === 'address'
              ? dailyVisitor(salt, site.id, person.address, person.agent.text)
              : toldVisitor(site, day, format.visitor?.(said) ?? person.id);
          const whose = { visitor: visitorBuffer(visitor).toString('hex'), persistent };
          return arrivalOf(model, at, said, format.texts(visitTextsOf(said)), whose);
        });
      const left = isNewOnly ? newOf(model, format, arrivals, this.#now) : new Set(arrivals);
      const kept = arrivals.filter(hit => left.has(hit));
      keepVisitors(model, kept);
      taken.push(...kept);
    }
    if (taken.length === 0) return 0;
    const times = taken.map(({ at }) => at);
    const span = { firstAt: Math.min(...times), lastAt: Math.max(...times) };
    model.imports.push({ id, format, hits: taken, past: hits, ...span });
    for (const { at } of taken) model.records.push({ importId: id, record: { at, outcome: 'recorded' } });
    one.known = undefined;
    return taken.length;
  }

  /** What another product counted on days, some of which may have hits of their own. */
  async #importSums(chance: Chance): Promise<string> {
    const one = chance.one(this.#sites);
    const { model, site } = one;
    const format = chance.one(sumFormats);
    const zone = zoneOf(format.isUtc ? 'UTC' : site.timezone);
    const today = Math.floor(zone.local(this.#now) / dayMs);
    const from = today - 5 - chance.below(9);
    const days = Array.from({ length: 1 + chance.below(8) }, (_, i) => {
      const [fromAt, toAt] = [zone.instant((from + i) * dayMs), zone.instant((from + i + 1) * dayMs)];
      return { fromAt, toAt, date: utcDayName(from + i), ...format.told(someSums(chance)) };
    }).filter(({ fromAt, toAt }) => fromAt < toAt);
    const name = `sums-${++this.#files}.zip`;
    const content = format.write(days);
    const isByOwner = chance.is(0.3);
    const asked = isByOwner || chance.is(0.7) ? allDays : this.#someDays(chance, site);
    const times = this.#known(one)
      .filter(isCounting)
      .map(({ at }) => at);
    const before = Math.min(this.#now, ...times);
    const there = model.sums.flatMap(({ days: of }) => of);
    const wanted = days.filter(
      ({ fromAt, toAt }) =>
        fromAt >= asked.from &&
        toAt <= Math.min(before, asked.to) &&
        !there.some(other => other.fromAt < toAt && other.toAt > fromAt),
    );
    const { ran } = isByOwner
      ? await this.#importByOwner(chance, one, { name, content, isNewOnly: false, isCut: false })
      : await this.#importByCommand(chance, asked.flags, one, { name, content, isCut: false });
    must(ran.days.length === wanted.length, `${wanted.length} days of sums were to import: ${JSON.stringify(ran)}`);
    if (ran.id !== null) model.sums.push({ importId: ran.id, days: wanted });
    const said = `import ${ran.id} of sums of ${wanted.length} of ${days.length} days of ${format.name} into ${model.domain}`;
    return [said, ...asked.flags, ...(isByOwner ? ['by the owner'] : [])].join(' ');
  }

  async #undoImport(chance: Chance): Promise<string> {
    const one = chance.one(this.#sites);
    const ids = [...one.model.imports.map(({ id }) => id), ...one.model.sums.map(({ importId }) => importId)];
    if (ids.length === 0) return 'no import to undo';
    const id = chance.one(ids);
    const isByOwner = chance.is(0.3);
    if (isByOwner) {
      const path = `/app/sites/${one.site.uuid}/imports`;
      await this.#owner.post(`${path}/${id}/undo`, {});
      const { failure } = await this.#owner.settled(path);
      must(failure === null, `The undo by the owner failed: ${failure}`);
    } else await this.#must(['import', 'undo', String(id)]);
    undoImport(one.model, id);
    one.known = undefined;
    return `undo of import ${id}${isByOwner ? ' by the owner' : ''}`;
  }

  async #remove(chance: Chance): Promise<string> {
    const one = chance.one(this.#sites);
    const { domain } = one.model;
    const filters = Array.from({ length: 1 + chance.below(2) }, () => someFilter(chance));
    const where = filters.map(([name, value]) => `${new URLSearchParams([[name, value]])}`).join('&');
    const from = utcDayName(utcDayOf(this.#now) - chance.below(6));
    const period = chance.is(0.5) ? [] : ['--from', from];
    const search = new URLSearchParams(`${where}${period.length === 0 ? '' : `&from=${from}`}`);
    const isByOwner = chance.is(0.4);
    const db = openDatabase(this.#dataDir);
    const defined = definitionsOf(definitions(db), one.site.id);
    const moment = { now: this.#now, retentionDays: isByOwner ? planRetentionDays[this.#plan] : null };
    const task = hitsToRemove(one.site, search, moment, defined);
    db.close();
    const slice = { ...task, to: Math.min(task.to, this.#now + 1), questions: [] };
    const imports = one.model.imports.map(({ id }) => id);
    const numbers = leftOutBy(one.model, wholeOf(one.model), { slice, imports });
    const said = `removal of ${where} ${period.join(' ')} from ${domain}${isByOwner ? ' by the owner' : ''}`;
    const { hits, rule } = isByOwner
      ? await this.#removeByOwner(one, search)
      : await this.#must(['prune', '--site', domain, '--where', where, ...period]);
    must(hits === numbers.size, `${said}: ${hits} hits, and not ${numbers.size}`);
    if (rule !== null) {
      // The same again takes the place of the first.
      const key = JSON.stringify([task.filters, task.period, task.from]);
      one.model.rules = [...one.model.rules.filter(other => other.key !== key), { id: rule, key, slice, imports }];
    }
    one.known = undefined;
    return `${said}: ${hits} hits`;
  }

  async #removeByOwner({ site }: WorldSite, search: URLSearchParams): Promise<{ hits: number; rule: number }> {
    const path = `/app/sites/${site.uuid}/removals`;
    const { data: made } = await this.#owner.post(path, { search: `${search}`, reason: 'as the world goes' });
    const { data } = await this.#owner.get(path);
    must(made[0].id === data[0].id, `The newest rule is ${data[0].id}, and ${made[0].id} was made`);
    return { hits: data[0].hits, rule: Number(data[0].id) };
  }

  async #undoRemoval(chance: Chance): Promise<string> {
    const one = chance.one(this.#sites);
    const { rules } = one.model;
    if (rules.length === 0) return 'no removal to undo';
    const rule = chance.one(rules);
    const isByOwner = chance.is(0.4);
    if (isByOwner) await this.#owner.post(`/app/sites/${one.site.uuid}/removals/${rule.id}/undo`, {});
    else await this.#must(['prune', '--undo', String(rule.id)]);
    rules.splice(rules.indexOf(rule), 1);
    one.known = undefined;
    return `undo of rule ${rule.id}${isByOwner ? ' by the owner' : ''}`;
  }

  async #settings(chance: Chance): Promise<string> {
    const one = chance.one(this.#sites);
    const kind = chance.below(3);
    const given =
      kind === 0
        ? ['--leave-out', chance.one(['', 'no-interaction', 'regular-pace'])]
        : kind === 1
          ? ['--identity-mode', chance.one(['hash', 'cookie'])]
          : ['--timezone', chance.one(moments).timezone];
    await this.#must(['site', 'set', one.model.domain, ...given]);
    const db = openDatabase(this.#dataDir);
    one.site = sites(db)
      .list()
      .find(({ id }) => id === one.site.id)!;
    db.close();
    return `${one.model.domain} ${given.join(' ')}`;
  }

  /** The directory is lost, and another made of the copies. */
  async #restore(): Promise<string> {
    await this.#server!.stop();
    await this.#moveTo(async dir => {
      const ran = await runCommand(dir, ['restore', '--from', this.#copies], { now: () => this.#now });
      must(ran.code === 0, ran.stderr);
    });
    return 'restored from the copies';
  }

  /** All days go to ClickHouse, and come back into a copy, which has them all. */
  async #cluster(): Promise<string> {
    if (this.#clickhouse === undefined) return 'no cluster';
    const at = ['--clickhouse', this.#clickhouse];
    await this.#must(['cluster', 'import', ...at]);
    await this.#server!.stop();
    await this.#moveTo(async dir => {
      const { sites: of } = await this.#must(['cluster', 'export', ...at, '--to', dir]);
      must(
        of.every(({ days }: { days: number }) => days === 0),
        `Days came back that were there: ${JSON.stringify(of)}`,
      );
    });
    return 'to a cluster and back';
  }

  /** Goes on in a new directory. */
  async #moveTo(make: (dir: string) => Promise<void>): Promise<void> {
    const dir = join(temporaryDir(), 'data');
    await make(dir);
    this.#dataDir = dir;
    this.#copies = temporaryDir();
    await this.#start();
  }

  async #setPlan(chance: Chance): Promise<string> {
    const plan = chance.one(['unlimited', 'pro', 'hobby'] as const);
    this.#plan = plan;
    await this.#must(['account', 'set', 'default', '--plan', plan]);
    return `plan ${plan}`;
  }

  async #retention(chance: Chance): Promise<string> {
    const days = 2 + chance.below(5);
    await this.#must(['prune', '--older-than', String(days)]);
    for (const one of this.#sites) {
      dropBefore(one.model, utcDayOf(this.#now) - days);
      one.known = undefined;
    }
    return `prune --older-than ${days}`;
  }

  #known(one: WorldSite): NaiveSite {
    one.known ??= siteOf(one.model);
    return one.known;
  }

  readonly #steps: readonly (readonly [step: (chance: Chance) => Promise<string>, weight: number])[] = [
    [chance => this.#hits(chance), 10],
    [chance => this.#record(chance), 1.5],
    [chance => this.#midnight(chance), 4],
    [chance => this.#restart(chance), 2],
    [chance => this.#import(chance), 6],
    [chance => this.#importSums(chance), 1],
    [chance => this.#undoImport(chance), 2],
    [chance => this.#remove(chance), 3],
    [chance => this.#undoRemoval(chance), 2],
    [chance => this.#settings(chance), 1],
    [chance => this.#retention(chance), 0.5],
    [chance => this.#setPlan(chance), 0.4],
    [() => this.#restore(), 0.5],
    [() => this.#cluster(), 2],
  ];

  async step(chance: Chance): Promise<string> {
    return chance.weighted(this.#steps)(chance);
  }

  /** Sums what is sealed, as the server does after a while with days that are larger. */
  async #sum(): Promise<void> {
    const db = openDatabase(this.#dataDir);
    const site = (id: number) =>
      sites(db)
        .list()
        .find(one => one.id === id)!;
    for (const { model } of this.#sites) await fillAll(db, model.id, summedSite(db, site(model.id)).sets);
    db.close();
  }

  /** Asks the server and the recount. */
  async ask(chance: Chance, count: number): Promise<void> {
    await this.#sum();
    const recount = await this.#recount(() => {
      this.#isUntold = true;
    });
    try {
      for (const one of this.#sites) {
        const hits = this.#known(one);
        const known = {
          now: this.#now,
          visitors: [...new Set(hits.map(({ visit }) => visit.visitor))],
          visits: hits.length === 0 ? [] : await this.#someVisits(recount.url, one.site),
        };
        // Some are asked again and again: answers that are kept must go when hits come or go.
        const question = (): string => (chance.is(0.4) ? chance.one(this.#asked) : someQuestion(chance, known));
        for (let i = 0; i < count; i++)
          await this.#compare(recount.url, one.site.uuid, chance.is(0.2) ? together(chance, question) : question());
        await this.#compare(recount.url, 'Both', question());
      }
    } finally {
      await recount.close();
    }
  }

  async #someVisits(url: string, { uuid }: Site): Promise<string[]> {
    const { status, body } = await get(`${url}/api/ext/sites/${uuid}/visits?range=all&limit=20`);
    if (status !== 200) return []; // as where the plan gives no access
    return JSON.parse(body).data.map(({ id }: { id: string }) => id);
  }

  async #compare(url: string, site: string, question: string): Promise<void> {
    const path = question.replace(':id', site);
    const got = await get(this.#server!.url + path);
    this.#isUntold = false;
    const want = await get(url + path);
    if (this.#isUntold) return;
    this.questions++;
    const [mine, naive] = [comparable(got), comparable(want)];
    if (isDeepStrictEqual(mine, naive)) return;
    throw new Error(
      `${decodeURIComponent(question)}\n  ${firstDifference(mine, naive)}\n  ${path}\n  answered: ${got.status} ${got.body.slice(0, 2000)}\n  recounted: ${want.status} ${want.body.slice(0, 2000)}`,
    );
  }

  /** The API over the recount of what must be there. */
  async #recount(onUntold: () => void) {
    const engine = naiveEngine(id => {
      const one = this.#sites.find(({ site }) => site.id === id)!;
      const hits = this.#known(one);
      return { hits, records: one.model.records.map(({ record }) => record), sums: sumsOf(one.model, hits) };
    }, onUntold);
    const db = openDatabase(this.#dataDir);
    const parts: ApiParts = {
      ...{ accounts: accounts(db), keys: apiKeys(db), rates: rates(db), definitions: definitions(db) },
      ...{ notes: notes(db), directory: siteDirectory(db), engine, now: () => this.#now },
      log: (event, fields) => this.#tell(`recount: ${event} ${JSON.stringify(fields)}`),
    };
    const api = createApi(parts);
    const server = createServer((asked, response) => {
      if (!api.handle(asked, response, asked.url!.replace(/\?.*/s, ''))) response.writeHead(418).end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async close() {
        server.closeAllConnections();
        await new Promise(resolve => server.close(resolve));
        await api.close();
        db.close();
      },
    };
  }
}

interface Got {
  status: number;
  body: string;
}

const get = (url: string): Promise<Got> => send(url, { authorization: `Bearer ${key}` });

/** Several questions in one request, as far as they are of the kinds that can be. */
const together = (chance: Chance, question: () => string): string => {
  const all = Array.from({ length: 2 + chance.below(4) }, question);
  const asks = all.flatMap(one => {
    const [, group, rest] = /^\/api\/(v1|ext)\/sites\/:id\/(.*)$/.exec(one) ?? [];
    return rest === undefined ? [] : [['ask', group === 'v1' ? rest : `ext/${rest}`]];
  });
  return asks.length === 0 ? all[0]! : `/api/ext/sites/:id/answers?${new URLSearchParams(asks)}`;
};

/** The lines of an answer to several questions come as they are known. */
const linesIn = (body: string): unknown[] =>
  body
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line, reviver))
    .sort((a, b) => a.ask - b.ask);

/** Without what may differ: the order of properties and traits, and the last digits of sums of fractions. */
const comparable = ({ status, body }: Got): unknown => ({
  status,
  body: body.startsWith('{"ask"')
    ? linesIn(body)
    : body.startsWith('{')
      ? JSON.parse(body, reviver)
      : body.replace(/^# Imported days: .*\n/m, ''),
});
const reviver = (name: string, value: unknown): unknown => {
  if (typeof value === 'number') return Number(value.toPrecision(12));
  // Which sums are in an answer is told apart (test/import/sums.test.ts).
  if (name === 'imported') return undefined;
  const isUnordered = (name === 'properties' || name === 'traits') && Array.isArray(value);
  return isUnordered ? value.map(one => JSON.stringify(one)).sort() : value;
};

/** Where two answers differ first. */
const firstDifference = (a: unknown, b: unknown, path = ''): string => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return `at ${path}: ${JSON.stringify(a)?.slice(0, 300)}, and not ${JSON.stringify(b)?.slice(0, 300)}`;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const name = [...Object.keys(one), ...Object.keys(other)].find(key => !isDeepStrictEqual(one[key], other[key]));
  return firstDifference(one[name!], other[name!], `${path}/${name}`);
};

/** Runs a world; throws at the first answer that differs, with what it takes to see it again. */
export const runWorld = async (options: WorldOptions): Promise<WorldReport> => {
  const { seed, steps, skip = [], asks = 4, tell = () => {} } = options;
  const lines: string[] = [];
  const world = new World({
    ...options,
    tell: line => {
      lines.push(line);
      tell(line);
    },
  });
  let step = 0;
  try {
    await world.open();
    for (step = 1; step <= steps; step++) {
      if (skip.includes(step)) continue;
      const line = `${step}: ${await world.step(chanceFrom(seedOf(seed, 2 * step)))}`;
      lines.push(line);
      tell(line);
      await world.ask(chanceFrom(seedOf(seed, 2 * step + 1)), asks);
    }
  } catch (error) {
    throw new Error(`World of seed ${seed}, step ${step}:\n${lines.join('\n')}\n${(error as Error).stack}`);
  } finally {
    await world.close();
  }
  return { steps, questions: world.questions };
};
