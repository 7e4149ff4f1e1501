/** The values that event hits carry under one property key. */
import { valueText } from '../../model/hit.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import type { QueryContext } from '../context.ts';
import type { AnswerOf, QuestionOf } from '../query.ts';
import {
  countsByType,
  type KeyValues,
  numberCodes,
  numberKinds,
  scanProperties,
  sortedNumbers,
} from '../rows/property-rows.ts';
import { type Names, textNames, topRows } from '../rows/top-rows.ts';
import { sumBy } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { addTo, mergeIds } from '../visitors/merge-ids.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';
import { dominantType } from './property-keys.ts';

/** The name of an empty value. */
const emptyName = '(empty)';

interface PropertyValuesPartial {
  day: number;
  values: KeyValues;
}

export const planPropertyValues = (
  { key, limit, bins }: QuestionOf<'propertyValues'>,
  context: QueryContext,
): QuestionPlan<PropertyValuesPartial> => {
  const id = context.reader.texts.find(context.query.siteId, key);
  return {
    key: () => `property values ${id}`,
    scan(selection, scratch) {
      const events = selectEvents(selection, scratch);
      const [values] = events === undefined ? [] : scanProperties(events, id, scratch);
      return values === undefined ? null : { day: selection.day.day, values };
    },
    merge: withoutVisitors(partials => {
      const days = partials.map(({ values }) => values);
      const counts = countsByType(days);
      const total = sumBy(counts, count => count);
      const type = total === 0 ? null : dominantType(counts);
      return {
        kind: 'propertyValues',
        rows: rowsOf(days, limit, context),
        total,
        type,
        bins: type === 'number' && bins > 0 ? binsOf(sortedNumbers(days, type), bins) : [],
      };
    }),
  };
};

/**
 * Texts are counted by id and named only when they could be shown. All other values are named
 * first: a number can read like a text and is then one row with it. Each hit carries a key once, so
 * occurrences and hits are the same number.
 */
const rowsOf = (
  days: readonly KeyValues[],
  limit: number,
  context: QueryContext,
): AnswerOf<'propertyValues'>['rows'] => {
  const { ids, ofTexts, others } = countByName(days, context);
  const otherNames = [...others.keys()];
  const counts = new Uint32Array(ids.length + otherNames.length);
  counts.set(ofTexts);
  counts.set([...others.values()], ids.length);
  return topRows(counts, counts, limit, namesOf(ids, otherNames, context))
    .map(({ position, name }) => ({ name, value: counts[position]!, events: counts[position]! }))
    .filter(({ value }) => value > 0);
};

/** How often each text occurs, by ascending id, and each other value, by name. */
const countByName = (
  days: readonly KeyValues[],
  { query, reader }: QueryContext,
): { ids: Uint32Array; ofTexts: Uint32Array; others: Map<string, number> } => {
  const merged = mergeIds(days.map(({ texts }) => texts));
  const { ids } = merged;
  const ofTexts = new Uint32Array(ids.length);
  for (const { texts, textCounts } of days) addTo(ofTexts, merged, texts, textCounts);
  const others = new Map<string, number>();
  const add = (name: string, count: number): void => {
    const id = ids.length === 0 ? 0 : reader.texts.find(query.siteId, name);
    const position = id === 0 ? -1 : positionAmong(ids, id);
    if (position >= 0) ofTexts[position]! += count;
    else others.set(name, (others.get(name) ?? 0) + count);
  };
  if (ids[0] === 0) {
    add(emptyName, ofTexts[0]!);
    ofTexts[0] = 0;
  }
  for (const kind of numberKinds)
    forEachRun(sortedNumbers(days, kind), (value, count) => add(valueText(numberCodes[kind], null, value)!, count));
  return { ids, ofTexts, others };
};

/** The names of texts, and behind them those of other values. */
const namesOf = (ids: Uint32Array, others: readonly string[], context: QueryContext): Names => {
  const textual = textNames(ids, context);
  const isText = (position: number): boolean => position < ids.length;
  return {
    at: position => (isText(position) ? textual.at(position) : others[position - ids.length]!),
    first(positions, count) {
      const texts = textual.first(positions.filter(isText), count);
      return Uint32Array.from([...texts, ...positions.filter(position => !isText(position))]);
    },
  };
};

/** Calls back for each different number of an ascending list, with how often it occurs. */
const forEachRun = (sorted: Float64Array, call: (value: number, count: number) => void): void => {
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && sorted[to] === sorted[from]) to++;
    call(sorted[from]!, to - from);
  }
};

/**
 * Bins of equal width from the least to the greatest number. Each includes its lower end, and the
 * last its upper end too. If all numbers are the same, bins are 1 wide.
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
