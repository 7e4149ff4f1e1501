/** Sums of all sealed days of a site, however small they are, with what has changed since the last time. */

import { type SumSet, sumFiller } from '../../src/api/fill-sums.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Query, Report } from '../../src/query/query.ts';
import type { Database } from '../../src/store/database.ts';

const fail = (_: unknown, __: unknown, error: unknown): void => {
  throw error;
};

/** `onAsked` is told what is asked for. */
export const fillAll = async (
  db: Database,
  siteId: number,
  sets: SumSet[] = [{ filters: [] }],
  onAsked: (query: Query) => void = () => {},
): Promise<void> => {
  const site = { id: siteId, currency: 'EUR', sets };
  const engine = createEngine(db, 0);
  const bounds = { hitsMin: 0, part: 1e9 };
  const run = (query: Query): Promise<Report> => {
    onAsked(query);
    return engine.answer(query, alone);
  };
  for await (const _ of sumFiller(db, run, fail, bounds)(site));
};
