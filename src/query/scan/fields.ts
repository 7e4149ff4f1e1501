/**
 * What the dictionary entries of a dimension's column mean: ids of texts, except for `screen`,
 * which has window sizes.
 */
import { columns } from '../../model/columns.ts';
import { type DimensionName, screenBucket, screenBucketNames } from '../../model/dimensions.ts';
import type { Day, TextName } from '../../store/day/day.ts';
import type { Codes, Packed } from '../../store/day/packed.ts';
import type { QueryContext } from '../context.ts';
import type { FieldFilter } from '../query.ts';
import { matches } from './match.ts';
import { type IdTest, testTexts } from './text-test.ts';

/** The groups of a dimension within one day. */
export interface Groups {
  /** Group of each code; null when each code is its own group. */
  ofEntry: Uint32Array | null;
  /** Per group, an id that means the same on every day; 0 is null. */
  ids: Uint32Array;
}

export interface Field {
  dimension: DimensionName;
  level: 'visit' | 'hit';
  /** Of each visit or hit of a day. */
  codes(day: Day): Codes | Packed;
  /** What the codes mean. */
  groups(day: Day): Groups;
  /** Name of an id of `groups`; null for 0. */
  name(id: number, context: QueryContext): string | null;
  /** Id of a name; undefined when the site has no such name. */
  id(name: string, context: QueryContext): number | undefined;
  /** Which ids have a name that passes a filter; not one of `is`, which compares ids. */
  test(filter: FieldFilter, context: QueryContext): IdTest;
}

const screenIds = Uint32Array.from({ length: screenBucketNames.length + 1 }, (_, id) => id);

/** Window sizes are grouped by the bucket of their width. Buckets are numbered from 1. */
const screenField: Pick<Field, 'groups' | 'name' | 'id' | 'test'> = {
  groups: day => ({
    ofEntry: day.dictionary('screen').map(size => screenBucketNames.indexOf(screenBucket(size >>> 16) ?? '') + 1),
    ids: screenIds,
  }),
  name: id => screenBucketNames[id - 1] ?? null,
  id: name => screenBucketNames.indexOf(name) + 1 || undefined,
  test: filter => ids => Uint8Array.from(ids, id => (matches(filter, screenBucketNames[id - 1] ?? null) ? 1 : 0)),
};

const textField = (column: TextName): Pick<Field, 'groups' | 'name' | 'id' | 'test'> => ({
  groups: day => ({ ofEntry: null, ids: day.dictionary(column) }),
  name: (id, { text }) => text(id),
  id: (name, { query, reader }) => reader.texts.find(query.siteId, name) || undefined,
  test: testTexts,
});

export const fieldOf = (dimension: DimensionName): Field => ({
  dimension,
  level: columns[dimension].table,
  codes: day => day.keptCodes(dimension),
  ...(dimension === 'screen' ? screenField : textField(dimension)),
});
