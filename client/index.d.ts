/** A client of Daybook's API: https://www.npmjs.com/package/@daybook/client */
import type { components, operations } from './api.d.ts';

/** Types that answers share, such as `Schemas['Note']`. */
export type Schemas = components['schemas'];

type Content<Name extends keyof operations> = operations[Name]['responses'][200]['content'];
/** What an operation answers: JSON, lines of JSON as a list, or the text of a CSV. */
export type Answer<Name extends keyof operations> =
  Content<Name> extends { 'application/json': infer Json }
    ? Json
    : Content<Name> extends { 'application/x-ndjson': infer Line }
      ? Line[]
      : string;

/** The parameters of an operation. A switch may be true or false. */
export type Question<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

type Body<Name extends keyof operations> = operations[Name] extends {
  requestBody: { content: { 'application/json': infer Json } };
}
  ? Json
  : never;

type Path<Name extends keyof operations> = operations[Name]['parameters'] extends { path: infer Names }
  ? Names extends { id: string } | { team: string }
    ? Exclude<keyof Names, 'id' | 'team'> extends never
      ? [siteOrTeam: string]
      : [siteOrTeam: string, name: string | number]
    : [name: string | number]
  : [];

type Rest<Name extends keyof operations> = [Body<Name>] extends [never]
  ? [Question<Name>] extends [never]
    ? []
    : Record<never, never> extends Question<Name>
      ? [question?: Question<Name>]
      : [question: Question<Name>]
  : [Question<Name>] extends [never]
    ? [body: Body<Name>]
    : [body: Body<Name>, question?: Question<Name>];

/** Every operation by its name: first the site or team where there is one, then the body, then the question. */
type Operations = {
  [Name in keyof operations]: (...given: [...Path<Name>, ...Rest<Name>]) => Promise<Answer<Name>>;
};

/** The operations that answer page by page. */
type Paged = 'table' | 'visits';

export interface Client extends Operations {
  /** All rows, page by page as they are read. */
  each<Name extends Paged>(
    name: Name,
    site: string,
    question?: Question<Name>,
  ): AsyncGenerator<Answer<Name> extends { data: (infer Row)[] } ? Row : never>;
}

export interface Options {
  /** Where the server is, such as `https://stats.example.com`. */
  url: string;
  /** An API key. */
  key: string;
  /** How often a 429 or 503 is tried again, after as long as the server says. Default 3. */
  retries?: number;
  /** Ends requests and waits. */
  signal?: AbortSignal;
  /** In place of the global one. */
  fetch?: typeof fetch;
}

export function createClient(options: Options): Client;

/** What the server refused. */
export class DaybookError extends Error {
  readonly status: number;
  readonly error: string;
  /** The parameter that is wrong, and what it cannot be. */
  readonly parameter: string | undefined;
  readonly value: string | undefined;
  /** The field of the body that is wrong. */
  readonly field: string | undefined;
  /** What it can be. */
  readonly allowed: readonly string[] | undefined;
}

/** An answer, or what the server refused, as a value. Other errors are thrown all the same. */
export function settled<T>(
  answer: Promise<T>,
): Promise<{ data: T; error: undefined } | { data: undefined; error: DaybookError }>;
