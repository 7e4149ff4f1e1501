/** Visitors and hits per value of a dimension. The dimension `event` knows custom and outbound events only. */
import { type DimensionName, dimensions } from '../../model/dimensions.ts';
import { gather } from '../../store/day/gather.ts';
import { topRows } from '../rows/top-rows.ts';
import { selectEvents } from '../scan/event-hits.ts';
import { fieldOf } from '../scan/fields.ts';
import { gatherTo } from '../scan/lists.ts';
import { hitCodes, visitCodes } from '../scan/selected-values.ts';
import { type Tally, tallyHits, tallyVisits } from '../scan/tally.ts';
import type { PersistentVisitors } from '../visitors/daily-visitors.ts';
import { visitorsById } from '../visitors/distinct.ts';
import { addTo, mergeIds } from '../visitors/merge-ids.ts';
import type { Plan, PlanContext } from './plan.ts';

/** The groups that have a hit, by id. */
interface BreakdownPartial {
  day: number;
  ids: Uint32Array;
  hits: Uint32Array;
  visitors: Uint32Array;
  /** Grouped by id; of the null group, too, which is not among the ids when it is left out. */
  persistent: PersistentVisitors | null;
}

export const planBreakdown = (
  dimension: DimensionName,
  limit: number,
  context: PlanContext,
): Plan<BreakdownPartial> => {
  const field = fieldOf(dimension);
  const { nullName } = dimensions[dimension];
  return {
    key: () => `breakdown ${dimension}`,
    scan(all) {
      const selection = dimension === 'event' ? selectEvents(all, ['custom', 'outbound']) : all;
      if (selection === undefined) return null;
      const { day, scratch } = selection;
      const { ofEntry, ids } = field.groups(day.dictionary(field.column));
      const codes = field.level === 'visit' ? visitCodes(selection, field.column) : hitCodes(selection, field.column);
      const groups = ofEntry === null ? codes : gatherTo(ofEntry, codes, scratch.take('groups', codes.length));
      const tally = (field.level === 'visit' ? tallyVisits : tallyHits)(selection, groups, ids);
      return { day: day.day, ...withIds(tally, ids, nullName !== null) };
    },
    merge(partials) {
      const united = mergeIds(partials.map(({ ids }) => ids));
      const { ids } = united;
      const hits = new Uint32Array(ids.length);
      for (const partial of partials) addTo(hits, united, partial.ids, partial.hits);
      const visitors = visitorsById(partials, united);
      const { counts } = visitors;
      return {
        visitors: [visitors],
        answer: () => ({
          kind: 'breakdown',
          rows: topRows(counts, hits, limit, field.names(ids, context, nullName ?? '')).map(({ place, name }) => ({
            name,
            value: counts[place]!,
            events: hits[place]!,
          })),
        }),
      };
    },
  };
};

/** With ids in the place of groups, and without the null group unless it is to be kept. */
const withIds = (
  { groups, hits, visitors, persistent }: Tally,
  ids: Uint32Array,
  keepNull: boolean,
): Omit<BreakdownPartial, 'day'> => {
  const first = keepNull || groups[0] !== 0 ? 0 : 1;
  return {
    ids: gather(ids, groups.subarray(first)),
    hits: hits.slice(first),
    visitors: visitors.slice(first),
    persistent,
  };
};
