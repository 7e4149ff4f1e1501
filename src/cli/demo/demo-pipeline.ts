/**
 * The collector's pipeline for hits with times of their own. It continues no visit of before and
 * keeps no salt of a day that is over.
 */
import { type GeoOptions, openGeo } from '../../collect/geo.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from '../../collect/pipeline.ts';
import { makeLog } from '../../log.ts';
import { utcDayOf } from '../../model/time.ts';
import type { Database } from '../../store/database.ts';
import { salts } from '../../store/salts.ts';
import type { Recorder } from '../../store/write/recorder.ts';
import type { Context } from '../command.ts';

export interface DemoPipeline {
  pipeline: Pipeline;
  /** Closes the databases of places. */
  close(): void;
}

export interface DemoParts extends Pick<PipelineOptions, 'directory'> {
  db: Database;
  /** Writes what the pipeline makes. */
  recorder: Recorder;
  /** Databases in place of those that ship, or null. */
  geo: Pick<GeoOptions, 'geoDb' | 'geoAsnDb'>;
}

export const openDemoPipeline = async (context: Context, parts: DemoParts): Promise<DemoPipeline> => {
  const { now, random, stderr } = context;
  const { db, recorder, directory } = parts;
  const geo = await openGeo({ ...parts.geo, log: makeLog(stderr, now) });
  const store = salts(db);
  const pipeline = createPipeline({
    recorder: { nextVisitId: recorder.nextVisitId, activeVisits: () => [] },
    salts: { ...store, replace: (day, salt) => day >= utcDayOf(now()) && store.replace(day, salt) },
    directory,
    geo,
    random,
    startAt: 0,
  });
  return { pipeline, close: () => geo.close() };
};
