/** Makes of lines what an import gathers: their hits, and what is counted of them. */
import { hash } from 'node:crypto';
import type { Pipeline } from '../collect/pipeline.ts';
import { userAgentCharsMax } from '../collect/user-agent.ts';
import type { Meaning } from '../compat/import-format.ts';
import type { Outcome } from '../model/outcomes.ts';
import { countMax, type PastHit, type PastRecord } from '../model/past-hit.ts';
import type { Site } from '../model/site.ts';
import { hourMs } from '../model/time.ts';
import { type HitWriter, hitWriter } from '../store/imports/hit-words.ts';
import type { DayRecords } from '../store/imports/import-counts.ts';
import type { ReadLines } from '../store/imports/read-hits.ts';
import { type CrawlRecord, crawlSlotMs, type Entry } from '../store/write/recorder.ts';
import type { Between } from './between.ts';

/** What some lines hold: plain data. */
export interface ReadBatch extends ReadLines {
  lines: number;
  /** UTC milliseconds of the first and the last hit; both 0 where there is none. */
  firstAt: number;
  lastAt: number;
  /** What the source counts: digests of its visitors and visits, each once, and its hits. */
  visitors: BigUint64Array;
  visits: BigUint64Array;
  /** How lines ended, counted for the site or not. */
  ended: Partial<Record<Outcome, number>>;
  pageviews: number;
  events: number;
  /** Hits of days that were not asked for. */
  ofOtherDays: number;
}

export interface LineReader {
  /** Reads what one line means. */
  add(meaning: Meaning): void;
  /** What was read since the last call. */
  take(): ReadBatch;
}

export interface LineReaderOptions {
  site: Site;
  pipeline: Pipeline;
  /** UTC milliseconds. */
  now: () => number;
  between: Between;
}

export const lineReader = ({ site, pipeline, now, between }: LineReaderOptions): LineReader => {
  const writer = hitWriter();
  let batch = emptyBatch();
  // Lines mostly count as the one before.
  let last: Counted = nothing;

  const count = (at: number, outcome: Outcome, isCounted = false): void => {
    batch.ended[outcome] = (batch.ended[outcome] ?? 0) + 1;
    if (isCounted) return;
    const hour = Math.floor(at / hourMs);
    if (last.hour !== hour || last.outcome !== outcome) {
      const key = `${hour} ${outcome}`;
      last = batch.outcomes.get(key) ?? { hour, outcome, hits: 0 };
      batch.outcomes.set(key, last);
    }
    last.hits++;
  };
  /** Whether what was recorded then is wanted. */
  const isWanted = (at: number): boolean => {
    if (at < between.from || at >= between.to) batch.ofOtherDays++;
    else if (at > now()) count(at, 'import-future');
    else return true;
    return false;
  };
  const addHit = (past: PastHit): void => {
    if (!isWanted(past.at)) return;
    const entry = entryOf(past, site, pipeline);
    count(past.at, entry.outcome, past.isCounted);
    keep(entry, past.told.visitor !== undefined, writer, batch);
    countSource(past, batch);
  };
  const addRecord = (record: PastRecord): void => {
    if (!isWanted(record.at)) return;
    count(record.at, 'recorded', true);
    keepRecord(record, writer, batch);
  };
  return {
    add(meaning) {
      batch.lines++;
      if (typeof meaning === 'string') count(now(), meaning);
      else if ('told' in meaning) addHit(meaning);
      else if ('record' in meaning) addRecord(meaning);
      else for (const past of meaning) addHit(past);
    },
    take() {
      const taken = taking(batch, writer);
      batch = emptyBatch();
      last = nothing;
      return taken;
    },
  };
};

type Counted = DayRecords['outcomes'][number];
const nothing: Counted = { hour: -1, outcome: 'recorded', hits: 0 };

type Crawls = ReadLines['crawls'][number];

/** A batch while it is read. */
interface Batch extends Omit<ReadBatch, 'hits' | 'outcomes' | 'crawls' | 'visitors' | 'visits'> {
  outcomes: Map<string, Counted>;
  crawls: Map<string, Crawls>;
  visitors: Set<string>;
  visits: Set<string>;
}

const emptyBatch = (): Batch => ({
  ...{ lines: 0, firstAt: 0, lastAt: 0, pageviews: 0, events: 0, ofOtherDays: 0 },
  ...{ outcomes: new Map(), crawls: new Map(), visitors: new Set(), visits: new Set() },
  ...{ vitals: [], told: [], ended: {} },
});

const entryOf = (past: PastHit, site: Site, pipeline: Pipeline): Entry => {
  const { at, address, told, hit, request } = past;
  const userAgent = past.userAgent.slice(0, userAgentCharsMax);
  hit.s = site.publicKey;
  if (request !== undefined) {
    const body = { s: site.publicKey, u: hit.u, ua: userAgent, st: request.status, m: request.method };
    const [crawl] = pipeline.reports([{ at, address, userAgent, body }]) as [Entry];
    if (crawl.outcome === 'crawler') return crawl;
    if (!request.isPageView) return { siteId: site.id, at, outcome: 'import-no-page' };
  }
  return pipeline.process({ at, address, userAgent, told, body: hit });
};

const keep = (entry: Entry, isNamed: boolean, writer: HitWriter, batch: Batch): void => {
  const { hit, visit, crawl, vital, at, outcome } = entry;
  if (hit !== undefined && visit !== undefined) {
    writer.add(hit, visit, isNamed);
    batch.firstAt = batch.firstAt === 0 ? at : Math.min(batch.firstAt, at);
    batch.lastAt = Math.max(batch.lastAt, at);
  }
  if (crawl !== undefined) addCrawl(crawl, { outcome, crawls: 1 }, writer, batch);
  if (vital !== undefined) {
    const { siteId: _, importId: __, ...values } = vital;
    batch.vitals.push({ ...values, path: writer.textId(vital.path), device: writer.textId(vital.device) });
  }
};

const addCrawl = (
  { at, name, path, status }: Pick<CrawlRecord, 'at' | 'name' | 'path' | 'status'>,
  { outcome, crawls }: Pick<Crawls, 'outcome' | 'crawls'>,
  writer: HitWriter,
  batch: Batch,
): void => {
  const of = { quarter: Math.floor(at / crawlSlotMs), name: writer.textId(name), path: writer.textId(path), status };
  const key = Object.values(of).join(' ');
  const known = batch.crawls.get(key);
  if (known === undefined) batch.crawls.set(key, { ...of, crawls, outcome, lines: 1 });
  else Object.assign(known, { crawls: Math.min(known.crawls + crawls, countMax), lines: known.lines + 1 });
};

const keepRecord = (record: PastRecord, writer: HitWriter, batch: Batch): void => {
  if (record.record === 'vital') {
    const { record: _, ...values } = record;
    const [path, device] = [values.path, values.device].map(text => writer.textId(text || null)) as [number, number];
    batch.vitals.push({ ...values, path, device });
    return;
  }
  const { at, name, text, status, count } = record;
  if (record.record === 'crawl')
    addCrawl({ at, name, path: text || null, status }, { outcome: 'recorded', crawls: count }, writer, batch);
  else batch.told.push({ hour: Math.floor(at / hourMs), name, bound: text, count, lines: 1 });
};

const countSource = ({ told, hit }: PastHit, batch: Batch): void => {
  if (told.visitor !== undefined) batch.visitors.add(told.visitor);
  if (told.visit !== undefined) batch.visits.add(told.visit);
  const { t = 'pageview' } = hit;
  if (t === 'pageview') batch.pageviews++;
  else if (t === 'custom' || t === 'outbound' || t === 'revenue') batch.events++;
};

const taking = (batch: Batch, writer: HitWriter): ReadBatch => ({
  ...batch,
  hits: writer.take(),
  outcomes: [...batch.outcomes.values()],
  crawls: [...batch.crawls.values()],
  visitors: digests(batch.visitors),
  visits: digests(batch.visits),
});

const digests = (ids: ReadonlySet<string>): BigUint64Array => {
  const found = new BigUint64Array(ids.size);
  let i = 0;
  for (const id of ids) found[i++] = BigInt(`0x${hash('sha256', id, 'hex').slice(0, 16)}`);
  return found;
};
