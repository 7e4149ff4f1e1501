/** The parts of JSON Schema that describe the API's answers in /api/openapi.json. */

export type Schema = { readonly [keyword: string]: unknown };

export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
/** A count of something. */
export const count: Schema = { type: 'integer', minimum: 0 };
export const number: Schema = { type: 'number' };
export const percentage: Schema = { type: 'number', minimum: 0, maximum: 100 };
/** Wall-clock time in the site's zone. */
export const localTime: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$' };
/** An instant, ISO 8601 with Z. */
export const instant: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' };

export const oneOf = (values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const described = (schema: Schema, description: string): Schema => ({ ...schema, description });
/** Or null. A type becomes a list of two; what holds fields, or has no type, is one of two. */
export const nullable = (schema: Schema): Schema => {
  if (typeof schema.type !== 'string' || schema.type === 'object') return { anyOf: [schema, { type: 'null' }] };
  const values = schema.enum as readonly string[] | undefined;
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) };
};
export const list = (items: Schema, maxItems?: number): Schema => ({
  type: 'array',
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
});
/** An object by the names of its values. */
export const record = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
/** An object with these fields and no others; `optional` ones may be missing. */
export const object = (
  properties: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Fields of the same kind. */
export const each = (names: readonly string[], schema: Schema): Record<string, Schema> =>
  Object.fromEntries(names.map(name => [name, schema]));
