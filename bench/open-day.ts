/**
 * A day of a plan's hits as rows, as a collector leaves them in the course of it, and the same day
 * sealed.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pageFields } from '../src/model/columns.ts';
import { eventTypes, type HitType, hitTypeName, isTextCode, type Property, propertyTypes } from '../src/model/hit.ts';
import { dayMs } from '../src/model/time.ts';
import { visitTextNames } from '../src/model/visit-fields.ts';
import { openDatabase } from '../src/store/database.ts';
import type { Day, TextName } from '../src/store/day/day.ts';
import { sealAll } from '../src/store/day/seal.ts';
import { type Entry, recorder } from '../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, visitRecord } from '../test/helpers.ts';
import { generateDays, type TrafficPlan } from './generate.ts';
import { converted, kept, planName } from './query-data.ts';
import { textIds } from './query-rows.ts';

/** As many as fill the collector's batches under a great load. */
const batch = 9000;

/** Data directories of the same hits; the plan has one day. */
export const openAndSealed = (plan: TrafficPlan): { open: string; sealed: string } => {
  const programs = ['bench/query-data.ts', 'bench/open-day.ts', 'src/store/day/column-codec.ts'];
  const dir = kept(`open-${planName(plan)}`, programs, making => {
    fillOpen(join(making, 'open'), plan);
    cpSync(join(making, 'open'), join(making, 'sealed'), { recursive: true });
    const db = openDatabase(join(making, 'sealed'));
    sealAll(db, plan.firstDay + 1, 0);
    db.pragma('wal_checkpoint(truncate)');
    db.close();
  });
  return { open: converted(join(dir, 'open')), sealed: converted(join(dir, 'sealed')) };
};

export const fillOpen = (dataDir: string, plan: TrafficPlan): void => {
  const db = openDatabase(dataDir);
  const { id, names } = textIds();
  const [day] = generateDays(plan, addSite(db).id, id);
  const { write } = recorder(db);
  const entries = entriesOf(day!, names);
  for (let from = 0; from < entries.length; from += batch) write(entries.slice(from, from + batch));
  db.pragma('wal_checkpoint(truncate)');
  db.close();
};

/** Writes some hits of new visits to the end of an open day, each time it is called. */
export const arrivals = (dataDir: string, day: number): ((hits: number) => void) => {
  const db = openDatabase(dataDir);
  const { write, nextVisitId } = recorder(db);
  const visitor = Buffer.alloc(8);
  return hits => {
    const firstId = nextVisitId();
    write(
      Array.from({ length: hits }, (_, i): Entry => {
        const of = { siteId: 1, day, visitId: firstId + i, at: (day + 1) * dayMs - 1 };
        visitor.writeUInt32BE(of.visitId);
        const visit = visitRecord({ siteId: 1, day, id: of.visitId, visitor: Buffer.from(visitor), country: 'AD' });
        return recordedEntry(hitRecord({ ...of, path: '/' }), visit);
      }),
    );
  };
};

/** What recorded the hits of a day, in the order in which they came. */
const entriesOf = (day: Day, names: readonly (string | null)[]): Entry[] => {
  const texts = <N extends TextName>(columns: readonly N[]): ((row: number) => Record<N, string | null>) => {
    const read = columns.map(name => [name, day.texts(name)] as const);
    return row =>
      Object.fromEntries(
        read.map(([name, { codes, dictionary }]) => [name, names[dictionary[codes[row]!]!]!]),
      ) as Record<N, string | null>;
  };
  const [ofVisit, ofHit] = [texts(visitTextNames), texts(pageFields)] as const;
  const [hits, started, duration] = (['hits', 'started', 'duration'] as const).map(day.numbers);
  const [time, types] = (['time', 'type'] as const).map(day.numbers);
  const screens = day.texts('screen');
  const hashes = day.hashes();
  const properties = propertiesOf(day, names);
  const revenues = revenuesOf(day, names);
  const of = { siteId: day.siteId, day: day.day };
  const entries: Entry[] = [];
  for (let visit = 0, hit = 0; visit < day.visits; visit++) {
    const visitor = Buffer.alloc(8);
    visitor.writeBigUInt64BE(hashes[visit]!);
    const screen = screens.dictionary[screens.codes[visit]!]!;
    const attributes = ofVisit(visit);
    const begun = visitRecord({
      ...of,
      ...attributes,
      device: attributes.device ?? 'unknown',
      id: visit + 1,
      visitor,
      persistent: visit >= day.hashVisits,
      width: screen >>> 16,
      height: screen & 0xffff,
    });
    const first = hit;
    for (const to = hit + hits![visit]!; hit < to; hit++) {
      const type = hitTypeName(types![hit]!) as HitType;
      const page = ofHit(hit);
      const record = hitRecord({
        ...of,
        ...page,
        visitId: visit + 1,
        at: day.day * dayMs + started![visit]! + time![hit]!,
        type,
        event: (eventTypes as readonly string[]).includes(type) ? page.event : null,
        revenue: revenues.get(hit) ?? null,
        properties: properties.get(hit) ?? [],
      });
      entries.push(recordedEntry(record, hit === first ? begun : undefined));
    }
    // The last page was looked at for a while, which its browser told when it was left.
    const [from, to] = [day.day * dayMs + started![visit]!, entries.at(-1)!.at];
    if (from + duration![visit]! === to) continue;
    const flushed = { ...of, visitId: visit + 1, at: from + duration![visit]!, type: 'duration' } as const;
    entries.push(recordedEntry(hitRecord({ ...flushed, duration: flushed.at - to })));
  }
  return entries.sort((a, b) => a.at - b.at);
};

const propertiesOf = (day: Day, names: readonly (string | null)[]): Map<number, Property[]> => {
  const [keys, values] = (['propertyKey', 'propertyText'] as const).map(day.texts);
  const [hits, types, numbers] = (['propertyHit', 'propertyType', 'propertyNumber'] as const).map(day.numbers);
  const name = (column: typeof keys, row: number): string => names[column!.dictionary[column!.codes[row]!]!] ?? '';
  const found = new Map<number, Property[]>();
  for (let row = 0; row < hits!.length; row++) {
    const type = (['string', 'number', 'boolean', 'date'] as const).find(kind => propertyTypes[kind] === types![row])!;
    const value = isTextCode(types![row]!) ? name(values, row) : numbers![row]!;
    const list = found.get(hits![row]!) ?? [];
    list.push({ key: name(keys, row), type, value } as Property);
    found.set(hits![row]!, list);
  }
  return found;
};

const revenuesOf = (day: Day, names: readonly (string | null)[]): Map<number, { amount: number; currency: string }> => {
  const { codes, dictionary } = day.texts('revenueCurrency');
  const amounts = day.numbers('revenueAmount');
  return new Map(
    Array.from(day.numbers('revenueHit'), (hit, row) => [
      hit,
      { amount: amounts[row]!, currency: names[dictionary[codes[row]!]!]! },
    ]),
  );
};
