/** Compares sums of days that are kept with what a scan of the days says. */

import { sumsOfDay } from '../api/fill-sums.ts';
import { summedSite } from '../api/sum-sets.ts';
import { isRollup } from '../model/site.ts';
import { dayMs, utcDayName } from '../model/time.ts';
import { createEngine } from '../query/engine.ts';
import { alone } from '../query/pace.ts';
import type { Query, Report } from '../query/query.ts';
import { ruledDays } from '../query/removal-rules/ruled-days.ts';
import { summedVersion } from '../query/summed-days.ts';
import type { Database } from '../store/database.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { daySums } from '../store/day/day-sums.ts';
import { byDay, unitedDays } from '../store/day/united-days.ts';
import { rules } from '../store/removal-rules.ts';
import { sites } from '../store/sites.ts';

/** Days of a site that are compared. */
const daysOfSite = 5;

/** What is wrong with each day, a sentence or nothing. `below` gives a whole number from 0 on. */
export async function* checkSums(db: Database, below: (end: number) => number): AsyncGenerator<string[]> {
  const [sums, engine] = [daySums(db), createEngine(db, 0)];
  const { ofSite } = rules(db);
  const { outline } = ruledDays(db, unitedDays(dayReader(db, 0)));
  for (const site of sites(db)
    .list()
    .filter(site => !isRollup(site))) {
    const days = sums.days(site.id);
    for (let left = Math.min(daysOfSite, days.length); left > 0; left--) {
      const [day] = days.splice(below(days.length), 1) as [number];
      const versionNow = (): string | null => {
        const [now = []] = byDay(outline(site.id, day * dayMs, (day + 1) * dayMs));
        return summedVersion(now, site);
      };
      const version = versionNow();
      const kept = sums.ofDay(site.id, day).filter(sum => sum.version === version);
      if (kept.length === 0) continue;
      const run = (query: Query): Promise<Report> => engine.answer(query, alone);
      const found = await sumsOfDay(run, summedSite(db, site), day, ofSite(site.id), Number.MAX_VALUE);
      // A server may run meanwhile.
      if (versionNow() !== version) continue;
      const scanned = new Map(found.map(({ name, data }) => [name, Buffer.from(data)]));
      const wrong = kept.find(({ name, data }) => scanned.get(name)?.equals(data) === false);
      yield wrong === undefined
        ? []
        : [`Site ${site.id}, ${utcDayName(day)}: the sum “${wrong.name}” is not what its hits add up to.`];
    }
  }
}
