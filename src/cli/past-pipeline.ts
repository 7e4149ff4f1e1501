/**
 * The collector's pipeline for hits with times of their own. It continues no visit of before (see
 * store/write/rejoin-day.ts) and keeps no salt of a day that is over.
 */
import { openGeo } from '../collect/geo.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from '../collect/pipeline.ts';
import { makeLog } from '../log.ts';
import { utcDayOf } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { salts } from '../store/salts.ts';
import type { Recorder } from '../store/write/recorder.ts';
import type { Context } from './command.ts';

export interface PastPipeline {
  pipeline: Pipeline;
  /** Closes the database of places. */
  close(): void;
}

export interface PastParts extends Pick<PipelineOptions, 'directory'> {
  db: Database;
  /** Writes what the pipeline makes. */
  recorder: Recorder;
  /** A city database in place of the one that ships, or null. */
  geoDb: string | null;
}

export const openPastPipeline = async (context: Context, parts: PastParts): Promise<PastPipeline> => {
  const { now, random, stderr } = context;
  const { db, recorder, directory, geoDb } = parts;
  const geo = await openGeo({ file: geoDb, log: makeLog(stderr, now) });
  const store = salts(db);
  const pipeline = createPipeline({
    recorder: { nextVisitId: recorder.nextVisitId, activeVisits: () => [] },
    salts: { newest: store.newest, replace: (day, salt) => day >= utcDayOf(now()) && store.replace(day, salt) },
    directory,
    geo,
    random,
    startAt: 0,
  });
  return { pipeline, close: () => geo.close() };
};
