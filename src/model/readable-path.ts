/**
 * Paths as people read them. They are stored as browsers send them, percent-encoded, and filters
 * take them so. Pages and the search over visits show and compare them decoded.
 */

/**
 * `/caf%C3%A9` as `/café`. Only letters and signs beyond ASCII are decoded: `%2F` and its like mean
 * something else, and what is not UTF-8 or cannot be seen stays encoded.
 */
export const readablePath = (path: string): string =>
  path.includes('%') ? path.replace(beyondAscii, escapes => readable(escapes)) : path;

/** The reverse, for a text that somebody has typed: `café` as `caf%C3%A9`. */
export const storedPath = (text: string): string =>
  text.replace(/[^\p{ASCII}]+/gu, letters => encodeURIComponent(letters.toWellFormed()));

const beyondAscii = /(?:%[89a-f][\da-f])+/gi;

const readable = (escapes: string): string => {
  try {
    return decodeURIComponent(escapes).replace(unseen, encodeURIComponent);
  } catch {
    return escapes;
  }
};

/** Spaces, marks of direction and the like; but joiners are parts of words and of emoji. */
const unseen = /(?![\u200c\u200d])[\p{C}\p{Z}]/gu;
