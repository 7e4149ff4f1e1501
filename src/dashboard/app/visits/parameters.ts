/** What the table of visits can be told besides period and filters. In the address each name has a `_` before the API's. */
import type { VisitSort } from '../../../query/query.ts';

export const chips = {
  converted: { label: 'Converted', meaning: 'Visits with a custom or revenue event' },
  bounced: { label: 'Bounced', meaning: 'Visits with at most one pageview' },
  paid: { label: 'Paid', meaning: 'Visits with revenue' },
  returning: {
    label: 'Returning',
    meaning: 'Not the visitor’s first visit: of the day, or, on sites in cookie mode, ever',
  },
} as const;

const names = ['sort', 'dir', 'q', ...Object.keys(chips)];

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
