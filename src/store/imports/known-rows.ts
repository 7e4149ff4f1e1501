/**
 * Takes out of an import what is here already. What an import of the same format brought is known
 * row by row (match-rows.ts). What came from elsewhere cannot be told so: rows in a time that the
 * site collected itself, or that an import of another format covers, are taken for known. What was
 * said of a row that is known, such as a time on its page, is known too, unless it is later than
 * all that is stored of the visit.
 */
import { lastHitCode } from '../../model/hit.ts';
import type { Outcome } from '../../model/outcomes.ts';
import { dayMs, hourMs } from '../../model/time.ts';
import { vitalNames } from '../../model/vitals.ts';
import type { Database } from '../database.ts';
import { createByteCache } from '../day/byte-cache.ts';
import { sealedDays } from '../day/day-reader.ts';
import { partHitsMaxDefault, partsFor, partsOf } from '../day/part.ts';
import { textReader } from '../texts.ts';
import { crawlSlotMs } from '../write/recorder.ts';
import { beginsOf, inOrder } from './fold-hits.ts';
import { lastingBit, namedBit, word } from './hit-words.ts';
import type { DayRecords, NotedRecords } from './import-counts.ts';
import { type IdOf, matchRecords, noText, type StoredRows, storedRows } from './match-rows.ts';
import type { HitGatherer } from './read-hits.ts';
import { type DaySpan, spans } from './spans.ts';

/** Rows that are here already, by what brought them. */
export interface KnownRows {
  /** Null for what the site collected itself. */
  importId: number | null;
  rows: number;
  /** How many of them had which outcome. */
  outcomes: Partial<Record<Outcome, number>>;
  /** UTC milliseconds of the first and the last of them. */
  firstAt: number;
  lastAt: number;
}

export interface KnownOptions {
  siteId: number;
  format: string;
  /** UTC milliseconds. */
  now: number;
  partHitsMax?: number;
}

/** Each step is some milliseconds of work. What is left stays gathered. */
export function* takeOutKnown(
  db: Database,
  gathered: HitGatherer,
  { siteId, format, now, partHitsMax = partHitsMaxDefault }: KnownOptions,
): Generator<void, KnownRows[]> {
  const found = counter();
  const there = spans(db);
  const ids = there.ofFormat(siteId, format);
  const covered = [...there.collected(siteId, now), ...there.otherFormats(siteId, format)];
  const sealed = sealedDays(db, createByteCache(0));
  const idOf = storedIds(db, siteId, gathered);
  const { spool } = gathered;
  for (const day of spool.days()) {
    const within = covered.filter(({ from, to }) => from < (day + 1) * dayMs && to >= day * dayMs);
    const facts = sealed
      .between(siteId, day, day)
      .filter(({ part: { importId }, hits }) => importId !== undefined && ids.has(importId) && hits > 0);
    if (facts.length === 0 && within.length === 0) continue;
    const stored = facts.map(of => storedRows(sealed.day(of), of.part.importId!));
    const parts = partsOf(partsFor(spool.hits(day), partHitsMax));
    const hours = new Map<number, number>();
    yield* spool.rewrite(day, parts, words =>
      left(words, knownBy({ day, words, stored, within, idOf }), (at, by) => {
        found.add(at, by, 'recorded');
        const hour = Math.floor(at / hourMs);
        hours.set(hour, (hours.get(hour) ?? 0) + 1);
      }),
    );
    for (const [hour, rows] of hours) gathered.uncount(hour, 'recorded', rows);
  }
  yield* takeOutRecords(db, gathered, { siteId, ids, covered, idOf, found });
  yield* takeOutOutcomes(db, gathered, siteId, found);
  yield* takeOutTold(noteReader(db, siteId), gathered, { ids, covered, found });
  return found.all();
}

const counter = () => {
  const found = new Map<number | null, KnownRows>();
  return {
    add(at: number, importId: number | null, outcome: Outcome, rows = 1): void {
      // A line that tells of what two imports brought is the first one's.
      if (rows === 0) return;
      const of = found.get(importId) ?? { importId, rows: 0, outcomes: {}, firstAt: at, lastAt: at };
      found.set(importId, of);
      of.rows += rows;
      of.outcomes[outcome] = (of.outcomes[outcome] ?? 0) + rows;
      of.firstAt = Math.min(of.firstAt, at);
      of.lastAt = Math.max(of.lastAt, at);
    },
    all: (): KnownRows[] => [...found.values()].sort((a, b) => a.firstAt - b.firstAt),
  };
};

/** Looks texts up when they are first asked for. */
const storedIds = (db: Database, siteId: number, { text, textCount }: HitGatherer): IdOf => {
  const texts = textReader(db);
  /** One more than the id; 0 if it was not looked up yet. */
  const known = new Float64Array(1 + textCount);
  return number => {
    if (number === 0) return 0;
    if (known[number] === 0) known[number] = 1 + (texts.find(siteId, text(number)) || noText);
    return known[number]! - 1;
  };
};

/**
 * The numbers of stored texts among those of the lines. A prune that was stopped may have left
 * counts whose texts are gone.
 */
const gatheredNumbers = (db: Database, siteId: number, { find }: HitGatherer): ((id: number) => number | undefined) => {
  const texts = textReader(db);
  const isThere = (id: number): boolean => id === 0 || texts.ids(siteId, id, id).length > 0;
  return id => (isThere(id) ? find(texts.text(siteId, id)) : undefined);
};

interface Judged {
  day: number;
  words: Uint32Array;
  stored: readonly StoredRows[];
  within: readonly DaySpan[];
  idOf: IdOf;
}

/** What brought each record: an import, null for the site itself, undefined if it is new. */
type KnownBy = (number | null | undefined)[];

const knownBy = ({ day, words, stored, within, idOf }: Judged): KnownBy => {
  const begins = beginsOf(words);
  const known: KnownBy = new Array(begins.length);
  const kindAt = (record: number): number => words[begins[record]! + word.kind]!;
  for (const rows of stored)
    for (const isNamed of [true, false]) {
      const asked: number[] = [];
      for (let record = 0; record < begins.length; record++) {
        const kind = kindAt(record);
        const isAsked = (kind & 0xff) <= lastHitCode && ((kind & namedBit) !== 0) === isNamed;
        if (isAsked && known[record] === undefined) asked.push(record);
      }
      if (asked.length === 0) continue;
      const some = Uint32Array.from(asked, record => begins[record]!);
      matchRecords(words, some, isNamed, rows, idOf, i => {
        known[asked[i]!] = rows.importId;
      });
    }
  judgeMarks(words, begins, stored, known);
  for (let record = 0; record < begins.length; record++) {
    if (known[record] !== undefined) continue;
    const at = day * dayMs + words[begins[record]! + word.time]!;
    known[record] = within.find(({ from, to }) => at >= from && at <= to)?.importId;
  }
  return known;
};

/** What a mark says, it says of the hit before it, or where it begins a visit of that behind it. */
const judgeMarks = (words: Uint32Array, begins: Uint32Array, stored: readonly StoredRows[], known: KnownBy): void => {
  const order = inOrder(words, begins);
  const typeOf = (record: number): number => words[begins[record]! + word.kind]! & 0xff;
  const isOfSame = (some: number, other: number): boolean =>
    [word.visitorHigh, word.visitorLow].every(at => words[begins[some]! + at] === words[begins[other]! + at]) &&
    ((words[begins[some]! + word.kind]! ^ words[begins[other]! + word.kind]!) & lastingBit) === 0;
  const judge = (mark: number, hit: number | undefined): void => {
    const isAlone = hit === undefined || !isOfSame(mark, hit);
    if (!isAlone && known[hit] === undefined) return;
    const [kind, high, low, time] = [word.kind, word.visitorHigh, word.visitorLow, word.time].map(
      at => words[begins[mark]! + at]!,
    ) as [number, number, number, number];
    const isNamed = (kind & namedBit) !== 0;
    const holds = stored.find(rows => {
      const span = isNamed ? rows.spanOf((kind & lastingBit) !== 0, high, low) : undefined;
      return span !== undefined && time >= span.from && time <= span.to;
    });
    if (holds !== undefined) known[mark] = holds.importId;
    else if (!isNamed && !isAlone) known[mark] = known[hit];
  };
  let before: number | undefined;
  let waiting: number[] = [];
  for (const record of order) {
    if (typeOf(record) <= lastHitCode) {
      for (const mark of waiting) judge(mark, record);
      [before, waiting] = [record, []];
    } else if (before !== undefined && isOfSame(record, before)) judge(record, before);
    else waiting.push(record);
  }
  for (const mark of waiting) judge(mark, undefined);
};

/** The records that are new. */
const left = (words: Uint32Array, known: KnownBy, out: (at: number, by: number | null) => void): Uint32Array => {
  const kept = new Uint32Array(words.length);
  let [to, record] = [0, 0];
  for (let begin = 0; begin < words.length; begin += words[begin]!, record++) {
    const by = known[record];
    if (by !== undefined) out(words[begin + word.day]! * dayMs + words[begin + word.time]!, by);
    else {
      kept.set(words.subarray(begin, begin + words[begin]!), to);
      to += words[begin]!;
    }
  }
  return kept.slice(0, to);
};

/** What some imports counted beside hits on a day, piece by piece. */
const noteReader = (db: Database, siteId: number) => {
  const ofDay = 'site_id = ? and import_id = ? and day = ?';
  const numbers = db.prepare(`select number from import_count where ${ofDay}`).pluck();
  const counted = db.prepare(`select counted from import_count where ${ofDay} and number = ?`).pluck();
  return function* (day: number, ids: Iterable<number>): Generator<NotedRecords & { importId: number }> {
    for (const importId of ids)
      for (const number of numbers.all(siteId, importId, day))
        yield { ...JSON.parse(counted.get(siteId, importId, day, number) as string), importId };
  };
};

/** Outcomes of rows that are compared by themselves. */
const comparedOutcomes: ReadonlySet<Outcome> = new Set(['recorded', 'crawler', 'automation']);

/**
 * Takes out what lines without a row came to, where an import has rows that are known: between the
 * first and the last of them. It is counted by the hour: as many as there are.
 */
function* takeOutOutcomes(
  db: Database,
  gathered: HitGatherer,
  siteId: number,
  found: ReturnType<typeof counter>,
): Generator<void> {
  const notesOf = noteReader(db, siteId);
  const spans = new Map<number, Pick<KnownRows, 'firstAt' | 'lastAt'>>();
  for (const { importId, ...span } of found.all()) if (importId !== null) spans.set(importId, span);
  for (const day of spans.size === 0 ? [] : gathered.recordDays()) {
    const left = gathered.outcomes(day);
    for (const { importId, outcomes } of notesOf(day, spans.keys())) {
      const { firstAt, lastAt } = spans.get(importId)!;
      for (const { hour, outcome, hits } of outcomes) {
        const of = left.find(row => row.hour === hour && row.outcome === outcome);
        if (of === undefined || comparedOutcomes.has(outcome)) continue;
        if ((hour + 1) * hourMs <= firstAt || hour * hourMs > lastAt) continue;
        const gone = Math.min(hits, of.hits);
        if (gone === 0) continue;
        of.hits -= gone;
        gathered.uncount(hour, outcome, gone);
        found.add(Math.max(hour * hourMs, firstAt), importId, outcome, gone);
      }
    }
    yield;
  }
}

/**
 * Takes out counts that are told by the hour: as many as imports of the format brought, and those
 * of hours that began in a time that is covered.
 */
function* takeOutTold(
  notesOf: ReturnType<typeof noteReader>,
  gathered: HitGatherer,
  { ids, covered, found }: Pick<OfRecords, 'ids' | 'covered' | 'found'>,
): Generator<void> {
  for (const day of gathered.recordDays()) {
    const counts = new Map<string, { importId: number; count: number }>();
    for (const { importId, outcomes, otherTexts = [] } of notesOf(day, ids)) {
      const add = (key: string, count: number): void => {
        counts.set(key, { importId, count: (counts.get(key)?.count ?? 0) + count });
      };
      for (const { hour, outcome, hits } of outcomes) add(`${hour} ${outcome} `, hits);
      for (const { hour, kind, bound, texts } of otherTexts) add(`${hour} ${kind} ${bound}`, texts);
    }
    for (const told of gathered.told(day)) {
      const at = told.hour * hourMs;
      const within = covered.find(({ from, to }) => at >= from && at <= to);
      const same = counts.get(`${told.hour} ${told.name} ${told.bound}`);
      if (within === undefined && same === undefined) continue;
      const { importId } = within ?? same!;
      const lines = gathered.untell(told, within === undefined ? Math.min(told.count, same!.count) : told.count);
      found.add(at, importId, 'recorded', lines);
    }
    yield;
  }
}

interface OfRecords {
  siteId: number;
  ids: ReadonlySet<number>;
  covered: readonly DaySpan[];
  idOf: IdOf;
  found: ReturnType<typeof counter>;
}

type Vital = DayRecords['vitals'][number];
type StoredVital = Vital & { importId: number };

const vitalKey = (of: Vital, path: number, device: number): string =>
  [path, device, ...vitalNames.map(name => of[name])].join();

/**
 * Of web vitals in the order of their times, those of some imports at a moment, by what they say.
 * Moments are asked in their order, and no more than one is held: a day may have millions.
 */
const eachMoment = (rows: Iterator<StoredVital>, ids: ReadonlySet<number>) => {
  const stored = new Map<string, { importId: number; count: number }>();
  let heldAt = Number.NaN;
  let next = rows.next();
  return (at: number): typeof stored => {
    if (at === heldAt) return stored;
    stored.clear();
    heldAt = at;
    for (; !next.done && next.value.at <= at; next = rows.next()) {
      const of = next.value;
      if (of.at < at || !ids.has(of.importId)) continue;
      const key = vitalKey(of, of.path, of.device);
      const same = stored.get(key);
      if (same === undefined) stored.set(key, { importId: of.importId, count: 1 });
      else same.count++;
    }
    return stored;
  };
};

/** Takes out crawls (as many as there are) and web vitals that imports of the format brought. */
function* takeOutRecords(
  db: Database,
  gathered: HitGatherer,
  { siteId, ids, covered, idOf, found }: OfRecords,
): Generator<void> {
  const notesOf = noteReader(db, siteId);
  const vitalsOf = db.prepare(
    `select import_id as importId, at, path, device, ${vitalNames.join(', ')} from vital
     where site_id = ? and at >= ? and at < ? and import_id > 0 order by at`,
  );
  const numberOf = gatheredNumbers(db, siteId, gathered);
  for (const day of gathered.recordDays()) {
    for (const { importId, crawls } of notesOf(day, ids)) {
      for (const crawl of crawls) {
        const [name, path] = [numberOf(crawl.name), numberOf(crawl.path)];
        const gone = name === undefined || path === undefined ? undefined : gathered.uncrawl({ ...crawl, name, path });
        if (gone === undefined) continue;
        const at = crawl.quarter * crawlSlotMs;
        found.add(at, importId, gone.outcome, gone.lines);
        // Lines of records are not counted by the hour.
        if (gone.outcome !== 'recorded') gathered.uncount(Math.floor(at / hourMs), gone.outcome, gone.lines);
      }
      yield;
    }
    const rows = vitalsOf.iterate(siteId, day * dayMs, (day + 1) * dayMs) as Iterator<StoredVital>;
    const storedAt = eachMoment(rows, ids);
    const hours = new Map<number, number>();
    gathered.dropVitals(day, of => {
      const same = storedAt(of.at).get(vitalKey(of, idOf(of.path), idOf(of.device)));
      const within = covered.find(({ from, to }) => of.at >= from && of.at <= to);
      const by = same !== undefined && same.count-- > 0 ? same.importId : within?.importId;
      if (by === undefined) return false;
      found.add(of.at, by, 'recorded');
      const hour = Math.floor(of.at / hourMs);
      hours.set(hour, (hours.get(hour) ?? 0) + 1);
      return true;
    });
    rows.return?.();
    for (const [hour, count] of hours) gathered.uncount(hour, 'recorded', count);
    yield;
  }
}
