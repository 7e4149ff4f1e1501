/**
 * The property keys that event hits carry, and how many hits carry each. Anybody can make up keys
 * and values, so values are only looked at under the keys that are shown (property-summaries.ts).
 */
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import type { Counted } from '../rows/counted.ts';
import { countKeys } from '../rows/property-rows.ts';
import { textNames, topRows } from '../rows/top-rows.ts';
import { sumBy } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { addTo, mergeIds } from '../visitors/merge-ids.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';

interface PropertyKeysPartial {
  day: number;
  /** Event hits, with and without properties. */
  events: number;
  /** By text id. */
  keys: Counted<Uint32Array>;
}

export const planPropertyKeys = (
  { limit }: QuestionOf<'propertyKeys'>,
  context: QueryContext,
): QuestionPlan<PropertyKeysPartial> => ({
  key: () => 'property keys',
  scan(selection, scratch) {
    const events = selectEvents(selection, scratch);
    if (events === undefined) return null;
    return { day: selection.day.day, events: events.hits, keys: countKeys(events, scratch) };
  },
  merge: withoutVisitors(partials => {
    const merged = mergeIds(partials.map(({ keys }) => keys.values));
    const events = new Uint32Array(merged.ids.length);
    for (const { keys } of partials) addTo(events, merged, keys.values, keys.counts);
    return {
      kind: 'propertyKeys',
      rows: topRows(events, events, limit, textNames(merged.ids, context)).map(({ position, name }) => ({
        key: name,
        events: events[position]!,
      })),
      total: sumBy(partials, ({ events }) => events),
    };
  }),
});
