/** Reports: which numbers of a site are mailed to whom, and when. */

import { channelsMax } from './alerts/kinds.ts';
import { FieldError, oneOf, typed } from './fields.ts';
import { type Language, languageDefault, languageNames } from './locale.ts';
import { type PublicPart, publicPartNames } from './public-parts.ts';
import { isRecord } from './record.ts';
import { emailOf, nameOf, ValueError } from './values.ts';

export const cadences = ['day', 'week', 'month', 'quarter'] as const;
export type Cadence = (typeof cadences)[number];

/** What a report is made of, in the order in which it has it. */
export const reportBlocks = {
  figures: 'Headline figures, and those of the period before',
  days: 'Visitors by day',
  changes: 'What changed most',
  pages: 'Pages',
  sources: 'Sources',
  countries: 'Countries',
  goals: 'Goals',
  assistants: 'Visits from AI assistants, and crawlers',
  missing: 'Missing pages (404) that were not asked for in the period before',
  notes: 'Notes on days of the period',
  sites: 'Visitors of all sites of the team that the recipient may see',
} as const;
export type ReportBlock = keyof typeof reportBlocks;
export const reportBlockNames = Object.keys(reportBlocks) as ReportBlock[];
/** Those of a report that names none. */
export const usualBlocks = reportBlockNames.filter(name => name !== 'sites');

/** Headline figures, in the order in which a report has them. */
export const reportFigureNames = [
  ...(['visitors', 'visits', 'pageviews', 'events'] as const),
  ...(['viewsPerVisit', 'bounceRate', 'avgVisitSeconds', 'revenue'] as const),
];
export type ReportFigureName = (typeof reportFigureNames)[number];

export const reportsMax = 50;
export const reportRecipientsMax = 100;
export const reportFiltersCharsMax = 2000;

/** Which period a report is of, and when it is sent. */
export interface ReportSchedule {
  cadence: Cadence;
  /** That weeks begin with, 1 for Monday to 7. */
  weekday: number;
  /** Of the site's zone, 0 to 23: on the day after the period. */
  hour: number;
}

/** What people choose of a report. */
export interface ReportChoice extends ReportSchedule {
  name: string;
  /** For recipients who have not chosen one. */
  language: Language;
  /** As in an address: `country=DE&path^=/blog`. */
  filters: string;
  blocks: ReportBlock[];
  /** Not sent for a period without visitors. */
  skipEmpty: boolean;
  isPaused: boolean;
  /** E-mails, in lower case. */
  recipients: string[];
  /** Ids of channels of the team that are told the headline figures. */
  channels: number[];
  /** What recipients outside the team get besides what the public page shows. */
  parts: PublicPart[];
  /** Whether the numbers are attached as a file, too. */
  csv: boolean;
}

export const usualReport: Omit<ReportChoice, 'name'> = {
  ...{ cadence: 'week', weekday: 1, hour: 8, language: languageDefault, filters: '' },
  ...{ blocks: usualBlocks, skipEmpty: false, isPaused: false, recipients: [], channels: [], parts: [], csv: false },
};

const whole = (field: string, value: unknown, from: number, to: number): number => {
  if (Number.isInteger(value) && (value as number) >= from && (value as number) <= to) return value as number;
  throw new FieldError(field, `${field} is a whole number from ${from} to ${to}.`);
};

const texts = (field: string, value: unknown, min: number, max: number): string[] => {
  const isList = Array.isArray(value) && value.every(each => typeof each === 'string');
  if (isList && value.length >= min && value.length <= max) return [...new Set(value as string[])];
  throw new FieldError(field, `${field} is a list of ${min} to ${max} texts.`);
};

const ids = (field: string, value: unknown, max: number): number[] => {
  if (Array.isArray(value) && value.length <= max && value.every(Number.isSafeInteger))
    return [...new Set(value as number[])];
  throw new FieldError(field, `${field} is a list of at most ${max} ids.`);
};

const truth = (field: string, value: unknown): boolean => {
  if (typeof value === 'boolean') return value;
  throw new FieldError(field, `${field} is true or false.`);
};

const filtersOf = (text: string): string => {
  if (text.length > reportFiltersCharsMax)
    throw new ValueError(`filters has at most ${reportFiltersCharsMax} characters.`);
  return text;
};

/** Names of a list, in its order. */
const some = <T extends string>(field: keyof ReportChoice, value: unknown, min: number, names: readonly T[]): T[] => {
  const given = texts(field, value, min, names.length).map(name => oneOf(field, name, names));
  return names.filter(name => given.includes(name));
};

const readers: { [F in keyof ReportChoice]: (value: unknown) => ReportChoice[F] } = {
  name: value => typed('name', value, nameOf),
  cadence: value => oneOf('cadence', value, cadences),
  weekday: value => whole('weekday', value, 1, 7),
  hour: value => whole('hour', value, 0, 23),
  language: value => oneOf('language', value, languageNames),
  filters: value => typed('filters', value, filtersOf),
  blocks: value => some('blocks', value, 1, reportBlockNames),
  skipEmpty: value => truth('skipEmpty', value),
  isPaused: value => truth('isPaused', value),
  recipients: value => [
    ...new Set(texts('recipients', value, 0, reportRecipientsMax).map(each => typed('recipients', each, emailOf))),
  ],
  channels: value => ids('channels', value, channelsMax),
  parts: value => some('parts', value, 0, publicPartNames),
  csv: value => truth('csv', value),
};
export const reportFields = Object.keys(readers) as (keyof ReportChoice)[];

/** What somebody says of one field. Throws FieldError. */
export const reportFieldOf = <F extends keyof ReportChoice>(field: F, value: unknown): ReportChoice[F] =>
  readers[field](value);

/**
 * What somebody sends as a report, and for the rest what it was. Throws FieldError. Filters
 * are not looked at: only the site knows its segments.
 */
export const reportOf = (body: unknown, was: Partial<ReportChoice>): ReportChoice => {
  const given = isRecord(body) ? body : {};
  for (const field of Object.keys(given)) oneOf(field, field, reportFields);
  const of = <F extends keyof ReportChoice>(field: F): ReportChoice[F] =>
    given[field] === undefined && was[field] !== undefined ? was[field] : reportFieldOf(field, given[field]);
  const chosen = Object.fromEntries(reportFields.map(field => [field, of(field)])) as unknown as ReportChoice;
  if (chosen.recipients.length + chosen.channels.length > 0) return chosen;
  throw new FieldError('recipients', 'A report has recipients or channels.');
};
