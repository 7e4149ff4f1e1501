/** What event hits carry under some property keys, in short: how many values, and of which type. */
import { type PropertyType, propertyTypes } from '../../model/hit.ts';
import type { QueryContext } from '../context.ts';
import { giveWay, type Pace } from '../pace.ts';
import type { PropertySummary, QuestionOf } from '../query.ts';
import { type Counted, medianOf, mergeCounted, sumCounts } from '../rows/counted.ts';
import { countsByType, type KeyValues, numberKinds, scanProperties } from '../rows/property-rows.ts';
import { sumOf } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

interface PropertySummariesPartial {
  day: number;
  /** By the position of the key. */
  values: (KeyValues | undefined)[];
}

export const planPropertySummaries = (
  { keys }: QuestionOf<'propertySummaries'>,
  { query, reader }: QueryContext,
): QuestionPlan<PropertySummariesPartial> => {
  const ids = keys.map(key => reader.texts.find(query.siteId, key));
  return {
    key: () => `property summaries ${ids}`,
    scan(selection, scratch) {
      const events = selectEvents(selection, scratch);
      return events === undefined ? null : { day: selection.day.day, values: scanProperties(events, ids, scratch) };
    },
    merge: withoutVisitors(async (partials, pace) => {
      const summaries: PropertySummary[] = [];
      for (const [i, key] of keys.entries()) {
        await giveWay(pace);
        summaries.push(
          await summaryOf(
            key,
            partials.flatMap(({ values }) => values[i] ?? []),
            pace,
          ),
        );
      }
      return { kind: 'propertySummaries', summaries };
    }),
  };
};

/**
 * The type that most values have, or the earlier one of two. `counts` are in the order of
 * `propertyTypes`.
 */
export const dominantType = (counts: readonly number[]): PropertyType =>
  (Object.keys(propertyTypes) as PropertyType[])[counts.indexOf(Math.max(...counts))]!;

const summaryOf = async (key: string, days: readonly KeyValues[], pace: Pace): Promise<PropertySummary> => {
  const type = dominantType(countsByType(days));
  const texts = await sumCounts(
    days.map(day => day.texts),
    pace,
  );
  let values = texts.values.length;
  let numeric: PropertySummary['numeric'] = null;
  for (const kind of numberKinds) {
    const counted = await mergeCounted(
      days.map(({ numbers }) => numbers[kind]),
      pace,
    );
    values += counted.values.length;
    if (kind === type) numeric = numericOf(counted);
  }
  return { key, values, type, numeric: type === 'number' ? numeric : null };
};

/** Of one number at least. */
export const numericOf = (counted: Counted): PropertySummary['numeric'] => {
  const { values, counts } = counted;
  const sum = values.reduce((total, value, i) => total + value * counts[i]!, 0);
  return { sum, avg: sum / sumOf(counts), min: values[0]!, max: values.at(-1)!, p50: medianOf(counted)! };
};
