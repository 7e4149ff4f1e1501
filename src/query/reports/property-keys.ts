/** The property keys that event hits carry, with a summary of their values. */
import { type PropertyType, propertyTypes } from '../../model/hit.ts';
import type { QueryContext } from '../context.ts';
import type { PropertyKeyRow, QuestionOf } from '../query.ts';
import { countsByType, type KeyValues, numberKinds, scanProperties, sortedNumbers } from '../rows/property-rows.ts';
import { namesAt, topRows } from '../rows/top-rows.ts';
import { sumBy } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { mergeIds } from '../visitors/merge-ids.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

interface PropertyKeysPartial {
  day: number;
  /** Event hits, with and without properties. */
  events: number;
  keys: KeyValues[];
}

export const planPropertyKeys = (
  { limit }: QuestionOf<'propertyKeys'>,
  { text }: QueryContext,
): QuestionPlan<PropertyKeysPartial> => ({
  key: () => 'property keys',
  scan(selection, scratch) {
    const events = selectEvents(selection, scratch);
    if (events === undefined) return null;
    return { day: selection.day.day, events: events.hits, keys: scanProperties(events, null, scratch) };
  },
  merge: withoutVisitors(partials => {
    const byKey = new Map<number, KeyValues[]>();
    for (const { keys } of partials) {
      for (const values of keys) byKey.set(values.key, [...(byKey.get(values.key) ?? []), values]);
    }
    const keys = [...byKey.keys()];
    const events = Uint32Array.from(byKey.values(), of => sumBy(countsByType(of), count => count));
    const names = namesAt(position => text(keys[position]!)!);
    return {
      kind: 'propertyKeys',
      rows: topRows(events, events, limit, names).map(({ position, name }) =>
        keyRow(name, events[position]!, byKey.get(keys[position]!)!),
      ),
      total: sumBy(partials, ({ events }) => events),
    };
  }),
});

/**
 * The type that most values have, or the earlier one of two. `counts` are in the order of
 * `propertyTypes`.
 */
export const dominantType = (counts: readonly number[]): PropertyType =>
  (Object.keys(propertyTypes) as PropertyType[])[counts.indexOf(Math.max(...counts))]!;

const keyRow = (key: string, events: number, days: readonly KeyValues[]): PropertyKeyRow => {
  const type = dominantType(countsByType(days));
  const texts = mergeIds(days.map(day => day.texts)).ids.length;
  return {
    key,
    events,
    values: texts + sumBy(numberKinds, kind => distinct(sortedNumbers(days, kind))),
    type,
    numeric: type === 'number' ? summary(sortedNumbers(days, type)) : null,
  };
};

/** How many different numbers an ascending list has. */
const distinct = (sorted: Float64Array): number =>
  sorted.reduce((count, value, i) => count + (value !== sorted[i - 1] ? 1 : 0), 0);

const summary = (sorted: Float64Array): PropertyKeyRow['numeric'] => {
  const count = sorted.length;
  const sum = sorted.reduce((total, value) => total + value, 0);
  const middle = (sorted[Math.floor((count - 1) / 2)]! + sorted[Math.floor(count / 2)]!) / 2;
  return { sum, avg: sum / count, min: sorted[0]!, max: sorted[count - 1]!, p50: middle };
};
