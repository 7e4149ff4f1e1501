/** Visitors and hits per value of a dimension. `event` has custom and outbound events only. */
import { dimensions } from '../../model/dimensions.ts';
import { gather } from '../../store/day/gather.ts';
import type { QueryContext } from '../context.ts';
import type { BreakdownRow, QuestionOf } from '../query.ts';
import { type CountsById, narrowed, sumById } from '../rows/sum-by-id.ts';
import { namesAt, textNames, topRows } from '../rows/top-rows.ts';
import { fieldOf } from '../scan/fields.ts';
import { gatherTo } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { hitCodes, visitCodes } from '../scan/selection.ts';
import { type Tally, tallyHits, tallyVisits } from '../scan/tally.ts';
import type { PersistentVisitors } from '../visitors/daily-visitors.ts';
import { positionsOf } from '../visitors/merge-ids.ts';
import type { QuestionPlan } from './plan.ts';

/** The groups that have a hit, by id. */
interface BreakdownPartial extends CountsById {
  day: number;
  /** Grouped by id, including the null group, which `ids` may leave out. */
  persistent: PersistentVisitors | null;
}

export const planBreakdown = (
  { dimension, limit }: QuestionOf<'breakdown'>,
  context: QueryContext,
): QuestionPlan<BreakdownPartial> => {
  const field = fieldOf(dimension);
  const { nullName } = dimensions[dimension];
  return {
    key: () => `breakdown ${dimension}`,
    scan(all, scratch) {
      const selection = dimension === 'event' ? selectEvents(all, scratch, ['custom', 'outbound']) : all;
      if (selection === undefined) return null;
      const { day } = selection;
      const { ofEntry, ids } = field.groups(day.dictionary(field.column));
      const isOfVisits = field.level === 'visit';
      const codes = (isOfVisits ? visitCodes : hitCodes)(selection, field.column, scratch);
      const groups = ofEntry === null ? codes : gatherTo(ofEntry, codes, scratch.take(codes.length));
      const tally = (isOfVisits ? tallyVisits : tallyHits)(selection, groups, ids, scratch);
      return { day: day.day, ...withIds(tally, ids, nullName !== null) };
    },
    merge(partials) {
      const { ids, hits, visitors: counts } = sumById(partials);
      const mayReturn = partials.filter(({ persistent }) => persistent !== null);
      const positionOf = mayReturn.length === 0 ? new Uint32Array(0) : positionsOf(ids);
      const visitors = { days: mayReturn.map(({ persistent }) => ({ persistent, positionOf })), counts };
      const nameAt = (position: number): string => field.name(ids[position]!, context) ?? nullName ?? '';
      const names = dimension === 'screen' ? namesAt(nameAt) : textNames(ids, context, nullName ?? '');
      const rowsOf = (): BreakdownRow[] =>
        topRows(counts, hits, limit, names).map(({ position, name }) => ({
          name,
          value: counts[position]!,
          events: hits[position]!,
        }));
      return { visitors: [visitors], answer: () => ({ kind: 'breakdown', rows: rowsOf() }) };
    },
  };
};

/** With ids instead of groups, and with the null group only if it is to be kept. */
const withIds = (
  { groups, hits, visitors, persistent }: Tally,
  ids: Uint32Array,
  keepNull: boolean,
): Omit<BreakdownPartial, 'day'> => {
  const first = keepNull || groups[0] !== 0 ? 0 : 1;
  return {
    ids: gather(ids, groups.subarray(first)),
    hits: narrowed(hits.subarray(first)),
    visitors: narrowed(visitors.subarray(first)),
    persistent,
  };
};
