/** Values that may stand once only, such as a site's domain in an account. */
import { StoreError } from './database.ts';

/** Thrown for such a value that is in use already. */
export class UniqueViolation extends StoreError {}

/**
 * Does a write. When it breaks a unique constraint it throws UniqueViolation with a sentence made
 * of the constraint's columns, `table.column, …`.
 */
export const orUniqueViolation = <T>(write: () => T, sentenceOf: (columns: string) => string): T => {
  try {
    return write();
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (!['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(code)) throw error;
    throw new UniqueViolation(sentenceOf((error as Error).message));
  }
};
