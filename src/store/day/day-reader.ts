/**
 * Reads days for a worker thread: sealed ones column by column through a cache that is bounded in
 * bytes, open ones by folding their rows. One reader serves one thread and one connection.
 */
import { addedLater, type ColumnName } from '../../model/columns.ts';
import { lastHitCode } from '../../model/hit.ts';
import { dayMs, utcDayOf } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { type TextReader, textReader } from '../texts.ts';
import { type ByteCache, createByteCache } from './byte-cache.ts';
import { type Column, decodeColumn, encodeColumn } from './column-codec.ts';
import { type Day, type DayFacts, dayOver, nullColumn } from './day.ts';
import { derive } from './derived.ts';
import { ColumnError } from './integer-list.ts';
import { decodeMarks } from './mark-visits.ts';
import { daysWithRows, type OpenDaysOptions, openDays } from './open/open-days.ts';
import { isPacked } from './packed.ts';
import { beginsIn, type DayPart, marksName, partName, partsOf } from './part.ts';
import { createKeeper, isWorthItsRoom } from './unpack.ts';

export interface DayReader {
  /**
   * The site's days that may hold hits at `from <= at < to`, ascending, and part by part where they
   * have several. Each is as of the moment when it is asked for. Days without hits are left out.
   * Columns are loaded when they are first asked for.
   */
  days(siteId: number, from: number, to: number): Generator<Day, void>;
  /**
   * The same days without reading any: sealed ones with their facts, open ones by their parts, even
   * if they have no hits. `pause` is called between batches of the rows that are counted.
   */
  outline(siteId: number, from: number, to: number, pause?: () => void): DayOutline[];
  /** The same, and parts of which only marks are known; their times are 0. */
  outlineWithMarks(siteId: number, from: number, to: number, pause?: () => void): DayOutline[];
  /** As `day`, and where nothing but marks is known of it. */
  dayWithMarks(siteId: number, of: DayPart, pause?: () => void): Day[];
  /**
   * A part of a day as it is now, where it has hits. It is several smaller parts where the day was
   * open when the part was named, and has more parts now that it is sealed. If it has fewer now,
   * the parts that were named are together some of the day or all of it: the outline tells.
   * `pause` is called between batches of the rows that are read.
   */
  day(siteId: number, of: DayPart, pause?: () => void): Day[];
  /**
   * When the site's first hit came, in UTC milliseconds; null when it has none. `pause` is called
   * between days that are read for it.
   */
  firstAt(siteId: number, pause?: () => void): number | null;
  texts: TextReader;
  /** What was kept for earlier scans may be dropped for what is read from now on. */
  beginScan(): void;
  /**
   * Holds columns of sealed days; what is derived from them may be kept there too, under other
   * keys.
   */
  cache: ByteCache;
}

export type DayOutline =
  | (Pick<DayFacts, 'day' | 'part' | 'version' | 'hits' | 'firstAt' | 'lastAt'> & { sealed: true })
  | (DayPart & { sealed: false });

/** Whether a part may have hits. Of an open day that is not known. */
export const mayHaveHits = (of: DayOutline): boolean => !of.sealed || of.hits > 0;

export const dayReader = (db: Database, cacheBytesMax: number, openOptions?: OpenDaysOptions): DayReader => {
  const cache = createByteCache(cacheBytesMax);
  const sealed = sealedDays(db, cache);
  const withRows = daysWithRows(db);
  const open = openDays(db, openOptions);

  const outlineWithMarks = db.transaction((siteId: number, from: number, to: number, pause?: () => void) => {
    const [first, last] = [utcDayOf(from), utcDayOf(to - 1)];
    const ofSealed = sealed.between(siteId, first, last);
    const found: DayOutline[] = ofSealed.filter(facts => facts.hits > 0 || sealed.hasMarks(facts));
    const known = new Set(ofSealed.flatMap(({ day, part }) => (part.importId === undefined ? day : [])));
    const withoutKnown = new Set(withRows(siteId).flatMap(({ day }) => (known.has(day) ? [] : day)));
    // Whatever is asked for: what was read of a large day would stay in a file though it is sealed.
    open.keepOnly(siteId, withoutKnown);
    for (const day of withoutKnown) {
      if (day < first || day > last) continue;
      for (const part of partsOf(open.parts({ siteId, day }, pause))) found.push({ sealed: false, day, part });
    }
    return found.sort((a, b) => a.day - b.day);
  });

  const outline: DayReader['outline'] = (...of) => outlineWithMarks(...of).filter(mayHaveHits);

  const dayWithMarks = db.transaction((siteId: number, of: DayPart, pause?: () => void): Day[] => {
    const { importId } = of.part;
    const facts = sealed.between(siteId, of.day, of.day).filter(({ part }) => part.importId === importId);
    return facts.length === 0 && importId === undefined
      ? [open.read(siteId, of, pause)]
      : facts.filter(({ part }) => beginsIn(part, of.part)).map(sealed.day);
  });
  const day: DayReader['day'] = (...of) => dayWithMarks(...of).filter(({ hits }) => hits > 0);

  function* days(siteId: number, from: number, to: number): Generator<Day, void> {
    for (const of of outline(siteId, from, to)) yield* day(siteId, of);
  }

  const firstOfOpen = db
    .prepare(`select min(at) from hit where site_id = ? and day = ? and type <= ${lastHitCode}`)
    .pluck();
  const firstAt = db.transaction((siteId: number): number | null => {
    const ofSealed = sealed.firstAt(siteId);
    for (const { day: number } of withRows(siteId)) {
      if (ofSealed !== null && number * dayMs > ofSealed) break; // as most open days are
      if (sealed.between(siteId, number, number).some(({ part }) => part.importId === undefined)) continue;
      const at = firstOfOpen.get(siteId, number) as number | null;
      // An import may have brought an earlier one of the same day.
      if (at !== null) return Math.min(at, ofSealed ?? at);
    }
    return ofSealed;
  });

  const beginScan = (): void => {
    cache.beginScan();
    open.beginScan();
  };
  return { days, outline, outlineWithMarks, day, dayWithMarks, firstAt, texts: textReader(db), beginScan, cache };
};

export interface SealedFacts extends DayFacts {
  sealed: true;
  /** Of its row in `day_part`. */
  id: number;
}

type PartRow = Omit<DayFacts, 'part' | 'sealed'> & { id: number; number: number; parts: number; importId: number };

/** What an import brought is there when all of it is. */
const isThere = `sealed_at is not null and
  (import_id = 0 or exists (select 1 from import i where i.id = import_id and i.finished_at is not null))`;

interface SealedDays {
  /** The parts of the site's sealed days between two UTC days, both included, ascending. */
  between(siteId: number, first: number, last: number): SealedFacts[];
  day(facts: SealedFacts): Day;
  /** Whether there are visits of marks alone. */
  hasMarks(facts: SealedFacts): boolean;
  firstAt(siteId: number): number | null;
}

/** Gives a column that was read the form that is worth keeping. */
const formKeeper = (): ((column: Column) => Column) => {
  const worthKeeping = createKeeper();
  return column => {
    if (column.kind === 'hash') return column;
    if (column.kind === 'number') return { ...column, values: worthKeeping(column.values) };
    const codes = worthKeeping(column.codes);
    // The dictionary lies in the bytes that were read, which need not be kept for it alone.
    return codes === column.codes ? column : { ...column, codes, dictionary: column.dictionary.slice() };
  };
};

/** The same for a column that was made: as if it had been stored. */
export const columnKeeper = (): ((column: Column) => Column) => {
  const asKept = formKeeper();
  return column => {
    const values = column.kind === 'text' ? column.codes : column.values;
    const isKeptFlat = values instanceof BigUint64Array || (!isPacked(values) && isWorthItsRoom(values));
    return isKeptFlat ? column : asKept(decodeColumn(encodeColumn(column)));
  };
};

export const sealedDays = (db: Database, cache: ByteCache): SealedDays => {
  const columnData = db.prepare('select data from sealed_column where part_id = ? and name = ?').pluck();
  const isThereMark = db.prepare('select 1 from sealed_column where part_id = ? and name = ?').pluck();
  const asKept = formKeeper();
  /**
   * What was read of the day that was looked at last: the cache may have no room for it, and
   * several questions need it.
   */
  let atHand = { whose: '', columns: new Map<ColumnName, Column>() };

  const load = (facts: SealedFacts, name: ColumnName, of: Day): Column => {
    const { siteId, day, part } = facts;
    const data = columnData.get(facts.id, name) as Buffer | undefined;
    const derived = data === undefined ? derive(of, name) : undefined;
    if (derived !== undefined) return derived;
    const path = name === 'title' ? (): Column => of.column('path') : undefined;
    try {
      if (data !== undefined) return asKept(decodeColumn(data, path));
      if (!addedLater.has(name)) throw new ColumnError('missing');
      return nullColumn(facts, name);
    } catch (error) {
      if (!(error instanceof ColumnError)) throw error;
      throw new ColumnError(`column ${name} of site ${siteId}, day ${partName({ day, part })}: ${error.message}`);
    }
  };

  return {
    ...sealedFacts(db),
    day(facts) {
      const whose = `${facts.siteId} ${partName(facts, facts.version)}`;
      const day: Day = dayOver(facts, name => {
        if (atHand.whose !== whose) atHand = { whose, columns: new Map() };
        const column = atHand.columns.get(name) ?? cache.get(`${whose} ${name}`, () => load(facts, name, day));
        atHand.columns.set(name, column);
        return column;
      });
      return {
        ...day,
        marks() {
          const data = columnData.get(facts.id, marksName) as Buffer | undefined;
          return data && decodeMarks(facts, data);
        },
      };
    },
    hasMarks: ({ id }) => isThereMark.get(id, marksName) !== undefined,
  };
};

/** What is on record of sealed days. */
const sealedFacts = (db: Database): Pick<SealedDays, 'between' | 'firstAt'> => {
  const between = db.prepare(
    `select id, site_id as siteId, day, import_id as importId, number, parts, version, visits, hash_visits as hashVisits,
       hits, first_at as firstAt, last_at as lastAt
     from day_part where site_id = ? and day between ? and ? and ${isThere} order by day, import_id, number`,
  );
  const firstAt = db
    .prepare(`select min(first_at) from day_part where site_id = ? and hits > 0 and ${isThere}`)
    .pluck();
  return {
    between: (siteId, first, last) =>
      (between.all(siteId, first, last) as PartRow[]).map(({ number, parts, importId, ...facts }) => {
        const part = { number, of: parts, ...(importId !== 0 && { importId }) };
        return { ...facts, part, sealed: true };
      }),
    firstAt: siteId => firstAt.get(siteId) as number | null,
  };
};
