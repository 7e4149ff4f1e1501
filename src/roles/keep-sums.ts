/** Keeps sums of sealed days of all sites (api/fill-sums.ts), while the server answers. */
import { type SumBounds, type SummedSite, sumFiller } from '../api/fill-sums.ts';
import { summedSite } from '../api/sum-sets.ts';
import { type Log, reasonOf } from '../log.ts';
import { isRollup, type Site } from '../model/site.ts';
import { utcDayName } from '../model/time.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import type { Database } from '../store/database.ts';
import { stateOfDays } from '../store/day/day-sums.ts';
import { sites } from '../store/sites.ts';
import { untilClosed } from '../until-closed.ts';

export interface KeptSumsOptions {
  db: Database;
  /** Answers from this database. */
  engine: QueryEngine;
  log: Log;
  /** How often it looks whether days, or what sites say of them, have changed. */
  everyMs?: number;
  bounds?: SumBounds;
}

const everyMsDefault = 30_000;
/** Between two steps, for hits and for questions of people. */
const restMs = 20;
/** Questions of people go first. */
const asker = { accountId: 0, isPublic: true };

export const keepSums = ({ db, engine, log, everyMs = everyMsDefault, bounds }: KeptSumsOptions) => {
  const { signal, rest, run, close } = untilClosed();
  const onFailed = ({ id }: SummedSite, day: number, error: unknown): void => {
    signal.throwIfAborted();
    log('sum-failed', { site: id, day: utcDayName(day), reason: reasonOf(error) });
  };
  const fill = sumFiller(db, query => engine.run(query, asker, signal), onFailed, bounds);
  const state = stateOfDays(db);

  const fillSite = async (site: Site): Promise<void> => {
    try {
      for await (const _ of fill(summedSite(db, site))) await rest(restMs);
    } catch (error) {
      signal.throwIfAborted();
      log('sum-failed', { site: site.id, reason: reasonOf(error) });
    }
  };

  const keep = async (): Promise<void> => {
    let known: string | undefined;
    while (true) {
      await rest(everyMs);
      const now = state();
      if (now === known) continue;
      for (const site of sites(db).list()) if (!isRollup(site)) await fillSite(site);
      known = now;
    }
  };
  run(keep);
  /** Stops after the step at hand. */
  return { close };
};
