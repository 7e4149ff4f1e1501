/**
 * Reads days for a worker thread: sealed ones column by column through a cache that is bounded in bytes, open ones by folding
 * their rows. One reader serves one thread and one connection.
 */
import type { ColumnName } from '../../model/columns.ts';
import { utcDayOf } from '../../model/time.ts';
import { type VisitText, visitTexts } from '../../model/visit-fields.ts';
import type { Database } from '../database.ts';
import { type TextReader, textReader } from '../texts.ts';
import { type ByteCache, createByteCache } from './byte-cache.ts';
import { type Column, ColumnError, decodeColumn } from './column-codec.ts';
import { type Day, type DayFacts, dayOver, textColumn } from './day.ts';
import { daysWithRows, openDays } from './open/open-days.ts';
import { type Edges, edgesOf, type FoundEdges, openEdges, widened } from './open/open-edges.ts';
import { createKeeper } from './unpack.ts';

export interface DayReader {
  /**
   * The site's days that may hold hits at `from <= at < to`, ascending, all as of one moment. Days without hits are left out.
   * Columns are loaded when they are first asked for.
   */
  days(siteId: number, from: number, to: number): Day[];
  /** The same days without reading any: sealed ones with their facts, open ones by their number, perhaps with one that has no hits. */
  outline(siteId: number, from: number, to: number): DayOutline[];
  /** One day as it is now; undefined where no hit is left of it. `pause` is called between batches of the rows that are read for it. */
  day(siteId: number, day: number, pause?: () => void): Day | undefined;
  /** Of all that the site has; null when it has no hits. */
  edges(siteId: number): Edges | null;
  texts: TextReader;
  /** Holds columns of sealed days; what is derived from them may be kept there too, under other keys. */
  cache: ByteCache;
}

export type DayOutline = (DayFacts & { sealed: true }) | { sealed: false; day: number };

interface SealedRow {
  day: number;
  visits: number;
  hash_visits: number;
  hits: number;
  first_at: number;
  last_at: number;
}

export const dayReader = (db: Database, cacheBytesMax: number): DayReader => {
  const sealedRows = db.prepare(
    'select day, visits, hash_visits, hits, first_at, last_at from sealed_day where site_id = ? and day between ? and ? order by day',
  );
  const columnData = db.prepare('select data from sealed_column where site_id = ? and day = ? and name = ?').pluck();
  const withRows = daysWithRows(db);
  const open = openDays(db);
  const cache = createByteCache(cacheBytesMax);
  const worthKeeping = createKeeper();

  const asKept = (column: Column): Column => {
    if (column.kind === 'hash') return column;
    if (column.kind === 'number') return { ...column, values: worthKeeping(column.values) };
    const codes = worthKeeping(column.codes);
    // The dictionary lies in the bytes that were read, which need not be kept for it alone.
    return codes === column.codes ? column : { ...column, codes, dictionary: column.dictionary.slice() };
  };

  /** What was read of the day that is being looked at: the cache may have no room for it, and several asks need the same columns. */
  let atHand = nothingAtHand();

  const loadColumn = ({ siteId, day, visits }: DayFacts, name: ColumnName): Column => {
    const data = columnData.get(siteId, day, name) as Buffer | undefined;
    try {
      if (data !== undefined) return asKept(decodeColumn(data));
      if (!addedLater.has(name)) throw new ColumnError('missing');
      return textColumn(new Uint32Array(visits));
    } catch (error) {
      if (!(error instanceof ColumnError)) throw error;
      throw new ColumnError(`column ${name} of site ${siteId}, day ${day}: ${error.message}`);
    }
  };

  const factsOf = (siteId: number, row: SealedRow): DayFacts & { sealed: true } => ({
    siteId,
    day: row.day,
    sealed: true,
    visits: row.visits,
    hits: row.hits,
    hashVisits: row.hash_visits,
    firstAt: row.first_at,
    lastAt: row.last_at,
  });

  const sealedDay = (facts: DayFacts): Day => {
    const { siteId, day } = facts;
    const whose = `${siteId} ${day}`;
    return dayOver(facts, name => {
      if (atHand.whose !== whose) atHand = { whose, columns: new Map() };
      const found = atHand.columns.get(name) ?? cache.get(`${whose} ${name}`, () => loadColumn(facts, name));
      atHand.columns.set(name, found);
      return found;
    });
  };

  const outline = db.transaction((siteId: number, from: number, to: number): DayOutline[] => {
    const first = utcDayOf(from);
    const last = utcDayOf(to - 1);
    atHand = nothingAtHand();
    const found = new Map<number, DayOutline>();
    for (const row of sealedRows.all(siteId, first, last) as SealedRow[]) {
      found.set(row.day, factsOf(siteId, row));
      open.forget(siteId, row.day);
    }
    for (const { day } of withRows(siteId))
      if (day >= first && day <= last && !found.has(day)) found.set(day, { sealed: false, day });
    return [...found.values()].filter(day => !day.sealed || day.hits > 0).sort((a, b) => a.day - b.day);
  });

  const day = db.transaction((siteId: number, number: number, pause?: () => void): Day | undefined => {
    const row = sealedRows.get(siteId, number, number) as SealedRow | undefined;
    const found = row === undefined ? open.read(siteId, number, pause) : sealedDay(factsOf(siteId, row));
    return found.hits > 0 ? found : undefined;
  });

  const days = db.transaction((siteId: number, from: number, to: number): Day[] =>
    outline(siteId, from, to).flatMap(({ day: number }) => day(siteId, number) ?? []),
  );

  const sealedEdges = db.prepare(
    'select min(first_at) as firstAt, max(last_at) as lastAt from sealed_day where site_id = ? and hits > 0',
  );
  const edgesOfOpen = openEdges(db);
  const edges = db.transaction((siteId: number): Edges | null => {
    const ofSealed = edgesOf(sealedEdges.get(siteId) as FoundEdges);
    const ofOpen = withRows(siteId)
      .filter(({ day: number }) => sealedRows.get(siteId, number, number) === undefined)
      .map(({ day: number }) => edgesOfOpen(siteId, number));
    return ofOpen.reduce(widened, ofSealed);
  });

  return {
    days,
    outline,
    day,
    edges,
    texts: textReader(db),
    cache,
  };
};

/** Columns that days sealed by an earlier version don't have. */
const addedLater: ReadonlySet<string> = new Set(
  Object.entries<VisitText>(visitTexts).flatMap(([name, { since }]) => (since === undefined ? [] : [name])),
);

const nothingAtHand = (): { whose: string; columns: Map<ColumnName, Column> } => ({ whose: '', columns: new Map() });
