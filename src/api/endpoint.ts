/**
 * An endpoint about a site as data: its parameters, the shape of its answer, and a plan of what to
 * ask and how to render it.
 */

import { HttpError } from '../http/errors.ts';
import { localName } from '../model/calendar.ts';
import { type FilterField, type FilterOn, filterFields } from '../model/filters.ts';
import type { Note } from '../model/notes.ts';
import { type HideablePart, partOfMetric } from '../model/public-parts.ts';
import type { Site } from '../model/site.ts';
import type { TableMetricName } from '../model/table-metrics.ts';
import type { Answer, AnswerOf, Filter, Imported, Question, Report, Slice } from '../query/query.ts';
import { partsOf, resolveFilters, type SiteDefinitions } from './definitions.ts';
import { type Asked, type OwnParameters, parseParameters } from './request/parameters.ts';
import { type Comparison, type Period, type Span, type Window, windowOf } from './request/window.ts';
import type { Zone } from './request/zone.ts';
import { described, localTime, type ObjectOf, object, oneOf, type Schema, type SchemaFields } from './schema.ts';

/** One site as one caller may read it at one moment. */
export interface ReadableSite {
  site: Site;
  zone: Zone;
  /** UTC milliseconds. */
  now: number;
  /** The earliest instant that the caller's plan allows. */
  readableFrom: number;
  /** What is hidden from a member, or not shown on a public page. */
  hidden: ReadonlySet<HideablePart>;
  /** Goals, segments and funnels of the site. */
  definitions: SiteDefinitions;
  /** All notes on days of the site. */
  notes: () => Note[];
  /** Of a rollup, the sites that it reads as one; else the site itself. */
  members: () => Site[];
}

/** Throws HttpError where a public page does not show a part of what is asked. */
export const refuseHidden = ({ hidden }: ReadableSite, part: HideablePart | undefined): void => {
  if (part !== undefined && hidden.has(part)) throw new HttpError(`${part}-not-public`);
};

/** Throws HttpError where a metric tells of something that a public page does not show. */
export const refuseHiddenMetrics = (view: ReadableSite, metrics: readonly TableMetricName[]): void => {
  for (const name of metrics) refuseHidden(view, partOfMetric(name));
};

/**
 * What is asked of a site. Filters on hits are those that segments and goals stand for; `written`
 * are the filters as they were written.
 */
export type AskedOf<Parameters extends Own, Field extends string> = Omit<Asked<Parameters, Field>, 'filters'> & {
  filters: FilterField extends Field ? Filter[] : FilterOn<Field>[];
  written: FilterOn<Field>[];
};

/**
 * Reads the parameters of a question about a site. Throws ParameterError; and HttpError where a
 * filter is on something that a public page does not show, since its numbers would tell.
 */
export const askedOf = <Parameters extends Own, Field extends string>(
  search: URLSearchParams,
  view: ReadableSite,
  own: Parameters,
  fields: readonly Field[],
): AskedOf<Parameters, Field> => {
  const asked = parseParameters(search, own, fields);
  const written = asked.filters as FilterOn<FilterField>[];
  const filters = resolveFilters(written, view.definitions, view.hidden);
  refuseHiddenFilters(view, filters);
  return { ...asked, filters, written } as unknown as AskedOf<Parameters, Field>;
};

/** Throws HttpError where a filter is on something that a public page does not show. */
export const refuseHiddenFilters = (view: ReadableSite, filters: readonly Filter[]): void => {
  for (const part of partsOf(filters)) refuseHidden(view, part);
};

/** What to ask, and what to make of the report: an answer, or what to ask next. */
export interface QueryStep<Body> {
  slices: Slice[];
  render(report: Report): Body | QueryStep<Body>;
}

export interface Endpoint<Answered = unknown> {
  summary: string;
  own: OwnParameters;
  /** What it filters by. */
  fields: readonly string[];
  response: Schema<Answered>;
  /** Throws ParameterError, and HttpError where a public page does not show what is asked. */
  plan(search: URLSearchParams, view: ReadableSite): QueryStep<object>;
}

type Own = Endpoint['own'];

interface EndpointRow<Parameters extends Own, Field extends string, Given, Answered> {
  summary: string;
  /** Parameters besides the period and the filters; none where nothing is said. */
  own?: Parameters;
  /** What it filters by; everything that a hit has where nothing is said. */
  fields?: readonly Field[];
  response: Schema<Answered>;
  /** What it tells of, where a public page may not show that. */
  part?: HideablePart;
  plan(asked: AskedOf<Parameters, Field> & Given, view: ReadableSite): QueryStep<object>;
}

export const endpoint = <
  Parameters extends Own = Record<never, never>,
  Field extends string = FilterField,
  Answered = unknown,
>({
  own = {} as Parameters,
  fields = filterFields as readonly string[] as readonly Field[],
  part,
  plan,
  ...row
}: EndpointRow<Parameters, Field, unknown, Answered>): Endpoint<Answered> => ({
  ...row,
  own,
  fields,
  plan(search, view) {
    refuseHidden(view, part);
    return plan(askedOf(search, view, own, fields), view);
  },
});

/**
 * An endpoint about a window of time, whose response is a `windowObject`. When the caller's plan
 * cut the window, the answer says how far back the plan reaches.
 */
export const windowEndpoint = <
  Parameters extends Own = Record<never, never>,
  Field extends string = FilterField,
  Answered = unknown,
>({
  plan,
  nowOf = (_, { now }) => now,
  ...row
}: EndpointRow<Parameters, Field, { window: Window }, Answered> & {
  /** The moment that the window is of, where that is not the present. */
  nowOf?: (asked: AskedOf<Parameters, Field>, view: ReadableSite) => number;
}): Endpoint<Answered> =>
  endpoint<Parameters, Field, Answered>({
    ...row,
    plan: (asked, view) => {
      const planned = (window: Window): QueryStep<object> => {
        const step = withImported(plan({ ...asked, window }, view));
        return window.isCut ? withLimit(step, view) : step;
      };
      const { compare } = asked as { compare?: Comparison };
      return inWindow(asked.period, { ...view, now: nowOf(asked, view) }, planned, compare);
    },
  });

/**
 * Plans within the window of a period. All time begins with the site's first hit, and asks for that
 * first.
 */
export const inWindow = <Body>(
  period: Period,
  { zone, now, readableFrom }: ReadableSite,
  plan: (window: Window) => QueryStep<Body>,
  comparison?: Comparison,
): QueryStep<Body> => {
  const planFrom = (firstAt: number | null): QueryStep<Body> =>
    plan(windowOf(period, { zone, now, firstAt, readableFrom }, comparison));
  if (!('range' in period && period.range === 'all')) return planFrom(null);
  return askOne(noTime, [], { kind: 'firstHit' }, ({ at }) => planFrom(at));
};

/** An answer with imported days says so, or that it lacks some of them. */
export const withImported = <Body extends object>({ slices, render }: QueryStep<Body>): QueryStep<Body & Given> => ({
  slices,
  render(report) {
    const body: (Body & Given) | QueryStep<Body> = render(report);
    const imported = importedIn(report);
    if (isStep(body))
      return withImported(imported === undefined ? body : thenStep(body, known => ({ ...known, imported })));
    return imported === undefined ? body : { ...body, imported: mostPartial(imported, body.imported) };
  },
});
interface Given {
  imported?: Imported;
}

const mostPartial = (a: Imported, b: Imported | undefined): Imported => (b === 'partly' ? b : a);

/** Whether imported days are in a report; undefined where none is concerned. */
export const importedIn = (report: Report): Imported | undefined => {
  const found = report.flatMap(answers => answers.flatMap(({ imported }) => imported ?? []));
  return found.length === 0 ? undefined : found.includes('partly') ? 'partly' : 'all';
};

const withLimit = (step: QueryStep<object>, view: ReadableSite): QueryStep<object> =>
  thenStep(step, body => ({ ...body, limitedTo: localName(view.zone.local(view.readableFrom)) }));

/** A step whose answer becomes another one, or what to ask next. */
export const thenStep = <From, To>(
  { slices, render }: QueryStep<From>,
  then: (body: From) => To | QueryStep<To>,
): QueryStep<To> => ({
  slices,
  render(report) {
    const body = render(report);
    return isStep(body) ? thenStep(body, then) : then(body);
  },
});

/** The schema of a window's answer: these fields and no others; `optional` ones may be missing. */
export const windowObject = <Required extends SchemaFields, Optional extends SchemaFields = Record<never, never>>(
  properties: Required,
  optional: Optional = {} as Optional,
): Schema<ObjectOf<Required, Optional & typeof windowFields>> => object(properties, { ...optional, ...windowFields });

export const limitSchema = described(
  localTime,
  'How far back the account’s plan reaches; only where the window would have begun earlier',
);

export const importedSchema = described(
  oneOf(['all', 'partly']),
  'Only where the windows hold days that were imported as sums: whether all that is asked is told of all of them',
);

const windowFields = { limitedTo: limitSchema, imported: importedSchema };

export const isStep = <Body>(result: Body | QueryStep<Body>): result is QueryStep<Body> =>
  typeof result === 'object' && result !== null && 'slices' in result;

/** Asks one question about a slice. */
export const askOne = <K extends Question['kind'], Body>(
  { from, to }: Span,
  filters: Filter[],
  question: Question & { kind: K },
  render: (answer: AnswerOf<K>) => Body | QueryStep<Body>,
): QueryStep<Body> => ({
  slices: [{ from, to, filters, questions: [question] }],
  render: ([answers]) => render(answerOf(answers, question.kind)),
});

/** For questions that are not about hits. */
export const noTime: Span = { from: 0, to: 0 };

/** The first answer of a kind among those to a slice. */
export const answerOf = <K extends Question['kind']>(answers: Answer[] | undefined, kind: K): AnswerOf<K> => {
  const found = answers?.find(answer => answer.kind === kind);
  if (found === undefined) throw new Error(`no answer of kind ${kind}`);
  return found as AnswerOf<K>;
};
