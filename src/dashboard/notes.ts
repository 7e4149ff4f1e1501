/** Notes on days of a site, written by people in the dashboard. They are read by /api/ext. */
import { addNote, changeNote, removeNote } from '../api/notes.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, post } from './route.ts';
import { siteNamed } from './site-settings.ts';

export const noteRoutes = (parts: AppParts): DashboardRoute[] => {
  const { notes, now } = parts;
  return [
    post('/app/sites/:site/notes', (call, login) => addNote(notes, siteNamed(parts, call, login).id, call.body, now())),
    post('/app/sites/:site/notes/:note', (call, login) =>
      changeNote(notes, siteNamed(parts, call, login).id, call.parameters.note!, call.body),
    ),
    post('/app/sites/:site/notes/:note/remove', (call, login) =>
      removeNote(notes, siteNamed(parts, call, login).id, call.parameters.note!),
    ),
  ];
};
