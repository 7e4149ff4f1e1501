/**
 * Finds files that ship with the code (schema.sql, dist/): the same from the sources, from the
 * bundle, and from the single executable, which holds them behind its own code. There they are read
 * as a file is: what is mapped into memory would count as memory of the process.
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** Whether this runs from the single executable. */
export const isExecutable = isSea();

const findRoot = (from: string): string => (existsSync(join(from, 'package.json')) ? from : findRoot(dirname(from)));

/** Of the executable, the directory in which it lies: beside it are the tables of places. */
export const packageRoot = isExecutable ? dirname(process.execPath) : findRoot(dirname(fileURLToPath(import.meta.url)));

/** Of each file in the executable: how many bytes before the end it begins, and how many it has. */
const inside: Record<string, [fromEnd: number, length: number]> = isExecutable
  ? JSON.parse(getAsset('files', 'utf8'))
  : {};

const readInside = (path: string): Buffer => {
  if (inside[path] === undefined) throw new Error(`The executable holds no ${path}.`);
  const [fromEnd, length] = inside[path];
  // The file that runs, even where an upgrade has put another in its place.
  const fd = openSync('/proc/self/exe', 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(length);
    const start = fstatSync(fd).size - fromEnd;
    for (let done = 0; done < length; ) done += readSync(fd, bytes, done, length - done, start + done);
    return bytes;
  } finally {
    closeSync(fd);
  }
};

/** Content of a file that ships, by its path in the package. Throws when it is not there. */
export const readShipped = (path: string): Buffer =>
  isExecutable ? readInside(path) : readFileSync(resolve(packageRoot, path));

/**
 * Gives a function that gives the content of a file that ships. On disk another version may take
 * its place while this one runs, so it is read now; in the executable, whenever it is asked for.
 */
export const keptShipped = (path: string): (() => Buffer) => {
  if (isExecutable) return () => readInside(path);
  const bytes = readShipped(path);
  return () => bytes;
};

/** Names of the files in a directory that ships; none where there is no such directory. */
export const shippedNames = (dir: string): string[] => {
  if (isExecutable)
    return Object.keys(inside)
      .filter(path => dirname(path) === dir)
      .map(path => basename(path));
  const path = resolve(packageRoot, dir);
  return existsSync(path) ? readdirSync(path) : [];
};

/** Of an executable that was cut off, what it holds stands elsewhere: it ends before it begins. */
const ownVersion = (): string => {
  try {
    return JSON.parse(readShipped('package.json').toString()).version;
  } catch (error) {
    if (!isExecutable) throw error;
    process.stderr.write('daybook: This file is not whole: download it again.\n');
    process.exit(1);
  }
};

/** Daybook's own version. */
export const version = ownVersion();
