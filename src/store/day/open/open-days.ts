/**
 * Open days: their rows are read as they come, and folded into columns for queries and for sealing.
 */
import { dayMs } from '../../../model/time.ts';
import type { Database, Statement } from '../../database.ts';
import type { Day } from '../day.ts';
import { rowsBetween } from '../gather.ts';
import { withHits } from '../some-hits.ts';
import { DayRows, hitRowColumns, type OpenHitRow, type OpenVisitRow, visitRowColumns } from './day-rows.ts';
import { Fold } from './fold.ts';
import { type RemovedRows, removedHits } from './removed-rows.ts';
import { sortRows } from './sort.ts';

export interface SiteDay {
  siteId: number;
  day: number;
}

/**
 * Every (site, day) that has rows, ascending: a seek each, however many rows there are. Sealed days
 * not yet trimmed are among them.
 */
export const daysWithRows = (db: Database): ((siteId?: number) => SiteDay[]) => {
  // Beyond the highest id there can be: without it SQLite would walk over every visit of the day
  // that it starts from.
  const next = db.prepare(
    `select site_id as siteId, day from visit where (site_id, day, id) > (?, ?, ${2n ** 63n - 1n})
     order by site_id, day, id limit 1`,
  );
  return siteId => {
    const found: SiteDay[] = [];
    let at: SiteDay | undefined = { siteId: siteId ?? 0, day: Number.MIN_SAFE_INTEGER };
    while (true) {
      at = next.get(at.siteId, at.day) as SiteDay | undefined;
      if (at === undefined || (siteId !== undefined && at.siteId !== siteId)) return found;
      found.push(at);
    }
  };
};

/**
 * Rows read at once, as one JSON array of arrays: parsing that is twice as fast as taking each
 * value of each row from the binding. So many are cheaper a row than one by one, and still fit into
 * the processor's cache.
 */
const rowsPerRead = 2000;

/** Columns that are not read as they are: JSON has no bytes, and has arrays. */
const inJson: Record<string, string> = {
  visitor: 'hex(visitor)',
  at: `at - day * ${dayMs}`,
  properties: 'json(properties)',
};

/**
 * Open days that stay folded: today and perhaps yesterday, of as many sites. Beyond that the
 * longest unused is dropped.
 */
const foldedMax = 64;

interface State {
  rows: OpenDay;
  visitId: number;
  hitId: number;
  /** The day without the hits that were taken out of it, as long as both stay the same. */
  reduced?: { from: Day; key: string; day: Day };
}

/** An open day with the hits that were taken out of it. */
export interface WholeDay {
  day: Day;
  /** Of each hit, its row of `hit`, counted from 0 in the order of ids. */
  rows: Uint32Array;
  removed: RemovedRows[];
}

export interface OpenDays {
  /**
   * The day's columns as of this transaction: rows that came since the last call are added to what
   * was read before. After the next call for that day, asking for a column that was not asked for
   * yet throws where rows have come. `pause` is called between batches of rows and may throw: the
   * next call goes on with what was read.
   */
  read(siteId: number, day: number, pause?: () => void): Day;
  /** As `read`, with the hits that were taken out of the day. */
  readWhole(siteId: number, day: number): WholeDay;
  /** Forgets a day, once it is sealed. */
  forget(siteId: number, day: number): void;
}

export const openDays = (db: Database): OpenDays => {
  const readOn = rowReader(db);
  const removed = removedHits(db);
  const states = new Map<string, State>();
  const keyOf = (siteId: number, day: number): string => `${siteId} ${day}`;

  const fresh = (siteId: number, day: number): State => ({ rows: new OpenDay(siteId, day), visitId: 0, hitId: 0 });

  /** It becomes the last to be dropped. */
  const keep = (key: string, state: State): void => {
    states.delete(key);
    states.set(key, state);
    for (const oldest of states.keys()) {
      if (states.size <= foldedMax) break;
      states.delete(oldest);
    }
  };

  /** Reads on until there are no more rows. */
  const upToDate = (siteId: number, day: number, pause: () => void): { state: State; whole: Day } => {
    const key = keyOf(siteId, day);
    const known = states.get(key);
    let state = known ?? fresh(siteId, day);
    while (true) {
      try {
        const isMore = readOn(state, siteId, day);
        const whole = isMore ? undefined : state.rows.day();
        keep(key, state);
        if (whole !== undefined) return { state, whole };
      } catch (error) {
        // What was read in part is of no use, and a row may have come late, behind one with a
        // larger id.
        states.delete(key);
        if (state !== known) throw error;
        state = fresh(siteId, day);
      }
      pause();
    }
  };

  return {
    read(siteId, day, pause = () => {}) {
      const { state, whole } = upToDate(siteId, day, pause);
      const key = removed.key(siteId, day);
      if (key === '') return whole;
      if (state.reduced?.from !== whole || state.reduced.key !== key) {
        const stays = staysOf(state.rows.hitRows(), removed.of(siteId, day));
        state.reduced = { from: whole, key, day: withHits(whole, stays) };
      }
      return state.reduced.day;
    },
    readWhole(siteId, day) {
      const { state, whole } = upToDate(siteId, day, () => {});
      return { day: whole, rows: state.rows.hitRows(), removed: removed.of(siteId, day) };
    },
    forget(siteId, day) {
      states.delete(keyOf(siteId, day));
    },
  };
};

/** Adds the next rows of a day, visits first; tells whether there may be more. */
const rowReader = (db: Database): ((state: State, siteId: number, day: number) => boolean) => {
  const newRows = (table: 'visit' | 'hit', columns: readonly string[]): Statement =>
    db
      .prepare(
        `select json_group_array(json_array(${columns.map(name => inJson[name] ?? name)}))
         from (select * from ${table} where site_id = ? and day = ? and id > ? order by id limit ${rowsPerRead})`,
      )
      .pluck();
  const [newVisits, newHits] = [newRows('visit', visitRowColumns), newRows('hit', hitRowColumns)];
  return (state, siteId, day) => {
    const visits = rowsOf<OpenVisitRow>(newVisits, siteId, day, state.visitId);
    if (visits.length > 0) state.rows.addVisits(visits);
    state.visitId = visits.at(-1)?.[0] ?? state.visitId;
    if (visits.length === rowsPerRead) return true;
    const hits = rowsOf<OpenHitRow>(newHits, siteId, day, state.hitId);
    if (hits.length > 0) state.rows.addHits(hits);
    state.hitId = hits.at(-1)?.[0] ?? state.hitId;
    return hits.length === rowsPerRead;
  };
};

/** For each hit of a day, whose row is given: 1 unless it was taken out. */
export const staysOf = (rowsOfHits: Uint32Array, removed: readonly RemovedRows[]): Uint8Array => {
  const isGone = new Uint8Array(1 + Math.max(-1, ...removed.map(({ rows }) => rows.at(-1) ?? -1)));
  for (const { rows } of removed) for (const row of rows) isGone[row] = 1;
  return Uint8Array.from(rowsOfHits, row => (isGone[row] === 1 ? 0 : 1));
};

/** The next rows of a day behind an id; fewer than `rowsPerRead` when there are no more. */
const rowsOf = <Row>(statement: Statement, siteId: number, day: number, after: number): Row[] =>
  JSON.parse(statement.get(siteId, day, after) as string) as Row[];

/** An open day whose rows keep coming: it folds those that have come since the last time. */
export class OpenDay {
  readonly #rows: DayRows;
  #fold: Fold;
  #foldedHits = 0;
  #day: Day | undefined;

  constructor(siteId: number, day: number) {
    this.#rows = new DayRows(siteId, day);
    this.#fold = new Fold(this.#rows);
  }

  addVisits(rows: readonly OpenVisitRow[]): void {
    this.#rows.addVisits(rows);
    this.#day = undefined;
  }

  /** The hits' visits must have been added before. If it throws, the day must be dropped. */
  addHits(rows: readonly OpenHitRow[]): void {
    this.#rows.addHits(rows);
    this.#day = undefined;
  }

  /**
   * The columns of all rows so far. They can be asked for until rows have come and the day is
   * folded again: then asking throws. Those that were asked for stay as they are.
   */
  day(): Day {
    this.#day ??= this.#folded();
    return this.#day;
  }

  /** Of each hit of the day, its row, in the order that hits were added. */
  hitRows(): Uint32Array {
    this.day();
    return this.#fold.hitRows;
  }

  #folded(): Day {
    const { time } = this.#rows.hits;
    const isInOrder = this.#fold.add(rowsBetween(this.#foldedHits, time.length));
    if (!isInOrder) {
      this.#fold = new Fold(this.#rows);
      this.#fold.add(sortRows(time.length, [time.values()]));
    }
    this.#foldedHits = time.length;
    return this.#fold.day();
  }
}
