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
import { textReader, textWriter } from '../texts.ts';
import { crawlSlotMs } from '../write/recorder.ts';
import { type HitSpool, hitSpool } from './hit-spool.ts';
import { type HitWords, renumberTexts } from './hit-words.ts';
import type { DayRecords } from './import-counts.ts';
import type { ReadHits } from './write-import.ts';

/** Some lines, read: plain data. Texts are numbers in the list that goes with the hits. */
export interface ReadLines extends Omit<DayRecords, 'otherTexts'> {
  hits: HitWords;
  crawls: (Crawl & OfLines)[];
  /** Counts that lines tell by themselves. */
  told: ToldCount[];
}

/** How many hits of an hour had an outcome, or how many texts of a kind became (other). */
export interface ToldCount {
  hour: number;
  name: string;
  /** Empty for an outcome. */
  bound: string;
  count: number;
  lines: number;
}

export type Crawl = DayRecords['crawls'][number];

/** How many lines told something, and how they ended. */
export interface OfLines {
  lines: number;
  outcome: Outcome;
}

export interface HitGatherer extends ReadHits {
  spool: HitSpool;
  add(lines: ReadLines): void;
  /** Whether there is anything but hits and outcomes. */
  hasRecords(): boolean;
  /** Takes hits of an hour from an outcome again. */
  uncount(hour: number, outcome: Outcome, hits: number): void;
  /** The number of a text; 0 for null, undefined where no line has it. */
  find(text: string | null): number | undefined;
  /** Takes some crawls out again, as far as they are here; the lines that told of them. */
  uncrawl(crawl: Crawl): OfLines | undefined;
  /** Counts that lines told of a day. */
  told(day: number): ToldCount[];
  /** Takes some of what was told out again; how many lines told of it. */
  untell(told: ToldCount, gone: number): number;
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
    create table crawl (day integer, quarter integer, name integer, path integer, status integer, crawls integer,
      lines integer, outcome text, primary key (day, quarter, name, path, status)) without rowid;
    create table outcome (day integer, hour integer, outcome text, hits integer, primary key (day, hour, outcome)) without rowid;
    create table told (day integer, hour integer, name text, bound text, count integer, lines integer,
      primary key (day, hour, name, bound)) without rowid;
    create table vital (day integer, at integer, path integer, device integer, ${vitalNames.join(', ')});
    create index vital_time on vital (day, at);
    begin`);
  const spool = hitSpool(beside);
  const texts = textWriter(scratch);
  const { find } = textReader(scratch);
  const addCrawl = scratch.prepare(
    `insert into crawl values (@day, @quarter, @name, @path, @status, @crawls, @lines, @outcome)
     on conflict do update set crawls = min(crawls + excluded.crawls, ${countMax}), lines = lines + excluded.lines`,
  );
  const addOutcome = scratch.prepare(
    'insert into outcome values (@day, @hour, @outcome, @hits) on conflict do update set hits = hits + excluded.hits',
  );
  const addTold = scratch.prepare(
    `insert into told values (@day, @hour, @name, @bound, @count, @lines)
     on conflict do update set count = min(count + excluded.count, ${countMax}), lines = lines + excluded.lines`,
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
    find: of => (of === null ? 0 : find(oneSite, of) || undefined),
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
): Pick<HitGatherer, 'hasRecords' | 'outcomes' | 'uncount' | 'told' | 'untell' | 'uncrawl' | 'dropVitals'> => {
  const outcomes = scratch.prepare('select hour, outcome, hits from outcome where day = ?');
  const told = scratch.prepare('select hour, name, bound, count, lines from told where day = ?');
  const lessTold = lessOf(scratch, 'told', 'count', 'day = @day and hour = @hour and name = @name and bound = @bound');
  const lessOutcomes = lessOf(scratch, 'outcome', 'hits', 'day = @day and hour = @hour and outcome = @outcome');
  const crawlKey = 'day = @day and quarter = @quarter and name = @name and path = @path and status = @status';
  const lessCrawls = lessOf(scratch, 'crawl', 'crawls', crawlKey);
  const crawl = scratch.prepare(`select crawls, lines, outcome from crawl where ${crawlKey}`);
  const vitals = scratch.prepare(
    `select rowid as row, at, path, device, ${vitalNames.join(', ')} from vital where day = ? order by at`,
  );
  const dropVital = scratch.prepare('delete from vital where rowid = ?');
  const any = scratch
    .prepare('select exists (select 1 from crawl) or exists (select 1 from told) or exists (select 1 from vital)')
    .pluck();
  return {
    hasRecords: () => any.get() === 1,
    outcomes: day => outcomes.all(day) as DayRecords['outcomes'],
    uncount: (hour, outcome, gone) => lessOutcomes({ day: dayOf(hour * hourMs), hour, outcome, gone }),
    told: day => told.all(day) as ToldCount[],
    untell(of, gone) {
      const lines = linesOf(of.lines, gone, of.count);
      lessTold({ ...of, day: dayOf(of.hour * hourMs), gone, lines });
      return lines;
    },
    uncrawl(of) {
      const key = { ...of, day: dayOf(of.quarter * crawlSlotMs) };
      const here = crawl.get(key) as (Pick<Crawl, 'crawls'> & OfLines) | undefined;
      if (here === undefined) return undefined;
      const gone = Math.min(here.crawls, of.crawls);
      const lines = linesOf(here.lines, gone, here.crawls);
      lessCrawls({ ...key, gone, lines });
      return { lines, outcome: here.outcome };
    },
    dropVitals(day, isGone) {
      const gone: number[] = [];
      const all = vitals.iterate(day) as Iterable<DayRecords['vitals'][number] & { row: number }>;
      for (const of of all) if (isGone(of)) gone.push(of.row);
      for (const row of gone) dropVital.run(row);
    },
  };
};

/** How many lines told of some of a count: one that told of more than is gone is among them. */
const linesOf = (lines: number, gone: number, count: number): number => Math.ceil((lines * gone) / count);

/** Takes some of a count out of a row, and of the lines that told of it; the row with the last. */
const lessOf = (scratch: Database, table: 'told' | 'outcome' | 'crawl', count: string, key: string) => {
  const lines = table === 'outcome' ? '' : ', lines = lines - @lines';
  const less = scratch.prepare(`update ${table} set ${count} = ${count} - @gone${lines} where ${key}`);
  const none = scratch.prepare(`delete from ${table} where ${key} and ${count} <= 0`);
  return (gone: object): void => {
    for (const statement of [less, none]) statement.run(gone);
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
