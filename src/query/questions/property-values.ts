/** The values that event hits carry under one property key. */
import { valueText } from '../../model/hit.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import type { QueryContext } from '../context.ts';
import { giveWay, type Pace } from '../pace.ts';
import type { AnswerOf, QuestionOf } from '../query.ts';
import { findAlike } from '../rows/alike-values.ts';
import { type Counted, mergeCounted, sumCounts } from '../rows/counted.ts';
import {
  countsByType,
  type KeyValues,
  type NumberKind,
  numberCodes,
  numberKinds,
  scanProperties,
} from '../rows/property-rows.ts';
import { comparedNames, compareText, textNames, topRows } from '../rows/top-rows.ts';
import { sumBy } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { type QuestionPlan, withoutVisitors } from './plan.ts';
import { dominantType } from './property-summaries.ts';

/** The name of an empty value. */
const emptyName = '(empty)';
/** Names that are compared between two chances to give way. */
const namesPerTurn = 50_000;

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
      const [values] = events === undefined ? [] : scanProperties(events, [id], scratch);
      return values === undefined ? null : { day: selection.day.day, values };
    },
    merge: withoutVisitors(async (partials, pace) => {
      const days = partials.map(({ values }) => values);
      const counts = countsByType(days);
      const total = sumBy(counts, count => count);
      const type = total === 0 ? null : dominantType(counts);
      const numbers = await numbersOf(days, pace);
      return {
        kind: 'propertyValues',
        rows: await rowsOf(days, numbers, limit, context, pace),
        total,
        type,
        bins: type === 'number' && bins > 0 ? binsOf(numbers.number, bins) : [],
      };
    }),
  };
};

type Numbers = Record<NumberKind, Counted>;

const numbersOf = async (days: readonly KeyValues[], pace: Pace): Promise<Numbers> => {
  const ofKind = (kind: NumberKind): Promise<Counted> =>
    mergeCounted(
      days.map(({ numbers }) => numbers[kind]),
      pace,
    );
  return { number: await ofKind('number'), boolean: await ofKind('boolean'), instant: await ofKind('instant') };
};

interface Row {
  name: string;
  count: number;
}

/**
 * Values are named only when they could be shown. A number can read like a text and is then one row
 * with it. Each hit carries a key once, so occurrences and hits are the same number.
 */
const rowsOf = async (
  days: readonly KeyValues[],
  numbers: Numbers,
  limit: number,
  context: QueryContext,
  pace: Pace,
): Promise<AnswerOf<'propertyValues'>['rows']> => {
  const { values: ids, counts } = await sumCounts(
    days.map(({ texts }) => texts),
    pace,
  );
  const rows: Row[] = ids[0] === 0 ? emptyRow(ids, counts, context) : [];
  for (const kind of numberKinds) {
    const others: Counted = { values: numbers[kind].values, counts: numbers[kind].counts.slice() };
    await moveToTexts(others, kind, ids, counts, context, pace);
    rows.push(...(await topNumbers(others, kind, limit, pace)));
  }
  const ofTexts = topRows(counts, counts, limit, textNames(ids, context));
  rows.push(...ofTexts.map(({ position, name }) => ({ name, count: counts[position]! })));
  return rows
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || compareText(a.name, b.name))
    .slice(0, limit)
    .map(({ name, count }) => ({ name, value: count, events: count }));
};

/** The row of the empty text, unless another text reads like its name and counts with it. */
const emptyRow = (ids: Uint32Array, counts: Uint32Array, { query, reader }: QueryContext): Row[] => {
  const count = counts[0]!;
  counts[0] = 0;
  const id = reader.texts.find(query.siteId, emptyName);
  const position = id === 0 ? -1 : positionAmong(ids, id);
  if (position < 0) return [{ name: emptyName, count }];
  counts[position]! += count;
  return [];
};

/** Moves what numbers count to the texts that read like them. */
const moveToTexts = async (
  others: Counted,
  kind: NumberKind,
  ids: Uint32Array,
  counts: Uint32Array,
  context: QueryContext,
  pace: Pace,
): Promise<void> => {
  for (const alike of findAlike(ids, others.values, kind, context)) {
    if (alike === null) await giveWay(pace);
    else {
      counts[alike.text]! += others.counts[alike.value]!;
      others.counts[alike.value] = 0;
    }
  }
};

/** The rows of numbers that could be shown. */
const topNumbers = async ({ values, counts }: Counted, kind: NumberKind, limit: number, pace: Pace): Promise<Row[]> => {
  const rows: Row[] = [];
  for (let from = 0; from < values.length; from += namesPerTurn) {
    await giveWay(pace);
    const some = counts.subarray(from, from + namesPerTurn);
    const names = comparedNames(position => valueText(numberCodes[kind], null, values[from + position]!)!);
    rows.push(...topRows(some, some, limit, names).map(({ position, name }) => ({ name, count: some[position]! })));
  }
  return rows;
};

/**
 * Bins of equal width from the least to the greatest number. Each includes its lower end, and the
 * last its upper end too. If all numbers are the same, bins are 1 wide.
 */
export const binsOf = ({ values, counts }: Counted, count: number): AnswerOf<'propertyValues'>['bins'] => {
  const least = values[0]!;
  const most = values.at(-1)! === least ? least + count : values.at(-1)!;
  const edge = (bin: number): number => (bin === count ? most : least * (1 - bin / count) + most * (bin / count));
  const bins = Array.from({ length: count }, (_, bin) => ({ from: edge(bin), to: edge(bin + 1), value: 0 }));
  let bin = 0;
  for (const [i, value] of values.entries()) {
    while (bin < count - 1 && value >= bins[bin]!.to) bin++;
    bins[bin]!.value += counts[i]!;
  }
  return bins;
};
