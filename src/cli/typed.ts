/** Reads what is typed behind flags of several commands, beside model/values.ts. */
import { ParameterError } from '../api/request/parameters.ts';
import { dayExists } from '../model/calendar.ts';
import { filterFields } from '../model/filters.ts';
import { suggestion } from '../model/nearest.ts';
import { UsageError } from './command.ts';

/** One of some names. Throws UsageError with what `refusal` says. */
export const oneOf =
  <T extends string>(names: readonly T[], refusal: (typed: string) => string) =>
  (typed: string): T => {
    const found = names.find(name => name === typed);
    if (found === undefined) throw new UsageError(refusal(typed));
    return found;
  };

/** A day that exists, as it was typed. Throws UsageError. */
export const dayOf =
  (flag: string) =>
  (typed: string): string => {
    const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(typed) ?? [];
    if (dayExists(Number(year), Number(month), Number(day))) return typed;
    throw new UsageError(`${flag} is "${typed}": it must be a day like 2026-10-01.`);
  };

/** What `read` makes of the filters of `--where`, with UsageError for its ParameterError. */
export const readWhere = <T>(where: readonly string[], read: (search: URLSearchParams) => T): T => {
  try {
    return read(new URLSearchParams(where.join('&')));
  } catch (error) {
    if (error instanceof ParameterError) throw new UsageError(sentenceOf(error));
    throw error;
  }
};

const sentenceOf = ({ body: { error, parameter, value = parameter } }: ParameterError): string => {
  if (error === 'unknown parameter')
    return `There is no filter ${parameter}.${suggestion(parameter.replace(/\W+$/, ''), filterFields)}`;
  if (error === 'bad date') return `--${parameter} needs a date such as 2026-10-01, and --from none after --to.`;
  return `--where: ${error} (${value}).`;
};
