/**
 * The maintenance's thread: reads and encodes days that are to be sealed, and moves the log into
 * the database file.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type Checkpointer, type Database, openCheckpointer, openReader } from '../database.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import { type EncodedDay, encodeDay } from '../day/seal.ts';

export type MaintenanceRequest =
  | { kind: 'encode'; siteDay: SiteDay }
  | { kind: 'checkpoint'; truncate: boolean }
  | { kind: 'close' };

export type MaintenanceReply =
  | { kind: 'encoded'; encoded: EncodedDay }
  | { kind: 'checkpointed'; logPages: number | null }
  | { kind: 'failed'; message: string };

const { dataDir } = workerData as { dataDir: string };
/** A thread is asked for one of the two, and opens what it needs for that. */
let reader: Database | undefined;
let checkpointer: Checkpointer | undefined;

const encode = (siteDay: SiteDay): EncodedDay => {
  reader ??= openReader(dataDir);
  return encodeDay(reader, siteDay);
};
const checkpoint = (truncate: boolean): number | null => {
  checkpointer ??= openCheckpointer(dataDir);
  return checkpointer.run(truncate);
};

const answer = (request: Exclude<MaintenanceRequest, { kind: 'close' }>): MaintenanceReply =>
  request.kind === 'encode'
    ? { kind: 'encoded', encoded: encode(request.siteDay) }
    : { kind: 'checkpointed', logPages: checkpoint(request.truncate) };

parentPort!.on('message', (request: MaintenanceRequest) => {
  if (request.kind === 'close') {
    reader?.close();
    checkpointer?.close();
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
