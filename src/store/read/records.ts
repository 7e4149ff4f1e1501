/**
 * Reads what is recorded besides hits: web vitals, crawls, and how hits ended. These tables are
 * small beside the hits, so they are read row by row. Every reader takes the ids of
 * sites, whose records add up, and a window `from <= at < to` of UTC milliseconds.
 */
import { type Outcome, outcomes } from '../../model/outcomes.ts';
import { dayMs, hourMs } from '../../model/time.ts';
import { vitalNames } from '../../model/vitals.ts';
import type { Database } from '../database.ts';
import { textReader } from '../texts.ts';
import { crawlSlotMs } from '../write/recorder.ts';
import type { OtherTexts } from '../write/text-allowances.ts';
import { type VitalGroup, VitalTally } from './vital-tally.ts';

/** Whether a text passes the filters on it. */
export type TextTest = (text: string | null) => boolean;

interface Scope {
  siteIds: readonly number[];
  from: number;
  to: number;
  /** Called now and then, and awaited: others may go on. Rejects when nobody waits any more. */
  pause: () => Promise<void> | undefined;
}

export type VitalField = 'path' | 'device';
export type CrawlField = 'name' | 'path' | 'status';
export interface CrawlGroup {
  name: string;
  crawls: number;
  /** UTC milliseconds, to the quarter of an hour. */
  lastAt: number;
}

export interface BucketOutcome {
  /** Position of the bucket. */
  bucket: number;
  outcome: Outcome;
  hits: number;
}

export interface Records {
  /** Reports by path or device, the most reported first, and all of them together. */
  vitals(question: Scope & { by: VitalField; tests: Record<VitalField, TextTest>; limit: number }): Promise<{
    all: VitalGroup;
    groups: VitalGroup[];
  }>;
  /**
   * Crawls by one of their fields, the most frequent first, and in each of n buckets, given n+1
   * ascending bounds. A status that nobody reported is named 'unknown'.
   */
  crawls(
    question: Omit<Scope, 'from' | 'to'> & {
      bounds: readonly number[];
      by: CrawlField;
      tests: Record<CrawlField, TextTest>;
      limit: number;
    },
  ): Promise<{ total: number; groups: CrawlGroup[]; series: number[] }>;
  /**
   * Hits per bucket and outcome, for the n buckets of n+1 ascending bounds. The table counts by the
   * hour of UTC, so a whole hour belongs to the one bucket that it begins in: neighbours add up.
   */
  outcomes(question: Omit<Scope, 'from' | 'to'> & { bounds: readonly number[] }): Promise<BucketOutcome[]>;
  /** Texts that became `(other)` in the hours of UTC that begin in a window. */
  otherTexts(window: Pick<Scope, 'siteIds' | 'from' | 'to'>): Omit<OtherTexts, 'siteId' | 'hour'>[];
}

const unknownStatus = 'unknown';
const outcomeNames = Object.keys(outcomes) as Outcome[];

/** What is read at once: an hour, or more of a window that has very many of them. */
const sliceMs = hourMs;
const slicesMax = 1000;

/** The pieces of a window, one after the other, as they are read between pauses. */
function* slicesOf(from: number, to: number, least: number): Generator<[from: number, to: number]> {
  const size = Math.max(least, Math.ceil((to - from) / slicesMax));
  for (let at = from; at < to; at += size) yield [at, Math.min(at + size, to)];
}

export const records = (db: Database): Records => {
  const { text } = textReader(db);
  return {
    vitals: vitalsReader(db, text),
    crawls: crawlsReader(db, text),
    outcomes: outcomesReader(db),
    otherTexts: otherTextsReader(db),
  };
};

type TextOf = (siteId: number, id: number) => string | null;

const vitalsReader = (db: Database, text: TextOf): Records['vitals'] => {
  const select = db
    .prepare(`select path, device, ${vitalNames} from vital where site_id = ? and at >= ? and at < ?`)
    .raw();
  return async ({ siteIds, from, to, by, tests, limit, pause }) => {
    const all = new VitalTally();
    const byName = new Map<string | null, VitalTally>();
    for (const siteId of siteIds) {
      const passes = byId(siteId, text, tests);
      const ofId = new Map<number, VitalTally>();
      for (const slice of slicesOf(from, to, sliceMs)) {
        await pause();
        for (const [path, device, ...values] of select.iterate(siteId, ...slice) as IterableIterator<VitalRow>) {
          if (!passes.path(path) || !passes.device(device)) continue;
          const group = by === 'path' ? path : device;
          all.add(values);
          tallyOf(ofId, group, () => tallyOf(byName, text(siteId, group), () => new VitalTally())).add(values);
        }
      }
    }
    const groups = [...byName].flatMap(([name, tally]) => (name === null ? [] : [{ name, tally }]));
    groups.sort((a, b) => b.tally.reports - a.tally.reports || compare(a.name, b.name));
    return {
      all: { name: '', ...all.summary() },
      groups: groups.slice(0, limit).map(({ name, tally }) => ({ name, ...tally.summary() })),
    };
  };
};

const crawlsReader = (db: Database, text: TextOf): Records['crawls'] => {
  const select = db
    .prepare(
      `select name, path, status, sum(crawls), max(quarter) from crawl
       where site_id = ? and quarter >= ? and quarter < ? group by name, path, status`,
    )
    .raw();
  return async ({ siteIds, bounds, by, tests, limit, pause }) => {
    const groups = new Map<string, CrawlGroup>();
    const series = bounds.slice(1).map(() => 0);
    const adderOf = (siteId: number) => {
      const passes = byId(siteId, text, { name: tests.name, path: tests.path });
      return ([name, path, code, crawls, slot]: CrawlRow, bucket: number): void => {
        const status = code === 0 ? unknownStatus : String(code);
        if (!passes.name(name) || !passes.path(path) || !tests.status(status)) return;
        series[bucket]! += crawls;
        const key = by === 'status' ? status : text(siteId, by === 'name' ? name : path);
        if (key === null) return;
        const group = groups.get(key) ?? { name: key, crawls: 0, lastAt: 0 };
        group.crawls += crawls;
        group.lastAt = Math.max(group.lastAt, slot * crawlSlotMs);
        groups.set(key, group);
      };
    };
    // A bound within a slot, as at the end of what is known, takes the whole slot.
    const slots = bounds.map((bound, i) => Math[i < bounds.length - 1 ? 'floor' : 'ceil'](bound / crawlSlotMs));
    for (const siteId of siteIds) {
      const add = adderOf(siteId);
      for (const bucket of series.keys())
        for (const slice of slicesOf(slots[bucket]!, slots[bucket + 1]!, dayMs / crawlSlotMs)) {
          await pause();
          for (const row of select.iterate(siteId, ...slice) as IterableIterator<CrawlRow>) add(row, bucket);
        }
    }
    const ranked = [...groups.values()].sort((a, b) => b.crawls - a.crawls || compare(a.name, b.name));
    const total = series.reduce((sum, crawls) => sum + crawls, 0);
    return { total, groups: ranked.slice(0, limit), series };
  };
};

const outcomesReader = (db: Database): Records['outcomes'] => {
  const select = db.prepare(
    `select outcome, sum(hits) as hits from outcome
     where site_id in (select value from json_each(?)) and hour >= ? and hour < ? group by outcome`,
  );
  return async ({ siteIds, bounds, pause }) => {
    /** Per bound, the first hour that begins at it or later. */
    const hours = bounds.map(bound => Math.ceil(bound / hourMs));
    const found: BucketOutcome[] = [];
    for (const [bucket, hour] of hours.slice(0, -1).entries()) {
      await pause();
      const rows = select.all(JSON.stringify(siteIds), hour, hours[bucket + 1]) as Omit<BucketOutcome, 'bucket'>[];
      rows.sort((a, b) => outcomeNames.indexOf(a.outcome) - outcomeNames.indexOf(b.outcome));
      found.push(...rows.map(row => ({ bucket, ...row })));
    }
    return found;
  };
};

const otherTextsReader = (db: Database): Records['otherTexts'] => {
  const select = db.prepare(
    `select kind, bound, sum(texts) as texts from other_text
     where site_id in (select value from json_each(?)) and hour >= ? and hour < ?
     group by kind, bound order by texts desc, kind, bound`,
  );
  return ({ siteIds, from, to }) =>
    select.all(JSON.stringify(siteIds), Math.ceil(from / hourMs), Math.ceil(to / hourMs)) as ReturnType<
      Records['otherTexts']
    >;
};

type VitalRow = [path: number, device: number, ...values: (number | null)[]];
type CrawlRow = [name: number, path: number, status: number, crawls: number, quarter: number];

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Tests on texts as tests on their ids, each id tried once. */
const byId = <Field extends string>(
  siteId: number,
  text: TextOf,
  tests: Record<Field, TextTest>,
): Record<Field, (id: number) => boolean> => {
  const remembering = (test: TextTest) => {
    const known = new Map<number, boolean>();
    return (id: number): boolean => {
      const answer = known.get(id) ?? test(text(siteId, id));
      known.set(id, answer);
      return answer;
    };
  };
  const entries = (Object.entries(tests) as [Field, TextTest][]).map(([field, test]) => [field, remembering(test)]);
  return Object.fromEntries(entries);
};

/** The tally of a group, made where it has none. */
const tallyOf = <Group>(tallies: Map<Group, VitalTally>, group: Group, make: () => VitalTally): VitalTally => {
  const tally = tallies.get(group) ?? make();
  tallies.set(group, tally);
  return tally;
};
