/** Opens the place that BACKUP_TO names. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearestExisting, StoreError } from '../database.ts';
import { bucket } from './bucket.ts';
import { directory } from './directory.ts';
import type { Place, PlaceSettings } from './place.ts';

const isBucket = (to: string): boolean => /^(s3|https?):\/\//.test(to);

/** Opens what BACKUP_TO names. Throws StoreError when that cannot be. */
export const openPlace = ({ to, access }: PlaceSettings): Place => {
  if (!isBucket(to)) return directory(to);
  if (access === null) throw new StoreError('BACKUP_TO is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  return bucket(to, access);
};

/** Whether the copies are on the file system of the data, and would be lost with it. */
export const isBesideData = (to: string, dataDir: string): boolean =>
  !isBucket(to) && statSync(nearestExisting(resolve(to))).dev === statSync(dataDir).dev;
