import { statfsSync } from 'node:fs';

/** What programs that are not root's may still write to the disk of a directory. */
export const freeBytes = (dir: string): number => {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
};
