/** Reads a request's body field by field, with the same functions that read the command line. */
import { type ErrorCode, HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import { FieldError } from '../../model/fields.ts';
import { ValueError } from '../../model/values.ts';
import { TooManyKeys } from '../../store/accounts/accounts.ts';
import { TooManyShares } from '../../store/shares.ts';
import { TooManySites } from '../../store/sites.ts';
import { UniqueViolation } from '../../store/unique-violation.ts';

/** A required field, as `read` understands it. Throws HttpError that names the field. */
export const field = <T>(body: Body, name: string, read: (typed: string) => T): T => {
  const value = body[name];
  if (typeof value !== 'string') throw new HttpError('app-text-missing', { field: name });
  return reading(name, () => read(value));
};

/** An optional field as an object to spread into another one; empty when the field is missing. */
export const optional = <N extends string, T>(body: Body, name: N, read: (typed: string) => T): { [K in N]?: T } =>
  body[name] === undefined ? {} : ({ [name]: field(body, name, read) } as { [K in N]?: T });

/** The same for a list of texts. */
export const optionalList = <N extends string, T>(
  body: Body,
  name: N,
  read: (typed: readonly string[]) => T,
): { [K in N]?: T } => {
  const value = body[name];
  if (value === undefined) return {};
  if (!Array.isArray(value) || !value.every(entry => typeof entry === 'string')) {
    throw new HttpError('app-list-missing', { field: name });
  }
  return { [name]: reading(name, () => read(value)) } as { [K in N]?: T };
};

/** Whether an optional switch is on. */
export const isOn = (body: Body, name: string): boolean => {
  const { [name]: value = false } = body;
  if (typeof value !== 'boolean') throw new HttpError('app-switch-missing', { field: name });
  return value;
};

/** What `read` reads of a field. Throws HttpError that names the field. */
export const reading = <T>(name: string, read: () => T, code: ErrorCode = 'app-bad-value'): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof ValueError ? new HttpError(code, { error: error.message, field: name }) : error;
  }
};

/** A field of an alert or report that cannot be used, as HttpError; any other error as it is. */
export const asRefused = (code: 'bad-alert' | 'bad-report', error: unknown): unknown => {
  if (!(error instanceof FieldError)) return error;
  const { message, field, allowed } = error;
  return new HttpError(code, { error: message, field, ...(allowed && { allowed }) });
};

/**
 * Writes a value that must be unique. Throws HttpError that names the field when another row has
 * the value, and when there are as many rows as there may be.
 */
export const unlessTaken = <T>(name: string, write: () => T): T => {
  try {
    return write();
  } catch (error) {
    if (error instanceof TooManyKeys) throw new HttpError('app-too-many-keys', { field: name });
    if (error instanceof TooManyShares) throw new HttpError('app-too-many-shares', { field: name });
    if (error instanceof TooManySites) throw new HttpError('app-too-many-sites', { field: name });
    throw error instanceof UniqueViolation ? new HttpError('app-taken', { error: error.message, field: name }) : error;
  }
};

/** Any text as it is. */
export const asTyped = (typed: string): string => typed;
