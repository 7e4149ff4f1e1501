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
