/** The values that event hits carry under one property key. */
import { propertyTypes } from '../../model/hit.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import type { AnswerOf } from '../query.ts';
import { countsByType, type KeyValues, scanProperties } from '../rows/property-rows.ts';
import { valueText } from '../rows/property-text.ts';
import { textNames } from '../rows/text-names.ts';
import { type Names, topRows } from '../rows/top-rows.ts';
import { selectEvents } from '../scan/event-hits.ts';
import { concat } from '../scan/lists.ts';
import { addTo, mergeIds } from '../visitors/merge-ids.ts';
import { type Plan, type PlanContext, withoutVisitors } from './plan.ts';
import { dominantType } from './property-keys.ts';

/** How an empty value is named. */
const emptyName = '(empty)';

interface PropertyValuesPartial {
  day: number;
  values: KeyValues;
}

export const planPropertyValues = (
  key: string,
  limit: number,
  bins: number,
  context: PlanContext,
): Plan<PropertyValuesPartial> => {
  const id = context.reader.texts.find(context.query.siteId, key);
  return {
    key: () => `property values ${id}`,
    scan(selection) {
      const events = selectEvents(selection);
      const [values] = events === undefined ? [] : scanProperties(events, id);
      return values === undefined ? null : { day: selection.day.day, values };
    },
    merge: withoutVisitors(partials => {
      const days = partials.map(({ values }) => values);
      const counts = countsByType(days);
      const total = counts.reduce((sum, some) => sum + some);
      const type = total === 0 ? null : dominantType(counts);
      const numbers = concat(days.map(values => values.numbers)).sort();
      return {
        kind: 'propertyValues',
        rows: rowsOf(days, numbers, limit, context),
        total,
        type,
        bins: type === 'number' && bins > 0 ? binsOf(numbers, bins) : [],
      };
    }),
  };
};

/**
 * Texts are counted by id and named only when they rank. All other values are named first, since a number can read like a
 * text and is then one row with it. Each hit carries a key once, so occurrences and hits are the same number.
 */
const rowsOf = (
  days: readonly KeyValues[],
  numbers: Float64Array,
  limit: number,
  context: PlanContext,
): AnswerOf<'propertyValues'>['rows'] => {
  const united = mergeIds(days.map(({ texts }) => texts));
  const ofTexts = new Uint32Array(united.ids.length);
  for (const { texts, textCounts } of days) addTo(ofTexts, united, texts, textCounts);
  const others = new Map<string, number>();
  const add = (name: string, count: number): void => {
    const id = united.ids.length === 0 ? 0 : context.reader.texts.find(context.query.siteId, name);
    const place = id === 0 ? -1 : positionAmong(united.ids, id);
    if (place >= 0) ofTexts[place]! += count;
    else others.set(name, (others.get(name) ?? 0) + count);
  };
  if (united.ids[0] === 0) {
    add(emptyName, ofTexts[0]!);
    ofTexts[0] = 0;
  }
  const dates = concat(days.map(values => values.dates)).sort();
  const booleans = [0, 1].map(value => days.reduce((sum, values) => sum + values.booleans[value]!, 0));
  const addOf = (type: number) => (value: number, count: number) => {
    if (count > 0) add(valueText(type, null, value)!, count);
  };
  forEachRun(numbers, addOf(propertyTypes.number));
  forEachRun(dates, addOf(propertyTypes.date));
  for (const value of [0, 1]) addOf(propertyTypes.boolean)(value, booleans[value]!);

  const names = [...others.keys()];
  const counts = new Uint32Array(ofTexts.length + names.length);
  counts.set(ofTexts);
  counts.set([...others.values()], ofTexts.length);
  const textual = textNames(united.ids, context);
  const isText = (place: number): boolean => place < ofTexts.length;
  const all: Names = {
    at: place => (isText(place) ? textual.at(place) : names[place - ofTexts.length]!),
    first: (places, count) => {
      const texts = textual.first(places.filter(isText), count);
      return Uint32Array.from([...texts, ...places.filter(place => !isText(place))]);
    },
  };
  return topRows(counts, counts, limit, all)
    .map(({ place, name }) => ({ name, value: counts[place]!, events: counts[place]! }))
    .filter(({ value }) => value > 0);
};

/** Calls back for each different number among ascending ones, with how often it occurs. */
const forEachRun = (sorted: Float64Array, call: (value: number, count: number) => void): void => {
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && sorted[to] === sorted[from]) to++;
    call(sorted[from]!, to - from);
  }
};

/**
 * Bins of equal width from the least to the greatest number; each holds its lower end, and the last one its upper end too. Where
 * all numbers are the same the bins have a width of 1.
 */
const binsOf = (sorted: Float64Array, count: number): AnswerOf<'propertyValues'>['bins'] => {
  const least = sorted[0]!;
  const most = sorted.at(-1)! === least ? least + count : sorted.at(-1)!;
  const edge = (bin: number): number => (bin === count ? most : least * (1 - bin / count) + most * (bin / count));
  const bins = Array.from({ length: count }, (_, bin) => ({ from: edge(bin), to: edge(bin + 1), value: 0 }));
  let bin = 0;
  for (const value of sorted) {
    while (bin < count - 1 && value >= bins[bin]!.to) bin++;
    bins[bin]!.value++;
  }
  return bins;
};
