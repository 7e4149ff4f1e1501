/**
 * Gathers what is read of a file until all of it is: hits by day (hit-spool.ts), and what is
 * counted beside them, with their texts. Nothing of it is in the database yet, so a file that turns
 * out to be wrong leaves nothing behind.
 */
import type { Outcome } from '../../model/outcomes.ts';
import { countMax } from '../../model/past-hit.ts';
import { dayMs, hourMs } from '../../model/time.ts';
import { vitalNames } from '../../model/vitals.ts';
import { type Database, openScratch } from '../database.ts';
import { textWriter } from '../texts.ts';
import { crawlSlotMs } from '../write/recorder.ts';
import { type HitSpool, hitSpool } from './hit-spool.ts';
import { type HitWords, renumberTexts } from './hit-words.ts';
import type { DayRecords } from './import-counts.ts';
import type { ReadHits } from './write-import.ts';

/** Some lines, read: plain data. Texts are numbers in the list that goes with the hits. */
export interface ReadLines extends Omit<DayRecords, 'otherTexts'> {
  hits: HitWords;
  crawls: ReadCrawl[];
  /** Counts that the lines tell by themselves. */
  told: ToldCount[];
}

/** How many hits of an hour had an outcome, or how many texts of a kind became (other). */
export interface ToldCount {
  hour: number;
  name: string;
  /** Empty for an outcome. */
  bound: string;
  count: number;
}

/** Crawls with the outcome that they are counted under: their name, path and status tell which. */
type ReadCrawl = DayRecords['crawls'][number] & { outcome: Outcome };

export interface HitGatherer extends ReadHits {
  spool: HitSpool;
  add(lines: ReadLines): void;
  /** Whether there is anything but hits and outcomes. */
  hasRecords(): boolean;
  /** Takes hits of an hour from an outcome again. */
  uncount(hour: number, outcome: Outcome, hits: number): void;
  /** Takes crawls of a list, whose texts have other ids, out of a day; how many in each slot. */
  uncrawl(
    day: number,
    crawls: DayRecords['crawls'],
    idOf: (number: number) => number,
  ): { quarter: number; outcome: Outcome; gone: number }[];
  /** Takes some of what is told of a day out again: as many as `goneOf` says. */
  untell(day: number, goneOf: (told: ToldCount) => number): void;
  /** What lines of a day are counted under. */
  outcomes(day: number): DayRecords['outcomes'];
  /**
   * Drops the web vitals of a day that a test holds for. They come in the order of their times, and
   * the test must write nothing here.
   */
  dropVitals(day: number, isGone: (vital: DayRecords['vitals'][number]) => boolean): void;
  close(): void;
}

/** Texts are those of one site here. */
const oneSite = 1;
const scratchBytes = 16 * 1024 * 1024;

export const gatherHits = (beside: Database): HitGatherer => {
  const scratch = openScratch(beside, scratchBytes);
  scratch.exec(`
    create table text (site_id integer, id integer, value text, digest blob, primary key (site_id, id)) without rowid;
    create unique index text_start on text (site_id, substr(value, 1, 64), digest);
    create table crawl (day integer, quarter integer, name integer, path integer, status integer, crawls integer, outcome text,
      primary key (day, quarter, name, path, status)) without rowid;
    create table outcome (day integer, hour integer, outcome text, hits integer, primary key (day, hour, outcome)) without rowid;
    create table told (day integer, hour integer, name text, bound text, count integer,
      primary key (day, hour, name, bound)) without rowid;
    create table vital (day integer, at integer, path integer, device integer, ${vitalNames.join(', ')});
    begin`);
  const spool = hitSpool(beside);
  const texts = textWriter(scratch);
  const addCrawl = scratch.prepare(
    `insert into crawl values (@day, @quarter, @name, @path, @status, @crawls, @outcome)
     on conflict do update set crawls = min(crawls + excluded.crawls, ${countMax})`,
  );
  const addOutcome = scratch.prepare(
    'insert into outcome values (@day, @hour, @outcome, @hits) on conflict do update set hits = hits + excluded.hits',
  );
  const addTold = scratch.prepare(
    `insert into told values (@day, @hour, @name, @bound, @count)
     on conflict do update set count = min(count + excluded.count, ${countMax})`,
  );
  const addVital = scratch.prepare(
    `insert into vital values (@day, @at, @path, @device, ${vitalNames.map(name => `@${name}`).join(', ')})`,
  );
  const text = scratch.prepare(`select value from text where site_id = ${oneSite} and id = ?`).pluck();
  const textCount = scratch.prepare(`select max(id) from text where site_id = ${oneSite}`).pluck();
  return {
    spool,
    add({ hits, crawls, outcomes, told, vitals }) {
      const numbers = new Uint32Array(1 + hits.texts.length);
      for (let i = 0; i < hits.texts.length; i++) numbers[i + 1] = texts.id(oneSite, hits.texts[i]!);
      texts.keep();
      renumberTexts(hits.words, numbers);
      spool.add(hits.words);
      for (const row of crawls)
        addCrawl.run({
          ...row,
          day: dayOf(row.quarter * crawlSlotMs),
          name: numbers[row.name],
          path: numbers[row.path],
        });
      for (const row of outcomes) addOutcome.run({ ...row, day: dayOf(row.hour * hourMs) });
      for (const row of told) addTold.run({ ...row, day: dayOf(row.hour * hourMs) });
      for (const row of vitals)
        addVital.run({ ...row, day: dayOf(row.at), path: numbers[row.path], device: numbers[row.device] });
    },
    text: number => text.get(number) as string,
    get textCount() {
      return (textCount.get() as number | null) ?? 0;
    },
    ...readers(scratch),
    ...takers(scratch),
    close() {
      spool.close();
      scratch.close();
    },
  };
};

/** Reads what is counted beside hits. */
const readers = (scratch: Database): Pick<HitGatherer, 'recordDays' | 'records'> => {
  const days = scratch
    .prepare(
      `select day from crawl union select day from outcome union select day from told union select day from vital
       order by day`,
    )
    .pluck();
  const select = {
    crawls: scratch.prepare('select quarter, name, path, status, crawls from crawl where day = @day'),
    outcomes: scratch.prepare(
      `select hour, outcome, sum(hits) as hits from (
         select hour, outcome, hits from outcome where day = @day
         union all select hour, name, count from told where day = @day and bound = ''
       ) group by hour, outcome`,
    ),
    otherTexts: scratch.prepare(
      `select hour, name as kind, bound, count as texts from told where day = @day and bound != ''`,
    ),
    vitals: scratch.prepare(
      `select at, path, device, ${vitalNames.join(', ')} from vital where day = @day order by at`,
    ),
  };
  return {
    recordDays: () => days.all() as number[],
    *records(day, rowsMax) {
      const nothing: DayRecords = { crawls: [], outcomes: [], otherTexts: [], vitals: [] };
      for (const kind of ['outcomes', 'otherTexts', 'crawls', 'vitals'] as const)
        for (const rows of inPieces(select[kind].iterate({ day }), rowsMax)) yield { ...nothing, [kind]: rows };
    },
  };
};

/** Takes records out again. */
const takers = (
  scratch: Database,
): Pick<HitGatherer, 'hasRecords' | 'outcomes' | 'uncount' | 'untell' | 'uncrawl' | 'dropVitals'> => {
  const outcomes = scratch.prepare('select hour, outcome, hits from outcome where day = ?');
  const told = scratch.prepare('select hour, name, bound, count from told where day = ?');
  const toldKey = 'day = @day and hour = @hour and name = @name and bound = @bound';
  const lessTold = scratch.prepare(`update told set count = count - @gone where ${toldKey}`);
  const noTold = scratch.prepare(`delete from told where ${toldKey} and count <= 0`);
  const lessOutcomes = scratch.prepare(
    'update outcome set hits = hits - @hits where hour = @hour and outcome = @outcome',
  );
  const noOutcomes = scratch.prepare('delete from outcome where hour = @hour and outcome = @outcome and hits <= 0');
  const crawls = scratch.prepare('select quarter, name, path, status, crawls, outcome from crawl where day = ?');
  const crawlKey = 'day = @day and quarter = @quarter and name = @name and path = @path and status = @status';
  const lessCrawls = scratch.prepare(`update crawl set crawls = crawls - @gone where ${crawlKey}`);
  const noCrawls = scratch.prepare(`delete from crawl where ${crawlKey} and crawls <= 0`);
  const vitals = scratch.prepare(
    `select rowid as row, at, path, device, ${vitalNames.join(', ')} from vital where day = ? order by at`,
  );
  const dropVital = scratch.prepare('delete from vital where rowid = ?');
  type Crawl = DayRecords['crawls'][number];
  const keyOf = ({ quarter, status }: Crawl, name: number, path: number): string =>
    `${quarter} ${name} ${path} ${status}`;
  const any = scratch
    .prepare('select exists (select 1 from crawl) or exists (select 1 from told) or exists (select 1 from vital)')
    .pluck();
  return {
    hasRecords: () => any.get() === 1,
    outcomes: day => outcomes.all(day) as DayRecords['outcomes'],
    untell(day, goneOf) {
      for (const of of told.all(day) as ToldCount[]) {
        const gone = goneOf(of);
        if (gone > 0) for (const statement of [lessTold, noTold]) statement.run({ ...of, day, gone });
      }
    },
    uncount(hour, outcome, hits) {
      for (const statement of [lessOutcomes, noOutcomes]) statement.run({ hour, outcome, hits });
    },
    uncrawl(day, known, idOf) {
      if (known.length === 0) return [];
      const counts = new Map(known.map(of => [keyOf(of, of.name, of.path), of.crawls]));
      const gone = (crawls.all(day) as ReadCrawl[]).flatMap(of => {
        const there = Math.min(of.crawls, counts.get(keyOf(of, idOf(of.name), idOf(of.path))) ?? 0);
        return there === 0 ? [] : { ...of, day, gone: there };
      });
      for (const of of gone) for (const statement of [lessCrawls, noCrawls]) statement.run(of);
      return gone;
    },
    dropVitals(day, isGone) {
      const gone: number[] = [];
      const all = vitals.iterate(day) as Iterable<DayRecords['vitals'][number] & { row: number }>;
      for (const of of all) if (isGone(of)) gone.push(of.row);
      for (const row of gone) dropVital.run(row);
    },
  };
};

const dayOf = (at: number): number => Math.floor(at / dayMs);

function* inPieces<T>(rows: Iterable<T>, length: number): Generator<T[]> {
  let piece: T[] = [];
  for (const row of rows) {
    if (piece.push(row) < length) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
