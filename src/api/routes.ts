/**
 * The paths of the API: the one table that answers requests, and from which /api/openapi.json is
 * made.
 */
import { HttpError } from '../http/errors.ts';
import { json, jsonWithList } from '../http/reply.ts';
import { filterFields } from '../model/filters.ts';
import { noteTextCharsMax } from '../model/notes.ts';
import { identityModes, rollupSummary, siteSummary } from '../model/site.ts';
import { adminRoutes } from './admin/routes.ts';
import { ownersSiteSchema } from './admin/sites.ts';
import { alertRoutes, alertSchemas } from './alerts/routes.ts';
import { answersParameters, answersSchema, answersTo } from './answers.ts';
import { ask } from './ask.ts';
import { breakdown } from './breakdown.ts';
import {
  type Endpoint,
  importedSchema,
  limitSchema,
  type QueryStep,
  type ReadableSite,
  refuseHidden,
} from './endpoint.ts';
import { events } from './events.ts';
import answered from './examples.json' with { type: 'json' };
import { changeSchema, explain } from './explain.ts';
import { exportParameters, exportsFormulas, planExport } from './export.ts';
import { funnel } from './funnel.ts';
import { funnels, goals, segments } from './goals.ts';
import { journey } from './journey.ts';
import { metricSeries, pointSchema } from './metric-series.ts';
import { addNote, changeNote, noteList, noteSchema, removeNote } from './notes.ts';
import { headlineDeltaSchema, headlineSchema, otherRevenueSchema, rowMetricsSchema, rowSchema } from './numbers.ts';
import { describe } from './openapi.ts';
import { done, type Operation, operation } from './operation.ts';
import { provisionRoute } from './provision.ts';
import { latestHits, realtime } from './realtime.ts';
import { crawlers, outcomeSchema, outcomes, vitalSchema, vitals } from './records.ts';
import { newReportSchema, reportSchema } from './report-keeper.ts';
import { reportRoutes } from './reports.ts';
import { dimensionNameSchema, dimensionSchema, parseParameters, refuseParameters } from './request/parameters.ts';
import { members } from './rollup-sites.ts';
import type { ApiCall, ApiRoute, ApiTag, DescribedRoute } from './route.ts';
import { described, instant, list, localTime, object, oneOf, type Schema, text, uuid } from './schema.ts';
import { series } from './series.ts';
import { stats } from './stats.ts';
import { suspects } from './suspects.ts';
import { table } from './table.ts';
import { hits, visitor, visits } from './visits.ts';

const specified: Readonly<Record<string, Endpoint>> = { stats, series, breakdown, events, realtime };
const beyond: Readonly<Record<string, Endpoint>> = {
  table,
  series: metricSeries,
  explain,
  funnel,
  journey,
  visits,
  visitor,
  hits,
  'latest-hits': latestHits,
  vitals,
  crawlers,
  outcomes,
  suspects,
  goals,
  segments,
  funnels,
  notes: noteList,
  members,
};
/** By what is behind the site in their path, or behind `ext` and the site. */
const answerable: Readonly<Record<string, Endpoint>> = {
  ...specified,
  ...Object.fromEntries(Object.entries(beyond).map(([name, endpoint]) => [`ext/${name}`, endpoint])),
};

const askFor = <Body>(
  { site, search }: ApiCall,
  plan: (search: URLSearchParams, view: ReadableSite) => QueryStep<Body>,
): Promise<Body> => {
  const { view, run } = site();
  return ask(plan(search, view), run);
};

/** By operation, answers to a question about the shop of the tests, which keep them true. */
const examples: Readonly<Record<string, Readonly<Record<string, object>>>> = answered;

const inJson = (schema: Schema, name = ''): DescribedRoute['response'] => {
  const answers = Object.entries(examples[name] ?? {}).map(([question, value]) => [question, { value }]);
  const shown = answers.length === 0 ? {} : { examples: Object.fromEntries(answers) };
  return { content: { 'application/json': { schema, ...shown } } };
};

const tagOf = (name: string): ApiTag => {
  if (/^(visits|visitor|hits|latest-hits|suspects)$/.test(name)) return 'visits';
  if (/^(vitals|crawlers|outcomes)$/.test(name)) return 'records';
  if (/^(goals|segments|funnels)$/.test(name)) return 'definitions';
  return name === 'members' ? 'sites' : name === 'notes' ? 'notes' : 'reports';
};

const operationName = (group: string, name: string): string =>
  group === '/api/ext/sites' && name === 'series'
    ? 'metricSeries'
    : name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `<group>/:id/<name>` for each endpoint. */
const endpointRoutes = (group: string, endpoints: Readonly<Record<string, Endpoint>>): DescribedRoute[] =>
  Object.entries(endpoints).map(([name, endpoint]) => ({
    method: 'GET',
    path: `${group}/:id/${name}`,
    name: operationName(group, name),
    tag: tagOf(name),
    access: 'paid-plan',
    answer: async call => jsonWithList(await askFor(call, endpoint.plan)),
    summary: endpoint.summary,
    own: endpoint.own,
    fields: endpoint.fields,
    response: inJson(endpoint.response, operationName(group, name)),
  }));

const siteSchema = object({
  id: uuid,
  publicKey: text,
  domain: text,
  timezone: text,
  currency: text,
  identityMode: oneOf(identityModes),
  createdAt: instant,
});

const sites: DescribedRoute = {
  method: 'GET',
  path: '/api/v1/sites',
  name: 'listSites',
  tag: 'sites',
  access: 'paid-plan',
  answer({ sites, search }) {
    parseParameters(search, {}, filterFields);
    return json(200, { data: sites().map(siteSummary) });
  },
  summary: 'Every site the key can read; range and filters are accepted and have no effect',
  response: inJson(object({ data: list(siteSchema) }), 'listSites'),
};

const rollupSchema = object({
  id: uuid,
  name: text,
  timezone: text,
  currency: text,
  sites: described(list(text), 'Ids of the sites that it reads as one'),
  createdAt: instant,
});

const rollups: DescribedRoute = {
  method: 'GET',
  path: '/api/ext/rollups',
  name: 'listRollups',
  tag: 'sites',
  access: 'paid-plan',
  answer({ rollups, search }) {
    parseParameters(search, {}, []);
    return json(200, { data: rollups().map(({ rollup, sites }) => rollupSummary(rollup, sites)) });
  },
  summary:
    'Every rollup the key can read: ask about one as about a site, by its id or name; range is accepted and has no effect',
  fields: [],
  response: inJson(object({ data: list(rollupSchema) })),
};

const answers: DescribedRoute = {
  method: 'GET',
  path: '/api/ext/sites/:id/answers',
  name: 'answers',
  tag: 'reports',
  access: 'paid-plan',
  answer: ({ site, search, replyTo }) => answersTo(search, { ...site(), endpoints: answerable, replyTo }),
  summary: 'Several questions about a site in one request: a line of JSON for each',
  own: answersParameters,
  response: { content: { 'application/x-ndjson': { schema: answersSchema } } },
};

const takenNote = object({
  date: { ...text, format: 'date', description: 'A local day of the site' },
  text: { ...text, maxLength: noteTextCharsMax },
});
/** The site whose notes a program writes. Throws HttpError. */
const notedSite = ({ site }: ApiCall): ReadableSite => {
  const { view } = site();
  refuseHidden(view, 'notes');
  return view;
};

const ofNotes = '/api/ext/sites/:id/notes';
/** What a program can write. */
const noteOperations: Operation[] = [
  {
    ...{ method: 'POST', path: ofNotes, name: 'addNote', right: 'notes', takes: takenNote, gives: noteSchema },
    summary: 'Writes a note on a day',
    async answer(call) {
      const { site, now } = notedSite(call);
      return addNote(call.notes, site.id, await call.body(), now);
    },
  },
  {
    ...{ method: 'POST', path: `${ofNotes}/:note`, name: 'changeNote', right: 'notes' },
    ...{ summary: 'Changes a note that somebody wrote', takes: takenNote, gives: noteSchema },
    async answer(call) {
      const { site } = notedSite(call);
      return changeNote(call.notes, site.id, call.parameters.note!, await call.body());
    },
  },
  {
    ...{ method: 'DELETE', path: `${ofNotes}/:note`, name: 'removeNote', right: 'notes', gives: done },
    summary: 'Removes a note',
    answer: call => removeNote(call.notes, notedSite(call).site.id, call.parameters.note!),
  },
];
const noteRoutes = noteOperations.map(row => operation({ tag: 'notes', ...row }));

const exported: DescribedRoute = {
  method: 'GET',
  path: '/api/export/:id',
  name: 'exportCsv',
  tag: 'reports',
  access: 'any-plan',
  takesShare: true,
  isUnsafeToLink: exportsFormulas,
  isExport: true,
  answer: call => askFor(call, planExport),
  summary: 'What the dashboard shows as CSV, or with mode=sessions the visits behind it',
  own: exportParameters,
  fields: filterFields,
  response: {
    headers: { 'content-disposition': { schema: text, description: 'attachment, with a file name' } },
    content: { 'text/csv': { schema: text } },
  },
};

const description: DescribedRoute = {
  method: 'GET',
  path: '/api/openapi.json',
  name: 'describe',
  tag: 'description',
  access: 'anybody',
  answer(search) {
    refuseParameters(search);
    return json(200, openApi);
  },
  summary: 'This description',
  response: inJson({ type: 'object' }),
};

/** Every path that is answered. */
export const apiRoutes: readonly DescribedRoute[] = [
  sites,
  ...adminRoutes,
  ...endpointRoutes('/api/v1/sites', specified),
  ...endpointRoutes('/api/ext/sites', beyond),
  ...noteRoutes,
  ...reportRoutes,
  ...alertRoutes,
  provisionRoute,
  rollups,
  answers,
  exported,
  description,
];

/** What generated programs have types of, besides the answers. */
const named = {
  OwnersSite: ownersSiteSchema,
  Site: siteSchema,
  Rollup: rollupSchema,
  Note: noteSchema,
  ...alertSchemas,
  NewNote: takenNote,
  NewReport: newReportSchema,
  Report: reportSchema,
  Row: rowSchema,
  Dimension: dimensionSchema,
  DimensionName: dimensionNameSchema,
  Metrics: headlineSchema,
  Point: pointSchema,
  Change: changeSchema,
  Vital: vitalSchema,
  Outcome: outcomeSchema,
  LimitedTo: limitSchema,
  Imported: importedSchema,
  Done: done,
  Deltas: headlineDeltaSchema,
  ...rowMetricsSchema,
  OtherRevenue: otherRevenueSchema,
  LocalTime: localTime,
  Instant: instant,
};

/** The description of all paths. */
export const openApi = describe(apiRoutes, named);

/** Every other path of the API is not found, but only callers who may ask are told so. */
export const unknownRoutes: readonly ApiRoute[] = ['v1', 'ext', 'export', 'openapi.json'].map(group => ({
  method: 'GET',
  path: `/api/${group}/*`,
  access: 'paid-plan',
  answer() {
    throw new HttpError('not-found');
  },
}));
