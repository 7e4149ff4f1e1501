/** What a format is: which files are its own, and what their records mean. */
import type { ImportedSum } from '../model/imported-sums.ts';
import type { Outcome } from '../model/outcomes.ts';
import type { PastHit, PastRecord } from '../model/past-hit.ts';
import type { Site } from '../model/site.ts';
import type { Row, SideTables } from './import-rows.ts';

/**
 * What a row means: hits, something else that was recorded, or an outcome without any. Throws
 * RowProblem where it is wrong.
 */
export type Meaning = PastHit | readonly PastHit[] | PastRecord | Outcome;

/** Tables that say more about its records: the name of each one's key, by its kind. */
export type Sides = Readonly<Record<string, (names: ReadonlySet<string>, file: string) => string | undefined>>;

interface FormatBase {
  /** What `--from` calls it. */
  name: string;
  /** The product, as people call it. */
  title: string;
  /** Its records are single hits, with their times. */
  kind: 'hits';
  /** Why its own totals differ from what Daybook counts; missing where it has none. */
  difference?: string;
}

/** Each line stands for itself, and one that cannot be read is counted. */
export interface LineFormat extends FormatBase {
  /** Whether a first line is of this format. */
  isLine(line: string): boolean;
  /** Makes the reader of lines; it returns 'import-malformed' for what is none. */
  lines(site: Site): (line: string) => Meaning;
}

export interface SiteColumn {
  name: string;
  /** Aliases of a site that are such names; null where none can be. */
  isAlias: RegExp | null;
}

/** Rows with names: CSV with a header, or JSON objects. A wrong row ends the import. */
export interface RowFormat extends FormatBase {
  /** Whether names of columns are those of its table of hits. */
  isTable(names: ReadonlySet<string>): boolean;
  /** Which column names the site of a row, where a table may hold several. */
  siteColumn?: SiteColumn;
  sides?: Sides;
  rows(site: Site, sides: SideTables): (row: Row) => Meaning;
}

/** What another product counted on days: rows with names. A wrong row ends the import. */
export interface SumFormat extends Omit<FormatBase, 'kind'> {
  kind: 'sums';
  /** Whether names of columns are those of one of its tables. */
  isTable(names: ReadonlySet<string>): boolean;
  /** Whether a file is called as one of its tables is: then it must be one. */
  isNamed?(file: string): boolean;
  sides?: Sides;
  /** Makes the reader of a table's rows. Throws RowProblem. */
  sums(site: Site, names: ReadonlySet<string>, sides: SideTables): (row: Row) => readonly ImportedSum[];
}

export type HitFormat = LineFormat | RowFormat;
export type Format = HitFormat | SumFormat;

export const isLineFormat = (format: Format): format is LineFormat => 'isLine' in format;
