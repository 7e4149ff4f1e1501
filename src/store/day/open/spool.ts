/**
 * The rows of an open day that is too large for memory, in a temporary file: divided by the first
 * byte of the visitor's hash, so that any part of the day can be folded by itself. A scratch
 * database holds them as chunks, the columns of some hundred rows one after the other. The rows
 * that came last are in memory, until they fill a chunk.
 */
import { type Database, openScratch, orStoreError, type Statement } from '../../database.ts';
import { gather, gatherDoubles } from '../gather.ts';
import { type Part, partsMax, wholeDay } from '../part.ts';
import { DayRows, type HitExtra, type HitRows, type RowTable, rowTables } from './day-rows.ts';
import { type GrowingColumn, growingBytes, growingIntegers, type Values } from './growing-column.ts';
import { OpenDay } from './open-day.ts';
import type { RowSink } from './row-reader.ts';

export interface Spool extends RowSink {
  /** A part of the day, which folds more whenever rows have come. */
  part(part: Part): SpooledPart;
  /** Deletes the file. */
  close(): void;
}

export interface SpooledPart {
  /** The part as it is now. `pause` as in `OpenDays`. */
  open(pause?: () => void): OpenDay;
  /** What it takes in memory, about. */
  readonly bytes: number;
}

/** By the first byte of the hash. */
const shardCount = partsMax;

/** What a shard keeps in memory before it goes to the file as a chunk. */
const chunkBytes = 16 * 1024;

/** What it may take beyond that: hits that came one after the other may all be of one shard. */
const idleBytesMax = 4 * chunkBytes;

/** The file's pages in memory; they are seldom read twice. */
const fileCacheBytes = 1024 * 1024;

/** Rows of one shard. */
interface Shard {
  /** Those that are in no chunk. Their visits and hits are numbered from the day's first on. */
  rows: DayRows;
  /** For each chunk, how many rows there are up to its end. */
  chunks: Counts[];
}

type Counts = Record<RowTable, number>;
/** The columns of some rows, as in `DayRows.tables`. */
type Columns = Record<RowTable, readonly Values[]>;

const none: Counts = { visits: 0, hits: 0, revenues: 0, properties: 0, identities: 0 };

/** For a day of a database. The spool's callers get StoreError where the disk is full. */
export const createSpool = (db: Database, siteId: number, day: number): Spool => {
  const file = openScratch(db, fileCacheBytes);
  const chunks = chunkFile(file);
  /** By number; each from its first row on. */
  const shards = new Array<Shard | undefined>(shardCount);
  const visits = visitDirectory();

  /** Adds rows to a shard, and puts a full one into the file. */
  const addTo = (number: number, add: (rows: DayRows, first: number) => void): void => {
    shards[number] ??= emptyShard(siteId, day);
    const shard = shards[number];
    add(shard.rows, endOfChunks(shard).hits + shard.rows.hits.visit.length);
    if (shard.rows.usedBytes < chunkBytes) return;
    chunks.write(number, shard.chunks.length, shard.rows);
    shard.chunks.push(endOf(shard));
    shard.rows = emptied(shard.rows);
  };

  return {
    addVisits({ ids, columns }) {
      const numbers = new Uint8Array(columns[0]!.length);
      for (let i = 0; i < numbers.length; i++) numbers[i] = columns[0]![i]! >>> 24;
      visits.add(ids, numbers);
      const { order, runs } = byShard(numbers);
      const [idsOf, sorted] = [gatherDoubles(ids, order), columns.map(values => gather(values, order))];
      for (const { shard, from, to } of runs)
        addTo(shard, rows => rows.addVisits({ ids: idsOf.subarray(from, to), columns: between(sorted, from, to) }));
    },
    addHits(rows) {
      const of = visits.find(rows);
      const { order, runs } = byShard(of.shards);
      const sorted = [of.rows, ...rows.columns].map(values => gather(values, order));
      const extras = extrasIn(rows.extras, of.shards, order);
      for (const { shard, from, to } of runs) {
        const [visits, ...columns] = between(sorted, from, to) as [Uint32Array];
        const ofShard = (extras.get(shard) ?? []).map(([at, ...others]): HitExtra => [at - from, ...others]);
        addTo(shard, (to, first) => to.addHitsOf(visits, { columns, extras: ofShard }, first));
      }
    },
    part(part) {
      const open = new OpenDay(siteId, day, part);
      const readers = readersOf(part);
      return {
        open(pause = ignore) {
          const behind = readers.flatMap(reader => behindOf(reader, shards[reader.number]));
          if (behind.length > 0) open.add(rows => rows.reserve(sumOf(behind.map(({ missing }) => missing))));
          for (const { reader, shard } of behind) {
            open.add(rows => takeNew(reader, shard, rows, chunks));
            pause();
          }
          return open;
        },
        get bytes() {
          return open.bytes + readers.reduce((sum, { visitRows }) => sum + visitRows.bytes, 0);
        },
      };
    },
    close: () => file.close(),
  };
};

const ignore = (): void => {};

const emptyShard = (siteId: number, day: number): Shard => ({
  rows: new DayRows(siteId, day, wholeDay),
  chunks: [],
});

const emptied = (rows: DayRows): DayRows => {
  if (rows.bytes > idleBytesMax) return new DayRows(rows.siteId, rows.day, rows.part);
  rows.clear();
  return rows;
};

/** Rows in the order of their shards, and of each shard that has any where they are. */
const byShard = (numbers: Uint8Array): { order: Uint32Array; runs: { shard: number; from: number; to: number }[] } => {
  const ends = new Uint32Array(shardCount);
  for (let i = 0; i < numbers.length; i++) ends[numbers[i]!]!++;
  const runs: ReturnType<typeof byShard>['runs'] = [];
  for (let shard = 0, from = 0; shard < shardCount; shard++) {
    const to = from + ends[shard]!;
    if (to > from) runs.push({ shard, from, to });
    ends[shard] = from;
    from = to;
  }
  const order = new Uint32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) order[ends[numbers[i]!]!++] = i;
  return { order, runs };
};

const between = (columns: readonly Uint32Array[], from: number, to: number): Uint32Array[] =>
  columns.map(values => values.subarray(from, to));

/** By shard, with the place of each in the order of shards. */
const extrasIn = (extras: readonly HitExtra[], shards: Uint8Array, order: Uint32Array): Map<number, HitExtra[]> => {
  const found = new Map<number, HitExtra[]>();
  if (extras.length === 0) return found;
  const places = new Uint32Array(order.length);
  for (let place = 0; place < order.length; place++) places[order[place]!] = place;
  for (const [row, ...others] of extras) {
    const list = found.get(shards[row]!) ?? [];
    list.push([places[row]!, ...others]);
    found.set(shards[row]!, list);
  }
  return found;
};

/** Which shard each visit is in, and its row there: five bytes for each id. */
const visitDirectory = () => {
  let firstId: number | undefined;
  const shards = growingBytes();
  const rows = growingIntegers();
  /** By shard, how many visits it has. */
  const counts = new Uint32Array(shardCount);
  return {
    /** Ids ascend, over all calls. */
    add(ids: Float64Array, numbers: Uint8Array): void {
      firstId ??= ids[0]!;
      for (let i = 0; i < ids.length; i++) {
        shards.lengthen(ids[i]! - firstId, 0);
        rows.lengthen(ids[i]! - firstId, noRow);
        shards.push(numbers[i]!);
        rows.push(counts[numbers[i]!]!++);
      }
    },
    /** Throws for a hit without a visit. */
    find({ ids, visitIds }: Pick<HitRows, 'ids' | 'visitIds'>): { shards: Uint8Array; rows: Uint32Array } {
      const [allShards, allRows] = [shards.values(), rows.values()];
      const found = { shards: new Uint8Array(ids.length), rows: new Uint32Array(ids.length) };
      for (let i = 0; i < ids.length; i++) {
        const at = visitIds[i]! - firstId!;
        const row = allRows[at] ?? noRow;
        if (row === noRow) throw new Error(`hit ${ids[i]} belongs to no visit`);
        found.shards[i] = allShards[at]!;
        found.rows[i] = row;
      }
      return found;
    },
  };
};
const noRow = 0xffffffff;

const endOfChunks = ({ chunks }: Shard): Counts => chunks.at(-1) ?? none;

/** How many rows there are. */
const endOf = (shard: Shard): Counts => {
  const before = endOfChunks(shard);
  const { tables } = shard.rows;
  return countsBy(table => before[table] + tables[table][0]!.length);
};

const countsBy = (count: (table: RowTable) => number): Counts =>
  Object.fromEntries(rowTables.map(table => [table, count(table)])) as Counts;

/** What a part has of a shard. */
interface ShardReader {
  number: number;
  /** Rows that the part has. */
  taken: Counts;
  /** The part's row of each visit of the shard. */
  visitRows: GrowingColumn<Uint32Array>;
}

/** Of the shards of a part. */
const readersOf = ({ number, of }: Part): ShardReader[] => {
  const perPart = shardCount / of;
  return Array.from({ length: perPart }, (_, i) => readerOf(number * perPart + i));
};
const readerOf = (number: number): ShardReader => ({ number, taken: { ...none }, visitRows: growingIntegers() });

/** How many rows of a shard a part does not have yet; empty if it has all. */
const behindOf = (reader: ShardReader, shard: Shard | undefined) => {
  if (shard === undefined) return [];
  const end = endOf(shard);
  const missing = countsBy(table => end[table] - reader.taken[table]);
  return missing.visits > 0 || missing.hits > 0 ? [{ reader, shard, missing }] : [];
};

const sumOf = (counts: readonly Counts[]): Counts =>
  countsBy(table => counts.reduce((sum, count) => sum + count[table], 0));

/** Adds the rows of a shard that a part does not have yet. */
const takeNew = (reader: ShardReader, shard: Shard, to: DayRows, file: ChunkFile): void => {
  const { number, taken } = reader;
  shard.chunks.forEach((end, chunk) => {
    if (end.visits <= taken.visits && end.hits <= taken.hits) return;
    const start = shard.chunks[chunk - 1] ?? none;
    take(reader, to, file.read(number, chunk, start, end), start);
  });
  const { tables } = shard.rows;
  const inMemory = Object.fromEntries(rowTables.map(table => [table, tables[table].map(column => column.values())]));
  take(reader, to, inMemory as unknown as Columns, endOfChunks(shard));
};

/** `start` says which rows of the shard the columns begin with. */
const take = ({ taken, visitRows }: ShardReader, to: DayRows, columns: Columns, start: Counts): void => {
  const { tables } = to;
  const [firstVisit, firstHit] = [to.visits.id.length, to.hits.visit.length];
  const newOf = (table: RowTable): Values[] =>
    columns[table].map(values => values.subarray(taken[table] - start[table]));
  const visits = newOf('visits');
  for (let i = 0; i < visits[0]!.length; i++) visitRows.push(firstVisit + i);
  const ofVisits = visitRows.values();
  const shift = firstHit - taken.hits;
  for (const table of rowTables) {
    const [first, ...others] = table === 'visits' ? visits : newOf(table);
    const referring = table === 'visits' ? first! : first!.slice();
    if (table === 'hits') for (let i = 0; i < referring.length; i++) referring[i] = ofVisits[referring[i]!]!;
    else if (table !== 'visits') for (let i = 0; i < referring.length; i++) referring[i]! += shift;
    [referring, ...others].forEach((values, i) => {
      tables[table][i]!.append(values);
    });
    taken[table] += first!.length;
  }
};

type ChunkFile = ReturnType<typeof chunkFile>;

const chunkFile = (file: Database) => {
  file.exec('create table chunk (id integer primary key, data blob not null)');
  const insert: Statement = file.prepare('insert into chunk (id, data) values (?, ?)');
  const select = file.prepare('select data from chunk where id = ?').pluck();
  /** The chunks of a shard lie together. */
  const idOf = (shard: number, chunk: number): number => shard * 2 ** 32 + chunk;
  return {
    write(shard: number, chunk: number, rows: DayRows) {
      orStoreError(
        () => insert.run(idOf(shard, chunk), encodeRows(rows)),
        'The temporary file of a large day cannot be written',
      );
    },
    read: (shard: number, chunk: number, start: Counts, end: Counts) =>
      decodeRows(select.get(idOf(shard, chunk)) as Buffer, start, end),
  };
};

const padded = (bytes: number): number => 8 * Math.ceil(bytes / 8);

/** All columns one after the other, each from a multiple of 8 bytes on. */
const encodeRows = (rows: DayRows): Uint8Array => {
  const columns = Object.values(rows.tables).flatMap(table => table.map(column => column.values()));
  const bytes = new Uint8Array(columns.reduce((sum, { byteLength }) => sum + padded(byteLength), 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += padded(byteLength);
  }
  return bytes;
};

/** The kind of each column's values. */
const kinds = Object.entries(new DayRows(0, 0, wholeDay).tables).map(
  ([table, columns]) =>
    [
      table as RowTable,
      columns.map(
        column => column.values().constructor as new (buffer: ArrayBufferLike, at: number, length: number) => Values,
      ),
    ] as const,
);

const decodeRows = (read: Buffer, start: Counts, end: Counts): Columns => {
  const bytes = read.byteOffset % 8 === 0 ? read : new Uint8Array(read);
  let at = bytes.byteOffset;
  const columnsOf = (table: RowTable, of: (typeof kinds)[number][1]): Values[] =>
    of.map(Kind => {
      const values = new Kind(bytes.buffer, at, end[table] - start[table]);
      at += padded(values.byteLength);
      return values;
    });
  return Object.fromEntries(kinds.map(([table, of]) => [table, columnsOf(table, of)])) as unknown as Columns;
};
