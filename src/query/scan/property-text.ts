/** Property values as text: numbers as JavaScript prints them, booleans as true and false. */
import { instantCode, isTextCode, propertyTypes } from '../../model/hit.ts';

/** A value as filters and lists have it; null when it is empty. Instants are ISO 8601 with Z. */
export const valueText = (code: number, text: string | null, number: number): string | null => {
  if (isTextCode(code)) return text;
  if (code === propertyTypes.boolean) return number === 0 ? 'false' : 'true';
  return code === instantCode ? new Date(number).toISOString() : String(number);
};
