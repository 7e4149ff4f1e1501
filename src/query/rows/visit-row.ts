/** Visits of a day as rows: every column of them, with its texts. */

import { remember } from '../../model/remember.ts';
import { dayMs } from '../../model/time.ts';
import { type VisitFieldName, visitFieldNames } from '../../model/visit-fields.ts';
import type { Day, NumberName, TextName } from '../../store/day/day.ts';
import { lookUp, lookUpIds } from '../../store/day/look-up.ts';
import type { QueryContext } from '../context.ts';
import { revenueByVisit } from './revenue.ts';

export interface VisitRow extends Record<VisitFieldName, string | null> {
  /** As in `VisitIds`. */
  id: string;
  /** UTC milliseconds. */
  started: number;
  ended: number;
  /** 16 hex digits. */
  visitor: string;
  width: number;
  height: number;
  pageviews: number;
  events: number;
  bounce: boolean;
  returning: boolean;
  /** Minor units of the site's currency. */
  revenue: number;
  otherRevenue: Record<string, number>;
}

export interface VisitIds {
  /** `<day>-<visitor>-<started>`. It stays the same while the day is open; ordinals may change. */
  id(visit: number): string;
  /** Sixteen hex digits. */
  visitor(visit: number): string;
  /** UTC milliseconds. */
  startedAt(visit: number): number;
}

export const visitIds = (day: Day): VisitIds => {
  const hashes = day.hashes();
  const started = day.numbers('started');
  const visitor = (visit: number): string => hashes[visit]!.toString(16).padStart(16, '0');
  const startedAt = (visit: number): number => day.day * dayMs + started[visit]!;
  return { id: visit => `${day.day}-${visitor(visit)}-${startedAt(visit)}`, visitor, startedAt };
};

/** The texts of a column, looked up row by row. */
export const textsAt = (day: Day, name: TextName, { text }: QueryContext): ((row: number) => string | null) => {
  const idOf = lookUpIds(day, name);
  return row => text(idOf(row));
};

/** A row whose texts are still ids: plain data, which another thread can write. */
export type StoredVisit = Omit<VisitRow, VisitFieldName> & {
  /** In the order of `visitFieldNames`. */
  texts: number[];
};

/** Loads a column when a visit first needs it. */
export const storedVisits = (day: Day, context: QueryContext): ((visit: number) => StoredVisit) => {
  const ids = visitIds(day);
  const numberOf = remember((name: NumberName) => lookUp(day.keptNumbers(name)));
  const idOf = remember((name: TextName) => lookUpIds(day, name));
  const money = revenueByVisit(day, context);

  return visit => {
    const started = ids.startedAt(visit);
    const pageviews = numberOf('pageviews')(visit);
    const size = idOf('screen')(visit);
    return {
      id: ids.id(visit),
      started,
      ended: started + numberOf('duration')(visit),
      visitor: ids.visitor(visit),
      texts: visitFieldNames.map(name => idOf(name)(visit)),
      width: size >>> 16,
      height: size & 0xffff,
      pageviews,
      events: numberOf('hits')(visit) - pageviews,
      bounce: pageviews <= 1,
      returning: numberOf('newVisitor')(visit) === 0 || numberOf('seenBefore')(visit) === 1,
      ...money(visit),
    };
  };
};

/** Its keys come in the order that docs/api.md shows. */
export const visitRowOf = (
  { id, started, ended, visitor, texts, ...numbers }: StoredVisit,
  { text }: QueryContext,
): VisitRow => {
  const names = Object.fromEntries(visitFieldNames.map((name, i) => [name, text(texts[i]!)]));
  return { id, started, ended, visitor, ...(names as Record<VisitFieldName, string | null>), ...numbers };
};

/** Loads a column when a row first needs it. */
export const visitRows = (day: Day, context: QueryContext): ((visit: number) => VisitRow) => {
  const stored = storedVisits(day, context);
  return visit => visitRowOf(stored(visit), context);
};
