/**
 * How a command asks the server to stop its long work on the hits of a site: by a file in the data
 * directory, which the server takes away when it has heard.
 */
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (dataDir: string, siteId: number): string => join(dataDir, `stop-${siteId}`);

export const requestStop = (dataDir: string, siteId: number): void =>
  closeSync(openSync(fileOf(dataDir, siteId), 'w', 0o600));

export const isStopRequested = (dataDir: string, siteId: number): boolean =>
  statSync(fileOf(dataDir, siteId), { throwIfNoEntry: false }) !== undefined;

export const dropStopRequest = (dataDir: string, siteId: number): void =>
  rmSync(fileOf(dataDir, siteId), { force: true });
