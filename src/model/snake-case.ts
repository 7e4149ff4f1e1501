/**
 * `utmSource` as `utm_source`: what a field is called in SQL and in the parameters of an address.
 */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
