/** Notes on days of a site, written by people in the dashboard. They are read by /api/ext. */
import { addNote, changeNote, removeNote } from '../api/notes.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, post } from './route.ts';

export const noteRoutes = ({ notes, now }: AppParts): DashboardRoute[] => {
  return [
    post('/app/sites/:site/notes', 'notes', (call, { site }) => addNote(notes, site.id, call.body, now())),
    post('/app/sites/:site/notes/:note', 'notes', (call, { site }) =>
      changeNote(notes, site.id, call.parameters.note!, call.body),
    ),
    post('/app/sites/:site/notes/:note/remove', 'notes', (call, { site }) =>
      removeNote(notes, site.id, call.parameters.note!),
    ),
  ];
};
