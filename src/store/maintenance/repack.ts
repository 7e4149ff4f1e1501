/**
 * Writes days that an earlier version sealed as this one seals them, which takes less. They have
 * the same hits, so their versions stay, with all that is known by these: kept answers, a cluster's
 * days. Each old column says the same as the new one, or as what it is derived from. So columns are
 * replaced a few at a time, and whoever reads meanwhile may find some of each. `type` is replaced
 * last, so it tells that a part is done.
 */
import { type ColumnName, columnNames } from '../../model/columns.ts';
import type { WorkDone } from '../../model/work-done.ts';
import type { Database } from '../database.ts';
import { createByteCache } from '../day/byte-cache.ts';
import { isOfThisFormat } from '../day/column-codec.ts';
import type { Day } from '../day/day.ts';
import { sealedDays } from '../day/day-reader.ts';
import { encodeColumns } from '../day/derived.ts';
import { inTransactions } from '../day/part-store.ts';

export interface RepackStep {
  done: WorkDone;
  /** Parts of days that are written anew so far, and bytes of their columns before and after. */
  parts: number;
  before: number;
  after: number;
}

/** Each step is one short transaction, or the work on one part of a day. */
export function* repack(db: Database): Generator<RepackStep> {
  const replace = partReplacer(db);
  const parts = oldParts(db);
  const of = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const state = { parts: 0, before: 0, after: 0 };
  let count = 0;
  const step = (): RepackStep => ({ done: { unit: 'byte', verb: 'packed', count, of }, ...state });
  for (const part of parts) {
    const steps = replace(part);
    let next = steps.next();
    for (; !next.done; next = steps.next()) yield step();
    const after = next.value;
    count += part.bytes;
    if (after === null) continue;
    state.parts++;
    state.before += part.bytes;
    state.after += after;
    yield step();
  }
}

interface OldPart {
  id: number;
  siteId: number;
  day: number;
  bytes: number;
}

/** The column that is replaced last. */
const lastName = 'type';

const oldParts = (db: Database): OldPart[] => {
  const rows = db
    .prepare(
      `select p.id, site_id as siteId, day, bytes, data from day_part p join sealed_column c on c.part_id = p.id
       where sealed_at is not null and c.name = '${lastName}' order by site_id, day, p.id`,
    )
    .iterate() as IterableIterator<OldPart & { data: Buffer }>;
  const parts: OldPart[] = [];
  for (const { data, ...part } of rows) if (!isOfThisFormat(data)) parts.push(part);
  return parts;
};

/** A column, or null where others tell it. */
interface NewColumn {
  name: ColumnName;
  data: Buffer | null;
}

/** Writes a part anew. Nothing more happens to one that goes or changes meanwhile. */
const partReplacer = (db: Database): ((of: OldPart) => Generator<void, number | null>) => {
  const sealed = sealedDays(db, createByteCache(0));
  const encode = db.transaction(({ id, siteId, day }: OldPart) => {
    const facts = sealed.between(siteId, day, day).find(part => part.id === id);
    return facts && { version: facts.version, columns: newColumns(sealed.day(facts)) };
  });
  const isThere = db.prepare('select 1 from day_part where id = ? and version = ? and sealed_at is not null').pluck();
  const update = db.prepare('update sealed_column set data = @data where part_id = @id and name = @name');
  const drop = db.prepare('delete from sealed_column where part_id = @id and name = @name');
  const count = db
    .prepare(
      `update day_part set bytes = (select sum(length(data)) from sealed_column where part_id = @id)
       where id = @id returning bytes`,
    )
    .pluck();
  const write = db.transaction((id: number, version: number, columns: readonly NewColumn[]): number | null => {
    if (isThere.get(id, version) === undefined) return null;
    for (const { name, data } of columns) (data === null ? drop : update).run({ id, name, ...(data && { data }) });
    return count.get({ id }) as number;
  });
  return function* (of) {
    const found = encode(of);
    yield;
    if (found === undefined) return null;
    let bytes: number | null = 0;
    for (const some of inTransactions(found.columns, ({ data }) => data?.length ?? 0)) {
      bytes = write.immediate(of.id, found.version, some);
      if (bytes === null) return null;
      yield;
    }
    return bytes;
  };
};

const newColumns = (day: Day): NewColumn[] => {
  const encoded = new Map<ColumnName, Buffer>(encodeColumns(day).map(({ name, data }) => [name, data]));
  const names: ColumnName[] = [...columnNames.filter(name => name !== lastName), lastName];
  return names.map(name => ({ name, data: encoded.get(name) ?? null }));
};
