/**
 * Which visits of a node's open days have hits that the cluster does not have, and what hits they
 * have in all. Rows of hits are only inserted, with ascending ids, so reading on finds the new
 * ones.
 */
import { dayMs, minuteMs } from '../model/time.ts';
import { HitLists } from '../store/day/open/hit-lists.ts';
import type { SiteDay } from '../store/day/open/open-days.ts';
import type { SomeRows } from '../store/day/open/some-rows.ts';

/** Visits of a day that are to be sent, as they are now. */
export interface DueVisits extends SiteDay {
  /** By visit, the ids of all its hits. */
  visits: Map<number, number[]>;
}

/** A visit ends after half an hour. A late hit finds it among all hits of its day. */
const forgottenMs = 40 * minuteMs;
const hitsPerRead = 2000;
/** When so many hits wait, nothing more is read. */
const waitingMax = 50_000;
/** A visit of so many hits is sent once a second, one of twice as many every two seconds. */
const hitsPerSecond = 500;

interface OpenDay extends SiteDay {
  /** Id of the last hit that was read. */
  readTo: number;
  hasMore: boolean;
  /** Id of the last hit that is wanted again; null where none is. */
  again: number | null;
  /** The highest id of a visit whose hits were read. */
  newestVisit: number;
}

/** A visit that is to be sent. */
interface Waiting {
  of: OpenDay;
  /** Of its unsent hits: the first, when it came, and how many. */
  firstId: number;
  since: number;
  hits: number;
}

export class OpenVisits {
  readonly #rows: SomeRows;
  readonly #readMs: number;
  readonly #days = new Map<string, OpenDay>();
  readonly #waiting = new Map<number, Waiting>();
  /** Visits of many hits, and when they may be sent again. */
  readonly #paced = new Map<number, number>();
  readonly #lists: HitLists;
  /** Of hits up to this id all were sent before a restart. */
  readonly #startsAt: number;
  #readTo: number;
  #newestAt = 0;
  #forgottenAt = 0;

  /** `sentTo` is what that was before a restart; `readMs` is how long a turn reads. */
  constructor(rows: SomeRows, sentTo: number, readMs = 300) {
    this.#rows = rows;
    this.#readMs = readMs;
    this.#startsAt = sentTo;
    this.#readTo = this.#startsAt;
    const open = rows.openDays();
    this.#lists = new HitLists(open.length === 0 ? 0 : Math.min(...open.map(rows.firstVisit)));
    // From their beginning, to know the hits of visits that go on.
    for (const of of open) this.#begin(of, 0);
  }

  /** Reads on, for a bounded time. Only in a transaction: what it has not seen must be newer. */
  read(): void {
    const until = performance.now() + this.#readMs;
    this.#readDays();
    this.#forget();
    for (const of of this.#days.values()) of.hasMore = true;
    for (const of of this.#days.values()) {
      do {
        if (performance.now() > until || this.#hitsRead() >= waitingMax) return;
        this.#readNext(of);
      } while (of.hasMore);
      while (of.again !== null) {
        if (performance.now() > until || this.#hitsRead() >= waitingMax) return;
        this.#wantNext(of);
      }
    }
  }

  /** All visits of a day are to be sent once more. */
  again(of: SiteDay): void {
    const day = this.#days.get(keyOf(of));
    if (day !== undefined) day.again = 0;
  }

  /** Visits that are to be sent now, with about so many hits in all. */
  due(hitsMax: number): DueVisits[] {
    const found = new Map<OpenDay, DueVisits>();
    let hits = 0;
    for (const [visitId, { of }] of this.#waiting) {
      if (hits >= hitsMax) break;
      if (!this.#isDue(visitId)) continue;
      const { siteId, day } = of;
      const due = found.get(of) ?? { siteId, day, visits: new Map() };
      found.set(of, due);
      const hitIds = this.#lists.of(visitId);
      due.visits.set(visitId, hitIds);
      hits += hitIds.length;
    }
    for (const [of, { visits }] of found) {
      const forgotten = [...visits].filter(([, hitIds]) => hitIds.length === 0).map(([visitId]) => visitId);
      if (forgotten.length === 0) continue;
      for (const [id, visitId] of this.#rows.hitsOf(of, forgotten, of.readTo)) visits.get(visitId)!.push(id);
    }
    return [...found.values()];
  }

  /** They were sent. */
  sent(some: readonly DueVisits[]): void {
    const now = performance.now();
    for (const { visits } of some) {
      for (const [visitId, { length }] of visits) {
        this.#waiting.delete(visitId);
        if (length > hitsPerSecond) this.#paced.set(visitId, now + (1000 * length) / hitsPerSecond);
      }
    }
    for (const [visitId, until] of this.#paced) if (until <= now) this.#paced.delete(visitId);
  }

  /** Whether there is more to read or to send now. */
  get isMore(): boolean {
    for (const { hasMore, again } of this.#days.values()) if (hasMore || again !== null) return true;
    for (const visitId of this.#waiting.keys()) if (this.#isDue(visitId)) return true;
    return false;
  }

  /**
   * How many hits wait, as far as they are known, and since when the oldest does, in UTC
   * milliseconds. A start reads each day from its beginning before it comes to what waits: of a day
   * with such hits the first counts.
   */
  waiting(): { hits: number; since: number | null } {
    let [unread, since] = [0, Number.POSITIVE_INFINITY];
    for (const of of this.#days.values()) {
      const next = of.hasMore ? this.#rows.hitsAfter(of, Math.max(of.readTo, this.#startsAt), 1) : [];
      unread += next.length;
      for (const [, , time] of next) since = Math.min(since, of.day * dayMs + time);
    }
    for (const waiting of this.#waiting.values()) since = Math.min(since, waiting.since);
    return { hits: this.#hitsRead() + unread, since: since === Number.POSITIVE_INFINITY ? null : since };
  }

  /** All hits up to this id were sent. */
  get sentTo(): number {
    let to = this.#readTo;
    for (const { hasMore, readTo } of this.#days.values()) if (hasMore) to = Math.min(to, readTo);
    for (const { firstId } of this.#waiting.values()) to = Math.min(to, firstId - 1);
    return Math.max(to, this.#startsAt);
  }

  /** Of those that wait, how many were read. */
  #hitsRead(): number {
    let hits = 0;
    for (const waiting of this.#waiting.values()) hits += waiting.hits;
    return hits;
  }

  #isDue(visitId: number): boolean {
    return (this.#paced.get(visitId) ?? 0) <= performance.now();
  }

  #begin(of: SiteDay, readTo: number): void {
    const { siteId, day } = of;
    this.#days.set(keyOf(of), { siteId, day, readTo, hasMore: true, again: null, newestVisit: 0 });
  }

  /** Days come, and go when they are sealed. */
  #readDays(): void {
    const open = this.#rows.openDays();
    const keys = new Set(open.map(keyOf));
    for (const [key, day] of this.#days) {
      if (keys.has(key)) continue;
      this.#days.delete(key);
      for (const [visitId, { of }] of this.#waiting) if (of === day) this.#waiting.delete(visitId);
    }
    const { sentTo } = this;
    for (const of of open) if (!this.#days.has(keyOf(of))) this.#begin(of, sentTo);
  }

  #readNext(of: OpenDay): void {
    const hits = this.#rows.hitsAfter(of, of.readTo, hitsPerRead);
    const unknown = new Set<number>();
    for (const [, visitId] of hits) if (visitId <= of.newestVisit && !this.#lists.has(visitId)) unknown.add(visitId);
    if (unknown.size > 0) {
      for (const [id, visitId, time] of this.#rows.hitsOf(of, [...unknown], of.readTo))
        this.#lists.add(visitId, id, of.day * dayMs + time);
    }
    for (const [id, visitId, time] of hits) {
      const at = of.day * dayMs + time;
      this.#lists.add(visitId, id, at);
      of.newestVisit = Math.max(of.newestVisit, visitId);
      this.#newestAt = Math.max(this.#newestAt, at);
      if (id > this.#startsAt) this.#want(visitId, of, { firstId: id, since: at, hits: 1 });
    }
    of.readTo = hits.at(-1)?.[0] ?? of.readTo;
    of.hasMore = hits.length === hitsPerRead;
    this.#readTo = Math.max(this.#readTo, of.readTo);
  }

  /** Those of hits that were read before. */
  #wantNext(of: OpenDay): void {
    const hits = this.#rows.hitsAfter(of, of.again!, hitsPerRead).filter(([id]) => id <= of.readTo);
    // They were there once, so they do not count as waiting since they came.
    for (const [id, visitId] of hits)
      this.#want(visitId, of, { firstId: id, since: Number.POSITIVE_INFINITY, hits: 1 });
    of.again = hits.length === hitsPerRead ? hits.at(-1)![0] : null;
  }

  #want(visitId: number, of: OpenDay, { firstId, since, hits }: Omit<Waiting, 'of'>): void {
    const before = this.#waiting.get(visitId);
    if (before === undefined) this.#waiting.set(visitId, { of, firstId, since, hits });
    else {
      before.firstId = Math.min(before.firstId, firstId);
      before.since = Math.min(before.since, since);
      before.hits += hits;
    }
  }

  /** Visits that ended long ago, and are not to be sent. */
  #forget(): void {
    const at = Math.min(this.#newestAt - forgottenMs, this.waiting().since ?? Number.POSITIVE_INFINITY);
    if (at - this.#forgottenAt < forgottenMs) return;
    this.#lists.forgetBefore(at);
    this.#forgottenAt = at;
  }
}

const keyOf = ({ siteId, day }: SiteDay): string => `${siteId} ${day}`;
