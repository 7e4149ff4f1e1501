/** A directory that copies are stored in. */
import { mkdirSync, readdirSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unwritable } from '../database.ts';
import type { Place } from './place.ts';

export const directory = (root: string): Place => ({
  async list(folder) {
    try {
      return readdirSync(join(root, folder))
        .filter(name => !name.endsWith(partial))
        .map(name => `${folder}${name}`)
        .sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  async get(name) {
    try {
      return await readFile(join(root, name));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  async put(name, object) {
    const file = join(root, name);
    // One name for all of a folder: what a crash leaves is overwritten by the next.
    const unfinished = name.includes('/') ? join(dirname(file), partial) : `${file}${partial}`;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      await writeSynced(unfinished, object);
      await rename(unfinished, file);
      await syncDirectory(dirname(file));
    } catch (error) {
      throw unwritable(root, error);
    }
  },
  remove: name => rm(join(root, name), { force: true }),
});

const partial = '.partial';
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const writeSynced = async (file: string, object: Buffer): Promise<void> => {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(object);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Without this, a power cut may take a name in it away again. */
export const syncDirectory = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
