/**
 * How the values of a dimension are read: most are the texts of a column, and a few a closed list
 * of values that are worked out.
 */
import { channelNames } from '../../model/channels.ts';
import { columns } from '../../model/columns.ts';
import { type DimensionName, type StoredDimension, screenBucket, screenBucketNames } from '../../model/dimensions.ts';
import { networkKinds } from '../../model/hosting-networks.ts';
import { suspectReasonNames } from '../../model/suspects.ts';
import type { Day } from '../../store/day/day.ts';
import type { Codes, Packed } from '../../store/day/packed.ts';
import type { QueryContext } from '../context.ts';
import type { FieldFilter } from '../query.ts';
import { channelCodes } from './channel-codes.ts';
import { matches } from './match.ts';
import { networkKindsOf, suspectCodes } from './suspects.ts';
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

/** A field whose values are a closed list, numbered from 1. */
const listField = (
  dimension: DimensionName,
  values: readonly string[],
  codes: Field['codes'],
  ofEntry: (day: Day) => Uint32Array | null,
): Field => {
  const ids = Uint32Array.from({ length: values.length + 1 }, (_, id) => id);
  return {
    dimension,
    level: 'visit',
    codes,
    groups: day => ({ ofEntry: ofEntry(day), ids }),
    name: id => values[id - 1] ?? null,
    id: name => values.indexOf(name) + 1 || undefined,
    test: filter => ids => Uint8Array.from(ids, id => (matches(filter, values[id - 1] ?? null) ? 1 : 0)),
  };
};

/** Window sizes are grouped by the bucket of their width. */
const bucketsOf = (day: Day): Uint32Array =>
  day.dictionary('screen').map(size => screenBucketNames.indexOf(screenBucket(size >>> 16) ?? '') + 1);

const textField = (dimension: StoredDimension): Field => ({
  dimension,
  level: columns[dimension].table,
  codes: day => day.keptCodes(dimension),
  groups: day => ({ ofEntry: null, ids: day.dictionary(dimension) }),
  name: (id, { text }) => text(id),
  id: (name, { query, reader }) => reader.texts.find(query.siteId, name) || undefined,
  test: testTexts,
});

export const fieldOf = (dimension: DimensionName, context: QueryContext): Field => {
  switch (dimension) {
    case 'screen':
      return listField(dimension, screenBucketNames, day => day.keptCodes('screen'), bucketsOf);
    case 'channel':
      return listField(dimension, channelNames, channelCodes(context), () => null);
    case 'networkKind':
      return listField(
        dimension,
        networkKinds,
        day => day.keptCodes('network'),
        day => networkKindsOf(day, context),
      );
    case 'suspect':
      return listField(
        dimension,
        suspectReasonNames,
        day => suspectCodes(day, context),
        () => null,
      );
    default:
      return textField(dimension);
  }
};

/** Whether the ids of a dimension's groups are those of texts. */
export const hasTextIds = (dimension: DimensionName): boolean => dimension in columns && dimension !== 'screen';
