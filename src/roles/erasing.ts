/** A collector that runs erases whom its primary has erased (store/erased.ts). */
import type { Collector } from '../collect/collector.ts';
import { type Log, reasonOf } from '../log.ts';
import type { Database } from '../store/database.ts';
import { bytesOf } from '../store/erase.ts';
import { type ErasedVisitor, erasedStages, erasedVisitors, eraseRows, isOver } from '../store/erased.ts';

/** From forgetting a visit to erasing its rows: by then all that was taken for it is written. */
const everyMs = 2000;

export const startErasing = (db: Database, { forget }: Pick<Collector, 'forget'>, now: () => number, log: Log) => {
  const list = erasedVisitors(db);
  let forgotten = new Set<string>();
  const nameOf = ({ siteId, visitor, day, before }: ErasedVisitor): string => `${siteId} ${visitor} ${day} ${before}`;
  const erase = (): void => {
    const noted = list.upTo(erasedStages.noted).filter(isOver(now()));
    const known = noted.filter(of => forgotten.has(nameOf(of)));
    for (const of of noted) if (!forgotten.has(nameOf(of))) forget({ visitor: bytesOf(of.visitor) });
    forgotten = new Set(noted.map(nameOf));
    if (known.length > 0) eraseRows(db, known);
  };
  const timer = setInterval(() => {
    try {
      erase();
    } catch (error) {
      log('erase-failed', { reason: reasonOf(error) });
    }
  }, everyMs);
  timer.unref();
  return { close: (): void => clearInterval(timer) };
};
