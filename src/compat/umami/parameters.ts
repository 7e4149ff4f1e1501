/** What Umami's questions have in common: the window, the step of time, and filters. */

import { resolveFilters } from '../../api/definitions.ts';
import { type ReadableSite, refuseHidden } from '../../api/endpoint.ts';
import { isIgnored, valueCharsMax } from '../../api/request/parameters.ts';
import { readablePart, type Span } from '../../api/request/window.ts';
import { type Zone, zoneOf } from '../../api/request/zone.ts';
import { addMonths } from '../../model/calendar.ts';
import { type DimensionField, isOneOf } from '../../model/filters.ts';
import { partOfField } from '../../model/public-parts.ts';
import { minuteMs } from '../../model/time.ts';
import { isTimezone } from '../../model/values.ts';
import type { FieldFilter, Filter } from '../../query/query.ts';
import { regexConditions, type TakeValues, valueCounter } from '../text-patterns.ts';
import { badRequest } from './errors.ts';

/** What Umami calls dimensions, also in earlier versions. */
const fields: Readonly<Record<string, DimensionField>> = {
  path: 'path',
  url: 'path',
  entry: 'entryPath',
  exit: 'exitPath',
  referrer: 'referrer',
  domain: 'referrer',
  title: 'title',
  query: 'query',
  hostname: 'hostname',
  host: 'hostname',
  event: 'event',
  tag: 'prop:tag',
  browser: 'browser',
  os: 'os',
  device: 'device',
  screen: 'screen',
  language: 'language',
  country: 'country',
  region: 'region',
  city: 'city',
  channel: 'channel',
  utmSource: 'utmSource',
  utmMedium: 'utmMedium',
  utmCampaign: 'utmCampaign',
  utmContent: 'utmContent',
  utmTerm: 'utmTerm',
};

export const fieldNamed = (name: string): DimensionField | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

const windowNames = ['startAt', 'endAt', 'startDate', 'endDate', 'unit', 'timezone', 'compare', 'match'];
const filtersMax = 100;
const nameCharsMax = 100;

export interface UmamiQuestion {
  span: Span;
  compare: 'prev' | 'yoy' | undefined;
  filters: Filter[];
  /** The zone that buckets of time are of, and whether it was given. */
  zone: Zone;
  isLocal: boolean;
  unit: Unit;
}

export const units = ['minute', 'hour', 'day', 'month', 'year'] as const;
export type Unit = (typeof units)[number];

/** Reads a question's parameters; `own` are names besides those of all. Throws HttpError. */
export const readAsked = (search: URLSearchParams, view: ReadableSite, own: readonly string[] = []): UmamiQuestion => {
  const span = spanOf(search);
  const zoneName = search.get('timezone');
  if (zoneName !== null && !isTimezone(zoneName)) throw badRequest('Invalid timezone');
  const compare = search.get('compare');
  if (compare !== null && compare !== 'prev' && compare !== 'yoy') throw badRequest('compare is prev or yoy.');
  return {
    span: readablePart(span, view),
    compare: compare ?? undefined,
    filters: filtersOf(search, view, own),
    zone: zoneOf(zoneName ?? 'UTC'),
    isLocal: zoneName !== null,
    unit: unitOf(search, span),
  };
};

/** The window that one is compared with: as long and just before, or a year before. */
export const earlierSpan = ({ from, to }: Span, compare: 'prev' | 'yoy'): Span => {
  if (compare === 'yoy') return { from: addMonths(from, -12), to: addMonths(to, -12) };
  const length = Math.floor((to - 1 - from) / minuteMs) * minuteMs;
  return { from: from - length, to: to - length };
};

const latest = Date.UTC(9999, 0);

/** Both ends are part of it. */
const spanOf = (search: URLSearchParams): Span => {
  const [start, end] = [search.get('startAt'), search.get('endAt')];
  const [from, to] =
    start !== null && end !== null
      ? [instantOf(start, Number(start)), instantOf(end, Number(end))]
      : [search.get('startDate'), search.get('endDate')].map(date => {
          if (date === null) throw badRequest('Either startAt+endAt or startDate+endDate must be provided');
          return instantOf(date, Date.parse(date));
        });
  if (from! > to!) throw badRequest('The range ends before it begins.');
  return { from: from!, to: to! + 1 };
};

const instantOf = (typed: string, at: number): number => {
  if (typed !== '' && Number.isFinite(at) && at >= 0 && at < latest) return Math.floor(at);
  throw badRequest(`${JSON.stringify(typed.slice(0, 100))} is not a time: write milliseconds, or a date in ISO 8601.`);
};

/** The shortest step that a window may have, as there; a longer one may be asked for. */
const unitOf = (search: URLSearchParams, { from, to }: Span): Unit => {
  const typed = search.get('unit');
  const asked = units.find(unit => unit === typed);
  if (typed !== null && asked === undefined) throw badRequest('Invalid unit');
  const minutes = Math.floor((to - 1 - from) / minuteMs);
  const months = monthsBetween(from, to - 1);
  const shortest: Unit =
    minutes <= 60 ? 'minute' : minutes < 31 * 24 * 60 ? 'hour' : months <= 7 ? 'day' : months <= 24 ? 'month' : 'year';
  if (asked === undefined) return shortest;
  const least = shortest === 'year' ? 'month' : shortest;
  return units.indexOf(asked) < units.indexOf(least) ? shortest : asked;
};

const monthsBetween = (from: number, to: number): number => {
  const [first, last] = [new Date(from), new Date(to)];
  return 12 * (last.getUTCFullYear() - first.getUTCFullYear()) + last.getUTCMonth() - first.getUTCMonth();
};

const filtersOf = (search: URLSearchParams, view: ReadableSite, own: readonly string[]): Filter[] => {
  const filters: Filter[] = [];
  const take = valueCounter(() => badRequest('There are too many values in the filters.'));
  for (const [name, typed] of search) {
    if (isIgnored(name) || windowNames.includes(name) || own.includes(name)) continue;
    if (typed.length > valueCharsMax) throw badRequest(`The value of ${name} is too long.`);
    if (name.length > nameCharsMax) throw badRequest(`${name.slice(0, 100)} cannot be asked for here.`);
    filters.push(filterOf(name, typed, view, take));
  }
  if (filters.length > filtersMax) throw badRequest('There are too many filters.');
  const match = search.get('match') ?? 'all';
  if (match !== 'all' && match !== 'any') throw badRequest('match is all or any.');
  return match === 'any' && filters.length > 0 ? [{ anyOf: filters.map(filter => [filter]), negated: false }] : filters;
};

const filterOf = (name: string, typed: string, view: ReadableSite, take: TakeValues): Filter => {
  const base = name.replace(/\d+$/, '');
  if (base === 'segment') return resolveFilters([isOneOf('segment', [typed])], view.definitions, view.hidden)[0]!;
  if (base === 'eventType') return eventTypeFilter(typed);
  const field = fieldNamed(base);
  if (field === undefined) throw badRequest(`${name} cannot be asked for here.`);
  refuseHidden(view, partOfField(field));
  const [, operator = 'eq', value = typed] =
    /^(eq|neq|s|ns|c|dnc|re|nre|t|f|gt|lt|gte|lte|bf|af)\.(.*)$/s.exec(typed) ?? [];
  const on = (kind: FieldFilter['operator'], negated: boolean, values: string[]): Filter => ({
    ...{ field, operator: kind, negated, values },
  });
  switch (operator) {
    case 'eq':
    case 'neq': {
      const values = value.split(',');
      take(values.length);
      return on('is', operator === 'neq', values);
    }
    case 'c':
    case 'dnc':
      return on('contains', operator === 'dnc', [value]);
    case 's':
    case 'ns':
      return on('is', operator === 's', ['']);
    case 're':
    case 'nre': {
      const alternatives = regexConditions(value, take);
      if (alternatives === undefined) {
        throw badRequest(
          'This pattern is more than can be asked here: texts, escaped characters, .* at one place, ^, $ and | between whole patterns.',
        );
      }
      const anyOf = alternatives.map(list => list.map((one): Filter => ({ field, ...one })));
      return { anyOf, negated: operator === 'nre' };
    }
    default:
      throw badRequest(`The operator ${operator} cannot be asked for here.`);
  }
};

/** 1 for page views, 2 for events. */
const eventTypeFilter = (typed: string): Filter => {
  if (typed !== '1' && typed !== '2') throw badRequest('eventType is 1 for page views, or 2 for events.');
  return isOneOf('event', [''], typed === '2');
};

/** A whole number; the preset where there is none. Throws HttpError. */
export const wholeParameter = (
  search: URLSearchParams,
  name: string,
  preset: number,
  [least, most]: [number, number],
): number => {
  const typed = search.get(name);
  if (typed === null || typed === '') return preset;
  if (/^\d{1,9}$/.test(typed) && Number(typed) >= least && Number(typed) <= most) return Number(typed);
  throw badRequest(`${name} must be a whole number from ${least} to ${most}.`);
};
