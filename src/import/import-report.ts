/** What an import is given, and what it says of itself. */
import type { Log } from '../log.ts';
import type { Random } from '../model/ids.ts';
import type { Outcome } from '../model/outcomes.ts';
import type { Site } from '../model/site.ts';
import type { Database } from '../store/database.ts';
import type { ImportTotals } from '../store/imports/imports.ts';
import type { Between } from './between.ts';
import type { Inputs } from './inputs.ts';
import { ImportProblem } from './problem.ts';

export interface ImportOptions {
  db: Database;
  site: Site;
  inputs: Inputs;
  /** Name of the format; by default what the files tell. */
  format: string | undefined;
  /** Hits of which time are meant; by default all. */
  between?: Between | undefined;
  /** What becomes of known rows. By default the import ends with KnownRowsProblem. */
  known?: 'leave-out' | 'import' | undefined;
  /** Reads and counts, and changes nothing. */
  dryRun: boolean;
  /** Databases of places in place of those that ship, or null. */
  geo: { geoDb: string | null; geoAsnDb: string | null };
  log: Log;
  random: Random;
  /** UTC milliseconds. */
  now: () => number;
  /** Called often; throws to stop. */
  check: (progress: ReadProgress) => void;
  /** Runs steps of short transactions, with rests where a server writes too. */
  runSteps: <Step>(steps: Generator<Step>, between: (step: Step) => void) => Promise<void>;
}

export interface ReadProgress {
  lines: number;
  /** How much is read, 0 to 1; null where nobody knows. */
  part: number | null;
  /** Days that are written, of so many; null while lines are read. */
  days: { done: number; of: number } | null;
}

export interface ImportReport {
  /** Null where nothing was written: in a dry run, and of an empty file. */
  id: number | null;
  format: string;
  lines: number;
  /** They add up to the lines, but where a line holds several hits. */
  outcomes: Partial<Record<Outcome, number>>;
  /** Rows that are here already, by what brought them: they are left out. */
  known: KnownView[];
  /** UTC days of its hits, `2026-11-20`. */
  days: string[];
  /** What the source counts, and what Daybook counts. */
  source: ImportTotals;
  counted: ImportTotals;
  /** Why the two differ; null where the source has no totals. */
  difference: string | null;
  /** Files in a zip that were not read. */
  ignored: string[];
  /** Of sums: days that were left out, by reason. */
  leftOut?: LeftOutDays;
}

/** Days that were left out. */
export interface LeftOutDays {
  /** The site has hits on them, or had some before. */
  own: number;
  /** Another import brought sums of them. */
  imported: number;
  notOver: number;
}

/** Rows that are here already. */
export interface KnownView {
  /** The import that brought them; null for what the site collected itself. */
  import: number | null;
  rows: number;
  /** UTC days of the first and the last of them, `2026-10-01`. */
  first: string;
  last: string;
}

/** Of the files some rows are here already, and nobody said what is to become of them. */
export class KnownRowsProblem extends ImportProblem {
  readonly known: readonly KnownView[];

  constructor(known: readonly KnownView[]) {
    super(`Of the files ${known.map(knownText).join(', and ')}. To import them again would count them twice.`);
    this.known = known;
  }
}

const knownText = ({ import: id, rows, first, last }: KnownView): string => {
  const what = `${rows} ${rows === 1 ? 'row is' : 'rows are'} here already`;
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`;
  return id === null
    ? `${what}, in the time that the site collected itself (${when})`
    : `${what} by import ${id} (${when})`;
};
