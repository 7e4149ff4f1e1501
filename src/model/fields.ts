/** Reads fields of what somebody sent. One that cannot be used is named, with a clear sentence. */
import { suggestion } from './nearest.ts';
import { ValueError } from './values.ts';

/** A field cannot be used; `allowed` lists what could. */
export class FieldError extends ValueError {
  readonly field: string;
  readonly allowed: readonly string[] | undefined;
  constructor(field: string, message: string, allowed: readonly (string | number)[] = []) {
    super(message);
    this.field = field;
    this.allowed = allowed.length > 0 ? allowed.map(String) : undefined;
  }
}

/** Throws FieldError, as all below. */
export const oneOf = <T extends string | number>(field: string, value: unknown, allowed: readonly T[]): T => {
  const found = allowed.find(each => each === value);
  if (found !== undefined) return found;
  const meant = typeof value === 'string' ? suggestion(value, allowed.map(String)) : '';
  throw new FieldError(field, `${field} is one of ${allowed.join(', ')}.${meant}`, allowed);
};

/** A text as `read` understands it, which throws ValueError. */
export const typed = <T>(field: string, value: unknown, read: (text: string) => T): T => {
  try {
    return read(typeof value === 'string' ? value : '');
  } catch (error) {
    throw error instanceof ValueError ? new FieldError(field, error.message) : error;
  }
};
