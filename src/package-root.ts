/**
 * Finds files that ship beside the code (schema.sql, dist/): the same from the sources and from the
 * bundle.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const findRoot = (from: string): string => (existsSync(join(from, 'package.json')) ? from : findRoot(dirname(from)));

export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Daybook's own version. */
export const version: string = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version;
