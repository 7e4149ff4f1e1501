/** What every collecting server has: its database, the collector, and the maintenance of both. */
import { type Collector, createCollector } from '../collect/collector.ts';
import { hitForms, readByShape, tagScripts } from '../compat/families.ts';
import type { MetricsSources } from '../metrics.ts';
import { readShipped } from '../package-root.ts';
import { type Database, setLockWait } from '../store/database.ts';
import type { QuestionGate } from '../store/maintenance/checkpoints.ts';
import { startMaintenance } from '../store/maintenance/maintenance.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { ServerOptions } from './listen.ts';
import { siteTraffic } from './site-traffic.ts';

/**
 * Commands write for some milliseconds at a time. A program that holds the file for longer must not
 * keep every hit waiting.
 */
const lockWaitMs = 1000;

/** With the traffic of sites where METRICS_SITES asks for it. */
export type CountingCollector = Collector & Pick<MetricsSources, 'traffic'>;

/** Resolves when it can take hits. */
export const openCollector = async (
  { config, now, random, log }: ServerOptions,
  db: Database,
  directory: SiteDirectory,
): Promise<CountingCollector> => {
  setLockWait(db, lockWaitMs);
  const traffic = config.metricsSites === 0 ? undefined : siteTraffic({ db, now }, config.metricsSites);
  const collector = await createCollector({
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
    onRecorded: traffic?.add,
  });
  return { ...collector, traffic: traffic?.read };
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

/** What /metrics and /metrics/sites say of it. */
export const collectorSources = ({ writer, otherTexts, aheadMs, traffic }: CountingCollector) => ({
  hits: { writer: writer.stats, otherTexts, aheadMs },
  traffic,
});
