/** What the table of visits can be told besides period and filters. In the address each name has a `_` before the API's. */
import { visitChips } from '../../../model/figures.ts';
import type { VisitSort } from '../../../query/query.ts';

const names = ['sort', 'dir', 'q', ...Object.keys(visitChips)];

/** As the API and the export want them. */
export const visitParameters = (search: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = search.get(`_${name}`);
      return value === null ? [] : [[name, value]];
    }),
  );

export interface VisitOrder {
  sort: VisitSort;
  descending: boolean;
}

export const visitOrder = (search: URLSearchParams): VisitOrder => ({
  sort: (search.get('_sort') ?? 'started') as VisitSort,
  descending: search.get('_dir') !== 'asc',
});
