/**
 * Pages grouped by folder. A folder is named by a text of the site that is in it, so that what days
 * contribute holds numbers and no texts. Threads may name one by different texts.
 */
import { folderOf } from '../../model/journey-steps.ts';
import { rememberById } from '../../model/remember.ts';
import type { QueryContext } from '../context.ts';

export type PageFolders = ReturnType<typeof pageFolders>;

/** `depth` 0: each page stands for itself. */
export const pageFolders = (depth: number, { text }: QueryContext) => {
  const found = new Map<string, number>();
  const standsFor = rememberById(id => {
    const folder = folderOf(text(id) ?? '', depth);
    if (folder === null) return id;
    const first = found.get(folder) ?? id;
    found.set(folder, first);
    return first;
  }, Uint32Array);
  return {
    /** The id that stands for a page: its own, or one of its folder's. */
    idOf: (id: number) => (depth === 0 || id === 0 ? id : standsFor(id)),
    /** The id that stands for a folder; undefined if no page of it was seen. */
    find: (folder: string) => found.get(folder),
  };
};
