/** Opens the place that BACKUP_TO names. */
import { StoreError } from '../database.ts';
import { bucket } from './bucket.ts';
import { directory } from './directory.ts';
import type { Place, PlaceSettings } from './place.ts';

/** Opens what BACKUP_TO names. Throws StoreError when that cannot be. */
export const openPlace = ({ to, access }: PlaceSettings): Place => {
  if (!/^(s3|https?):\/\//.test(to)) return directory(to);
  if (access === null) throw new StoreError('BACKUP_TO is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  return bucket(to, access);
};
