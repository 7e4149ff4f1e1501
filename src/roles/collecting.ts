/** What every collecting server has: its database, the collector, and the maintenance of both. */
import { type Collector, createCollector } from '../collect/collector.ts';
import { hitForms, readByShape, tagScripts } from '../compat/families.ts';
import { readShipped } from '../package-root.ts';
import { type Database, setLockWait } from '../store/database.ts';
import type { QuestionGate } from '../store/maintenance/checkpoints.ts';
import { startMaintenance } from '../store/maintenance/maintenance.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { ServerOptions } from './listen.ts';

/**
 * Commands write for some milliseconds at a time. A program that holds the file for longer must not
 * keep every hit waiting.
 */
const lockWaitMs = 1000;

/** Resolves when it can take hits. */
export const openCollector = (
  { config, now, random, log }: ServerOptions,
  db: Database,
  directory: SiteDirectory,
): Promise<Collector> => {
  setLockWait(db, lockWaitMs);
  return createCollector({
    ...{ db, directory, now, random, log },
    trustProxy: config.trustProxy,
    ...{ geoDb: config.geoDb, geoAsnDb: config.geoAsnDb },
    queueMax: config.hitQueueMax,
    queueBytesMax: config.hitQueueBytesMax,
    senderBudget: config,
    forms: hitForms,
    readByShape,
    newTextsMax: config.newTextsMax,
    scripts: trackerScripts(),
  });
};

/** The tracker's scripts by their paths. */
const trackerScripts = (): Record<string, Buffer> =>
  Object.fromEntries(
    Object.entries({ '/t.js': 't.js', ...tagScripts }).map(([path, file]) => [path, readShipped(`dist/${file}`)]),
  );

export interface Maintained {
  questions: QuestionGate;
  /** Where pages are noted for copies; null where none are made. */
  changed?: SharedArrayBuffer | null;
  /** Whether days that are over are sealed: not where their hits are to be sent one by one. */
  seals?: boolean;
}

export const maintain = (
  { config, now, log }: ServerOptions,
  db: Database,
  collector: Collector,
  { questions, changed = null, seals = true }: Maintained,
) =>
  startMaintenance({
    ...{ db, dataDir: config.dataDir, now, log },
    commits: collector.writer,
    questions,
    onNewDay: collector.rotateSalt,
    ...{ changed, seals },
  });

/** What /metrics says of it. */
export const hitStats = ({ writer, otherTexts, aheadMs }: Collector) => ({ writer: writer.stats, otherTexts, aheadMs });
