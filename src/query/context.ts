/** What the parts of a scan know of the query that they work for. */
import type { DayReader } from '../store/day/day-reader.ts';
import type { Query } from './query.ts';

export interface QueryContext {
  query: Query;
  reader: DayReader;
  /** The site's text of an id; null for 0. */
  text(id: number): string | null;
}
