/**
 * Reads rows of open days as columns. SQLite gives all rows of a batch as one text, in which a
 * character is a number of up to 20 bits: that takes a fifth of what rows as JSON take.
 */
import { pageFields, visitAttributes } from '../../../model/columns.ts';
import { snakeCase } from '../../../model/snake-case.ts';
import { dayMs } from '../../../model/time.ts';
import type { Database } from '../../database.ts';
import { positionAmong } from '../ascending.ts';
import type { HitExtra, HitRows, VisitRows } from './day-rows.ts';

/** Where the reading of a day has come to: the ids of the last rows. */
export interface ReadTo {
  visitId: number;
  hitId: number;
}

export interface RowSink {
  addVisits(rows: VisitRows): void;
  /** The hits' visits were added before. */
  addHits(rows: HitRows): void;
}

/** Reads the next rows of a day, visits first; tells whether there may be more. */
export type RowReader = (siteId: number, day: number, readTo: ReadTo, sink: RowSink) => boolean;

/**
 * Rows with so many ids, those of other sites included, are read at once: a range of ids is read
 * faster than a number of rows. Also how many rows are enough for a turn.
 */
const idsPerRead = 8192;

export const rowReader = (db: Database): RowReader => {
  const readerOf = <Rows extends { ids: Float64Array }>(
    table: string,
    reader: (db: Database, condition: string, ofId: string) => ReadRows<Rows>,
  ) => {
    const next = db
      .prepare(`select id from ${table} where site_id = ? and day = ? and id > ? order by id limit 1`)
      .pluck();
    const read = reader(db, `id >= @from and id < @from + ${idsPerRead}`, 'id - @from');
    /** Reads up to a number of rows, or some more. Returns how many, and the last id. */
    return (siteId: number, day: number, after: number, count: number, add: (rows: Rows) => void) => {
      let [rows, last] = [0, after];
      while (rows < count) {
        const first = next.get(siteId, day, last) as number | undefined;
        if (first === undefined) break;
        const found = read({ siteId, day, from: first });
        add(found);
        rows += found.ids.length;
        last = found.ids.at(-1)!;
      }
      return { rows, last };
    };
  };
  const [readVisits, readHits] = [readerOf('visit', visitReader), readerOf('hit', hitReader)];
  return (siteId, day, readTo, sink) => {
    const visits = readVisits(siteId, day, readTo.visitId, idsPerRead, rows => sink.addVisits(rows));
    readTo.visitId = visits.last;
    if (visits.rows >= idsPerRead) return true;
    const hits = readHits(siteId, day, readTo.hitId, idsPerRead, rows => sink.addHits(rows));
    readTo.hitId = hits.last;
    return hits.rows >= idsPerRead;
  };
};

interface RowsOfDay {
  siteId: number;
  day: number;
  /** Ids are counted from here. */
  from: number;
  /** What the condition asks for besides. */
  ids?: string;
}
type ReadRows<Rows> = (of: RowsOfDay) => Rows;

/**
 * Reads visits of a day that a condition with parameters selects, ascending by id. `ofId` is what
 * tells the id: `id - @from` where that fits into a character.
 */
export const visitReader = (db: Database, condition: string, ofId = 'id'): ReadRows<VisitRows> => {
  const read = columnReader<Uint8Array | null>(db, {
    ...{ table: 'visit', condition, ids: [ofId], numbers: ['persistent', 'seen_before'] },
    ...{ texts: visitAttributes.map(snakeCase), beside: `cast(group_concat(visitor, '') as blob)` },
  });
  return of => {
    const { ids, others, beside } = read(of);
    const hashes = beside ?? new Uint8Array(0);
    return { ids: ids[0]!, columns: [wordsOf(hashes, 0), wordsOf(hashes, 4), ...others] };
  };
};

/** The same of hits. */
export const hitReader = (db: Database, condition: string, ofId = 'id'): ReadRows<HitRows> => {
  const read = columnReader<string>(db, {
    ...{ table: 'hit', condition, ids: [ofId, 'visit_id'], texts: pageFields },
    numbers: ['at - @midnight', 'type', 'duration', 'scroll + 1'],
    beside: `json_group_array(json_array(id, amount, currency, json(properties)))
      filter (where amount is not null or properties is not null)`,
  });
  return of => {
    const { ids, others, beside } = read(of);
    const extras = (JSON.parse(beside) as HitExtra[]).map(
      ([id, ...extra]): HitExtra => [positionAmong(ids[0]!, id), ...extra],
    );
    return { ids: ids[0]!, visitIds: ids[1]!, columns: others, extras };
  };
};

interface ReadColumns {
  table: string;
  condition: string;
  ids: readonly string[];
  /** Expressions of up to 32 bits; null is read as 0. */
  numbers: readonly string[];
  /** Columns with ids of texts, or as large numbers. */
  texts: readonly string[];
  /** What else is read of all rows together. */
  beside: string;
}

/** The bits of a character. There are more, but not all numbers of 21 bits are characters. */
const [bits, most] = [20, 0xfffff];
/** Numbers that fit into a character. */
const small = new Set(['id - @from', 'type', 'persistent', 'seen_before', 'scroll + 1']);

const columnReader = <Beside>(db: Database, { table, condition, ids, numbers, texts, beside }: ReadColumns) => {
  const all = [...ids, ...numbers, ...texts];
  const prepare = (isOne: (name: string) => boolean) => {
    const characters = all.map(name => (isOne(name) ? name : `(${name}) >> ${bits}, (${name}) & ${most}`));
    const statement = db.prepare(
      `select cast(group_concat(char(${characters}), '') as blob) as characters, ${beside} as beside
       from ${table} where site_id = @siteId and day = @day and ${condition}`,
    );
    return { statement, widths: all.map(name => (isOne(name) ? 1 : 2)) };
  };
  const ofFewTexts = prepare(name => small.has(name) || (texts.includes(name) && name !== 'screen'));
  const ofManyTexts = prepare(name => small.has(name));
  const lastText = db.prepare('select id from text where site_id = ? order by id desc limit 1').pluck();

  return (of: RowsOfDay): { ids: Float64Array[]; others: Uint32Array[]; beside: Beside } => {
    const isOfMany = ((lastText.get(of.siteId) as number | undefined) ?? 0) > most;
    const { statement, widths } = isOfMany ? ofManyTexts : ofFewTexts;
    const found = statement.get({ ...of, midnight: of.day * dayMs }) as {
      characters: Uint8Array | null;
      beside: Beside;
    };
    const bytes = found.characters ?? new Uint8Array(0);
    const perRow = widths.reduce((sum, width) => sum + width, 0);
    const codes = new Uint32Array(bytes.length);
    const rows = readCharacters(bytes, codes) / perRow;
    let at = 0;
    const columns = widths.map((width, i) => {
      const column = i < ids.length ? new Float64Array(rows) : new Uint32Array(rows);
      takeColumn(codes, perRow, at, width, column);
      at += width;
      return column;
    });
    if (ids[0] !== 'id') for (let row = 0; row < rows; row++) columns[0]![row]! += of.from;
    // They come in the order of the key by which they are found, which no sorting has to see to.
    if (!isAscending(columns[0]!)) throw new Error(`rows of ${table} are not in order`);
    return {
      ids: columns.slice(0, ids.length) as Float64Array[],
      others: columns.slice(ids.length) as Uint32Array[],
      beside: found.beside,
    };
  };
};

// Each loop stands in a function of its own, which is compiled sooner.

/** The characters of a text in UTF-8, and how many they are. */
const readCharacters = (bytes: Uint8Array, to: Uint32Array): number => {
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at]!;
    if (first < 0x80) {
      to[count++] = first;
      at++;
    } else if (first < 0xe0) {
      to[count++] = ((first & 0x1f) << 6) | (bytes[at + 1]! & 0x3f);
      at += 2;
    } else if (first < 0xf0) {
      to[count++] = ((first & 0xf) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f);
      at += 3;
    } else {
      const low = ((bytes[at + 1]! & 0x3f) << 12) | ((bytes[at + 2]! & 0x3f) << 6) | (bytes[at + 3]! & 0x3f);
      to[count++] = ((first & 7) << 18) | low;
      at += 4;
    }
  }
  return count;
};

const takeColumn = (
  codes: Uint32Array,
  perRow: number,
  at: number,
  width: number,
  to: Uint32Array | Float64Array,
): void => {
  if (width === 1) for (let row = 0, code = at; row < to.length; row++, code += perRow) to[row] = codes[code]!;
  else
    for (let row = 0, code = at; row < to.length; row++, code += perRow)
      to[row] = codes[code]! * (most + 1) + codes[code + 1]!;
};

const isAscending = (values: ArrayLike<number>): boolean => {
  for (let i = 1; i < values.length; i++) if (values[i]! <= values[i - 1]!) return false;
  return true;
};

/** Of each eight bytes, the four from one on. */
const wordsOf = (bytes: Uint8Array, from: number): Uint32Array => {
  const words = new Uint32Array(bytes.length / 8);
  for (let i = 0, at = from; i < words.length; i++, at += 8)
    words[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  return words;
};
