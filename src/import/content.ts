/** What makes an import another one than that of the same files before. */
import { createHash } from 'node:crypto';
import { imports } from '../store/imports/imports.ts';
import type { ImportOptions } from './import-report.ts';

/**
 * A digest of what is imported: of the files, and of what is chosen of them. What is new depends on
 * the imports that are there, so the same files may bring more once another one was taken back.
 */
export const contentOf = ({ db, site, inputs, between, known }: ImportOptions): Buffer => {
  if (known !== 'leave-out' && between === undefined) return inputs.digest();
  const there = imports(db)
    .ofSite(site.id)
    .flatMap(({ id, finishedAt }) => (finishedAt === null ? [] : id));
  const chosen = [between?.from ?? null, between?.to ?? null, known === 'leave-out' ? there : null];
  return createHash('sha256').update(inputs.digest()).update(JSON.stringify(chosen)).digest();
};
