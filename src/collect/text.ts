/// <reference lib="es2024.string" />
/** Text from outside, made fit to be stored: bounded, and well-formed Unicode. */

/**
 * At most `charsMax` UTF-16 units of a text, or null when it is empty or no text. It is made
 * well-formed after the cut, which can halve a character: half a character cannot be written as
 * UTF-8.
 */
export const textOf = (value: unknown, charsMax: number): string | null =>
  typeof value === 'string' && value !== '' ? clip(value, charsMax) : null;

/** As textOf, for what is known to be a text. Keeps the empty one. */
export const clip = (text: string, charsMax: number): string =>
  (text.length > charsMax ? text.slice(0, charsMax) : text).toWellFormed();
