/**
 * What is stored of a day is what nothing else of it tells: the first and the last page of a visit
 * and how many it looked at are those of its hits, and a title is mostly that of the path. A column
 * of which that is not true is stored in full, so nothing depends on who made the day.
 */
import type { ColumnName } from '../../model/columns.ts';
import { hitTypes } from '../../model/hit.ts';
import { type Column, encodeColumn, encodeFollower, type NumberColumn, type TextColumn } from './column-codec.ts';
import { columnsOf, type Day, numberColumn } from './day.ts';
import { gather } from './gather.ts';
import { type Codes, codesFor, type Numbers } from './packed.ts';
import { flat } from './unpack.ts';

/** The columns of a day as they are stored, without those that `derive` makes. */
export const encodeColumns = (day: Day): { name: ColumnName; data: Buffer }[] =>
  columnsOf(day).flatMap(([name, column]) => {
    const derived = derive(day, name);
    if (derived !== undefined && isSame(column, derived)) return [];
    const data = encodeColumn(column);
    if (name !== 'title') return { name, data };
    const follower = encodeFollower(column as TextColumn, day.column('path') as TextColumn);
    // To read it, the path is read too.
    return { name, data: follower.length < data.length / 2 ? follower : data };
  });

/** Columns of visits that the hits of a day tell. */
const derivedNames: readonly string[] = ['pageviews', 'entryPath', 'exitPath'] satisfies ColumnName[];

/** Whether to read a column is to read those of the day's hits. */
export const isDerived = (name: string): boolean => derivedNames.includes(name);

/** A column that the hits of a day tell; undefined of any other. */
export const derive = (day: Day, name: ColumnName): Column | undefined => {
  if (!isDerived(name)) return undefined;
  const [hitsOf, types] = [wide(day.numbers('hits')), wide(day.numbers('type'))];
  if (name === 'pageviews') return numberColumn(countViews(hitsOf, types));
  const { codes, dictionary } = day.texts('path');
  const views = name === 'entryPath' ? firstViews(hitsOf, types) : lastViews(hitsOf, types);
  return withUsed(codesOf(codes, views), dictionary);
};

/** As 32-bit integers: a loop over arrays of every width would be compiled for none of them. */
const wide = (values: Numbers): Uint32Array => (values instanceof Uint32Array ? values : new Uint32Array(values));

const countViews = (hitsOf: Uint32Array, types: Uint32Array): Uint32Array => {
  const views = new Uint32Array(hitsOf.length);
  for (let visit = 0, hit = 0; visit < views.length; visit++)
    for (const end = hit + hitsOf[visit]!; hit < end; hit++) if (types[hit] === hitTypes.pageview) views[visit]!++;
  return views;
};

/** Of each visit, one more than the row of its first page view; 0 where it has none. */
const firstViews = (hitsOf: Uint32Array, types: Uint32Array): Uint32Array => {
  const views = new Uint32Array(hitsOf.length);
  for (let visit = 0, begin = 0; visit < views.length; visit++) {
    const end = begin + hitsOf[visit]!;
    let hit = begin;
    while (hit < end && types[hit] !== hitTypes.pageview) hit++;
    views[visit] = hit < end ? hit + 1 : 0;
    begin = end;
  }
  return views;
};

const lastViews = (hitsOf: Uint32Array, types: Uint32Array): Uint32Array => {
  const views = new Uint32Array(hitsOf.length);
  for (let visit = 0, begin = 0; visit < views.length; visit++) {
    const end = begin + hitsOf[visit]!;
    let hit = end;
    while (hit > begin && types[hit - 1] !== hitTypes.pageview) hit--;
    views[visit] = hit > begin ? hit : 0;
    begin = end;
  }
  return views;
};

/** The codes of rows that are given by one more, and 0 for 0. Writes to `rows`, and returns it. */
const codesOf = (codes: Codes, rows: Uint32Array): Uint32Array => {
  for (let i = 0; i < rows.length; i++) rows[i] = rows[i] === 0 ? 0 : codes[rows[i]! - 1]!;
  return rows;
};

const isSame = (column: Column, derived: Column): boolean => {
  const [values, others] = [valuesOf(column), valuesOf(derived)];
  let same = values.length === others.length;
  for (let row = 0; same && row < values.length; row++) same = values[row] === others[row];
  return same;
};

/** Numbers, and the ids of texts. */
const valuesOf = (column: Column): Numbers => {
  if (column.kind === 'text') return gather(column.dictionary, new Uint32Array(flat(column.codes)));
  return flat((column as NumberColumn).values);
};

/** A text column of what occurs in it, and null. Writes to `codes`. */
export const withUsed = (codes: Uint32Array, dictionary: Uint32Array): TextColumn => {
  const become = new Uint32Array(dictionary.length);
  for (let row = 0; row < codes.length; row++) become[codes[row]!] = 1;
  become[0] = 1;
  const used = dictionary.filter((_, code) => become[code] === 1);
  for (let code = 0, next = 0; code < become.length; code++) if (become[code] === 1) become[code] = next++;
  const narrow = codesFor(used.length - 1, codes.length);
  for (let row = 0; row < codes.length; row++) narrow[row] = become[codes[row]!]!;
  return { kind: 'text', codes: narrow, dictionary: used };
};
