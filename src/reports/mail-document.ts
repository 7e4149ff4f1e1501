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
