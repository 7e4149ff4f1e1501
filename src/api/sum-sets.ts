/**
 * Of which hits sums of days are kept for a site: of all that it does not leave out, of those that
 * reach a goal, and of the visits that do.
 */
import type { Site } from '../model/site.ts';
import type { Database } from '../store/database.ts';
import { definitions } from '../store/definitions.ts';
import { conditionsOf, definitionsOf } from './definitions.ts';
import type { SummedSite, SumSet } from './fill-sums.ts';
import { leftOutFilters } from './suspects.ts';

/** Each makes sums of days larger. */
const goalsMax = 10;

export const summedSite = (db: Database, { id, currency, leftOut }: Site): SummedSite => {
  const all = definitionsOf(definitions(db), id);
  const others = leftOutFilters(leftOut);
  const ofGoals = all('goal')
    .slice(0, goalsMax)
    .flatMap(({ body }): SumSet[] => {
      const goal = { anyOf: conditionsOf('goal', body, all), negated: false };
      return [{ filters: [goal, ...others], isByTime: true }, { filters: [{ ...goal, visit: true }, ...others] }];
    });
  return { id, currency, sets: [{ filters: others }, ...ofGoals] };
};
