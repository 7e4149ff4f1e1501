/**
 * Writes what the collector accepted: one transaction per batch, with texts turned into ids on the
 * way. It only inserts. A batch is written whole or not at all; collect/writer.ts acknowledges it.
 */
import { type PageField, pageFields } from '../../model/columns.ts';
import { type HitType, hitTypes, instantCode, isNonCounting, type Property, propertyTypes } from '../../model/hit.ts';
import type { Outcome } from '../../model/outcomes.ts';
import { snakeCase } from '../../model/snake-case.ts';
import type { TextKind } from '../../model/text-kinds.ts';
import { hourMs, isoTime, minuteMs } from '../../model/time.ts';
import { type Identity, mergedIdentity } from '../../model/traits.ts';
import { type VisitTextName, visitTextNames, visitTexts } from '../../model/visit-fields.ts';
import { type VitalValues, vitalNames } from '../../model/vitals.ts';
import type { Database } from '../database.ts';
import { type ActiveVisit, newestId, visitsSince } from '../day/open/newest-rows.ts';
import { newestEpoch } from '../epochs.ts';
import { inserter } from '../tables.ts';
import { type TextWriter, textWriter } from '../texts.ts';
import type { OtherTexts, TextAllowances } from './text-allowances.ts';

/**
 * What is known of a visit from its first hit. Texts are truncated and well-formed, null where
 * unknown.
 */
export interface VisitAttributes extends Record<VisitTextName, string | null> {
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

export interface HitRecord extends Record<PageField, string | null> {
  siteId: number;
  day: number;
  visitId: number;
  /** UTC milliseconds, inside `day`. */
  at: number;
  type: HitType;
  /** Milliseconds, 0 to 30 minutes. */
  duration: number;
  /** Percent of the page that was seen, told with the duration; null when it was not. */
  scroll: number | null;
  /** Minor units, with its ISO 4217 code; null unless the type is revenue. */
  revenue: { amount: number; currency: string } | null;
  /** Of a hit: at most 50, each key once. */
  properties: Property[];
  /** Of an identify: what it says. It is added to what earlier ones of the visit said. */
  identity: Identity | null;
}

export interface VitalRecord extends VitalValues {
  siteId: number;
  at: number;
  path: string | null;
  device: string;
  /** The import that brought it. */
  importId?: number;
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

/**
 * All that one arriving hit writes. `outcome` is counted in the same transaction, so counts and
 * rows agree.
 */
export interface Entry {
  /** 0 when no site could be told. */
  siteId: number;
  at: number;
  outcome: Outcome;
  /**
   * The sender's network, whose part of the allowances of new texts it uses; absent for whoever has
   * no such part.
   */
  network?: number | undefined;
  /** Present when this hit begins a visit. */
  visit?: VisitRecord;
  hit?: HitRecord;
  /**
   * Whose hit it is, in cookie mode. A visit of non-counting hits alone is nobody's first visit.
   */
  cookieVisitor?: Buffer;
  vital?: VitalRecord;
  crawl?: CrawlRecord;
  /** Its order at a shop: not stored, but known while others may be the same. */
  order?: { accountId: number; id: string };
}

export interface Recorder {
  /**
   * Writes all entries in one transaction; throws, with nothing written, when the disk or a row
   * refuses.
   */
  write(entries: readonly Entry[]): void;
  nextVisitId(): number;
  /** Visits with a hit, counting or not, at or after `since`. */
  activeVisits(since: number): ActiveVisit[];
}

/** Milliseconds of the slot that crawls are counted in. */
export const crawlSlotMs = 15 * minuteMs;

/** Without `allowances` every new text is kept, as in an import. */
export const recorder = (db: Database, allowances?: TextAllowances): Recorder => {
  const texts = textWriter(db, allowances);
  const insertVisit = visitInserter(db, texts);
  const hits = hitInserter(db, texts);
  const rememberVisitor = cookieVisitorKeeper(db);
  const epoch = newestEpoch(db);
  const insertVital = vitalInserter(db, texts, epoch);
  const countCrawl = crawlCounter(db, texts, epoch);
  const countOutcomes = outcomeCounter(db, epoch);
  const countOtherTexts = otherTextCounter(db, epoch);

  const writeAll = db.transaction((entries: readonly Entry[]): void => {
    for (const { siteId, at, network, visit, hit, cookieVisitor, vital, crawl } of entries) {
      allowances?.from(siteId, at, network);
      if (visit !== undefined) insertVisit(visit);
      if (hit !== undefined) hits.insert(hit);
      if (hit !== undefined && cookieVisitor !== undefined && !isNonCounting(hit.type)) {
        rememberVisitor({ siteId: hit.siteId, visitor: cookieVisitor, day: hit.day });
      }
      if (vital !== undefined) insertVital(vital);
      if (crawl !== undefined) countCrawl(crawl);
    }
    countOutcomes(entries);
    for (const counted of allowances?.refused() ?? []) countOtherTexts(counted);
  });

  return {
    write(entries) {
      const hitIdBefore = hits.nextId;
      try {
        writeAll.immediate(entries);
        texts.keep();
      } catch (error) {
        texts.forget();
        hits.nextId = hitIdBefore;
        throw error;
      }
    },
    nextVisitId: () => 1 + newestId(db, 'visit'),
    activeVisits: since => visitsSince(db, since),
  };
};

/** Keeps the first day on which each visitor of cookie mode had a hit. */
const cookieVisitorKeeper = (db: Database): ((seen: Pick<VisitRecord, 'siteId' | 'visitor' | 'day'>) => void) =>
  inserter(
    db,
    'cookie_visitor',
    { site_id: seen => seen.siteId, visitor: seen => seen.visitor, day: seen => seen.day },
    // An import brings days from before the first one.
    'on conflict do update set day = excluded.day where excluded.day < day',
  );

const visitInserter = (db: Database, texts: TextWriter): ((visit: VisitRecord) => void) => {
  const firstDay = db.prepare('select day from cookie_visitor where site_id = ? and visitor = ?').pluck();
  /** 1 where a visitor of cookie mode had a hit on an earlier day. */
  const seenBefore = ({ siteId, visitor, day, persistent }: VisitRecord): number =>
    persistent && ((firstDay.get(siteId, visitor) as number | undefined) ?? day) < day ? 1 : 0;
  return inserter<VisitRecord>(db, 'visit', {
    site_id: visit => visit.siteId,
    day: visit => visit.day,
    id: visit => visit.id,
    visitor: visit => visit.visitor,
    persistent: visit => (visit.persistent ? 1 : 0),
    seen_before: seenBefore,
    ...valuesByColumn(visitTextNames, name => {
      const kind: TextKind | null = visitTexts[name].textKind;
      return kind === null
        ? (visit: VisitRecord) => texts.id(visit.siteId, visit[name])
        : (visit: VisitRecord) => texts.untrustedTextId(visit.siteId, kind, visit[name]);
    }),
    screen: visit => visit.width * 65536 + visit.height,
  });
};

const pageTextKinds: Record<PageField, TextKind> = {
  path: 'page',
  hostname: 'page',
  title: 'title',
  query: 'query',
  event: 'event',
};

/** Gives each hit the next id. After a batch that failed the caller sets `nextId` back. */
const hitInserter = (db: Database, texts: TextWriter): { nextId: number; insert(hit: HitRecord): void } => {
  const ids = { nextId: 1 + newestId(db, 'hit') };
  const storedIdentity = identityWriter(db, texts);
  const insert = inserter<HitRecord>(db, 'hit', {
    site_id: hit => hit.siteId,
    day: hit => hit.day,
    id: () => ids.nextId++,
    visit_id: hit => hit.visitId,
    at: hit => hit.at,
    type: hit => hitTypes[hit.type],
    ...valuesByColumn(
      pageFields,
      name => (hit: HitRecord) => texts.untrustedTextId(hit.siteId, pageTextKinds[name], hit[name]),
    ),
    duration: hit => hit.duration,
    amount: hit => (hit.revenue === null ? null : hit.revenue.amount),
    currency: hit => (hit.revenue === null ? 0 : texts.id(hit.siteId, hit.revenue.currency)),
    properties: hit => (hit.identity === null ? storedProperties(hit, texts) : storedIdentity(hit, hit.identity)),
    scroll: hit => hit.scroll,
  });
  return Object.assign(ids, { insert });
};

/**
 * The JSON of the `properties` column of an identify. What earlier ones of the visit said is looked
 * up among its rows, so that a restart forgets nothing and no memory is needed.
 */
const identityWriter = (db: Database, texts: TextWriter): ((hit: HitRecord, identity: Identity) => string) => {
  const select = db.prepare(
    `select json_extract(properties, '$[1]') as traits,
       (select value from text where site_id = @siteId and id = json_extract(properties, '$[1]')) as value
     from hit where site_id = @siteId and day = @day and visit_id = @visitId and type = ${hitTypes.identify}
     order by id desc limit 1`,
  );
  return ({ siteId, day, visitId }, identity) => {
    const before = select.get({ siteId, day, visitId }) as { traits: number; value: string | null } | undefined;
    const { name, traits } = before?.value == null ? identity : mergedIdentity(before.value, identity);
    // Readers take traits for JSON, so what is too much is left out.
    const traitsId = texts.untrustedTextId(siteId, 'trait', traits, null) || (before?.traits ?? 0);
    return JSON.stringify([texts.untrustedTextId(siteId, 'trait', name), traitsId]);
  };
};

/** The JSON of the `properties` column of a hit; null when there is nothing to keep. */
const storedProperties = (hit: HitRecord, texts: TextWriter): string | null => {
  const { siteId } = hit;
  if (hit.properties.length === 0) return null;
  return JSON.stringify(
    propertyNumbers(
      hit.properties,
      key => texts.untrustedTextId(siteId, 'property-key', key),
      value => texts.untrustedTextId(siteId, 'property-value', value),
    ),
  );
};

/** Of each property key, type and value in turn, given the ids of texts. */
export const propertyNumbers = (
  properties: readonly Property[],
  keyId: (key: string) => number,
  valueId: (value: string) => number,
): number[] => {
  const flat: number[] = [];
  const keys = new Set<number>();
  for (const { key, type, value } of properties) {
    const id = keyId(key);
    // A hit has each key once: of several that are too much, the first stands for all.
    if (keys.has(id)) continue;
    keys.add(id);
    const instant = type === 'date' ? instantOf(value) : null;
    if (instant !== null) flat.push(id, instantCode, instant);
    else flat.push(id, propertyTypes[type], typeof value === 'string' ? valueId(value) : value);
  }
  return flat;
};

/**
 * The instant that a text says in the one form that instants are shown in, so that it needs no
 * text of its own: pages send the time of every event like this. Null for every other date.
 */
const instantOf = (text: string): number | null => {
  if (text.length !== 24) return null;
  const at = Date.parse(text);
  return Number.isFinite(at) && isoTime(at) === text ? at : null;
};

const vitalInserter = (db: Database, texts: TextWriter, epoch: bigint): ((vital: VitalRecord) => void) =>
  inserter<VitalRecord>(db, 'vital', {
    id: () => null, // SQLite gives one
    site_id: vital => vital.siteId,
    at: vital => vital.at,
    path: vital => texts.untrustedTextId(vital.siteId, 'page', vital.path),
    device: vital => texts.id(vital.siteId, vital.device),
    ...valuesByColumn(vitalNames, name => (vital: VitalRecord) => vital[name]),
    import_id: vital => vital.importId ?? 0,
    epoch: () => epoch,
  });

const crawlCounter = (db: Database, texts: TextWriter, epoch: bigint): ((crawl: CrawlRecord) => void) => {
  // Crawlers try many addresses that are no pages.
  const textId = ({ siteId }: CrawlRecord, text: string | null): number => texts.untrustedTextId(siteId, 'other', text);
  return inserter<CrawlRecord>(
    db,
    'crawl',
    {
      site_id: crawl => crawl.siteId,
      quarter: crawl => Math.floor(crawl.at / crawlSlotMs),
      name: crawl => textId(crawl, crawl.name),
      path: crawl => textId(crawl, crawl.path),
      status: crawl => crawl.status,
      epoch: () => epoch,
      crawls: () => 1,
    },
    'on conflict do update set crawls = crawls + excluded.crawls',
  );
};

/**
 * Entries of one batch mostly share site, hour and outcome: one row is counted up once for all of
 * them.
 */
const outcomeCounter = (db: Database, epoch: bigint): ((entries: readonly Entry[]) => void) => {
  const count = inserter<{ siteId: number; hour: number; outcome: Outcome; hits: number }>(
    db,
    'outcome',
    {
      site_id: counted => counted.siteId,
      hour: counted => counted.hour,
      outcome: counted => counted.outcome,
      epoch: () => epoch,
      hits: counted => counted.hits,
    },
    'on conflict do update set hits = hits + excluded.hits',
  );
  return entries => {
    const counts = new Map<string, { siteId: number; hour: number; outcome: Outcome; hits: number }>();
    for (const { siteId, at, outcome } of entries) {
      const hour = Math.floor(at / hourMs);
      const key = `${siteId} ${hour} ${outcome}`;
      const counted = counts.get(key);
      if (counted === undefined) counts.set(key, { siteId, hour, outcome, hits: 1 });
      else counted.hits++;
    }
    for (const counted of counts.values()) count(counted);
  };
};

/** Texts that became `(other)` are counted, so that nobody takes the rest for all. */
const otherTextCounter = (db: Database, epoch: bigint): ((counted: OtherTexts) => void) =>
  inserter<OtherTexts>(
    db,
    'other_text',
    {
      site_id: counted => counted.siteId,
      hour: counted => counted.hour,
      kind: counted => counted.kind,
      bound: counted => counted.bound,
      epoch: () => epoch,
      texts: counted => counted.texts,
    },
    'on conflict do update set texts = texts + excluded.texts',
  );

/** The values of columns that are named after fields, as an inserter takes them. */
const valuesByColumn = <Name extends string, Row>(
  names: readonly Name[],
  value: (name: Name) => (row: Row) => unknown,
): Record<string, (row: Row) => unknown> => Object.fromEntries(names.map(name => [snakeCase(name), value(name)]));
