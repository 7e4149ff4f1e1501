/** Directories that are there as long as something is measured in them. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Resolves to what is made of a new directory, which is removed then. */
export const withDirectory = async <T>(work: (dir: string) => Promise<T>): Promise<T> => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/** As `withDirectory`, with a copy of data that are kept, for what writes to them. */
export const withCopyOf = <T>(data: string, work: (dir: string) => Promise<T>): Promise<T> =>
  withDirectory(dir => {
    cpSync(data, dir, { recursive: true });
    return work(dir);
  });
