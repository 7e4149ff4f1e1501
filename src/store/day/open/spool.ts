/**
 * The rows of an open day that is too large for memory, in a temporary file: divided by the first
 * byte of the visitor's hash, so that any part of the day can be folded by itself. A scratch
 * database holds them as chunks, the columns of some hundred rows one after the other. The rows
 * that came last are in memory, until they fill a chunk.
 */
import { type Database, openScratch, orStoreError, type Statement } from '../../database.ts';
import { type Part, partsMax, wholeDay } from '../part.ts';
import { DayRows, type OpenHitRow, type OpenVisitRow, type RowTable, rowTables } from './day-rows.ts';
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

/** Rows of all shards that wait in the form in which they are read. */
const waitingMax = 20_000;

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
  waitingVisits: OpenVisitRow[];
  waitingHits: OpenHitRow[];
  /** Of each of `waitingHits`, the row of its visit, and its number in the day. */
  visitsOfWaiting: number[];
  numbersOfWaiting: number[];
  /** How many visits have come, waiting ones included. */
  visits: number;
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
  let waiting = 0;
  /** How many have come. */
  let hits = 0;

  /** Puts the rows that wait into columns, and full columns into the file. */
  const settle = (): void => {
    waiting = 0;
    shards.forEach((shard, number) => {
      if (shard === undefined) return;
      settleShard(shard);
      if (shard.rows.usedBytes < chunkBytes) return;
      chunks.write(number, shard.chunks.length, shard.rows);
      shard.chunks.push(endOf(shard));
      shard.rows = emptied(shard.rows);
    });
  };
  const added = (rows: number): void => {
    waiting += rows;
    if (waiting >= waitingMax) settle();
  };

  return {
    addVisits(rows) {
      for (const row of rows) {
        const number = Number.parseInt(row[1].slice(0, 2), 16);
        shards[number] ??= emptyShard(siteId, day);
        shards[number].waitingVisits.push(row);
        visits.add(row[0], number, shards[number].visits++);
      }
      added(rows.length);
    },
    addHits(rows) {
      for (const row of rows) {
        const visit = visits.find(row[1]);
        if (visit === undefined) throw new Error(`hit ${row[0]} belongs to no visit`);
        const shard = shards[visit.shard]!;
        shard.waitingHits.push(row);
        shard.visitsOfWaiting.push(visit.row);
        shard.numbersOfWaiting.push(hits++);
      }
      added(rows.length);
    },
    part(part) {
      const open = new OpenDay(siteId, day, part);
      const readers = readersOf(part);
      return {
        open(pause = ignore) {
          if (waiting > 0) settle();
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
  waitingVisits: [],
  waitingHits: [],
  visitsOfWaiting: [],
  numbersOfWaiting: [],
  visits: 0,
  chunks: [],
});

const emptied = (rows: DayRows): DayRows => {
  if (rows.bytes > idleBytesMax) return new DayRows(rows.siteId, rows.day, rows.part);
  rows.clear();
  return rows;
};

const settleShard = (shard: Shard): void => {
  const { rows, waitingVisits, waitingHits, visitsOfWaiting: visits, numbersOfWaiting: numbers } = shard;
  if (waitingVisits.length > 0) rows.addVisits(waitingVisits);
  if (waitingHits.length > 0) rows.addSomeHits(waitingHits, { first: endOf(shard).hits, visits, numbers });
  shard.waitingVisits = [];
  shard.waitingHits = [];
  shard.visitsOfWaiting = [];
  shard.numbersOfWaiting = [];
};

/** Which shard each visit is in, and its row there: five bytes for each id. */
const visitDirectory = () => {
  let firstId: number | undefined;
  const shards = growingBytes();
  const rows = growingIntegers();
  return {
    /** Ids ascend. */
    add(id: number, shard: number, row: number): void {
      firstId ??= id;
      shards.lengthen(id - firstId, 0);
      rows.lengthen(id - firstId, noRow);
      shards.push(shard);
      rows.push(row);
    },
    find(id: number): { shard: number; row: number } | undefined {
      const at = id - (firstId ?? id);
      const row = rows.values()[at];
      return row === undefined || row === noRow ? undefined : { shard: shards.values()[at]!, row };
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

interface ChunkFile {
  write(shard: number, chunk: number, rows: DayRows): void;
  read(shard: number, chunk: number, start: Counts, end: Counts): Columns;
}

const chunkFile = (file: Database): ChunkFile => {
  file.exec('create table chunk (id integer primary key, data blob not null)');
  const insert: Statement = file.prepare('insert into chunk (id, data) values (?, ?)');
  const select = file.prepare('select data from chunk where id = ?').pluck();
  /** The chunks of a shard lie together. */
  const idOf = (shard: number, chunk: number): number => shard * 2 ** 32 + chunk;
  return {
    write(shard, chunk, rows) {
      orStoreError(
        () => insert.run(idOf(shard, chunk), encodeRows(rows)),
        'The temporary file of a large day cannot be written',
      );
    },
    read: (shard, chunk, start, end) => decodeRows(select.get(idOf(shard, chunk)) as Buffer, start, end),
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
