/** Checks a value against a JSON Schema, as far as src/api/schema.ts uses it; a keyword it does not know is an error, not a pass. */
import type { Schema } from '../../src/api/schema.ts';

/** Where and how the value departs from the schema; empty when it does not. */
export const departures = (value: unknown, schema: Schema, where = '$'): string[] => {
  const found: string[] = [];
  for (const [keyword, operand] of Object.entries(schema)) {
    const check = checks[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword} at ${where}`);
    found.push(...check(value, operand as never, where, schema));
  }
  return found;
};

type Check = (value: unknown, operand: never, where: string, schema: Schema) => string[];

const unless = (holds: boolean, where: string, what: string): string[] => (holds ? [] : [`${where}: ${what}`]);
const note: Check = () => [];
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const types: Record<string, (value: unknown) => boolean> = {
  string: value => typeof value === 'string',
  number: value => typeof value === 'number' && Number.isFinite(value),
  integer: value => Number.isInteger(value),
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
  array: Array.isArray,
  object: isObject,
};

const checks: Record<string, Check> = {
  description: note,
  default: note,
  format: note,
  type: (value, type: string, where) => unless(types[type]!(value), where, `${JSON.stringify(value)} is no ${type}`),
  enum: (value, values: unknown[], where) => unless(values.includes(value), where, `${value} is not in the list`),
  minimum: (value, least: number, where) => unless((value as number) >= least, where, `below ${least}`),
  maximum: (value, most: number, where) => unless((value as number) <= most, where, `above ${most}`),
  pattern: (value, source: string, where) => unless(new RegExp(source, 'u').test(value as string), where, `${value}`),
  maxItems: (value, most: number, where) =>
    unless(!Array.isArray(value) || value.length <= most, where, `over ${most} items`),
  items: (value, items: Schema, where) =>
    Array.isArray(value) ? value.flatMap((item, i) => departures(item, items, `${where}[${i}]`)) : [],
  anyOf: (value, schemas: Schema[], where) => {
    const tries = schemas.map(schema => departures(value, schema, where));
    return tries.some(found => found.length === 0) ? [] : tries.flat();
  },
  required: (value, names: string[], where) =>
    isObject(value) ? names.flatMap(name => unless(Object.hasOwn(value, name), where, `${name} is missing`)) : [],
  properties: (value, properties: Record<string, Schema>, where) =>
    isObject(value)
      ? Object.entries(properties).flatMap(([name, schema]) =>
          Object.hasOwn(value, name) ? departures(value[name], schema, `${where}.${name}`) : [],
        )
      : [],
  additionalProperties: (value, others: Schema | false, where, schema) => {
    if (!isObject(value)) return [];
    const known = Object.keys((schema.properties ?? {}) as object);
    const extra = Object.keys(value).filter(name => !known.includes(name));
    return extra.flatMap(name =>
      others === false ? [`${where}: ${name} is not described`] : departures(value[name], others, `${where}.${name}`),
    );
  },
};
