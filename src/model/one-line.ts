/** Names in one line, for mails and messages. */

import { clip } from './clip.ts';

const nameCharsMax = 100;

/**
 * What people and strangers named, as one line: no name makes a header, another line, or turns the
 * direction of the text.
 */
export const oneLine = (text: string, charsMax = nameCharsMax): string => {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .trim();
  return line.length > charsMax ? `${clip(line, charsMax - 1)}…` : line;
};
