/** Checks a value against a JSON Schema, as far as src/api/schema.ts uses it; a keyword it does not know is an error, not a pass. */
import type { Schema } from '../../src/api/schema.ts';

/** Schemas by the end of what refers to them. */
export type Named = Readonly<Record<string, Schema>>;

/** Where and how the value departs from the schema; empty when it does not. */
export const departures = (value: unknown, schema: Schema, named: Named = {}, where = '$'): string[] => {
  const found: string[] = [];
  for (const [keyword, operand] of Object.entries(schema)) {
    const check = checks[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword} at ${where}`);
    found.push(...check(value, operand as never, where, schema, named));
  }
  return found;
};

type Check = (value: unknown, operand: never, where: string, schema: Schema, named: Named) => string[];

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
  $ref: (value, name: string, where, _, named) => departures(value, named[name.split('/').at(-1)!]!, named, where),
  examples: note,
  type: (value, type: string | string[], where) =>
    unless(
      [type].flat().some(one => types[one]!(value)),
      where,
      `${JSON.stringify(value)} is no ${[type].flat().join(' or ')}`,
    ),
  enum: (value, values: unknown[], where) => unless(values.includes(value), where, `${value} is not in the list`),
  minimum: (value, least: number, where) => unless((value as number) >= least, where, `below ${least}`),
  maximum: (value, most: number, where) => unless((value as number) <= most, where, `above ${most}`),
  pattern: (value, source: string, where) =>
    unless(typeof value !== 'string' || new RegExp(source, 'u').test(value), where, `${value}`),
  maxItems: (value, most: number, where) =>
    unless(!Array.isArray(value) || value.length <= most, where, `over ${most} items`),
  items: (value, items: Schema, where, _, named) =>
    Array.isArray(value) ? value.flatMap((item, i) => departures(item, items, named, `${where}[${i}]`)) : [],
  anyOf: (value, schemas: Schema[], where, _, named) => {
    const tries = schemas.map(schema => departures(value, schema, named, where));
    return tries.some(found => found.length === 0) ? [] : tries.flat();
  },
  required: (value, names: string[], where) =>
    isObject(value) ? names.flatMap(name => unless(Object.hasOwn(value, name), where, `${name} is missing`)) : [],
  properties: (value, properties: Record<string, Schema>, where, _, named) =>
    isObject(value)
      ? Object.entries(properties).flatMap(([name, schema]) =>
          Object.hasOwn(value, name) ? departures(value[name], schema, named, `${where}.${name}`) : [],
        )
      : [],
  additionalProperties: (value, others: Schema | false, where, schema, named) => {
    if (!isObject(value)) return [];
    const known = Object.keys((schema.properties ?? {}) as object);
    const extra = Object.keys(value).filter(name => !known.includes(name));
    return extra.flatMap(name =>
      others === false
        ? [`${where}: ${name} is not described`]
        : departures(value[name], others, named, `${where}.${name}`),
    );
  },
};
