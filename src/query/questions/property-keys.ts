/**
 * The property keys that event hits carry, and how many hits carry each. Anybody can make up keys
 * and values, so values are only looked at under the keys that are shown (property-summaries.ts).
 */
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import { type Counted, sumCounts } from '../rows/counted.ts';
import { countKeys } from '../rows/property-rows.ts';
import { textNames, topRows } from '../rows/top-rows.ts';
import { sumBy } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
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
  merge: withoutVisitors(async (partials, pace) => {
    const { values: ids, counts: events } = await sumCounts(
      partials.map(({ keys }) => keys),
      pace,
    );
    return {
      kind: 'propertyKeys',
      rows: topRows(events, events, limit, textNames(ids, context)).map(({ position, name }) => ({
        key: name,
        events: events[position]!,
      })),
      total: sumBy(partials, ({ events }) => events),
    };
  }),
});
