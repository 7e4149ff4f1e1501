/**
 * Files that wait in the data directory to be imported. They come in pieces, so that no request is
 * long and one that was cut off goes on.
 */
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HttpError } from '../http/errors.ts';
import { makeToken, type Random } from '../model/ids.ts';
import { freeBytes } from '../store/free-bytes.ts';
import { spareBytes } from './work.ts';

export interface Upload {
  id: string;
  accountId: number;
  siteId: number;
  /** As its owner calls it. */
  name: string;
  path: string;
  /** Bytes: in all, and those that are here. */
  size: number;
  received: number;
}

export interface Uploads {
  /** Of all files of an account that wait, in bytes. */
  bytesMax: number;
  /**
   * Takes the place of a file of the account that is named as it is and as large, and not in use.
   * Throws HttpError where there is no room for a file of this size.
   */
  begin(of: Named): Upload;
  /**
   * Adds a piece that begins at a place of the file. A piece that is here already, or that others
   * are missing before, changes nothing. Throws HttpError for one that is not the site's, or too
   * long.
   */
  add(siteId: number, id: string, at: number, bytes: Uint8Array): Promise<Upload>;
  /** Files of the site that are here whole. Throws HttpError where one is not. */
  whole(siteId: number, ids: readonly string[]): Upload[];
  /** Keeps files, however long it takes, until the function that it returns is called. */
  keep(ids: readonly string[]): () => void;
  drop(ids: readonly string[]): void;
  /** Deletes all. */
  close(): void;
}

export interface UploadOptions {
  dataDir: string;
  bytesMax: number;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
}

/** A file that nobody uses goes after an hour: it may hold addresses of visitors. */
const idleMs = 3_600_000;
const lookEveryMs = 600_000;
/** Of an account. A person has few. */
const filesMax = 100;

type Waiting = Upload & { usedAt: number; isBusy: boolean; isKept: boolean };

/** Files of a server that ended before are deleted. */
export const createUploads = ({ dataDir, bytesMax, now, random }: UploadOptions): Uploads => {
  const folder = join(dataDir, 'uploads');
  const all = new Map<string, Waiting>();
  rmSync(folder, { recursive: true, force: true });

  const drop = (ids: readonly string[]): void => {
    for (const { id, path } of ids.flatMap(one => all.get(one) ?? [])) {
      all.delete(id);
      rmSync(path, { force: true });
    }
  };

  const idsOf = (is: (one: Waiting) => boolean): string[] =>
    [...all.values()].filter(one => !one.isKept && is(one)).map(({ id }) => id);
  const dropIdle = (): void => drop(idsOf(({ usedAt }) => now() - usedAt > idleMs));
  const looks = setInterval(dropIdle, lookEveryMs).unref();

  const ofSite = (siteId: number, id: string) => {
    const found = all.get(id);
    if (found === undefined || found.siteId !== siteId) throw new HttpError('app-no-upload');
    found.usedAt = now();
    return found;
  };

  const set = (ids: readonly string[], isKept: boolean): void => {
    for (const id of ids) Object.assign(all.get(id) ?? {}, { isKept, usedAt: now() });
  };

  return {
    bytesMax,
    begin(of) {
      dropIdle();
      drop(idsOf(one => !one.isBusy && isSameFile(one, of)));
      refuseWithoutRoom([...all.values()], of, dataDir, bytesMax);
      const id = makeToken(random);
      const path = join(folder, id);
      makeFile(path);
      all.set(id, { ...of, id, path, received: 0, usedAt: now(), isBusy: false, isKept: false });
      return all.get(id)!;
    },
    async add(siteId, id, at, bytes) {
      const upload = ofSite(siteId, id);
      if (at + bytes.length > upload.size) throw new HttpError('app-upload-too-large');
      if (at !== upload.received || upload.isBusy) return upload;
      upload.isBusy = true;
      try {
        await writeAt(upload.path, at, bytes);
        upload.received += bytes.length;
      } finally {
        upload.isBusy = false;
      }
      return upload;
    },
    whole(siteId, ids) {
      const found = ids.map(id => ofSite(siteId, id));
      const isWhole = found.every(({ size, received }) => received === size);
      if (found.length === 0 || !isWhole) throw new HttpError('app-no-upload');
      return found;
    },
    keep: ids => {
      set(ids, true);
      return () => set(ids, false);
    },
    drop,
    close() {
      clearInterval(looks);
      drop([...all.keys()]);
    },
  };
};

type Named = Pick<Upload, 'accountId' | 'siteId' | 'name' | 'size'>;

/** A page that was loaded again sends its file anew, and does not know the one it began. */
const isSameFile = (a: Named, b: Named): boolean =>
  (['accountId', 'siteId', 'name', 'size'] as const).every(key => a[key] === b[key]);

/** Throws HttpError where the account or the disk has no room for a file of this size. */
const refuseWithoutRoom = (
  all: readonly Upload[],
  { accountId, size }: Pick<Upload, 'accountId' | 'size'>,
  dataDir: string,
  bytesMax: number,
): void => {
  const own = all.filter(upload => upload.accountId === accountId);
  const waiting = own.reduce((sum, upload) => sum + upload.size, 0);
  if (waiting + size > bytesMax || own.length >= filesMax) throw new HttpError('app-upload-too-large');
  const missing = all.reduce((sum, upload) => sum + upload.size - upload.received, 0);
  if (size + missing + spareBytes > freeBytes(dataDir)) throw new HttpError('app-no-room');
};

const makeFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'wx', 0o600));
};

/** Rejects with HttpError unless all bytes are written. */
const writeAt = async (path: string, at: number, bytes: Uint8Array): Promise<void> => {
  const file = await open(path, 'r+');
  try {
    const { bytesWritten } = await file.write(bytes, 0, bytes.length, at);
    // A disk that becomes full takes some of them.
    if (bytesWritten < bytes.length) throw new Error('the disk is full');
  } catch {
    throw new HttpError('app-no-room');
  } finally {
    await file.close();
  }
};
