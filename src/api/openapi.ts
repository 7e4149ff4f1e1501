/** The description at /api/openapi.json: OpenAPI 3.1, put together from the same tables that the API itself works by. */
import { dimensions } from '../model/dimensions.ts';
import { filterFields, filterOperators } from '../model/filters.ts';
import { identityModes } from '../model/site.ts';
import { answersParameters, answersSchema } from './answers.ts';
import type { Endpoint } from './endpoint.ts';
import { exportParameters } from './export.ts';
import { type Parameter, periodParameters } from './request/parameters.ts';
import { answersName, exportPath, extPath, openApiPath, siteEndpoints, sitesPath } from './routes.ts';
import { instant, list, object, oneOf, type Schema, text } from './schema.ts';

const query = (name: string, schema: Schema, description: string): Schema => ({
  name,
  in: 'query',
  required: false,
  schema,
  description,
});

const meaningOf = (field: string): string => {
  if (field === 'propKey') return 'Hits that carry this property';
  if (field === 'propValue') return 'Hits that carry a property of this value; with propKey, that property';
  return field in dimensions ? dimensions[field as keyof typeof dimensions].meaning : `The ${field} of a record`;
};

const operatorExamples = filterOperators.map(({ suffix, label }) => `\`path${suffix}=/a\` ${label}`).join(', ');
const suffixes = filterOperators.map(({ suffix }) => suffix.replace(/[*^$]/g, '\\$&')).join('|');

/** One parameter that stands for all filters: an exploded object is as many parameters as it has properties. */
const filters = (fields: readonly string[]): Schema[] =>
  fields.length === 0
    ? []
    : [
        {
          name: 'filters',
          in: 'query',
          required: false,
          style: 'form',
          explode: true,
          description: [
            `Each filter is a parameter of its own, and an operator is part of its name: ${operatorExamples}.`,
            'Repeated: any of the values. Different ones: all of them.',
            'An empty value is no value, as is `Direct / none` for a referrer.',
            ...fields.map(field => `${field}: ${meaningOf(field)}.`),
          ].join(' '),
          schema: {
            type: 'object',
            patternProperties: {
              [`^(${fields.join('|')})(${suffixes})$`]: { anyOf: [text, list(text)] },
            },
            additionalProperties: false,
          },
        },
      ];

const own = (notes: Readonly<Record<string, Pick<Parameter, 'schema' | 'meaning'>>>): Schema[] =>
  Object.entries(notes).map(([name, { schema, meaning }]) => query(name, schema, meaning));

const period = own(periodParameters);

const siteParameter: Schema = {
  name: 'id',
  in: 'path',
  required: true,
  schema: text,
  description: 'Id of the site, or its public key',
};

const content = (schema: Schema): Schema => ({ 'application/json': { schema } });
const failure = (description: string): Schema => ({
  description,
  content: content({ $ref: '#/components/schemas/Error' }),
});
const failures: Record<string, Schema> = {
  400: failure('A parameter is unknown, or its value is none that it can have'),
  401: failure('Missing or invalid API key'),
  404: failure('No such site, or one of another account'),
  503: failure('The query took too long, or too many wait already'),
};
const planFailure = { 403: failure('The plan of the account does not include the API') };

const operation = (summary: string, parameters: Schema[], ok: Schema, others: Record<string, Schema>): Schema => ({
  get: { summary, parameters, responses: { 200: { description: summary, ...ok }, ...failures, ...others } },
});

const endpointPath = ({ summary, own: notes, fields, response }: Endpoint): Schema =>
  operation(
    summary,
    [siteParameter, ...own(notes), ...period, ...filters(fields)],
    { content: content(response) },
    planFailure,
  );

const siteSchema = object({
  id: { type: 'string', format: 'uuid' },
  publicKey: text,
  domain: text,
  timezone: text,
  currency: text,
  identityMode: oneOf(identityModes),
  createdAt: instant,
});

const csv: Schema = {
  headers: { 'content-disposition': { schema: text, description: 'attachment, with a file name' } },
  content: { 'text/csv': { schema: text } },
};

export const openApi = {
  openapi: '3.1.0',
  info: {
    title: 'Daybook',
    version: '1',
    description: [
      'Read-only access to the analytics of an account’s sites. Only GET; every answer is JSON but the CSV export.',
      '`date`, `from` and `to` in answers are local time of the site, without zone; every other time is ISO 8601 with Z.',
      'A parameter that is not known is an error, except that names beginning with `_` are ignored.',
    ].join(' '),
  },
  security: [{ key: [] }],
  paths: {
    [sitesPath]: operation(
      'Every site the key can read; range and filters are accepted and have no effect',
      [...period, ...filters(filterFields)],
      { content: content(object({ data: list(siteSchema) })) },
      planFailure,
    ),
    ...Object.fromEntries(
      Object.entries(siteEndpoints).flatMap(([group, endpoints]) =>
        Object.entries(endpoints).map(([name, endpoint]) => [`${group}/{id}/${name}`, endpointPath(endpoint)]),
      ),
    ),
    [`${extPath}/{id}/${answersName}`]: operation(
      `Several questions to ${sitesPath} in one request: a line of JSON for each, as soon as it is answered`,
      [siteParameter, ...own(answersParameters)],
      { content: { 'application/x-ndjson': { schema: answersSchema } } },
      planFailure,
    ),
    [`${exportPath}/{id}`]: operation(
      'What the dashboard shows as CSV, or with mode=sessions the visits behind it',
      [siteParameter, ...own(exportParameters), ...period, ...filters(filterFields)],
      csv,
      {},
    ),
    [openApiPath]: {
      get: {
        summary: 'This description',
        security: [],
        responses: { 200: { description: 'OpenAPI 3.1', content: content({ type: 'object' }) } },
      },
    },
  },
  components: {
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer', description: 'An API key of the account: it reads every site of it' },
    },
    schemas: {
      Error: {
        ...object({ error: text }, { parameter: text, allowed: list(text) }),
        description: 'What is wrong; where it is a parameter, which, and what it could be',
      },
    },
  },
};
