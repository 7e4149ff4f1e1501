/**
 * A site whose hits come in several ways: some are collected, others come with imports that are taken back again. What it
 * holds at each moment is also a plain list for a recount, in which it does not matter who came which way.
 */
import { visitIdleMs } from '../../src/model/limits.ts';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { hitWriter } from '../../src/store/imports/hit-words.ts';
import { type Import, imports } from '../../src/store/imports/imports.ts';
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
    import(hits: readonly NaiveHit[]): void {
      const [gathered, words] = [gatherHits(db), hitWriter()];
      for (const hit of hits) {
        const { hit: record, visit } = entryOf(siteId, hit, 1, true);
        words.add(record!, visit!);
      }
      gathered.add({ hits: words.take(), crawls: [], outcomes: [], vitals: [] });
      const times = hits.map(({ at }) => at);
      const facts = {
        ...{ siteId, kind: 'hits' as const, format: 'ndjson', source: 'a', digest: Buffer.alloc(32, ++content) },
        ...{ lines: hits.length, outcomes: {}, firstAt: Math.min(...times), lastAt: Math.max(...times) },
        totals: { visitors: null, visits: null, pageviews: null, events: null },
      };
      const of = imports(db).begin(facts, 0);
      for (const _ of writeImport(db, of, gathered, () => 1, 30));
      gathered.close();
      imported.set(of, hits);
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

/** When a UTC day begins. */
export const startOf = (day: number): number => day * dayMs;
