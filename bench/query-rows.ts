/**
 * The benchmark's hits as one wide table for the competitors: each hit with the attributes of its
 * visit, in ClickHouse's RowBinary. They are made from the plan and not from Daybook's file, so
 * that an error of its storage would show.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pageFields } from '../src/model/columns.ts';
import { screenBucket } from '../src/model/dimensions.ts';
import { dayMs } from '../src/model/time.ts';
import { visitTextNames } from '../src/model/visit-fields.ts';
import type { Day, TextName } from '../src/store/day/day.ts';
import { generateDays, type TextId, type TrafficPlan } from './generate.ts';

/** Writes a file a day. */
export const writeCompetitorRows = (dir: string, plan: TrafficPlan): void => {
  mkdirSync(dir, { recursive: true });
  const { id, names } = textIds();
  for (const day of generateDays(plan, 1, id)) writeRows(join(dir, `${day.day}.bin`), day, names);
};

/** Ids from 1 in the order of asking, and the texts by id. */
export const textIds = (): { id: TextId; names: (string | null)[] } => {
  const names: (string | null)[] = [null];
  const known = new Map<string | null, number>([[null, 0]]);
  const id = (text: string | null): number => {
    let found = known.get(text);
    if (found === undefined) {
      found = names.push(text) - 1;
      known.set(text, found);
    }
    return found;
  };
  return { id, names };
};

/** Columns of the competitors' table that are texts of the visit. */
const competitorVisitTexts: readonly TextName[] = ['entryPath', 'exitPath', ...visitTextNames];

/**
 * Name and ClickHouse type of each column, in the order of the rows. Null texts are empty, as is
 * usual there.
 */
export const competitorColumns: readonly (readonly [string, string])[] = [
  ['day', 'UInt32'],
  ['visitor', 'UInt64'],
  ['visit', 'UInt64'],
  ['started', 'Int64'],
  ['visitMs', 'UInt32'],
  ['visitPageviews', 'UInt32'],
  ['instant', 'Int64'],
  ['type', 'UInt8'],
  ['amount', 'Float64'],
  ...competitorVisitTexts.map(name => [name, 'LowCardinality(String)'] as const),
  ['screen', 'LowCardinality(String)'],
  ...pageFields.map(name => [name, 'LowCardinality(String)'] as const),
  ['plan', 'LowCardinality(String)'],
];

/** A day's hits in ClickHouse's RowBinary: fixed-width numbers, texts behind their length. */
const writeRows = (file: string, day: Day, names: readonly (string | null)[]): void => {
  const output = openSync(file, 'w');
  const buffer = Buffer.alloc(8 << 20);
  let end = 0;
  const encoded = new Map<number, Buffer>();
  const bytesOf = (id: number): Buffer => {
    let bytes = encoded.get(id);
    if (bytes === undefined) {
      const text = Buffer.from(names[id] ?? '');
      if (text.length > 127) throw new Error('a text is too long for a length of one byte');
      bytes = Buffer.concat([Buffer.of(text.length), text]);
      encoded.set(id, bytes);
    }
    return bytes;
  };
  const text = (bytes: Buffer): void => {
    buffer.set(bytes, end);
    end += bytes.length;
  };
  const columnOf = (name: TextName) => {
    const { codes, dictionary } = day.texts(name);
    const entries = Array.from(dictionary, bytesOf);
    return (row: number): void => text(entries[codes[row]!]!);
  };
  const ofVisit = competitorVisitTexts.map(columnOf);
  const ofHit = pageFields.map(columnOf);
  const screens = day.texts('screen');
  const buckets = Array.from(screens.dictionary, size => {
    const name = Buffer.from(screenBucket(size >>> 16) ?? '');
    return Buffer.concat([Buffer.of(name.length), name]);
  });
  const amounts = amountsOf(day);
  const plans = plansOf(day, names);
  const [hits, started, duration, pageviews] = (['hits', 'started', 'duration', 'pageviews'] as const).map(day.numbers);
  const [time, types] = (['time', 'type'] as const).map(day.numbers);
  const hashes = day.hashes();
  for (let visit = 0, hit = 0; visit < day.visits; visit++) {
    const start = day.day * dayMs + started![visit]!;
    for (const to = hit + hits![visit]!; hit < to; hit++) {
      end = buffer.writeUInt32LE(day.day, end);
      end = buffer.writeBigUInt64LE(hashes[visit]!, end);
      end = buffer.writeBigUInt64LE((BigInt(day.day) << 32n) + BigInt(visit), end);
      end = buffer.writeBigInt64LE(BigInt(start), end);
      end = buffer.writeUInt32LE(duration![visit]!, end);
      end = buffer.writeUInt32LE(pageviews![visit]!, end);
      end = buffer.writeBigInt64LE(BigInt(start + time![hit]!), end);
      end = buffer.writeUInt8(types![hit]!, end);
      end = buffer.writeDoubleLE(amounts.get(hit) ?? 0, end);
      for (const write of ofVisit) write(visit);
      text(buckets[screens.codes[visit]!]!);
      for (const write of ofHit) write(hit);
      text(bytesOf(plans.get(hit) ?? 0));
      if (end > buffer.length - 8192) {
        writeSync(output, buffer, 0, end);
        end = 0;
      }
    }
  }
  writeSync(output, buffer, 0, end);
  closeSync(output);
};

/** Revenue in the site's currency, by hit. */
const amountsOf = (day: Day): Map<number, number> => {
  const amounts = day.numbers('revenueAmount');
  return new Map(Array.from(day.numbers('revenueHit'), (hit, row) => [hit, amounts[row]!]));
};

/** Text id of the property `plan`, by hit. */
const plansOf = (day: Day, names: readonly (string | null)[]): Map<number, number> => {
  const keys = day.texts('propertyKey');
  const values = day.texts('propertyText');
  const hits = day.numbers('propertyHit');
  const plans = new Map<number, number>();
  for (let row = 0; row < hits.length; row++) {
    if (names[keys.dictionary[keys.codes[row]!]!] === 'plan')
      plans.set(hits[row]!, values.dictionary[values.codes[row]!]!);
  }
  return plans;
};
