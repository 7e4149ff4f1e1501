/**
 * How what a day contributes to grouped questions is kept as sums (store/day/day-sums.ts), and read
 * from them. A sum by a dimension is two rows, since most questions ask for hits and
 * visitors alone: `by path`, and `more by path`. A sum by time holds all the buckets that days are
 * divided into where zones are whole hours from UTC.
 */
import { createHash } from 'node:crypto';
import { type DimensionName, dimensionNames } from '../../model/dimensions.ts';
import { type DimensionField, isPropertyField } from '../../model/filters.ts';
import { eventTypes, type HitType } from '../../model/hit.ts';
import type { RowPart } from '../../model/table-metrics.ts';
import { hourMs } from '../../model/time.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import { packLists, unpackLists, unpackWords } from '../../store/day/day-sums.ts';
import { gather } from '../../store/day/gather.ts';
import type { QueryContext } from '../context.ts';
import { type AnyFilter, type FieldFilter, type Filter, isFieldFilter } from '../query.ts';
import { narrowed } from '../rows/sum-by-id.ts';
import { fieldOf } from '../scan/fields.ts';
import { isNull } from '../scan/match.ts';
import type { GroupsOfDay, Wanted } from './grouped.ts';
import type { KeptSums } from './plan.ts';

/** What is kept of each group besides its hits and visitors. */
const more = ['visits', 'bounces', 'pageviews', 'events', 'visitMs', 'revenue'] as const satisfies RowPart[];

export const keptParts: Wanted['sums'] = ['visitors', ...more];

/** The sums of the groups of a day: of hits and of `keptParts`. */
export type SumsOfGroups = Pick<GroupsOfDay, 'ids' | 'otherRevenue'> & { columns: readonly ArrayLike<number>[] };

/** Both rows. Behind the numbers of the second is the revenue in other currencies, in JSON. */
export const packGroups = ({ ids, columns, otherRevenue }: SumsOfGroups): [Uint8Array, Uint8Array] => {
  const [hits, visitors, ...others] = columns as [ArrayLike<number>, ...ArrayLike<number>[]];
  const signed = Float64Array.from(others.pop()!, value => (value < 0 ? -2 * value - 1 : 2 * value));
  // Of equal sums, the bytes are equal too.
  const inOrder = otherRevenue.map(([position, amounts]) => [
    position,
    Object.fromEntries(Object.entries(amounts).sort()),
  ]);
  return [
    packLists([ids.map((id, i) => id - (ids[i - 1] ?? 0)), hits, visitors!]),
    join([packLists([...others, signed]), Buffer.from(JSON.stringify(inOrder))]),
  ];
};

const join = (pieces: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(pieces));

/**
 * Of all groups, or of those with some ids. Null where an amount is of a currency with a rate,
 * since each one is rounded by itself.
 */
const unpackGroups = (
  [groups, others]: readonly (Uint8Array | undefined)[],
  wanted: Wanted['sums'],
  { query: { minorRates } }: QueryContext,
  only: Uint32Array | null,
): Omit<GroupsOfDay, 'day'> | null => {
  const [ids, hits, visitors] = unpackWords(groups!, 3) as [Uint32Array, Uint32Array, Uint32Array];
  for (let i = 1; i < ids.length; i++) ids[i]! += ids[i - 1]!;
  const found: Partial<Record<RowPart, GroupsOfDay['columns'][number]>> = { visitors: narrowed(visitors) };
  let otherRevenue: GroupsOfDay['otherRevenue'] = [];
  if (others !== undefined) {
    const { lists, end } = unpackLists(others, more.length);
    for (const [i, part] of more.entries()) found[part] = lists[i]!;
    if (wanted.includes('revenue')) {
      found.revenue = (found.revenue as Float64Array).map(value => (value % 2 === 0 ? value / 2 : -(value + 1) / 2));
      otherRevenue = JSON.parse(Buffer.from(others.subarray(end)).toString());
      const currencies = otherRevenue.flatMap(([, amounts]) => Object.keys(amounts));
      if (currencies.some(name => minorRates[name] !== undefined)) return null;
    }
  }
  const columns = [narrowed(hits), ...wanted.map(part => found[part] ?? new Float64Array(ids.length))];
  const all = { ids, columns, persistent: null, lists: [], otherRevenue };
  return only === null ? all : restricted(all, only);
};

const restricted = (of: Omit<GroupsOfDay, 'day'>, only: Uint32Array): typeof of => {
  const positions = only
    .map(id => positionAmong(of.ids, id) + 1)
    .filter(place => place > 0)
    .map(place => place - 1);
  return {
    ...of,
    ids: gather(of.ids, positions),
    columns: of.columns.map(column => Float64Array.from(positions, position => column[position]!)),
    otherRevenue: of.otherRevenue.flatMap(([position, amounts]) => {
      const place = positionAmong(positions, position);
      return place < 0 ? [] : [[place, amounts]];
    }),
  };
};

/** What a plan asks of a dimension. */
export interface AskedBy {
  dimension: DimensionField;
  /** Where it is the event, the types that count. */
  types: readonly HitType[];
  wanted: Wanted;
  /** Of the hits that convert; missing where no goal is asked for. */
  conversion: Filter | undefined;
  context: QueryContext;
}

/** Sums of the groups with some ids, or of all; undefined where what is wanted is not kept. */
export const sumsBy = (asked: AskedBy, only: Uint32Array | null = null): KeptSums<GroupsOfDay> | undefined => {
  const { dimension, types, conversion, context } = asked;
  const { sums, medians } = asked.wanted;
  const name = isPropertyField(dimension) ? undefined : nameOf(dimension, types);
  const isKept = (part: Wanted['sums'][number]): boolean =>
    keptParts.includes(part) || (part === 'conversions' && conversion !== undefined);
  if (name === undefined || medians.length > 0 || !sums.every(isKept)) return undefined;
  const of = (filters: readonly Filter[]): string[] => namesBy(name, filters);
  return {
    names: filters => [
      ...of(filters).slice(0, sums.some(part => part !== 'visitors') ? 2 : 1),
      ...(sums.includes('conversions') ? of([{ ...(conversion as AnyFilter), visit: true }, ...filters]) : []),
    ],
    read([groups, others, ...ofConverting], day) {
      const found = unpackGroups([groups, others], sums, context, only);
      const place = sums.indexOf('conversions');
      if (found === null || place < 0) return found && { day, ...found };
      const visits = unpackGroups(ofConverting, ['visits'], context, only)!;
      const columns = [...found.columns];
      columns[1 + place] = valuesAt(found.ids, visits.ids, visits.columns[1]!);
      return { day, ...found, columns };
    },
    under: filter => (isOn(filter, dimension) ? sumsBy(asked, idsIn(filter, context))! : null),
  };
};

/** Values of some ids, 0 where there are none. */
const valuesAt = (ids: Uint32Array, some: Uint32Array, values: ArrayLike<number>): Float64Array => {
  const found = new Float64Array(ids.length);
  for (let i = 0, at = 0; at < some.length; i++) if (ids[i] === some[at]) found[i] = values[at++]!;
  return found;
};

/** Both rows of a division by a dimension. */
export const namesBy = (name: string, filters: readonly Filter[]): string[] =>
  ['by', 'more by'].map(text => `${keyOf(filters)}${text} ${name}`);

export const nameByTime = (filters: readonly Filter[]): string => `${keyOf(filters)}by time`;

/** What the name of a sum begins with. */
export const keyIn = (name: string): string => /^[0-9a-f]{16} /.exec(name)?.[0] ?? '';

/** The same of sums under some filters. */
export const keyOf = (filters: readonly Filter[]): string =>
  filters.length === 0 ? '' : `${createHash('sha256').update(JSON.stringify(filters)).digest('hex').slice(0, 16)} `;

/** Divisions by a dimension that are kept, by name; of events, all and those without revenue. */
export const keptDimensions: Readonly<Record<string, { dimension: DimensionName; types?: HitType[] }>> = {
  ...Object.fromEntries(dimensionNames.map(dimension => [dimension, { dimension }])),
  'event without revenue': { dimension: 'event', types: ['custom', 'outbound'] },
};

const nameOf = (dimension: DimensionName, types: readonly HitType[]): string | undefined => {
  if (dimension !== 'event' || types.length === eventTypes.length) return dimension;
  return `${types}` === 'custom,outbound' ? 'event without revenue' : undefined;
};

/** Whether a filter leaves all hits of some values of a dimension, so their groups as they are. */
const isOn = (filter: Filter, dimension: DimensionField): filter is FieldFilter =>
  isFieldFilter(filter) &&
  filter.field === dimension &&
  filter.operator === 'is' &&
  !filter.negated &&
  filter.visit === undefined;

const idsIn = (filter: FieldFilter, context: QueryContext): Uint32Array => {
  const field = fieldOf(filter.field as DimensionName, context);
  const ids = filter.values.map(value => (isNull(filter.field, value) ? 0 : field.id(value, context)));
  return Uint32Array.from(new Set(ids.filter(id => id !== undefined))).sort();
};

/** All divisions of a day that are kept, each as the milliseconds since midnight of its edges. */
const hours = Array.from({ length: 23 }, (_, hour) => (hour + 1) * hourMs);
export const keptEdges: readonly number[][] = [[], ...hours.map(edge => [edge]), hours];
const divisions = new Map(keptEdges.map((edges, division) => [`${edges}`, division]));

/** The row of the sums by time, of both rows of each division. */
export const packTimes = (rows: readonly Uint8Array[]): Uint8Array =>
  join([packLists([rows.map(({ length }) => length)]), ...rows]);

/** Groups of a division; null where it is not kept, or amounts are not as `unpackGroups` says. */
export const unpackTimes = (
  row: Uint8Array,
  edges: readonly number[],
  wanted: Wanted['sums'],
  context: QueryContext,
): Omit<GroupsOfDay, 'day'> | null => {
  const division = divisions.get(`${edges}`);
  if (division === undefined) return null;
  const { lists, end } = unpackLists(row, 1);
  const starts = [end];
  for (const length of lists[0]!) starts.push(starts.at(-1)! + length);
  const rows = [2 * division, 2 * division + 1].map(i => row.subarray(starts[i]!, starts[i + 1]!));
  return unpackGroups(rows, wanted, context, null);
};

/** Sums by time, where a day has some edges. */
export const sumsByTime = (
  edgesOf: (day: number) => readonly number[],
  { sums, medians }: Wanted,
  context: QueryContext,
): KeptSums<GroupsOfDay> | undefined => {
  if (medians.length > 0 || !sums.every(part => keptParts.includes(part))) return undefined;
  return {
    names: filters => [nameByTime(filters)],
    read([row], day) {
      const found = unpackTimes(row!, edgesOf(day), sums, context);
      return found && { day, ...found };
    },
  };
};
