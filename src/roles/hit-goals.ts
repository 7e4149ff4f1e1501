/** Goals that a hit reaches by what it says itself, so that nobody has to look at its visit. */
import { readAlternatives } from '../api/request/conditions.ts';
import { ParameterError } from '../api/request/parameters.ts';
import type { Goal } from '../model/definitions.ts';
import type { FilterOn } from '../model/filters.ts';
import { matches } from '../query/scan/match.ts';
import type { Definition } from '../store/definitions.ts';
import type { HitRecord } from '../store/write/recorder.ts';

export interface HitGoal {
  name: string;
  isReachedBy(hit: HitRecord): boolean;
}

const ownFields = ['path', 'title', 'hostname', 'query', 'event'] as const;
type OwnFilter = FilterOn<(typeof ownFields)[number]>;

const isOwn = (filter: FilterOn<string>): filter is OwnFilter =>
  !filter.visit && (ownFields as readonly string[]).includes(filter.field);

/** Those of some goals that ask of a hit's page and event alone. */
export const hitGoals = (goals: readonly Definition<'goal'>[]): HitGoal[] =>
  goals.flatMap(({ name, body }) => {
    const conditions = alternativesOf(body);
    if (conditions.length === 0 || !conditions.every((all): all is OwnFilter[] => all.every(isOwn))) return [];
    const passes = (hit: HitRecord) => (filter: OwnFilter) => matches(filter, hit[filter.field]) !== filter.negated;
    return [{ name, isReachedBy: hit => conditions.some(all => all.every(passes(hit))) }];
  });

/** None where an earlier version took what this one cannot read. */
const alternativesOf = ({ conditions }: Goal): FilterOn<string>[][] => {
  try {
    return readAlternatives(conditions, 'conditions');
  } catch (error) {
    if (error instanceof ParameterError) return [];
    throw error;
  }
};
