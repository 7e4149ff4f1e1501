/// <reference lib="es2024.string" />
/**
 * At most `charsMax` UTF-16 units of a text. It is made well-formed after the cut, which can halve
 * a character: half a character cannot be written as UTF-8.
 */
export const clip = (text: string, charsMax: number): string =>
  (text.length > charsMax ? text.slice(0, charsMax) : text).toWellFormed();
