/** The batches of hits that the tables of an import hold, and who reads them. */
import { openGeo } from '../collect/geo.ts';
import { type HitFormat, isLineFormat, type RowFormat } from '../compat/import-format.ts';
import { noSides, type SideTables } from '../compat/import-rows.ts';
import type { Log } from '../log.ts';
import { always } from './between.ts';
import { type ChunkReader, openChunkReader, type ReadTask, startChunkReaders } from './chunk-reader.ts';
import type { Chunk } from './chunks.ts';
import type { ImportOptions } from './import-report.ts';
import type { ReadBatch } from './line-reader.ts';
import type { PastSalts } from './past-pipeline.ts';
import { type FileTable, readRows } from './tables.ts';

/** A table of no more is read in this thread: another is not worth its start. */
const aloneBytes = 4 * 1024 * 1024;
/** Chunks that are under way to other threads. */
const chunksAhead = 4;

/** What the chunks of a table hold, in their order. */
export async function* batchesOf(
  table: FileTable,
  format: HitFormat,
  readers: ChunkReaders,
): AsyncGenerator<ReadBatch> {
  const chunks = table.chunks();
  const begun: Chunk[] = [];
  const ahead: Promise<ReadBatch>[] = [];
  try {
    let isLarge = false;
    for (let bytes = 0; !isLarge; isLarge = bytes > aloneBytes) {
      const { done, value } = await chunks.next();
      if (done) break;
      begun.push(value);
      bytes += value.bytes.length;
    }
    const firstSite = isLineFormat(format) ? '' : firstSiteIn(begun, table, format);
    const { reader, isShared } = await readers.of(table, firstSite, isLarge);
    for await (const chunk of inOrder(begun, chunks)) {
      const batch = reader.read(chunk);
      // It is awaited below, perhaps after one before it has failed.
      batch.catch(() => {});
      ahead.push(batch);
      if (!isShared || ahead.length > chunksAhead) yield await ahead.shift()!;
    }
    while (ahead.length > 0) yield await ahead.shift()!;
  } finally {
    await chunks.return(undefined);
  }
}

export type ChunkReaders = ReturnType<typeof chunkReaders>;

/**
 * Readers of the tables of an import: a large one is read in threads, but with other tables beside
 * it this thread reads all. One reader reads all tables of lines, where nothing differs but their
 * names, since databases of places take long to open.
 */
export const chunkReaders = (
  format: HitFormat,
  salts: PastSalts,
  sides: SideTables | null,
  { site, geo, log, now, between = always }: ImportOptions,
) => {
  const facts = { site, format: format.name, geo, salts, now: now(), between };
  let open: { reader: ChunkReader; isShared: boolean } | undefined;
  const close = async (): Promise<void> => {
    await open?.reader.close();
    open = undefined;
  };
  return {
    /** Who reads a table; the next call, or `close`, may end it. */
    async of({ name, writing }: FileTable, firstSite: string, isLarge: boolean) {
      const isShared = isLarge && sides === null;
      if (open !== undefined && isLineFormat(format) && open.isShared >= isShared) return open;
      await close();
      const task = { ...facts, file: name, writing, firstSite };
      const reader = isShared
        ? await sharedReader(task, format, log)
        : await openChunkReader(task, sides ?? noSides, log);
      open = { reader, isShared };
      return open;
    },
    close,
  };
};

const firstSiteIn = (chunks: readonly Chunk[], table: FileTable, { siteColumn }: RowFormat): string => {
  let found: string | undefined;
  if (siteColumn === undefined) return '';
  for (const chunk of chunks) {
    if (found !== undefined) break;
    readRows(chunk, table.writing, table.name, row => {
      found ??= row.text(siteColumn.name);
    });
  }
  return found ?? '';
};

const sharedReader = async (task: ReadTask, format: HitFormat, log: Log): Promise<ChunkReader> => {
  if (!isLineFormat(format)) return startChunkReaders(task);
  // Says once what is wrong with the databases.
  (await openGeo({ ...task.geo, log })).close();
  return startChunkReaders(task);
};

async function* inOrder(begun: readonly Chunk[], rest: AsyncGenerator<Chunk>): AsyncGenerator<Chunk> {
  yield* begun;
  yield* rest;
}
