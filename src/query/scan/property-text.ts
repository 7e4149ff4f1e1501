/** Property values as text: numbers as JavaScript prints them, booleans as true and false, dates as ISO 8601 with Z. */
import { propertyTypes } from '../../model/hit.ts';

/** Text of a property value, as filters compare it and lists show it; null when it is empty. */
export const valueText = (type: number, text: string | null, number: number): string | null => {
  if (type === propertyTypes.string) return text;
  if (type === propertyTypes.boolean) return number === 0 ? 'false' : 'true';
  return type === propertyTypes.date ? new Date(number).toISOString() : String(number);
};
