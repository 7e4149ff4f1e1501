/**
 * The maintenance's thread: reads and encodes days that are to be sealed, and moves the log into
 * the database file.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type PageWatch, watchPages } from '../copies/page-watch.ts';
import { type Checkpointer, type Database, openCheckpointer, openReader } from '../database.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import type { EncodedPart } from '../day/part-store.ts';
import { encodeDay } from '../day/seal.ts';

/** What the thread is started with. */
export interface MaintenanceSettings {
  dataDir: string;
  /** Hits of the parts that days are sealed in, about; for tests. */
  partHitsMax: number | undefined;
  /** Where pages that a checkpoint takes out of the log are noted; null without copies. */
  changed: SharedArrayBuffer | null;
}

export type MaintenanceRequest =
  | { kind: 'encode'; siteDay: SiteDay }
  | { kind: 'encode next' }
  | { kind: 'checkpoint'; truncate: boolean }
  | { kind: 'close' };

export type MaintenanceReply =
  | { kind: 'encoded'; part: EncodedPart | null }
  | { kind: 'checkpointed'; logPages: number | null }
  | { kind: 'failed'; message: string };

const { dataDir, partHitsMax, changed } = workerData as MaintenanceSettings;
/** A thread is asked for one of the two, and opens what it needs for that. */
let reader: Database | undefined;
let checkpointer: Checkpointer | undefined;
let watch: PageWatch | undefined;
/** Of the day that is being encoded. */
let parts: Generator<EncodedPart, void> | undefined;

/** The first part of a day, read with all others as of one moment. */
const encodeFirst = (siteDay: SiteDay): EncodedPart | null => {
  parts?.return();
  reader ??= openReader(dataDir);
  parts = encodeDay(reader, siteDay, partHitsMax);
  return reader.transaction(encodeNext)();
};
/** Null when there are no more. */
const encodeNext = (): EncodedPart | null => parts?.next().value ?? null;
const checkpoint = (truncate: boolean): number | null => {
  checkpointer ??= openCheckpointer(dataDir);
  const { run } = checkpointer;
  if (changed === null) return run(truncate);
  watch ??= watchPages(openReader(dataDir), changed);
  const { around } = watch;
  const logPages = around(() => run(false));
  // Once all is copied, a reader does not keep the log from being emptied. What another program has
  // committed since does, as it is not noted.
  return truncate ? around(() => run(true)) : logPages;
};

const answer = (request: Exclude<MaintenanceRequest, { kind: 'close' }>): MaintenanceReply =>
  request.kind === 'checkpoint'
    ? { kind: 'checkpointed', logPages: checkpoint(request.truncate) }
    : { kind: 'encoded', part: request.kind === 'encode' ? encodeFirst(request.siteDay) : encodeNext() };

parentPort!.on('message', (request: MaintenanceRequest) => {
  if (request.kind === 'close') {
    parts?.return();
    reader?.close();
    checkpointer?.close();
    watch?.close();
    parentPort!.close();
    return;
  }
  let reply: MaintenanceReply;
  try {
    reply = answer(request);
  } catch (error) {
    // The main thread decides what to do: a day that cannot be read stays open, a failed checkpoint
    // is tried again.
    reply = { kind: 'failed', message: (error as Error).message };
  }
  parentPort!.postMessage(reply);
});
