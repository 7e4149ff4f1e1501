/**
 * Finds files that ship with the code (schema.sql, dist/): the same from the sources, from the
 * bundle, and from the single executable, which holds them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** Whether this runs from the single executable. */
export const isExecutable = isSea();

const findRoot = (from: string): string => (existsSync(join(from, 'package.json')) ? from : findRoot(dirname(from)));

/** Of the executable, the directory in which it lies: beside it are the tables of places. */
export const packageRoot = isExecutable ? dirname(process.execPath) : findRoot(dirname(fileURLToPath(import.meta.url)));

/**
 * Content of a file that ships, by its path in the package, which must not be written to: in the
 * executable it is a part of that, and only in memory where it is read. Throws when it is not
 * there.
 */
export const readShipped = (path: string): Buffer =>
  isExecutable ? Buffer.from(getRawAsset(path) as ArrayBuffer) : readFileSync(resolve(packageRoot, path));

/** Names of the files in a directory that ships; none where there is no such directory. */
export const shippedNames = (dir: string): string[] => {
  // The executable has a list in the place of the directory.
  if (isExecutable) return JSON.parse(readShipped(dir).toString());
  const path = resolve(packageRoot, dir);
  return existsSync(path) ? readdirSync(path) : [];
};

/** Daybook's own version. */
export const version: string = JSON.parse(readShipped('package.json').toString()).version;
