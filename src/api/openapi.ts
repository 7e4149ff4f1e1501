/**
 * The description at /api/openapi.json: OpenAPI 3.1, made from the tables that the API works by.
 */
import { dimensions } from '../model/dimensions.ts';
import { anyPropertyField, anyTraitField, anyVisitField, isKeyedField, operatorsOf } from '../model/filters.ts';
import { type OwnParameters, periodParameters } from './request/parameters.ts';
import type { DescribedRoute } from './route.ts';
import { list, object, type Schema, text } from './schema.ts';

const query = (name: string, { isRequired, schema, meaning }: OwnParameters[string]): Schema => ({
  name,
  in: 'query',
  required: isRequired === true,
  schema,
  description: meaning,
});

const meaningOf = (field: string): string => {
  if (field === 'duration') return 'From the first to the last hit of the visit, in seconds';
  if (field === 'scroll') return 'How much of the page of a pageview was seen, in percent';
  if (field === 'segment') return 'Hits that pass the filters of the segment of this name';
  if (field === 'goal') return 'Hits that reach the goal of this name';
  if (field === anyPropertyField) return 'What hits carry under this key, such as `prop:plan=pro`';
  if (field === anyTraitField) return 'What pages said of the visitor in the visit, such as `trait:plan=pro`';
  if (field === anyVisitField)
    return 'All hits of visits in which a hit matches, such as `visit:event=Signup`; negated, in which none does';
  if (field === 'propKey') return 'Hits that carry this property';
  if (field === 'propValue') return 'Hits that carry a property of this value; with propKey, that property';
  return field in dimensions ? dimensions[field as keyof typeof dimensions].meaning : `The ${field} of a record`;
};

const examples = (field: string, value: string): string =>
  operatorsOf(field)
    .map(({ symbol, label }) => `\`${field}${symbol}${value}\` ${label}`)
    .join(', ');

/**
 * The names of filters. An operator ends with the `=` that ends the name, except for `>` and `<`:
 * there the number is part of the name.
 */
const namePattern = (fields: readonly string[]): string => {
  const ofVisit = fields.includes(anyVisitField) ? '(visit:)?' : '';
  const names = fields.filter(field => field !== anyVisitField);
  return `^${ofVisit}(${names.map(withOperators).join('|')})$`;
};

const withOperators = (field: string): string => {
  const name = isKeyedField(field) ? field.replace('<key>', '.+') : field;
  const suffixes = operatorsOf(field).map(({ symbol }) =>
    symbol.endsWith('=') ? symbol.slice(0, -1).replace(/[*^$]/g, '\\$&') : `${symbol}[0-9.eE+-]+`,
  );
  return `${name}(${suffixes.join('|')})`;
};

/** One parameter for all filters: an exploded object is as many parameters as it has properties. */
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
            `Each filter is a parameter of its own, and an operator is part of its name: ${examples('path', '/a')}.`,
            ...(fields.includes('duration') ? [`Numbers: ${examples('duration', '30')}.`] : []),
            'Repeated: any of the values. Different ones: all of them.',
            'An empty value is no value, as is `Direct / none` for a referrer.',
            ...fields.map(field => `${field}: ${meaningOf(field)}.`),
          ].join(' '),
          schema: {
            type: 'object',
            patternProperties: {
              [namePattern(fields)]: { anyOf: [text, list(text)] },
            },
            additionalProperties: false,
          },
        },
      ];

const own = (notes: OwnParameters): Schema[] => Object.entries(notes).map(([name, note]) => query(name, note));

const period = own(periodParameters);

const siteParameter: Schema = {
  name: 'id',
  in: 'path',
  required: true,
  schema: text,
  description: 'Id of the site, or its public key',
};

const failure = (description: string): Schema => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});
const failures: Record<string, Schema> = {
  400: failure('A parameter is unknown, it cannot have this value, or the query is too large'),
  401: failure('Missing or invalid API key'),
  404: failure('No such site, or one of another account'),
  503: failure('The query took too long, too many are waiting, ClickHouse does not answer, or the server is stopping'),
};
const bodyFailure = { 413: failure('The body has more than 16 KiB') };
const planFailure = { 403: failure('The plan of the account does not include the API') };

const noteParameter: Schema = {
  name: 'note',
  in: 'path',
  required: true,
  schema: text,
  description: 'Id of the note',
};

const operation = (route: DescribedRoute): Schema => {
  const { method, path, access, summary, own: notes = {}, fields, takes, response } = route;
  return {
    [method.toLowerCase()]: {
      summary,
      ...(access === 'anybody' ? { security: [] } : {}),
      parameters: [
        ...(path.includes('/:id') ? [siteParameter] : []),
        ...(path.includes('/:note') ? [noteParameter] : []),
        ...own(notes),
        ...(fields === undefined ? [] : [...period, ...filters(fields)]),
      ],
      responses: {
        200: { description: summary, ...response },
        ...(access === 'anybody' ? {} : failures),
        ...(access === 'paid-plan' ? planFailure : {}),
        ...(takes === undefined ? {} : bodyFailure),
      },
      ...(takes === undefined
        ? {}
        : { requestBody: { required: true, content: { 'application/json': { schema: takes } } } }),
    },
  };
};

/** Each path with all its methods. */
const pathsOf = (routes: readonly DescribedRoute[]): Record<string, Schema> => {
  const paths: Record<string, Schema> = {};
  for (const route of routes) {
    const name = route.path.replace(/:(\w+)/g, '{$1}');
    paths[name] = { ...paths[name], ...operation(route) };
  }
  return paths;
};

/** The whole description of these routes. */
export const describe = (routes: readonly DescribedRoute[]): object => ({
  openapi: '3.1.0',
  info: {
    title: 'Daybook',
    version: '1',
    description: [
      'Access to the analytics of an account’s sites. Only notes on days can be written. Every answer but the CSV export is JSON.',
      'In answers, `date`, `from` and `to` are local times of the site, without a zone. All other times are ISO 8601 with Z.',
      'An unknown parameter is an error, but names that begin with `_` are ignored.',
    ].join(' '),
  },
  security: [{ key: [] }],
  paths: pathsOf(routes),
  components: {
    securitySchemes: {
      key: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key of the account. It reads every site of the account, and writes their notes',
      },
    },
    schemas: {
      Error: {
        ...object({ error: text }, { parameter: text, allowed: list(text) }),
        description: 'What is wrong. For a parameter: its name, and the values or names that are allowed',
      },
    },
  },
});
