/** What the parts of a scan know of the query that they work for. */
import type { DayReader } from '../store/day/day-reader.ts';
import type { Records } from '../store/read/records.ts';
import type { Query } from './query.ts';

export interface QueryContext {
  query: Query;
  reader: DayReader;
  records: Records;
  /** The site's text of an id; null for 0. */
  text(id: number): string | null;
}
