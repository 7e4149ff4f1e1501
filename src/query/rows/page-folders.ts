/**
 * Pages grouped by folder. A folder is named by a text of the site that is in it, so that what days
 * contribute holds numbers and no texts. Threads may name one by different texts.
 */
import { folderOf } from '../../model/journey-steps.ts';
import type { QueryContext } from '../context.ts';

export type PageFolders = ReturnType<typeof pageFolders>;

/** `depth` 0: each page stands for itself. */
export const pageFolders = (depth: number, { text }: QueryContext) => {
  const found = new Map<string, number>();
  let known = new Uint32Array(1024);
  const learn = (id: number): number => {
    const folder = folderOf(text(id) ?? '', depth);
    if (folder === null) return id;
    const first = found.get(folder) ?? id;
    found.set(folder, first);
    return first;
  };
  return {
    /** The id that stands for a page: its own, or one of its folder's. */
    idOf(id: number) {
      if (depth === 0 || id === 0) return id;
      if (id >= known.length) {
        const larger = new Uint32Array(2 * id);
        larger.set(known);
        known = larger;
      }
      if (known[id] === 0) known[id] = learn(id);
      return known[id]!;
    },
    /** The id that stands for a folder; undefined if no page of it was seen. */
    find: (folder: string) => found.get(folder),
  };
};
