/** What a site's hits can be exported as. */

import type { ExportedVisit } from '../model/exported-visit.ts';
import type { PastRecord } from '../model/past-hit.ts';
import type { Site } from '../model/site.ts';
import { ndjsonOf, recordLine } from './ndjson.ts';
import { umamiHeading, umamiRowsOf } from './umami.ts';

/** Makes a file piece by piece. */
export interface ExportWriter {
  /** What a visit adds; null when nothing is to be written yet. */
  visit(visit: ExportedVisit): string | Buffer | null;
  /** What else was recorded; missing where the format has no place for it. */
  record?(record: PastRecord): string;
  /** What stands before the first and behind the last visit. */
  begin?: string;
  end?(): Buffer;
}

/** The library for Parquet has 50 files, so that it is loaded for a Parquet file alone. */
export const exportFormats = {
  ndjson: (site: Site): ExportWriter => ({ visit: visit => ndjsonOf(site, visit), record: recordLine }),
  parquet: async (): Promise<ExportWriter> => (await import('./parquet.ts')).parquetWriter(),
  umami: ({ uuid }: Site): ExportWriter => ({ begin: umamiHeading, visit: visit => umamiRowsOf(visit, uuid) }),
} satisfies Record<string, (site: Site) => ExportWriter | Promise<ExportWriter>>;

export type ExportFormat = keyof typeof exportFormats;
export const exportFormatNames = Object.keys(exportFormats) as ExportFormat[];
