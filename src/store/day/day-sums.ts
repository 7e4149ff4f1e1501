/**
 * What whole sealed days add up to, kept beside them (`day_sum` in schema.sql). A day is known by
 * its version: of one that has changed since, what is kept is out of date, and the day is scanned
 * until it is summed again. Which sums there are: query/questions/kept-sums.ts.
 */
import type { Database } from '../database.ts';
import { deleteSome } from '../tables.ts';

export interface DaySum {
  name: string;
  data: Uint8Array;
}

export interface StoredSum extends DaySum {
  day: number;
  version: string;
}

export interface DaySums {
  /** The days of a site that have sums. */
  days(siteId: number): number[];
  /** The sums of a name on days from one to another, both included, ascending. */
  between(siteId: number, name: string, first: number, last: number): StoredSum[];
  ofDay(siteId: number, day: number): StoredSum[];
  /** All names that sums of a site have. */
  names(siteId: number): string[];
  /** The first and the last day of a site that is sealed, or was when it was summed. */
  span(siteId: number): { first: number; last: number };
  /**
   * Keeps sums of a version of a day, in their order. Those of other versions go before. Each step
   * is one short transaction.
   */
  put(siteId: number, day: number, version: string, sums: readonly DaySum[]): Generator<void>;
  /** Has the sums of a version of a day be those of another, in as short steps. */
  renew(siteId: number, day: number, version: string, to: string): Generator<void>;
  dropDay(siteId: number, day: number): void;
  /** In as short steps. */
  dropName(siteId: number, name: string): Generator<void>;
}

/** Rows of one step: each may hold some ten kilobytes. */
export const sumsPerStep = 20;

export const daySums = (db: Database): DaySums => {
  const select = 'select name, day, version, data from day_sum where site_id = ?';
  const between = db.prepare(`${select} and name = ? and day between ? and ? order by day`);
  const ofDay = db.prepare(`${select} and day = ? order by name`);
  // A name may be empty.
  const firstName = db.prepare('select min(name) from day_sum where site_id = ?').pluck();
  const nextName = db.prepare('select min(name) from day_sum where site_id = ? and name > ?').pluck();
  const span = db.prepare(
    `select min(day) as first, max(day) as last from (
       select day from day_part where site_id = @siteId and sealed_at is not null
       union all select day from day_sum where site_id = @siteId)`,
  );
  const put = db.prepare('replace into day_sum (site_id, name, day, version, data) values (?, ?, ?, ?, ?)');
  // The sum whose name others begin with comes last: it says that these are there.
  const renewSome = db.prepare(
    `update day_sum set version = @to where site_id = @siteId and day = @day and name in (
       select name from day_sum where site_id = @siteId and day = @day and version = @version
       order by name desc limit ${sumsPerStep})`,
  );
  const dropDay = db.prepare('delete from day_sum where site_id = ? and day = ?');
  const days = db.prepare('select distinct day from day_sum where site_id = ?').pluck();

  const stepsOf = (condition: string) => {
    const drop = db.prepare(deleteSome(db, 'day_sum', sumsPerStep, condition));
    return function* (of: { siteId: number } & Record<string, unknown>): Generator<void> {
      while (drop.run(of).changes > 0) yield;
    };
  };
  const dropOthers = stepsOf('day = @day and version <> @version');
  const dropName = stepsOf('name = @name');
  const putSome = db.transaction((siteId: number, day: number, version: string, some: readonly DaySum[]): void => {
    for (const { name, data } of some) put.run(siteId, name, day, version, data);
  }).immediate;

  return {
    days: siteId => days.all(siteId) as number[],
    between: (...of) => between.all(...of) as StoredSum[],
    ofDay: (siteId, day) => ofDay.all(siteId, day) as StoredSum[],
    names(siteId) {
      const found: string[] = [];
      let name = firstName.get(siteId) as string | null;
      for (; name !== null; name = nextName.get(siteId, name) as string | null) found.push(name);
      return found;
    },
    span(siteId) {
      const { first, last } = span.get({ siteId }) as Record<'first' | 'last', number | null>;
      return { first: first ?? 0, last: last ?? -1 };
    },
    *put(siteId, day, version, sums) {
      yield* dropOthers({ siteId, day, version });
      for (let at = 0; at < sums.length; at += sumsPerStep) {
        putSome(siteId, day, version, sums.slice(at, at + sumsPerStep));
        yield;
      }
    },
    *renew(siteId, day, version, to) {
      while (renewSome.run({ siteId, day, version, to }).changes > 0) yield;
    },
    dropDay: (siteId, day) => void dropDay.run(siteId, day),
    dropName: (siteId, name) => dropName({ siteId, name }),
  };
};

/**
 * Another text whenever sealed days, rules, or settings that sums depend on may be others than they
 * were.
 */
export const stateOfDays = (db: Database): (() => string) => {
  const state = db
    .prepare(
      `select json_array(
         (select seq from sqlite_sequence where name = 'day_part'), (select json_group_array(id) from rule),
         (select json_group_array(id) from import where finished_at is not null),
         (select json_group_array(digest) from site), (select json_group_array(body) from definition where kind = 'goal'))`,
    )
    .pluck();
  return () => state.get() as string;
};

/** Lists of whole numbers, not negative and equally many in each: 7 bits a byte, low bits first. */
export const packLists = (lists: readonly ArrayLike<number>[]): Uint8Array => {
  const count = lists[0]?.length ?? 0;
  const bytes = new Uint8Array(8 * (1 + lists.length * count));
  let at = 0;
  const put = (value: number): void => {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 128;
    bytes[at++] = rest;
  };
  put(count);
  for (const list of lists) for (let i = 0; i < count; i++) put(list[i]!);
  return bytes.slice(0, at);
};

/** Memory for lists until it is cleared: to make each anew would take longer than to read it. */
export interface Room {
  /** With unknown content. */
  words(length: number): Uint32Array;
  doubles(length: number): Float64Array;
  /** Bytes of what is lent. */
  lent(): number;
  /** What was lent until now is lent again. */
  clear(): void;
}

export const createRoom = (): Room => {
  let buffer = new ArrayBuffer(65_536);
  let end = 0;
  /** Of buffers that were too small: their lists still lie there. */
  let before = 0;
  const lend = (bytes: number): number => {
    if (end + bytes > buffer.byteLength) {
      before += end;
      buffer = new ArrayBuffer(Math.max(2 * buffer.byteLength, bytes));
      end = 0;
    }
    const from = end;
    end += Math.ceil(bytes / 8) * 8;
    return from;
  };
  return {
    words(length) {
      const from = lend(4 * length);
      return new Uint32Array(buffer, from, length);
    },
    doubles(length) {
      const from = lend(8 * length);
      return new Float64Array(buffer, from, length);
    },
    lent: () => before + end,
    clear() {
      [before, end] = [0, 0];
    },
  };
};

/** So many of the lists, and where the next one begins. */
export const unpackLists = (
  bytes: Uint8Array,
  lists: number,
  room: Room,
  from = 0,
): { lists: Float64Array[]; end: number } => {
  let end = readNumbers(bytes, from, one);
  const count = one[0]!;
  const found: Float64Array[] = [];
  while (found.length < lists) {
    const list = room.doubles(count);
    end = readNumbers(bytes, end, list);
    found.push(list);
  }
  return { lists: found, end };
};

/** The same of numbers below 2^32, which takes half as long. */
export const unpackWords = (bytes: Uint8Array, lists: number, room: Room, from = 0): Uint32Array[] => {
  let end = readNumbers(bytes, from, one);
  const count = one[0]!;
  const found: Uint32Array[] = [];
  while (found.length < lists) {
    const list = room.words(count);
    end = readWords(bytes, end, list);
    found.push(list);
  }
  return found;
};

const one = new Float64Array(1);

const readNumbers = (bytes: Uint8Array, from: number, to: Float64Array): number => {
  let at = from;
  for (let i = 0; i < to.length; i++) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = bytes[at++]!;
      value += (byte & 127) * scale;
    }
    to[i] = value;
  }
  return at;
};

const readWords = (bytes: Uint8Array, from: number, to: Uint32Array): number => {
  let at = from;
  for (let i = 0; i < to.length; i++) {
    let byte = bytes[at++]!;
    let value = byte & 127;
    for (let shift = 7; byte >= 128; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 127) << shift;
    }
    to[i] = value;
  }
  return at;
};
