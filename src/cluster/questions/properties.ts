/** Properties of events: their keys, and what their values are. */
import { instantCode, propertyTypes } from '../../model/hit.ts';
import type { AnswerOf, PropertySummary, QuestionOf } from '../../query/query.ts';
import { dominantType, numericOf } from '../../query/questions/property-summaries.ts';
import { binsOf } from '../../query/questions/property-values.ts';
import type { Counted } from '../../query/rows/counted.ts';
import { compareText } from '../../query/rows/top-rows.ts';
import { isEvent } from '../conditions.ts';
import { addUp, number, type Scope, sumsOf } from '../run.ts';
import { all, list, text } from '../sql.ts';

interface Value {
  key: string;
  type: number;
  text: string;
  number: number;
  count: number;
}

export const propertyKeys = async (
  { run, selection }: Scope,
  { limit }: QuestionOf<'propertyKeys'>,
): Promise<AnswerOf<'propertyKeys'>> => {
  const where = all([selection.hits, isEvent]);
  const [keys, total] = await Promise.all([
    run(`select k, count() from ${selection.table} array join prop_key as k where ${where} group by k`),
    run(`select count() from ${selection.table} where ${where}`),
  ]);
  const rows = addUp(keys, 1).map(([key, events]) => ({ key: String(key), events: number(events) }));
  rows.sort((a, b) => b.events - a.events || compareText(a.key, b.key));
  return { kind: 'propertyKeys', rows: rows.slice(0, limit), total: sumsOf(total)[0]! };
};

export const propertySummaries = async (
  scope: Scope,
  { keys }: QuestionOf<'propertySummaries'>,
): Promise<AnswerOf<'propertySummaries'>> => {
  const values = keys.length === 0 ? [] : await valuesOf(scope, `k in ${list(keys)}`);
  const ofKey = (key: string): Value[] => values.filter(value => value.key === key);
  return { kind: 'propertySummaries', summaries: keys.map(key => summaryOf(key, ofKey(key))) };
};

export const propertyValues = async (
  scope: Scope,
  { key, limit, bins }: QuestionOf<'propertyValues'>,
): Promise<AnswerOf<'propertyValues'>> => {
  const values = await valuesOf(scope, `k = ${text(key)}`);
  const byName = new Map<string, number>();
  for (const value of values) {
    const name = value.text === '' ? '(empty)' : value.text;
    byName.set(name, (byName.get(name) ?? 0) + value.count);
  }
  const rows = [...byName].map(([name, count]) => ({ name, value: count, events: count }));
  rows.sort((a, b) => b.value - a.value || compareText(a.name, b.name));
  const type = values.length === 0 ? null : typeOf(values);
  return {
    kind: 'propertyValues',
    rows: rows.slice(0, limit),
    total: values.reduce((sum, { count }) => sum + count, 0),
    type,
    bins: type === 'number' && bins > 0 ? binsOf(numbersIn(values), bins) : [],
  };
};

/** Each value of events once, with the number of hits that carry it. */
const valuesOf = async ({ run, selection }: Scope, keys: string): Promise<Value[]> => {
  const where = all([selection.hits, isEvent, keys]);
  const shards = await run(`select k, t, v, toString(n), count()
    from ${selection.table} array join prop_key as k, prop_type as t, prop_text as v, prop_number as n where ${where} group by k, t, v, n`);
  return addUp(shards, 4).map(([key, type, value, exact, count]) => ({
    ...{ key: String(key), type: number(type), text: String(value), number: number(exact), count: number(count) },
  }));
};

const typeOf = (values: readonly Value[]) => {
  const countOf = (codes: readonly number[]): number =>
    values.reduce((sum, { type, count }) => sum + (codes.includes(type) ? count : 0), 0);
  return dominantType(
    Object.values(propertyTypes).map(code => countOf(code === propertyTypes.date ? [code, instantCode] : [code])),
  );
};

const numbersIn = (values: readonly Value[]): Counted => {
  const sorted = values.filter(({ type }) => type === propertyTypes.number).sort((a, b) => a.number - b.number);
  return {
    values: Float64Array.from(sorted, of => of.number),
    counts: Uint32Array.from(sorted, of => of.count),
  };
};

const summaryOf = (key: string, values: readonly Value[]): PropertySummary => {
  const type = typeOf(values);
  return { key, values: values.length, type, numeric: type === 'number' ? numericOf(numbersIn(values)) : null };
};
