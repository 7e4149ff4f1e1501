/** What every endpoint about a site is made of: which parameters it knows, what it answers, and the shape of that. */
import { minorRate } from '../model/currency.ts';
import { type FilterField, filterFields } from '../model/filters.ts';
import { planRetentionDays, type Site } from '../model/site.ts';
import type { Answer, AnswerOf, Filter, Question, Report, Slice } from '../query/query.ts';
import type { ResultOf } from '../query/threads/messages.ts';
import type { QueryPool } from '../query/threads/pool.ts';
import type { RecordTask } from '../query/threads/record-tasks.ts';
import type { Rates } from '../store/accounts/accounts.ts';
import type { Caller } from './auth.ts';
import { type Parameters, parseParameters } from './request/parameters.ts';
import {
  type Bucket,
  type Buckets,
  bucketsOf,
  type Period,
  readableFrom,
  type Span,
  type Window,
  windowOf,
} from './request/window.ts';
import { type Zone, zoneOf } from './request/zone.ts';
import type { Schema } from './schema.ts';

/** One site as one caller may read it at one moment. */
export interface Reader {
  site: Site;
  zone: Zone;
  /** UTC milliseconds. */
  now: number;
  /** The earliest instant that the caller's plan lets be read. */
  readableFrom: number;
  window(period: Period): Promise<Window>;
  buckets(window: Span & { bucket: Bucket }): Buckets;
  run(slices: Slice[]): Promise<Report>;
  perform<T extends RecordTask>(task: T): Promise<ResultOf<T>>;
}

export interface ReaderParts {
  site: Site;
  caller: Caller;
  now: number;
  pool: Pick<QueryPool, 'run' | 'perform'>;
  rates: Rates;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
}

export const readerOf = ({ site, caller, now, pool, rates, signal }: ReaderParts): Reader => {
  const zone = zoneOf(site.timezone);
  const retentionDays = planRetentionDays[caller.account.plan];
  const run = (slices: Slice[]): Promise<Report> => {
    const { id: siteId, currency } = site;
    const minorRates = Object.fromEntries(
      rates
        .list()
        .filter(({ target }) => target === currency)
        .map(({ source, target, rate }) => [source, minorRate(source, target, rate)]),
    );
    return pool.run({ siteId, currency, minorRates, slices }, signal);
  };
  return {
    site,
    zone,
    now,
    readableFrom: readableFrom({ zone, now, retentionDays }),
    async window(period) {
      const asksForAll = 'range' in period && period.range === 'all';
      const firstAt = asksForAll ? (await siteEdges(run)).firstAt : null;
      return windowOf(period, { zone, now, firstAt, retentionDays });
    },
    buckets: window => bucketsOf(window, zone),
    run,
    perform: task => pool.perform(task, signal),
  };
};

/** When the site's first and last hit came. */
const siteEdges = async (run: Reader['run']): Promise<AnswerOf<'edges'>> => {
  const [answers] = await run([{ from: 0, to: 0, filters: [], questions: [{ kind: 'edges' }] }]);
  return answerOf(answers, 'edges');
};

/** The first answer of a kind among those to a slice. */
export const answerOf = <K extends Question['kind']>(answers: Answer[] | undefined, kind: K): AnswerOf<K> => {
  const found = answers?.find(answer => answer.kind === kind);
  if (found === undefined) throw new Error(`no answer of kind ${kind}`);
  return found as AnswerOf<K>;
};

/** The slices of a window and of the one it is compared with; the second is left out where there is none. */
export const compared = (window: Window, filters: Filter[], questions: Question[]): Slice[] =>
  [window, window.previous].filter(span => span !== null).map(({ from, to }) => ({ from, to, filters, questions }));

/** A parameter that is neither the period nor a filter. */
export interface ParameterNote {
  schema: Schema;
  meaning: string;
}

/** The note of a `limit`: how many rows where it is left out, and how many at most. */
export const limitNote = (preset: number, most: number, meaning = 'Rows at most'): ParameterNote => ({
  schema: { type: 'integer', minimum: 1, maximum: most, default: preset },
  meaning: `${meaning}; clamped, never rejected`,
});

export interface Endpoint {
  summary: string;
  own: Readonly<Record<string, ParameterNote>>;
  fields: readonly string[];
  /** Schema of the answer. */
  response: Schema;
  /** Tells of single visits, and so is nothing for a shared dashboard. */
  isPrivate?: boolean;
  /** Throws ParameterError before anything is asked. */
  answer(reader: Reader, search: URLSearchParams): Promise<object>;
}

interface EndpointRow<Field extends string> {
  summary: string;
  own?: Readonly<Record<string, ParameterNote>>;
  /** What it filters by; everything a hit has where nothing is said. */
  fields: readonly Field[];
  response: Schema;
  isPrivate?: boolean;
  answer(reader: Reader, parameters: Parameters<Field>): Promise<object>;
}

export const endpoint = <Field extends string>(row: EndpointRow<Field>): Endpoint => {
  const { own = {}, fields } = row;
  return {
    ...row,
    own,
    answer: async (reader, search) => row.answer(reader, parseParameters(search, { own: Object.keys(own), fields })),
  };
};

/** An endpoint that reads hits: it filters by all that a hit has. */
export const hitEndpoint = (row: Omit<EndpointRow<FilterField>, 'fields'>): Endpoint =>
  endpoint({ ...row, fields: filterFields });
