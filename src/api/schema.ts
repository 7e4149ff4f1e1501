/**
 * The parts of JSON Schema that describe the API's answers in /api/openapi.json. Each carries the
 * type of what it describes, from which the page's types are made (`DescribedBy`), so that they are
 * written once.
 */

declare const told: unique symbol;
export interface Schema<T = unknown> {
  readonly [keyword: string]: unknown;
  readonly [told]?: T;
}
/** What a schema describes. */
export type DescribedBy<Of> = Of extends Schema<infer T> ? T : never;

export const text: Schema<string> = { type: 'string' };
export const integer: Schema<number> = { type: 'integer' };
/** A count of something. */
export const count: Schema<number> = { type: 'integer', minimum: 0 };
export const number: Schema<number> = { type: 'number' };
export const percentage: Schema<number> = { type: 'number', minimum: 0, maximum: 100 };
export const truth: Schema<boolean> = { type: 'boolean' };
/** Wall-clock time in the site's zone. */
export const localTime: Schema<string> = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$',
};
/** An instant, ISO 8601 with Z. */
export const instant: Schema<string> = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
};
/** A day of the calendar. */
export const day: Schema<string> = { type: 'string', format: 'date' };
/** Of a trait. */
export const plainValue: Schema<string | number | boolean> = {};
export const uuid: Schema<string> = { type: 'string', format: 'uuid' };

export const oneOf = <const Value extends string>(values: readonly Value[]): Schema<Value> => ({
  type: 'string',
  enum: values,
});
export const described = <T>(schema: Schema<T>, description: string): Schema<T> => ({ ...schema, description });
/** Or null. A type becomes a list of two; what holds fields, or has no type, is one of two. */
export const nullable = <T>(schema: Schema<T>): Schema<T | null> => {
  if (typeof schema.type !== 'string' || schema.type === 'object') return { anyOf: [schema, { type: 'null' }] };
  const values = schema.enum as readonly string[] | undefined;
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) } as Schema<T | null>;
};
export const list = <T>(items: Schema<T>, maxItems?: number): Schema<T[]> => ({
  type: 'array',
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
});
/** An object by the names of its values. */
export const record = <T>(values: Schema<T>): Schema<Record<string, T>> => ({
  type: 'object',
  additionalProperties: values,
});

export type SchemaFields = Readonly<Record<string, Schema>>;
/** An object of such fields, of which the optional ones may be missing. */
export type ObjectOf<Required extends SchemaFields, Optional extends SchemaFields> = {
  [Name in keyof Required]: DescribedBy<Required[Name]>;
} & { [Name in keyof Optional]?: DescribedBy<Optional[Name]> };

/** An object with these fields and no others; `optional` ones may be missing. */
export const object = <Required extends SchemaFields, Optional extends SchemaFields = Record<never, never>>(
  properties: Required,
  optional: Optional = {} as Optional,
): Schema<ObjectOf<Required, Optional>> => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Fields of the same kind. */
export const each = <const Name extends string, T>(
  names: readonly Name[],
  schema: Schema<T>,
): Record<Name, Schema<T>> => Object.fromEntries(names.map(name => [name, schema])) as Record<Name, Schema<T>>;
