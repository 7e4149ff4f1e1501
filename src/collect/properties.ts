/**
 * Properties and traits: what a page says of an event or a visitor (docs/collecting.md, "A hit").
 */
import { dayExists } from '../model/calendar.ts';
import { clip } from '../model/clip.ts';
import type { Property } from '../model/hit.ts';
import { propertiesMax, propertyKeyCharsMax, propertyTextCharsMax } from '../model/limits.ts';
import { isRecord } from '../model/record.ts';
import { type Identity, identityOfTraits, type Scalar } from '../model/traits.ts';
import { textOf } from './text.ts';

/**
 * The first 50 entries that can be kept, each key once after it is cut; none for anything but an
 * object. Own keys only, so `__proto__` is a key like any other.
 */
const entriesOf = (value: unknown): Map<string, Scalar> => {
  const entries = new Map<string, Scalar>();
  if (!isRecord(value)) return entries;
  // Not Object.entries: of thousands, fifty are read.
  for (const name of Object.keys(value)) {
    if (entries.size === propertiesMax) break;
    const key = textOf(name, propertyKeyCharsMax);
    const scalar = scalarOf(value[name]);
    if (key !== null && scalar !== null && !entries.has(key)) entries.set(key, scalar);
  }
  return entries;
};

/** Null becomes an empty text, a structure its JSON. Null for a number that JSON cannot hold. */
const scalarOf = (value: unknown): Scalar | null => {
  if (typeof value === 'string') return clip(value, propertyTextCharsMax);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return value === null ? '' : clip(jsonOf(value), propertyTextCharsMax);
};

const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    // Before Node 26, parsing copes with any depth and writing does not. So deep a structure begins
    // with more brackets than are kept.
    if (error instanceof RangeError) return Array.isArray(value) ? '[…]' : '{…}';
    throw error;
  }
};

/** Most hits have none. */
export const propertiesOf = (value: unknown): Property[] =>
  value === undefined ? [] : Array.from(entriesOf(value), ([key, scalar]) => propertyOf(key, scalar));

const propertyOf = (key: string, scalar: Scalar): Property => {
  if (typeof scalar === 'number') return { key, type: 'number', value: scalar };
  if (typeof scalar === 'boolean') return { key, type: 'boolean', value: scalar ? 1 : 0 };
  return { key, type: isDate(scalar) ? 'date' : 'string', value: scalar };
};

const datePattern = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** Whether a text is an ISO 8601 date or time that exists. */
const isDate = (text: string): boolean => {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  // Date.parse takes the 30th of February for a day in March.
  return dayExists(year, month, day) && !Number.isNaN(Date.parse(text));
};

/** What an identify says; null when it says nothing. */
export const identityOf = (value: unknown): Identity | null => identityOfTraits(entriesOf(value));
