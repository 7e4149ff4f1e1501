/** What the parts of a scan know of the query that they work for. */
import type { UnitedDays } from '../store/day/united-days.ts';
import type { Records } from '../store/read/records.ts';
import type { Query } from './query.ts';

export interface QueryContext {
  query: Query;
  reader: UnitedDays;
  records: Records;
  /** The site's text of an id; null for 0. */
  text(id: number): string | null;
}

export const contextOf = (query: Query, reader: UnitedDays, records: Records): QueryContext => ({
  ...{ query, reader, records },
  text: id => reader.texts.text(query.siteId, id),
});

/** For filters on the hits of a site, about which nothing is asked. */
export const siteContext = (siteId: number, reader: UnitedDays, records: Records): QueryContext =>
  contextOf({ siteId, currency: '', minorRates: {}, slices: [] }, reader, records);
