/** Questions about what is recorded besides hits: the tasks as they cross threads, and how a worker performs them. */
import type { FilterOn } from '../../model/filters.ts';
import type { Database } from '../../store/database.ts';
import { type CrawlField, type Records, records, type TextTest, type VitalField } from '../../store/read/records.ts';
import { matches } from '../scan/match.ts';

interface OfSite {
  siteId: number;
}

/** The reports of a window that pass every filter, grouped by one of the fields that they can be filtered by. */
interface GroupTask<Field extends string> extends OfSite {
  from: number;
  to: number;
  by: Field;
  filters: FilterOn<Field>[];
  limit: number;
}

export type VitalsTask = { kind: 'vitals' } & GroupTask<VitalField>;
export type CrawlsTask = { kind: 'crawls' } & GroupTask<CrawlField>;
/** For the n buckets of n+1 ascending bounds. */
export type OutcomesTask = { kind: 'outcomes'; bounds: number[] } & OfSite;

export type RecordTask = VitalsTask | CrawlsTask | OutcomesTask;

export interface RecordResults {
  vitals: ReturnType<Records['vitals']>;
  crawls: ReturnType<Records['crawls']>;
  outcomes: ReturnType<Records['outcomes']>;
}

export interface RecordReader {
  vitals(task: VitalsTask, throwIfCanceled: () => void): RecordResults['vitals'];
  crawls(task: CrawlsTask, throwIfCanceled: () => void): RecordResults['crawls'];
  outcomes(task: OutcomesTask, throwIfCanceled: () => void): RecordResults['outcomes'];
}

export const recordReader = (db: Database): RecordReader => {
  const read = records(db);
  return {
    vitals: ({ siteId, filters, ...task }, throwIfCanceled) =>
      read.vitals({ ...task, siteId, throwIfCanceled, tests: testsOf(['path', 'device'], filters) }),
    crawls: ({ siteId, filters, ...task }, throwIfCanceled) =>
      read.crawls({ ...task, siteId, throwIfCanceled, tests: testsOf(['name', 'path', 'status'], filters) }),
    outcomes: ({ siteId, bounds }, throwIfCanceled) => read.outcomes({ siteId, bounds, throwIfCanceled }),
  };
};

/** For each field, whether a text passes all filters on it. */
const testsOf = <Field extends string>(
  fields: readonly Field[],
  filters: readonly FilterOn<Field>[],
): Record<Field, TextTest> => {
  const testOf = (field: Field): TextTest => {
    const own = filters.filter(filter => filter.field === field);
    return text => own.every(filter => matches(filter, text) !== filter.negated);
  };
  return Object.fromEntries(fields.map(field => [field, testOf(field)])) as Record<Field, TextTest>;
};
