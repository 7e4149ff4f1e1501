/** `/notes`: notes on days of a site. Programs with an API key of the account write them, too. */
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { isDone, json, type Reply } from '../http/reply.ts';
import { localName } from '../model/calendar.ts';
import { type Note, noteDateOf, noteKinds, notesMax, noteTextOf } from '../model/notes.ts';
import type { Notes } from '../store/notes.ts';
import { reading } from './changes/fields.ts';
import { type ReadableSite, windowEndpoint, windowObject } from './endpoint.ts';
import type { Span } from './request/window.ts';
import { count, day, described, instant, list, object, oneOf, text } from './schema.ts';

export const noteSchema = object({
  id: count,
  date: described(day, 'A local day of the site'),
  kind: described(oneOf(noteKinds), 'person: somebody wrote it. The others: Daybook did'),
  text,
  createdAt: instant,
});

export const noteJson = ({ createdAt, ...note }: Note): object => ({
  ...note,
  createdAt: new Date(createdAt).toISOString(),
});

/** The notes on the days of a window. */
export const notesWithin = ({ from, to }: Span, { zone, notes }: ReadableSite): Note[] => {
  const [first, last] = [from, to - 1].map(at => localName(zone.local(at)).slice(0, 10)) as [string, string];
  return from < to ? notes().filter(({ date }) => first <= date && date <= last) : [];
};

export const noteList = windowEndpoint({
  summary: 'Notes on the days of the window',
  fields: [],
  part: 'notes',
  response: windowObject({ data: list(noteSchema, notesMax) }),
  plan: ({ window }, view) => ({
    slices: [],
    render: () => ({ data: notesWithin(window, view).map(noteJson) }),
  }),
});

/** What somebody sends as a note: `date` and `text`. Throws HttpError. */
const noteOf = (body: Body): { date: string; text: string } => {
  const read = <T>(name: keyof Note, of: (typed: string) => T): T => {
    const { [name]: value } = body;
    return reading(name, () => of(typeof value === 'string' ? value : ''), 'bad-note');
  };
  return { date: read('date', noteDateOf), text: read('text', noteTextOf) };
};

const noNote = (): HttpError => new HttpError('no-note');

export const addNote = (notes: Notes, siteId: number, body: Body, now: number): Reply => {
  const { date, text } = noteOf(body);
  const note = notes.add(siteId, 'person', date, text, now);
  if (note === undefined) throw new HttpError('bad-note', { error: `A site has at most ${notesMax} notes.` });
  return json(200, noteJson(note));
};

/** `id` is as it stands in a path. */
export const changeNote = (notes: Notes, siteId: number, id: string, body: Body): Reply => {
  const { date, text } = noteOf(body);
  const note = notes.change(siteId, Number(id), date, text);
  if (note === undefined) throw noNote();
  return json(200, noteJson(note));
};

export const removeNote = (notes: Notes, siteId: number, id: string): Reply => {
  if (!notes.remove(siteId, Number(id))) throw noNote();
  return isDone();
};
