/** Notes on days of a site, written by people in the dashboard. They are read by /api/ext. */
import { addNote, changeNote, removeNote } from '../api/notes.ts';
import { HttpError } from '../http/errors.ts';
import type { OnSite } from './allow.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, post } from './route.ts';

export const noteRoutes = ({ notes, now }: AppParts): DashboardRoute[] => [
  post('/app/sites/:site/notes', 'notes', (call, on) => addNote(notes, notedSite(on), call.body, now())),
  post('/app/sites/:site/notes/:note', 'notes', (call, on) =>
    changeNote(notes, notedSite(on), call.parameters.note!, call.body),
  ),
  post('/app/sites/:site/notes/:note/remove', 'notes', (call, on) =>
    removeNote(notes, notedSite(on), call.parameters.note!),
  ),
];

/** Throws HttpError where notes are hidden from somebody. */
const notedSite = ({ site, grant }: OnSite): number => {
  if (grant.hidden.has('notes')) throw new HttpError('app-not-allowed');
  return site.id;
};
