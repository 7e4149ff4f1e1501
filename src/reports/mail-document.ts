/** What a mail says, before it is a text or a page: rendered by render.ts. */

export interface MailSection {
  title: string;
  /** Each row has as many cells as the head; the first is a name, the others are numbers. */
  head?: readonly string[];
  rows: readonly (readonly string[])[];
  /** Beside each row a bar so long, from 0 to 1. */
  bars?: readonly number[];
  /** What follows the rows. */
  note?: string;
}

export interface MailDocument {
  subject: string;
  title: string;
  language: string;
  /** Sentences before the sections. */
  lead: readonly string[];
  sections: readonly MailSection[];
  /** What a reader may do. */
  button?: { label: string; url: string };
  /** Why they get it. */
  foot: readonly string[];
  unsubscribe?: { label: string; url: string };
}

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
