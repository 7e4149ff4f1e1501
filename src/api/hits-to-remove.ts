/** What a removal of hits is about: the same filters and days as a question. */
import { localName } from '../model/calendar.ts';
import { filterFields } from '../model/filters.ts';
import type { Site } from '../model/site.ts';
import type { RuleTask } from '../query/removal-rules/hits-of-rule.ts';
import { resolveFilters, type SiteDefinitions } from './definitions.ts';
import { filtersText, parseParameters } from './request/parameters.ts';
import { readableFrom, windowOf } from './request/window.ts';
import { zoneOf } from './request/zone.ts';

export interface Moment {
  /** UTC milliseconds. */
  now: number;
  /** Days back that the account's plan lets it read; null is no bound. */
  retentionDays: number | null;
}

/**
 * Reads filters, and the days as a question has them (docs/api.md, "Ranges"); all days where
 * nothing is said of them. Throws ParameterError, also where there is no filter.
 */
export const hitsToRemove = (
  site: Site,
  search: URLSearchParams,
  moment: Moment,
  definitions: SiteDefinitions,
): Omit<RuleTask, 'madeBy' | 'reason'> => {
  const { period, filters: written } = parseParameters(search, {}, filterFields);
  const filters = resolveFilters(written, definitions);
  const isAll = ['range', 'from', 'to'].every(name => !search.has(name));
  const zone = zoneOf(site.timezone);
  // All days begin before any hit: to look for the first could take reading a day.
  const { from, to, key } = windowOf(isAll ? { range: 'all' } : period, {
    zone,
    now: moment.now,
    firstAt: 0,
    readableFrom: readableFrom({ zone, ...moment }),
  });
  // A range such as the last 7 days would mean other days when somebody reads it later.
  const days = [from, Math.max(from, to - 1)].map(at => localName(zone.local(at)).slice(0, 10));
  const said = key === 'all' ? key : days.join('_');
  return { siteId: site.id, from, to, filters, filtersText: filtersText(written), period: said };
};
