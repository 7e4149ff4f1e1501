/** What few pages show, or only on demand: one file, fetched with the first of them. */
export { FilterEditor } from './controls/filter-editor.tsx';
export { PeriodPanel } from './controls/period-panel.tsx';
export { ExplainDialog } from './overview/explain-dialog.tsx';
export { NotesPanel } from './overview/notes-panel.tsx';
export { SitesPanel } from './overview/sites-panel.tsx';
export { TableDialog } from './overview/table-dialog.tsx';
export { SavedList } from './parts/saved-list.tsx';
