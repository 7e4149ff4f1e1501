/** Which import of a site some files are. */
import { createHash } from 'node:crypto';
import type { Format } from '../compat/import-format.ts';
import { type Import, type ImportFacts, imports } from '../store/imports/imports.ts';
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

type Found = Pick<ImportFacts, 'lines' | 'outcomes' | 'totals' | 'firstAt' | 'lastAt'>;

/** The import of this content that was interrupted, or else a new one. */
export const beginImport = (options: ImportOptions, { kind, name: format }: Format, found: Found): Import => {
  const { db, site, inputs, now } = options;
  const [table, digest] = [imports(db), contentOf(options)];
  const facts = { ...found, siteId: site.id, kind, format, source: inputs.source, digest };
  return table.ofContent(site.id, digest) ?? table.begin(facts, now());
};
