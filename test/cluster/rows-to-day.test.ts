/** Rows of `hit` are the day again that they were written from: without ClickHouse between, which keeps what it is given. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rowsOfNode, writeDay } from '../../src/cluster/day-rows.ts';
import { rowBinary } from '../../src/cluster/row-binary.ts';
import { RowsError, rowsOfDay } from '../../src/cluster/rows-to-day.ts';
import { columnNames, columns } from '../../src/model/columns.ts';
import { dayMs } from '../../src/model/time.ts';
import type { Database } from '../../src/store/database.ts';
import type { Day, TextName } from '../../src/store/day/day.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { unitedDays } from '../../src/store/day/united-days.ts';
import { flat } from '../../src/store/day/unpack.ts';
import { records } from '../../src/store/read/records.ts';
import { textReader } from '../../src/store/texts.ts';
import { temporaryDatabase } from '../helpers.ts';
import { firstDay, randomFrom, randomParts, randomSite, storeSite } from '../query/random-site.ts';

const rowsOf = (db: Database, day: Day): Buffer => {
  const { text } = textReader(db);
  const query = { siteId: day.siteId, currency: 'EUR', minorRates: {}, slices: [] };
  const reader = unitedDays(dayReader(db, 0));
  const context = { query, reader, records: records(db), text: (id: number) => text(day.siteId, id) };
  const writer = rowBinary();
  for (const _ of writeDay(
    day,
    context,
    rowsOfNode(day.day, { node: 3, revision: 1 }, visit => visit),
    () => ({ writer }),
  ));
  return writer.take();
};

/** What columns hold, with texts in place of their ids; of properties, which are in the order of ids, in another. */
const contents = (day: Day, text: (id: number) => string | null): Record<string, unknown[]> => {
  const ofColumn = (name: (typeof columnNames)[number]): unknown[] => {
    const column = day.column(name);
    if (column.kind === 'hash') return [...column.values];
    if (column.kind === 'number') return Array.from(flat(column.values));
    const { codes, dictionary } = day.texts(name as TextName);
    return Array.from(codes, code => (name === 'screen' ? dictionary[code]! : text(dictionary[code]!)));
  };
  const found = Object.fromEntries(columnNames.map(name => [name, ofColumn(name)]));
  const names = columnNames.filter(name => columns[name].table === 'property');
  const rows = found.propertyKey!.map((_, row) => JSON.stringify(names.map(name => found[name]![row])));
  for (const name of names) delete found[name];
  const { siteId, hits, visits, hashVisits, firstAt, lastAt } = day;
  return { ...found, properties: rows.sort(), facts: [siteId, hits, visits, hashVisits, firstAt, lastAt] };
};

test('rows are the day again that they were written from, whatever their order', () => {
  let seen = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const random = randomFrom(seed);
    const { db } = temporaryDatabase();
    storeSite(db, randomSite(random), firstDay + random.below(6), 'UTC', randomParts(random).partHitsMax);
    const { text } = textReader(db);
    for (const day of dayReader(db, 0).days(1, 0, Number.MAX_SAFE_INTEGER)) {
      const rows = rowsOf(db, day);
      const back = rowsOfDay();
      back.add(rows);
      assert.is(back.hits(), day.hits);
      const texts = [null, ...back.texts()];
      // Ids of any order.
      const ids = Uint32Array.from(back.texts(), (_, i) => back.texts().length - i);
      const made = back.day(1, day, ids);
      assert.equal(
        contents(made, id => texts[id === 0 ? 0 : texts.length - id]!),
        contents(day, id => text(1, id)),
      );
      seen++;
    }
  }
  assert.ok(seen > 40, `${seen} days`);
});

test('hits that are missing are an error', () => {
  const { db } = temporaryDatabase();
  storeSite(db, randomSite(randomFrom(2)), firstDay + 2);
  const day = [...dayReader(db, 0).days(1, firstDay * dayMs, (firstDay + 1) * dayMs)].find(({ hits }) => hits > 10)!;
  const rows = rowsOf(db, day);
  const back = rowsOfDay();
  assert.throws(() => back.add(rows.subarray(0, rows.length - 1)), RangeError);
  const whole = rowsOfDay();
  whole.add(rows);
  whole.add(rows);
  assert.throws(
    () => whole.day(1, day, new Uint32Array(whole.texts().length)),
    (error: Error) => error instanceof RowsError,
  );
});

test.run();
