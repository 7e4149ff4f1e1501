/**
 * A site whose hits come in several ways: some are collected, others come with imports that are taken back again. What it
 * holds at each moment is also a plain list for a recount, in which it does not matter who came which way.
 */
import { visitIdleMs } from '../../src/model/limits.ts';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { wholeDay } from '../../src/store/day/part.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import type { HitSpool } from '../../src/store/imports/hit-spool.ts';
import { hitWriter, word } from '../../src/store/imports/hit-words.ts';
import { type Import, imports } from '../../src/store/imports/imports.ts';
import { takeOutKnown } from '../../src/store/imports/known-rows.ts';
import { gatherHits } from '../../src/store/imports/read-hits.ts';
import { undoImport, writeImport } from '../../src/store/imports/write-import.ts';
import { temporaryDatabase } from '../helpers.ts';
import type { NaiveHit, NaiveSite, NaiveVisit } from '../naive.ts';
import { entryOf, type Random, randomSite, siteWriter } from './random-site.ts';

/** Hits of visitors of one day each, no two at the same time, in its order. Their visits are yet to be cut. */
export const hitsToCome = (random: Random, isWanted: (hit: NaiveHit) => boolean = () => true): NaiveHit[] => {
  const found: NaiveHit[] = [];
  let last = 0;
  for (const hit of randomSite(random).sort((a, b) => a.at - b.at)) {
    const at = Math.max(hit.at, last + 1);
    if (hit.visit.persistent || !isWanted(hit) || utcDayOf(at) !== hit.visit.day) continue;
    // What a hit says of the page before counts where the page came the same way.
    found.push({ ...hit, at, duration: 0, scroll: null });
    last = at;
  }
  return found;
};

/** Hits with their visits as they are cut when these hits came and no others. */
export const cutVisits = (hits: readonly NaiveHit[]): NaiveSite => {
  const open = new Map<string, { visit: NaiveVisit; lastAt: number }>();
  return [...hits]
    .sort((a, b) => a.at - b.at)
    .map(hit => {
      const visitor = `${hit.visit.day} ${hit.visit.visitor}`;
      let of = open.get(visitor);
      if (of === undefined || hit.at - of.lastAt > visitIdleMs) of = { visit: { ...hit.visit }, lastAt: hit.at };
      of.lastAt = hit.at;
      open.set(visitor, of);
      return { ...structuredClone({ ...hit, visit: null }), visit: of.visit } as NaiveHit;
    });
};

export const manyWays = () => {
  const { db, dataDir } = temporaryDatabase();
  const { siteId, write } = siteWriter(db);
  const collected: NaiveHit[] = [];
  const imported = new Map<Import, readonly NaiveHit[]>();
  const open = new Map<string, { visit: NaiveVisit; lastAt: number }>();
  let content = 0;
  return {
    db,
    dataDir,
    siteId,
    /** What a recount is given. */
    site: (): NaiveSite => cutVisits([...collected, ...[...imported.values()].flat()]),
    imports: (): readonly Import[] => [...imported.keys()],
    /** In the order of time, later than what was collected before. */
    collect(hits: readonly NaiveHit[]): void {
      collected.push(...hits);
      write(
        hits.map(hit => {
          const visitor = `${hit.visit.day} ${hit.visit.visitor}`;
          let of = open.get(visitor);
          if (of === undefined || hit.at - of.lastAt > visitIdleMs) of = { visit: { ...hit.visit }, lastAt: hit.at };
          of.lastAt = hit.at;
          open.set(visitor, of);
          return { ...hit, visit: of.visit };
        }),
      );
    },
    /** Gives the hits that were imported: with `isNewOnly` those that were not here. */
    import(hits: readonly NaiveHit[], isNewOnly = false): readonly NaiveHit[] {
      const [gathered, words] = [gatherHits(db), hitWriter()];
      for (const hit of hits) {
        const { hit: record, visit } = entryOf(siteId, hit, 1, true);
        words.add(record!, visit!, true);
      }
      gathered.add({ hits: words.take(), crawls: [], outcomes: [], told: [], vitals: [] });
      const options = { siteId, format: 'ndjson', now: Math.max(...collected.map(({ at }) => at)), partHitsMax: 30 };
      if (isNewOnly) for (const _ of takeOutKnown(db, gathered, options));
      const isLeft = timesIn(gathered.spool);
      const left = hits.filter(({ at }) => isLeft.has(at));
      const facts = {
        ...{ siteId, kind: 'hits' as const, format: 'ndjson', source: 'a', digest: Buffer.alloc(32, ++content) },
        ...{ lines: hits.length, outcomes: {}, ...gathered.spool.times() },
        totals: { visitors: null, visits: null, pageviews: null, events: null },
      };
      const of = imports(db).begin(facts, 0);
      for (const _ of writeImport(db, of, gathered, () => 1, 30));
      gathered.close();
      imported.set(of, left);
      return left;
    },
    /** Times, both included, that were collected: of days in a row, from the first hit to the last. */
    collectedSpans(): [from: number, to: number][] {
      const found: [from: number, to: number][] = [];
      let day = Number.NEGATIVE_INFINITY;
      for (const hit of [...collected].sort((a, b) => a.at - b.at)) {
        if (hit.visit.day - day <= 1) found.at(-1)![1] = hit.at;
        else found.push([hit.at, hit.at]);
        day = hit.visit.day;
      }
      return found;
    },
    /** Gives the hits that are gone. */
    undo(of: Import): readonly NaiveHit[] {
      for (const _ of undoImport(db, of));
      const hits = imported.get(of)!;
      imported.delete(of);
      return hits;
    },
    /** Midnight at which a UTC day begins. */
    midnight: (day: number, partHitsMax: number): void => void sealAll(db, day, 0, partHitsMax),
  };
};
export type ManyWays = ReturnType<typeof manyWays>;

/** When the hits of a spool came: no two did at the same time. */
const timesIn = (spool: HitSpool): Set<number> => {
  const times = new Set<number>();
  for (const day of spool.days()) {
    const words = spool.read(day, wholeDay);
    for (let begin = 0; begin < words.length; begin += words[begin]!)
      times.add(day * dayMs + words[begin + word.time]!);
  }
  return times;
};
