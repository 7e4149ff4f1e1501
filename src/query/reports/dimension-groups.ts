/** Selected hits grouped by the values of a dimension. */
import { type DimensionName, dimensions } from '../../model/dimensions.ts';
import type { HitType } from '../../model/hit.ts';
import type { QueryContext } from '../context.ts';
import type { Grouping } from '../rows/group-sums.ts';
import { type Names, namesAt, textNames } from '../rows/top-rows.ts';
import { fieldOf, hasTextIds } from '../scan/fields.ts';
import { gatherTo } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { hitCodes, type Selection, visitCodes } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';

export interface DimensionGroups {
  /** Null where no selected hit is of an event, and these are asked for. */
  of(all: Selection, scratch: Scratch): { selection: Selection; grouping: Grouping } | null;
  /** Whether hits without a value are a group: that of the id 0. */
  keepsNull: boolean;
  /** The names of ascending ids. */
  names(ids: Uint32Array): Names;
}

/** `eventTypes` are the types of hits that count where the dimension is the event. */
export const groupsByDimension = (
  dimension: DimensionName,
  eventTypes: readonly HitType[],
  context: QueryContext,
): DimensionGroups => {
  const field = fieldOf(dimension, context);
  const { nullName } = dimensions[dimension];
  return {
    keepsNull: nullName !== null,
    of(all, scratch) {
      const selection = dimension === 'event' ? selectEvents(all, scratch, eventTypes) : all;
      if (selection === undefined) return null;
      const { day } = selection;
      const { ofEntry, ids } = field.groups(day);
      const codesOf = (of: Selection, scratch: Scratch): Uint32Array => {
        const codes = (field.level === 'visit' ? visitCodes : hitCodes)(of, field.codes(day), scratch);
        return ofEntry === null ? codes : gatherTo(ofEntry, codes, scratch.take(codes.length));
      };
      return { selection, grouping: { level: field.level, codes: codesOf, ids } };
    },
    names(ids) {
      if (hasTextIds(dimension)) return textNames(ids, context, nullName ?? '');
      return namesAt(position => field.name(ids[position]!, context) ?? nullName ?? '');
    },
  };
};
