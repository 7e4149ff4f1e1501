/**
 * Gathers what is read of a file until all of it is: hits by day (hit-spool.ts), and what is
 * counted beside them, with their texts. Nothing of it is in the database yet, so a file that turns
 * out to be wrong leaves nothing behind.
 */
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
export interface ReadLines extends DayRecords {
  hits: HitWords;
}

export interface HitGatherer extends ReadHits {
  spool: HitSpool;
  add(lines: ReadLines): void;
  close(): void;
}

/** Texts are those of one site here. */
const oneSite = 1;
const scratchBytes = 32 * 1024 * 1024;

export const gatherHits = (beside: Database): HitGatherer => {
  const scratch = openScratch(beside, scratchBytes);
  scratch.exec(`
    create table text (site_id integer, id integer, value text, digest blob, primary key (site_id, id)) without rowid;
    create unique index text_start on text (site_id, substr(value, 1, 64), digest);
    create table crawl (day integer, quarter integer, name integer, path integer, status integer, crawls integer,
      primary key (day, quarter, name, path, status)) without rowid;
    create table outcome (day integer, hour integer, outcome text, hits integer, primary key (day, hour, outcome)) without rowid;
    create table vital (day integer, at integer, path integer, device integer, ${vitalNames.join(', ')});
    begin`);
  const spool = hitSpool(beside);
  const texts = textWriter(scratch);
  const addCrawl = scratch.prepare(
    `insert into crawl values (@day, @quarter, @name, @path, @status, @crawls)
     on conflict do update set crawls = crawls + excluded.crawls`,
  );
  const addOutcome = scratch.prepare(
    'insert into outcome values (@day, @hour, @outcome, @hits) on conflict do update set hits = hits + excluded.hits',
  );
  const addVital = scratch.prepare(
    `insert into vital values (@day, @at, @path, @device, ${vitalNames.map(name => `@${name}`).join(', ')})`,
  );
  const text = scratch.prepare(`select value from text where site_id = ${oneSite} and id = ?`).pluck();
  const textCount = scratch.prepare(`select max(id) from text where site_id = ${oneSite}`).pluck();
  const days = scratch
    .prepare('select day from crawl union select day from outcome union select day from vital order by day')
    .pluck();
  const select = {
    crawls: scratch.prepare('select quarter, name, path, status, crawls from crawl where day = ?'),
    outcomes: scratch.prepare('select hour, outcome, hits from outcome where day = ?'),
    vitals: scratch.prepare(`select at, path, device, ${vitalNames.join(', ')} from vital where day = ? order by at`),
  };
  return {
    spool,
    add({ hits, crawls, outcomes, vitals }) {
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
      for (const row of vitals)
        addVital.run({ ...row, day: dayOf(row.at), path: numbers[row.path], device: numbers[row.device] });
    },
    text: number => text.get(number) as string,
    get textCount() {
      return (textCount.get() as number | null) ?? 0;
    },
    recordDays: () => days.all() as number[],
    *records(day, rowsMax) {
      const nothing: DayRecords = { crawls: [], outcomes: [], vitals: [] };
      for (const kind of ['outcomes', 'crawls', 'vitals'] as const)
        for (const rows of inPieces(select[kind].iterate(day), rowsMax)) yield { ...nothing, [kind]: rows };
    },
    close() {
      spool.close();
      scratch.close();
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
