/**
 * Writes what the collector accepted: one transaction per batch, texts turned into ids on the way. Insert-only.
 * Whether a batch is acknowledged is the caller's business (collect/writer.ts); here it is either written whole or not at all.
 */
import { type HitType, hitTypes, type Property, propertyTypes } from '../../model/hit.ts';
import type { Outcome } from '../../model/outcomes.ts';
import { hourMs, minuteMs, utcDayOf } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { type ActiveVisit, newestId, visitsSince } from '../day/open/newest-rows.ts';
import { insertInto } from '../tables.ts';
import { textWriter } from '../texts.ts';

/** The attributes of a visit, which are those of its first hit; texts are truncated and well-formed, null where unknown. */
export interface VisitAttributes {
  referrer: string | null;
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
  utmTerm: string | null;
  utmContent: string | null;
  country: string | null;
  region: string | null;
  city: string | null;
  language: string | null;
  browser: string | null;
  os: string | null;
  device: string;
  /** CSS pixels, 0 when unknown, at most 65,535. */
  width: number;
  height: number;
}

export interface VisitRecord extends VisitAttributes {
  /** From `nextVisitId`, given by the caller, ascending. */
  id: number;
  siteId: number;
  day: number;
  /** 8 bytes. */
  visitor: Buffer;
  /** The visitor id outlives the day. */
  persistent: boolean;
}

export interface HitRecord {
  siteId: number;
  day: number;
  visitId: number;
  /** UTC milliseconds, inside `day`. */
  at: number;
  type: HitType;
  path: string | null;
  hostname: string | null;
  title: string | null;
  query: string | null;
  event: string | null;
  /** Milliseconds, 0 to 30 minutes. */
  duration: number;
  /** Minor units, with its ISO 4217 code; null unless the type is revenue. */
  revenue: { amount: number; currency: string } | null;
  /** Of a hit: at most 50, each key once. */
  properties: Property[];
  /** Of an identify: the trait that names the visitor, and all traits as JSON. */
  identity: { name: string; traits: string } | null;
}

export interface VitalRecord {
  siteId: number;
  at: number;
  path: string | null;
  device: string;
  lcp: number | null;
  inp: number | null;
  cls: number | null;
  fcp: number | null;
  ttfb: number | null;
}

export interface CrawlRecord {
  siteId: number;
  at: number;
  /** Name of the crawler, or of the automation. */
  name: string;
  path: string | null;
  /** HTTP status where a server reported it, else 0. */
  status: number;
}

/** All that one arriving hit writes. `outcome` is counted in the same transaction, so counts and rows agree. */
export interface Entry {
  /** 0 when no site could be told. */
  siteId: number;
  at: number;
  outcome: Outcome;
  /** Present when this hit begins a visit. */
  visit?: VisitRecord;
  hit?: HitRecord;
  vital?: VitalRecord;
  crawl?: CrawlRecord;
}

export interface Recorder {
  /** Writes all entries in one transaction; throws, with nothing written, when the disk or a row refuses. */
  write(entries: readonly Entry[]): void;
  nextVisitId(): number;
  /** Visits with a hit or mark at or after `since`. */
  activeVisits(since: number): ActiveVisit[];
}

/** Milliseconds of the slot that crawls are counted in. */
export const crawlSlotMs = 15 * minuteMs;

export const recorder = (db: Database, newTextsMax?: number): Recorder => {
  const texts = textWriter(db, newTextsMax);
  const insertVisit = db.prepare(insertInto('visit'));
  const insertHit = db.prepare(insertInto('hit'));
  const insertVital = db.prepare(insertInto('vital'));
  const countCrawl = db.prepare(`${insertInto('crawl')} on conflict do update set crawls = crawls + excluded.crawls`);
  const countOutcome = db.prepare(`${insertInto('outcome')} on conflict do update set hits = hits + excluded.hits`);
  const firstSeen = db.prepare('select day from cookie_visitor where site_id = ? and visitor = ?').pluck();
  const insertCookieVisitor = db.prepare(insertInto('cookie_visitor'));
  let nextHitId = 1 + newestId(db, 'hit');

  const writeVisit = (visit: VisitRecord): void => {
    const { siteId } = visit;
    let seenBefore = 0;
    if (visit.persistent) {
      const day = firstSeen.get(siteId, visit.visitor) as number | undefined;
      if (day === undefined) insertCookieVisitor.run(siteId, visit.visitor, visit.day);
      else if (day < visit.day) seenBefore = 1;
    }
    insertVisit.run(
      siteId,
      visit.day,
      visit.id,
      visit.visitor,
      visit.persistent ? 1 : 0,
      seenBefore,
      texts.untrustedTextId(siteId, visit.day, visit.referrer),
      texts.untrustedTextId(siteId, visit.day, visit.utmSource),
      texts.untrustedTextId(siteId, visit.day, visit.utmMedium),
      texts.untrustedTextId(siteId, visit.day, visit.utmCampaign),
      texts.untrustedTextId(siteId, visit.day, visit.utmTerm),
      texts.untrustedTextId(siteId, visit.day, visit.utmContent),
      texts.id(siteId, visit.country),
      texts.id(siteId, visit.region),
      texts.id(siteId, visit.city),
      texts.untrustedTextId(siteId, visit.day, visit.language),
      texts.untrustedTextId(siteId, visit.day, visit.browser),
      texts.untrustedTextId(siteId, visit.day, visit.os),
      texts.id(siteId, visit.device),
      visit.width * 65536 + visit.height,
    );
  };

  /** The JSON of the `properties` column; null when there is nothing to keep. */
  const propertiesOf = (hit: HitRecord): string | null => {
    const { siteId, day, identity } = hit;
    if (identity !== null) {
      // Readers take traits for JSON, so what is too much is left out.
      const traits = texts.untrustedTextId(siteId, day, identity.traits, null);
      return JSON.stringify([texts.untrustedTextId(siteId, day, identity.name), traits]);
    }
    if (hit.properties.length === 0) return null;
    const flat: number[] = [];
    const keys = new Set<number>();
    for (const { key, type, value } of hit.properties) {
      const keyId = texts.untrustedTextId(siteId, day, key);
      // A hit has each key once: of several that are too much, the first stands for all.
      if (keys.has(keyId)) continue;
      keys.add(keyId);
      const isText = typeof value === 'string';
      flat.push(keyId, propertyTypes[type], isText ? texts.untrustedTextId(siteId, day, value) : value);
    }
    return JSON.stringify(flat);
  };

  const writeHit = (hit: HitRecord): void => {
    const { siteId } = hit;
    insertHit.run(
      siteId,
      hit.day,
      nextHitId++,
      hit.visitId,
      hit.at,
      hitTypes[hit.type],
      texts.untrustedTextId(siteId, hit.day, hit.path),
      texts.untrustedTextId(siteId, hit.day, hit.hostname),
      texts.untrustedTextId(siteId, hit.day, hit.title),
      texts.untrustedTextId(siteId, hit.day, hit.query),
      texts.untrustedTextId(siteId, hit.day, hit.event),
      hit.duration,
      hit.revenue === null ? null : hit.revenue.amount,
      hit.revenue === null ? 0 : texts.id(siteId, hit.revenue.currency),
      propertiesOf(hit),
    );
  };

  const writeVital = (vital: VitalRecord): void => {
    const { siteId } = vital;
    insertVital.run(
      null, // its id
      siteId,
      vital.at,
      texts.untrustedTextId(siteId, utcDayOf(vital.at), vital.path),
      texts.id(siteId, vital.device),
      vital.lcp,
      vital.inp,
      vital.cls,
      vital.fcp,
      vital.ttfb,
    );
  };

  const writeAll = db.transaction((entries: readonly Entry[]): void => {
    // Entries of one batch mostly share site, hour and outcome: one row is counted up once for all of them.
    const counts = new Map<string, { entry: Entry; hits: number }>();
    for (const entry of entries) {
      if (entry.visit !== undefined) writeVisit(entry.visit);
      if (entry.hit !== undefined) writeHit(entry.hit);
      if (entry.vital !== undefined) writeVital(entry.vital);
      if (entry.crawl !== undefined) {
        const { siteId, at, name, path, status } = entry.crawl;
        const day = utcDayOf(at);
        const [nameId, pathId] = [texts.untrustedTextId(siteId, day, name), texts.untrustedTextId(siteId, day, path)];
        countCrawl.run(siteId, Math.floor(at / crawlSlotMs), nameId, pathId, status, 1);
      }
      const key = `${entry.siteId} ${Math.floor(entry.at / hourMs)} ${entry.outcome}`;
      const count = counts.get(key);
      if (count === undefined) counts.set(key, { entry, hits: 1 });
      else count.hits++;
    }
    for (const { entry, hits } of counts.values()) {
      countOutcome.run(entry.siteId, Math.floor(entry.at / hourMs), entry.outcome, hits);
    }
  });

  return {
    write(entries) {
      const hitIdBefore = nextHitId;
      try {
        writeAll.immediate(entries);
        texts.keep();
      } catch (error) {
        texts.forget();
        nextHitId = hitIdBefore;
        throw error;
      }
    },
    nextVisitId: () => 1 + newestId(db, 'visit'),
    activeVisits: since => visitsSince(db, since),
  };
};
