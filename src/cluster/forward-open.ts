/** A turn of bringing open days' hits to the cluster: what is new, as far as a turn may go. */
import { reasonOf } from '../log.ts';
import type { Shards } from '../model/shards.ts';
import type { QueryContext } from '../query/context.ts';
import type { Database } from '../store/database.ts';
import { dayReader } from '../store/day/day-reader.ts';
import type { SiteDay } from '../store/day/open/open-days.ts';
import { someRows } from '../store/day/open/some-rows.ts';
import { unitedDays } from '../store/day/united-days.ts';
import { epochs } from '../store/epochs.ts';
import type { Forwarded } from '../store/forwarded.ts';
import { records } from '../store/read/records.ts';
import { OpenVisits } from './open-visits.ts';
import { collectorsNode } from './schema.ts';
import { openSender } from './send-open.ts';

/** What a turn did, and what is left. */
export interface Turn extends Pick<Forwarded, 'hitId'> {
  /** Rows that were sent. */
  rows: number;
  /** Hits that wait, as far as they were read, and since when, in UTC milliseconds. */
  waiting: number;
  waitingSince: number | null;
  /** Whether there is more to do at once. */
  isMore: boolean;
  /** Why what there was could not be sent. */
  failure: string | null;
}

/** Hits of the visits that a turn sends, about. */
const hitsPerTurn = 50_000;
const cacheBytes = 8 * 1024 * 1024;

const contextReader = (db: Database): ((siteId: number) => QueryContext) => {
  const reader = unitedDays(dayReader(db, cacheBytes));
  const recordsOf = records(db);
  return siteId => {
    const query = { siteId, currency: '', minorRates: {}, slices: [] };
    return { query, reader, records: recordsOf, text: id => reader.texts.text(siteId, id) };
  };
};

/**
 * Sends with a revision above all before, and hits of the days `again` that were sent already. What
 * could not be sent comes with the next turn.
 */
export type OpenTurns = (revision: number, signal: AbortSignal, again?: readonly SiteDay[]) => Promise<Turn>;

/** `known` is how far it was before a restart: the primary, which is node 0, or a collector. */
export const openTurns = (db: Database, shards: Shards, known: Omit<Forwarded, 'revision'>): OpenTurns => {
  const rows = someRows(db);
  const visits = new OpenVisits(rows, known.hitId);
  const of = known.node === collectorsNode ? epochs(db) : known.node;
  const send = openSender({ rows, shards, contextOf: contextReader(db), of });
  const read = db.transaction(() => visits.read());
  return async (revision, signal, again = []) => {
    for (const of of again) visits.again(of);
    read();
    let [sent, failure] = [0, null as string | null];
    const due = visits.due(hitsPerTurn);
    try {
      if (due.length > 0) sent = await send(due, { revision, signal });
      visits.sent(due);
    } catch (error) {
      failure = reasonOf(error);
    }
    const { hits, since } = visits.waiting();
    const { sentTo: hitId, isMore } = visits;
    return {
      hitId,
      rows: sent,
      waiting: hits,
      waitingSince: since,
      isMore: isMore && failure === null,
      failure,
    };
  };
};
