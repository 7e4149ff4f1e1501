/** Notes on days of a site: what people write there, and what Daybook notes by itself. */
import { dayExists } from './calendar.ts';
import { ValueError } from './values.ts';

export const noteTextCharsMax = 200;
/** On all days of a site. */
export const notesMax = 2000;

/**
 * `person`: somebody wrote it. `outage`: the server was down, `zone`: the site got another time
 * zone, `alert`: one fired. Their texts are times, numbers and names alone, which need no
 * translation.
 */
export const noteKinds = ['person', 'outage', 'zone', 'import', 'alert'] as const;
export type NoteKind = (typeof noteKinds)[number];

export interface Note {
  id: number;
  /** A local day of the site, `2026-11-20`. */
  date: string;
  kind: NoteKind;
  text: string;
  /** UTC milliseconds. */
  createdAt: number;
}

/** The text of a note in one line. Throws ValueError. */
export const noteTextOf = (typed: string): string => {
  const text = typed.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (text === '') throw new ValueError('A note needs a text.');
  if (text.length > noteTextCharsMax) throw new ValueError(`A note has at most ${noteTextCharsMax} characters.`);
  return text;
};

/** The day of a note. Throws ValueError. */
export const noteDateOf = (typed: string): string => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(typed) ?? [];
  const isDay = day !== undefined && Number(year) >= 1970 && dayExists(Number(year), Number(month), Number(day));
  if (!isDay) throw new ValueError(`${JSON.stringify(typed)} is no day: write it like 2026-11-20.`);
  return typed;
};

/** The wall clock of a zone at an instant: `2026-11-20 14:03`. */
export const wallClock = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone }).format(at);
