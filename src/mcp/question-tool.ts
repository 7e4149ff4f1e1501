/** Tools that ask what an endpoint of the API answers, under the same names. */
import { ask } from '../api/ask.ts';
import type { Endpoint } from '../api/endpoint.ts';
import {
  filterParameter,
  flagSchema,
  type OwnParameters,
  ParameterError,
  periodParameters,
} from '../api/request/parameters.ts';
import { described, list, object, type Schema, text } from '../api/schema.ts';
import { WrittenList } from '../http/reply.ts';
import { typedParameter } from '../model/filters.ts';
import type { Site } from '../model/site.ts';
import { type SitePageRow, sitePages } from '../model/site-pages.ts';
import { type Arguments, type Tool, type ToolRight, textOf } from './tool.ts';

interface QuestionRow {
  name: string;
  title: string;
  description: string;
  endpoint: Endpoint;
  /** The page of the dashboard that shows the same. */
  page: keyof typeof sitePages;
  /** Fields of filters that are arguments too, since most questions have them. */
  fields?: readonly string[];
  /** Other presets and bounds of the endpoint's numbers. */
  limits?: Readonly<Record<string, { default: number; maximum: number }>>;
  /** Whether the period changes nothing. */
  isTimeless?: true;
  needs?: ToolRight;
  /** Throws ParameterError for an answer that is more than a model can use. */
  check?(body: object): void;
}

export const siteArgument: Schema = described(
  text,
  'Domain of the site, or its id, public key or alias; or the name of a rollup',
);

export const questionTool = (row: QuestionRow): Tool => {
  const { name, title, description, endpoint, needs } = row;
  return {
    ...{ name, title, description, takes: takenBy(row), gives: givenBy(endpoint.response) },
    ...(needs && { needs }),
    async answer(assistant, given) {
      const { view, run } = assistant.site(textOf(given, 'site'));
      const search = searchOf(row, given);
      const body = plain(await ask(endpoint.plan(search, view), run));
      row.check?.(body);
      return { ...body, ...links(assistant.origin, view.site, row.page, search) };
    },
  };
};

const takenBy = ({ endpoint, fields = [], limits = {}, isTimeless }: QuestionRow): Schema =>
  object(
    { site: siteArgument },
    {
      ...(isTimeless ? {} : schemasOf(periodParameters)),
      ...(endpoint.fields.length > 0 && { filters: filtersSchema }),
      ...Object.fromEntries(fields.map(field => [field, described(text, `Only this ${field}`)])),
      ...schemasOf(endpoint.own, limits),
    },
  );

const filtersSchema: Schema = {
  ...list(text),
  description:
    'Filters such as country=DE, path^=/blog, utmSource!=news: values of one name are alternatives, different names must all match. describe_site has the grammar',
};

const schemasOf = (own: OwnParameters, limits: NonNullable<QuestionRow['limits']> = {}): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(own).map(([name, { schema, meaning }]) => [
      name,
      { ...(schema === flagSchema ? { type: 'boolean' } : schema), ...limits[name], description: meaning },
    ]),
  );

const linkSchemas = {
  dashboardUrl: described(text, 'The page of the dashboard that shows the same: give it to people'),
  definitions: described(text, 'What the numbers mean'),
};

/** The answer of the endpoint, and where a person sees the same. */
const givenBy = (response: Schema): Schema =>
  response.anyOf === undefined
    ? withLinks(response)
    : { type: 'object', anyOf: (response.anyOf as Schema[]).map(withLinks) };

const withLinks = (schema: Schema): Schema => ({
  ...schema,
  properties: { ...(schema.properties as object), ...linkSchemas },
});

/** Some lists are JSON already. */
const plain = (body: object): object => {
  const { data } = body as { data?: unknown };
  return data instanceof WrittenList ? { ...body, data: JSON.parse(`[${data.pieces.join('')}]`) } : body;
};

/** The question as the API takes it. Throws ParameterError for what is no text, number or list. */
const searchOf = ({ endpoint, fields = [], limits = {} }: QuestionRow, given: Arguments): URLSearchParams => {
  const search = new URLSearchParams();
  const preset = Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit.default]));
  for (const [name, value] of Object.entries({ ...preset, ...given })) {
    if (name === 'site' || value === undefined || value === null) continue;
    const texts = [value].flat().map(one => writtenOf(name, one));
    const most = limits[name]?.maximum;
    if (name === 'filters') for (const each of texts) search.append(filterParameter, each);
    else if (fields.includes(name)) search.append(filterParameter, `${name}=${texts[0]}`);
    else if (most !== undefined) search.append(name, String(Math.min(Number(texts[0]), most)));
    else if ('readAll' in (endpoint.own[name] ?? {})) for (const each of texts) search.append(name, each);
    else search.append(name, texts.join(','));
  }
  return search;
};

const writtenOf = (parameter: string, value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  throw new ParameterError({ error: 'not a text, a number or a list of them', parameter });
};

/** A page of the dashboard with the period and the filters of a question. */
export const links = (
  origin: string,
  { domain }: Site,
  page: keyof typeof sitePages,
  asked: URLSearchParams = new URLSearchParams(),
): { dashboardUrl: string; definitions: string } => {
  const search = new URLSearchParams();
  for (const [name, value] of asked) {
    if (Object.hasOwn(periodParameters, name)) search.append(name, value);
    if (name === filterParameter) search.append(...typedParameter(value));
  }
  const { docs }: SitePageRow = sitePages[page];
  const [path, query] = [page === '' ? '' : `/${page}`, search.size === 0 ? '' : `?${search}`];
  return {
    dashboardUrl: `${origin}/sites/${encodeURIComponent(domain)}${path}${query}`,
    definitions: `${origin}/docs/${docs}`,
  };
};
