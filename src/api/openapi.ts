/**
 * The description at /api/openapi.json: OpenAPI 3.1, made from the tables that the API works by.
 */
import { dimensions } from '../model/dimensions.ts';
import { anyPropertyField, anyTraitField, anyVisitField, type OperatorRow, operatorsOf } from '../model/filters.ts';
import { filterParameter, type OwnParameters, periodParameters } from './request/parameters.ts';
import type { DescribedRoute } from './route.ts';
import { count, list, object, type Schema, text } from './schema.ts';

const query = (name: string, { isRequired, schema, meaning }: OwnParameters[string]): Schema => ({
  name,
  in: 'query',
  ...(isRequired && { required: true }),
  schema,
  description: meaning,
});

/** Of fields that are no dimensions. */
const meanings: Readonly<Record<string, string>> = {
  duration: 'From the first to the last hit of the visit, in seconds',
  scroll: 'How much of the page of a pageview was seen, in percent',
  segment: 'Hits that pass the filters of the segment of this name',
  goal: 'Hits that reach the goal of this name',
  [anyPropertyField]: 'What hits carry under this key, such as `prop:plan=pro`',
  [anyTraitField]: 'What pages said of the visitor in the visit, such as `trait:plan=pro`',
  [anyVisitField]:
    'All hits of visits in which a hit matches, such as `visit:event=Signup`; negated, in which none does',
  propKey: 'Hits that carry this property',
  propValue: 'Hits that carry a property of this value; with propKey, that property',
};
const meaningOf = (field: string): string =>
  meanings[field] ??
  (dimensions as Readonly<Record<string, { meaning: string }>>)[field]?.meaning ??
  `The ${field} of a record`;

const onlyTyped = ['duration', 'scroll', 'propKey', 'propValue', anyPropertyField, anyTraitField, anyVisitField];
/** Fields with a parameter of their own: others take a key or an operator, in `filter` alone. */
const plainFields = (fields: readonly string[]): string[] => fields.filter(field => !onlyTyped.includes(field));

/** What it filters by, but for names that mean something else there. */
const filters = ({ fields = [], own = {} }: DescribedRoute): Schema[] =>
  fields.length === 0
    ? []
    : [
        parameterRef(filterParameter),
        ...plainFields(fields)
          .filter(field => !Object.hasOwn(own, field))
          .map(parameterRef),
      ];

const parameterRef = (name: string): Schema => ({ $ref: `#/components/parameters/${name}` });

const labelled = (field: string, value: string, isWanted: (row: OperatorRow) => boolean): string =>
  operatorsOf(field)
    .filter(row => !row.negated && isWanted(row))
    .map(({ symbol, label }) => `\`${field}${symbol}${value}\` ${label}`)
    .join(', ');

const filterOfAll: Schema = {
  name: filterParameter,
  in: 'query',
  description: [
    'A filter as a person types it, repeated for more: values of one name are alternatives, different names must all match.',
    `Operators: ${labelled('path', '/a', () => true)}, and of numbers ${labelled('duration', '30', ({ isNumeric }) => isNumeric)}.`,
    '`!` before an operator negates it. An empty value is no value.',
    ...onlyTyped.map(field => `${field}: ${meaningOf(field)}.`),
  ].join(' '),
  schema: { ...list(text), examples: [['path^=/blog', 'path!*=draft']] },
};

const fieldParameter = (field: string): Schema => ({
  name: field,
  in: 'query',
  description: meaningOf(field),
  schema: { $ref: '#/components/schemas/Values' },
});

const own = (notes: OwnParameters): Schema[] => Object.entries(notes).map(([name, note]) => query(name, note));

const periodNames = Object.keys(periodParameters);

const inPath = (name: string, description: string, example: string): Schema => ({
  ...{ name, in: 'path', required: true, description },
  schema: { ...text, examples: [example] },
});

/** By a name that no field has. */
const pathParameters: Readonly<Record<string, Schema>> = {
  id: inPath('id', 'Id of the site, its public key, domain or alias', 'shop.example'),
  note: inPath('note', 'Id of the note', '1'),
  domain: inPath('domain', 'Domain of the site', 'shop.example'),
  saved: inPath('name', 'Name of what is saved', 'Order'),
  team: inPath('team', 'Name or id of the team', 'default'),
  email: inPath('email', 'E-mail of the person', 'ada@shop.example'),
  key: inPath('key', 'Id of the key', '1'),
  report: inPath('report', 'Id of the report', '1'),
  alert: inPath('alert', 'Id of the alert', '1'),
  channelId: inPath('channel', 'Id of the channel', '1'),
};

const failure = (description: string, waits: string): Schema => ({
  description,
  headers: { 'retry-after': { description: `Seconds to wait${waits}`, schema: { type: 'integer' } } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

/** By status: programs tell them apart by it, and all have the same body. */
const failures: Readonly<Record<string, Schema>> = {
  '4XX': failure(
    [
      '400: a parameter is unknown, it cannot have this value, or the query is too large',
      '401: missing or invalid API key',
      '403: the plan of the account does not include the API, or the key may not do this',
      '404: no such site, or one of another account',
      '409: a name is taken',
      '413: the body has more than 64 KiB',
      '429: too many requests',
    ].join('. '),
    ', with 429',
  ),
  503: failure(
    'The query took too long, too many are waiting, ClickHouse does not answer, or the server is stopping',
    '',
  ),
};
const failureRefs = Object.fromEntries(
  Object.keys(failures).map(status => [status, { $ref: `#/components/responses/${status}` }]),
);

const capital = (name: string): string => name.replace(/^./, first => first.toUpperCase());

interface Shared {
  parameter(own: Schema): Schema;
  answer(route: DescribedRoute): Schema;
}

const operation = (route: DescribedRoute, shared: Shared): Schema => {
  const { method, path, access, summary, name, tag, own: notes = {}, fields, takes, makes, response } = route;
  const inAddress = Object.keys(pathParameters).filter(each =>
    path.split('/').includes(`:${pathParameters[each]!.name}`),
  );
  return {
    [method.toLowerCase()]: {
      operationId: name,
      tags: [tag],
      summary,
      ...(access === 'anybody' ? { security: [] } : {}),
      parameters: [
        ...inAddress.map(parameterRef),
        ...own(notes).map(shared.parameter),
        ...(fields === undefined ? [] : [...periodNames.map(parameterRef), ...filters(route)]),
      ],
      responses: {
        200: shared.answer(route),
        ...(makes === true ? { 201: { description: 'Made', ...response } } : {}),
        ...(access === 'anybody' ? {} : failureRefs),
      },
      ...(takes === undefined
        ? {}
        : { requestBody: { required: true, content: { 'application/json': { schema: takes } } } }),
    },
  };
};

/** Each path with all its methods. */
const pathsOf = (routes: readonly DescribedRoute[], shared: Shared): Record<string, Schema> => {
  const paths: Record<string, Schema> = {};
  for (const route of routes) {
    const name = route.path.replace(/:(\w+)/g, '{$1}');
    paths[name] = { ...paths[name], ...operation(route, shared) };
  }
  return paths;
};

const errorSchema: Schema = {
  ...object(
    { error: text },
    { parameter: text, value: text, field: text, allowed: list(text), retryAfterSeconds: count },
  ),
  description: 'What is wrong. For a parameter: its name, and the values or names that are allowed',
  examples: [{ error: 'unknown range', parameter: 'range', value: '8d', allowed: ['today', '7d'] }],
};

const answerSchema = ({ response }: DescribedRoute): Schema | undefined => response.content['application/json']?.schema;

/** Answers of several operations stand once, under the names of their schemas. */
const sharedAnswers = (routes: readonly DescribedRoute[], names: ReadonlyMap<unknown, string>) => {
  const schemas = routes.map(answerSchema);
  const answer = ({ response }: DescribedRoute): Schema => ({ description: 'Done', ...response });
  const responses: Record<string, Schema> = {};
  const refer = (route: DescribedRoute): Schema => {
    const schema = answerSchema(route);
    const name = names.get(schema);
    if (name === undefined || schemas.indexOf(schema) === schemas.lastIndexOf(schema)) return answer(route);
    responses[name] ??= answer(route);
    return { $ref: `#/components/responses/${name}` };
  };
  return { refer, responses };
};

const nameIn = (taken: object, name: string): string =>
  Object.hasOwn(taken, name) ? nameIn(taken, `${name}-2`) : name;

/**
 * Own parameters that are the same at several paths stand once. Gives what refers to them, and all
 * of those by name.
 */
const sharedParameters = (routes: readonly DescribedRoute[]) => {
  const counts = new Map<string, number>();
  const all = routes.flatMap(route => own(route.own ?? {}));
  for (const each of all.map(parameter => JSON.stringify(parameter))) counts.set(each, (counts.get(each) ?? 0) + 1);
  const names = new Map<string, string>();
  const parameters: Record<string, Schema> = {};
  for (const parameter of all) {
    const known = JSON.stringify(parameter);
    if (counts.get(known) === 1 || names.has(known)) continue;
    const name = nameIn(parameters, `${parameter.name}Of`);
    names.set(known, name);
    parameters[name] = parameter;
  }
  const refer = (parameter: Schema): Schema => {
    const name = names.get(JSON.stringify(parameter));
    return name === undefined ? parameter : parameterRef(name);
  };
  return { refer, parameters };
};

/**
 * Takes out what has a name, wherever it stands: a description holds each once, and what is
 * generated from it has types of these names.
 */
const withComponents = (names: ReadonlyMap<unknown, string>) => {
  const refer = (value: unknown): unknown => {
    const name = names.get(value);
    return name === undefined ? inside(value) : { $ref: `#/components/schemas/${name}` };
  };
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, refer(each)]));
  };
  return { refer, inside };
};

/**
 * The whole description of these routes. Schemas with a name of `named` stand once, as do answers,
 * which have the names of their operations.
 */
export const describe = (routes: readonly DescribedRoute[], named: Readonly<Record<string, Schema>>): object => {
  const answers = routes.map(route => [answerSchema(route), `${capital(route.name)}Answer`] as const);
  const names = new Map<unknown, string>([
    ...answers.filter(([schema]) => schema?.type !== undefined || schema?.anyOf !== undefined),
    ...Object.entries(named).map(([name, schema]) => [schema, name] as const),
  ]);
  const { refer, inside } = withComponents(names);
  const schemas = [...names].map(([schema, name]) => [name, inside(schema)]);
  const [parameters, shown] = [sharedParameters(routes), sharedAnswers(routes, names)];
  const paths = refer(pathsOf(routes, { parameter: parameters.refer, answer: shown.refer }));
  const fields = [...new Set(routes.flatMap(({ fields }) => plainFields(fields ?? [])))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Daybook',
      version: '1',
      description: [
        'Access to the analytics of an account’s sites. Keys with the scope `manage` change sites and what belongs to them. Every answer but the CSV export is JSON.',
        'In answers, `date`, `from` and `to` are local times of the site, without a zone. All other times are ISO 8601 with Z.',
        'An unknown parameter is an error, but names that begin with `_` are ignored.',
      ].join(' '),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the account. Its scopes say what it may do, and with which sites',
        },
      },
      responses: { ...failures, ...(refer(shown.responses) as object) },
      parameters: Object.fromEntries([
        ...Object.entries(pathParameters),
        ...own(periodParameters).map(parameter => [parameter.name, parameter]),
        ...Object.entries(refer(parameters.parameters) as Record<string, Schema>),
        [filterParameter, filterOfAll],
        ...fields.map(field => [field, fieldParameter(field)]),
      ]),
      schemas: { Error: errorSchema, Values: { anyOf: [text, list(text)] }, ...Object.fromEntries(schemas) },
    },
  };
};
