/**
 * A large day is read and sealed in parts, so that one part at a time fits in memory. A visitor is
 * in one part, with all visits: what the parts of a day count adds up to what the day counts. What
 * an import brought of a day is parts of its own, so that it can come and go as a whole.
 */

/**
 * One of some equal parts of all hashes, numbered from 0: the visitors whose hash, divided by 2^64,
 * is at least `number / of` and below `(number + 1) / of`.
 */
export interface Part {
  number: number;
  of: number;
  /** The import that brought it; missing for what was collected. */
  importId?: number;
  /** Where a day is read as one though it has several: they and their versions (united-days.ts). */
  sources?: string;
  /** Rules that leave hits of it out, by their ids (query/removal-rules/). */
  rules?: string;
  /** The site that it is of, where several are read as one (rollup-days.ts). */
  site?: number;
}

/** A part of a day. The number of parts is a power of two, and mostly 1. */
export interface DayPart {
  /** UTC day number. */
  day: number;
  part: Part;
}

export const wholeDay: Part = { number: 0, of: 1 };

/** Names a version of a part of a day. The first of a day in one part is named by the day. */
export const partName = ({ day, part: { number, of, importId, sources, rules, site } }: DayPart, version = 0): string =>
  `${day}${site === undefined ? '' : ` of site ${site}`}${importId === undefined ? '' : ` import ${importId}`}${sources === undefined ? '' : ` of ${sources}`}${of === 1 ? '' : ` part ${number} of ${of}`}${rules === undefined ? '' : ` without ${rules}`}${version === 0 ? '' : ` version ${version}`}`;

/** The highest number of parts: visitors are divided by the first byte of their hash. */
export const partsMax = 256;

/**
 * Hits of a part, about; many properties count as further hits. Reading so many takes some 100 MB
 * and, of an open day, some 100 ms.
 */
export const partHitsMaxDefault = 500_000;

/** How many parts a day of so many hits has. */
export const partsFor = (hits: number, partHitsMax: number): number => {
  let of = 1;
  while (of < partsMax && hits > of * partHitsMax) of *= 2;
  return of;
};

/** Whether the first hash of a part belongs to another part: of all parts of a day, to one. */
export const beginsIn = (part: Part, other: Part): boolean =>
  part.importId === other.importId && Math.floor((part.number * other.of) / part.of) === other.number;

/** The parts of a day, ascending. */
export const partsOf = (of: number): Part[] => Array.from({ length: of }, (_, number) => ({ number, of }));

/** Where visits of marks alone are kept, beside the columns of a part (mark-visits.ts). */
export const marksName = 'marks';
