/** Names in one line, for mails and messages. */

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
  return line.length > charsMax ? `${line.slice(0, charsMax - 1).toWellFormed()}…` : line;
};
