import { statfsSync } from 'node:fs';

/** What programs that are not root's may still write to the disk of a directory. */
export const freeBytes = (dir: string): number => {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
};

/** How much of the disk of a directory that is, from 0 to 1. */
export const freeShare = (dir: string): number => {
  const { bavail, blocks } = statfsSync(dir);
  return bavail / Math.max(blocks, 1);
};
