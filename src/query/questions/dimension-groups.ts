/** Selected hits grouped by the values of a dimension, or of a property. */
import { type DimensionName, dimensions } from '../../model/dimensions.ts';
import { type DimensionField, fieldKey, isPropertyField } from '../../model/filters.ts';
import type { HitType } from '../../model/hit.ts';
import type { QueryContext } from '../context.ts';
import type { Pace } from '../pace.ts';
import { type RowGrouping, restrictedTo } from '../rows/grouping.ts';
import { groupByProperty, mergeValues, type PropertyValues, valueNames } from '../rows/property-groups.ts';
import { withMeaning } from '../rows/sum-by-id.ts';
import { type Names, namesAt, textNames } from '../rows/top-rows.ts';
import { type Field, fieldOf, hasTextIds } from '../scan/fields.ts';
import { passingIds } from '../scan/filters.ts';
import { gatherTo } from '../scan/lists.ts';
import { narrowToPassing, selectEvents } from '../scan/select.ts';
import { hitCodes, type Selection, visitCodes } from '../scan/selection.ts';
import { testIds } from '../scan/text-test.ts';
import type { Scratch } from '../scratch.ts';
import { type GroupsOfDay, type MergedGroups, mergeGroups, scanGroups, type Wanted } from './grouped.ts';

export interface DimensionGroups<Partial extends GroupsOfDay = GroupsOfDay> {
  /** Whether its ids mean the same on every day. */
  hasIds: boolean;
  /**
   * Null where no selected hit has a value that counts. `only` are the ids of the groups that are
   * wanted, ascending, and no visitors are; all groups where it is missing.
   */
  scan(all: Selection, wanted: Wanted, scratch: Scratch, only?: Uint32Array): Partial | null;
  merge(partials: readonly Partial[], wanted: Wanted, pace: Pace): Promise<NamedGroups>;
}

export interface NamedGroups extends MergedGroups {
  names: Names;
}

/** `eventTypes` are the types of hits that count where the dimension is the event. */
export const groupsByDimension = (
  dimension: DimensionField,
  eventTypes: readonly HitType[],
  context: QueryContext,
): DimensionGroups =>
  isPropertyField(dimension)
    ? (groupsByProperty(fieldKey(dimension), context) as DimensionGroups)
    : groupsByField(dimension, eventTypes, context);

const groupsByField = (
  dimension: DimensionName,
  eventTypes: readonly HitType[],
  context: QueryContext,
): DimensionGroups => {
  const field = fieldOf(dimension, context);
  const { nullName } = dimensions[dimension];
  return {
    hasIds: true,
    scan(all, wanted, scratch, only) {
      const selection = dimension === 'event' ? selectEvents(all, scratch, eventTypes) : all;
      if (selection === undefined) return null;
      const grouping = groupingOf(field, selection);
      if (only === undefined) return scanGroups(selection, grouping, wanted, context, scratch, nullName !== null);
      const shown = narrowToGroups(selection, field, only, scratch);
      if (shown === undefined) return null;
      return scanGroups(shown, restrictedTo(only, grouping), wanted, context, scratch, false);
    },
    async merge(partials, wanted, pace) {
      const merged = await mergeGroups(partials, wanted, pace);
      const { ids } = merged;
      const names = hasTextIds(dimension)
        ? textNames(ids, context, nullName ?? '')
        : namesAt(position => field.name(ids[position]!, context) ?? nullName ?? '');
      return { ...merged, names };
    },
  };
};

/** To look at some of the hits costs more for each than to look at all. */
const narrowedPartMax = 1 / 2;

/** The hits of some groups where they are few, and else all. Undefined where there is none. */
const narrowToGroups = (all: Selection, field: Field, only: Uint32Array, scratch: Scratch): Selection | undefined => {
  const found = narrowToPassing(all, passingIds(all.day, field, testIds([...only])), scratch);
  return found === undefined || found.hits <= narrowedPartMax * all.hits ? found : all;
};

const groupingOf = (field: Field, { day }: Selection): RowGrouping => {
  const { ofEntry, ids } = field.groups(day);
  const codes = (of: Selection, scratch: Scratch): Uint32Array => {
    const codes = (field.level === 'visit' ? visitCodes : hitCodes)(of, field.codes(day), scratch);
    return ofEntry === null ? codes : gatherTo(ofEntry, codes, scratch.take(codes.length));
  };
  return { level: field.level, codes, ids };
};

/** Its ids are numbers of its own values. */
interface ValuesOfDay extends GroupsOfDay {
  values: PropertyValues;
}

const groupsByProperty = (key: string, context: QueryContext): DimensionGroups<ValuesOfDay> => {
  const id = context.reader.texts.find(context.query.siteId, key);
  return {
    hasIds: false,
    scan(all, wanted, scratch) {
      const found = groupByProperty(all, id, context, scratch);
      if (found === null) return null;
      const { selection, grouping, values } = found;
      return { ...scanGroups(selection, grouping, wanted, context, scratch, true), values };
    },
    async merge(partials, wanted, pace) {
      const days = partials.map(partial => partial.values);
      const { values, numbers } = await mergeValues(days, context, pace);
      // Every value has a hit, so that its position among the merged ones is its number.
      const groups = partials.map((of, i) => withMeaning(of, numbers[i]!));
      const merged = await mergeGroups(groups, wanted, pace);
      return { ...merged, names: valueNames(values, context) };
    },
  };
};
