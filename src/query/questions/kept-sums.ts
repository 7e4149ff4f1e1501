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
import { packLists, type Room, unpackLists, unpackWords } from '../../store/day/day-sums.ts';
import { gather } from '../../store/day/gather.ts';
import type { QueryContext } from '../context.ts';
import { type AnyFilter, type FieldFilter, type Filter, isFieldFilter } from '../query.ts';
import type { TouchedBuckets } from '../scan/day-buckets.ts';
import { fieldOf } from '../scan/fields.ts';
import { isNull } from '../scan/match.ts';
import { addUp, type GroupsOfDay, type Wanted } from './grouped.ts';
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

/** Where one of both rows lies. */
interface Place {
  bytes: Uint8Array;
  from: number;
  to: number;
}

const placeOf = (bytes: Uint8Array): Place => ({ bytes, from: 0, to: bytes.length });

/** How groups are read: of those wanted sums; in that room. */
interface Reading {
  sums: Wanted['sums'];
  context: QueryContext;
  room: Room;
}

/** Null where an amount is of a currency with a rate, since each one is rounded by itself. */
const unpackGroups = (
  groups: Place,
  others: Place | undefined,
  { sums, context, room }: Reading,
): Omit<GroupsOfDay, 'day'> | null => {
  const [ids, hits, visitors] = unpackWords(groups.bytes, 3, room, groups.from) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  addToEachTheLast(ids);
  const found: Partial<Record<RowPart, GroupsOfDay['columns'][number]>> = { visitors };
  let otherRevenue: GroupsOfDay['otherRevenue'] = [];
  if (others !== undefined) {
    const { lists, end } = unpackLists(others.bytes, more.length, room, others.from);
    for (let i = 0; i < more.length; i++) found[more[i]!] = lists[i]!;
    if (sums.includes('revenue')) {
      withSigns(lists[more.indexOf('revenue')]!);
      otherRevenue = otherRevenueIn(others, end);
      const currencies = otherRevenue.flatMap(([, amounts]) => Object.keys(amounts));
      if (currencies.some(name => context.query.minorRates[name] !== undefined)) return null;
    }
  }
  const columns = [hits, ...sums.map(part => found[part] ?? room.doubles(ids.length).fill(0))];
  return { ids, columns, persistent: null, lists: [], otherRevenue };
};

const addToEachTheLast = (ids: Uint32Array): void => {
  for (let i = 1; i < ids.length; i++) ids[i]! += ids[i - 1]!;
};

const withSigns = (amounts: Float64Array): void => {
  for (let i = 0; i < amounts.length; i++) {
    const amount = amounts[i]!;
    amounts[i] = amount % 2 === 0 ? amount / 2 : -(amount + 1) / 2;
  }
};

/** Mostly there is none. */
const otherRevenueIn = ({ bytes, to }: Place, from: number): GroupsOfDay['otherRevenue'] =>
  to - from <= '[]'.length ? [] : JSON.parse(Buffer.from(bytes.subarray(from, to)).toString());

const restricted = (of: Omit<GroupsOfDay, 'day'>, only: Uint32Array): typeof of => {
  const positions = Uint32Array.from([...only].map(id => positionAmong(of.ids, id)).filter(position => position >= 0));
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
    read(rows, day, room) {
      const [groups, others, ofConverting, moreOfThem] = rows.map(placeOf);
      const found = unpackGroups(groups!, others, { sums, context, room });
      const place = sums.indexOf('conversions');
      if (found !== null && place >= 0) {
        const visits = unpackGroups(ofConverting!, moreOfThem, { sums: ['visits'], context, room })!;
        found.columns[1 + place] = valuesAt(found.ids, visits.ids, visits.columns[1]!);
      }
      return found && { day, ...(only === null ? found : restricted(found, only)) };
    },
    addUp: (days, pace) => addUp(days, sums, pace),
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
  bytes: Uint8Array,
  edges: readonly number[],
  reading: Reading,
): Omit<GroupsOfDay, 'day'> | null => {
  const division = divisions.get(`${edges}`);
  if (division === undefined) return null;
  const { lists, end } = unpackLists(bytes, 1, reading.room);
  const lengths = lists[0]!;
  let from = end;
  for (let i = 0; i < 2 * division; i++) from += lengths[i]!;
  const between = from + lengths[2 * division]!;
  const to = between + lengths[2 * division + 1]!;
  return unpackGroups({ bytes, from, to: between }, { bytes, from: between, to }, reading);
};

/** Sums by time of days that touch such buckets. */
export const sumsByTime = (
  bucketsOf: (day: number) => TouchedBuckets,
  { sums, medians }: Wanted,
  context: QueryContext,
): KeptSums<GroupsOfDay> | undefined => {
  if (medians.length > 0 || !sums.every(part => keptParts.includes(part))) return undefined;
  return {
    names: filters => [nameByTime(filters)],
    read([row], day, room) {
      const found = unpackTimes(row!, bucketsOf(day).edges, { sums, context, room });
      return found && { day, ...found };
    },
    // The buckets of all are counted from the first that the first day touches.
    addUp(days, pace) {
      const [first = 0, ...others] = days.map(({ day }) => bucketsOf(day).first);
      const shifts = [0, ...others.map(bucket => bucket - first)];
      const shifted = days.map((of, i) => ({ ...of, ids: of.ids.map(id => id + shifts[i]!) }));
      return addUp(shifted, sums, pace);
    },
  };
};
