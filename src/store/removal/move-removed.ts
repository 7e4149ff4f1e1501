/** Takes hits that were removed from a day while it was open out of it when it is sealed. */
import type { Database } from '../database.ts';
import { gather } from '../day/gather.ts';
import type { NumberedDay } from '../day/join-days.ts';
import { staysOf, type WholeDay } from '../day/open/open-days.ts';
import type { DayPart } from '../day/part.ts';
import { rowsOf, visitsWith, withHits } from '../day/some-hits.ts';
import { createRemovalFile, textsIn, usualFile } from './removal-file.ts';
import { removals } from './removals.ts';

/**
 * Writes the hits to the usual files of their removals, and returns the day without them. With the
 * first part of a day, what an interrupted try has left there is dropped.
 */
export const moveRemoved = (db: Database, { day, numbers, removed }: WholeDay): NumberedDay => {
  for (const ofOne of removed) {
    const isGone = Uint8Array.from(staysOf(numbers, [ofOne]), stays => 1 - stays);
    const removal = removals(db)
      .ofSite(day.siteId)
      .find(({ id }) => id === ofOne.removalId);
    // A site that is being deleted may have lost it already.
    if (removal === undefined) continue;
    const file = createRemovalFile(usualFile(db, removal.id), removal);
    try {
      const isOfDay = (stored: DayPart): boolean => stored.day === day.day && stored.part.importId === undefined;
      if (day.part.number === 0) file.drop(file.parts().flatMap(stored => (isOfDay(stored) ? [stored.id] : [])));
      const part = partOf(day, isGone);
      if (part.hits.length > 0) file.add(part, textsIn(db, part.day));
    } finally {
      file.close();
    }
  }
  return partOf(day, staysOf(numbers, removed));
};

/** Some hits of a day, with their numbers in it. Without `of`, the day is whole. */
export const partOf = (day: NumberedDay['day'], stays: Uint8Array, of?: NumberedDay): NumberedDay => {
  const [visits, hits] = [rowsOf(visitsWith(day, stays)), rowsOf(stays)];
  return {
    day: withHits(day, stays),
    visits: of === undefined ? visits : gather(of.visits, visits),
    hits: of === undefined ? hits : gather(of.hits, hits),
  };
};
