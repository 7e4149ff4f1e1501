import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { AnswerOf, Filter, Question } from '../../src/query/query.ts';
import { headline } from '../../src/query/usual-questions.ts';
import { openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';
import { totalsIn } from './totals-in.ts';

const day = 20_000;
const sent = ['2024-10-04', '2024-10-04', '2024-10-04T09:30+02:00', 'soon'];

/** A database with a hit for each value of `due`, and a function that asks about them. */
const prepared = () => {
  const { db, dataDir } = temporaryDatabase();
  const siteId = addSite(db).id;
  const entries = sent.map((value, i) => {
    const properties = [{ key: 'due', type: value === 'soon' ? 'string' : 'date', value } as const];
    const hit = hitRecord({ siteId, day, visitId: 1, at: day * dayMs + i, type: 'custom', event: 'Order', properties });
    return recordedEntry(hit, i === 0 ? visitRecord({ siteId, day, id: 1 }) : undefined);
  });
  recorder(db).write(entries);
  const ask = async (questions: Question[], filters: Filter[] = []) => {
    const reader = openReader(dataDir);
    const slices = [{ from: day * dayMs, to: (day + 1) * dayMs, filters, questions }];
    const [answers] = await createEngine(reader, 1e6).answer(
      { siteId, currency: 'EUR', minorRates: {}, slices },
      alone,
    );
    reader.close();
    return answers!;
  };
  const listed = async () => {
    const [keys, values] = (await ask([
      { kind: 'propertySummaries', keys: ['due'] },
      { kind: 'propertyValues', key: 'due', limit: 10, bins: 12 },
    ])) as [AnswerOf<'propertySummaries'>, AnswerOf<'propertyValues'>];
    return {
      type: values.type,
      distinct: keys.summaries[0]!.values,
      rows: values.rows.map(({ name, value }) => `${name}: ${value}`),
      bins: values.bins,
    };
  };
  const hitsWith = async (value: string): Promise<number> => {
    const filters: Filter[] = [{ field: 'propValue', operator: 'is', negated: false, values: [value] }];
    return totalsIn((await ask([headline], filters))[0]).events!;
  };
  return { db, siteId, listed, hitsWith };
};

test('a date is listed and filtered as it was sent, before and after its day is sealed', async () => {
  const { db, listed, hitsWith } = prepared();
  for (const seal of [false, true]) {
    if (seal) sealAll(db, day + 1, 0);
    const rows = ['2024-10-04: 2', '2024-10-04T09:30+02:00: 1', 'soon: 1'];
    assert.equal(await listed(), { type: 'date', distinct: 3, rows, bins: [] });
    assert.is(await hitsWith('2024-10-04'), 2);
    assert.is(await hitsWith('2024-10-04T00:00:00.000Z'), 0);
  }
  db.close();
});

test('a date of which an earlier version kept the instant reads as ISO 8601', async () => {
  const { db, siteId, listed, hitsWith } = prepared();
  // Code 4 and milliseconds, in the rows of the first two hits.
  const rows = db.prepare('select id, properties from hit where site_id = ? order by id limit 2').all(siteId);
  for (const { id, properties } of rows as { id: number; properties: string }[]) {
    const [key] = JSON.parse(properties);
    db.prepare('update hit set properties = ? where id = ?').run(JSON.stringify([key, 4, Date.UTC(2024, 9, 4)]), id);
  }
  for (const seal of [false, true]) {
    if (seal) sealAll(db, day + 1, 0);
    const rows = ['2024-10-04T00:00:00.000Z: 2', '2024-10-04T09:30+02:00: 1', 'soon: 1'];
    assert.equal(await listed(), { type: 'date', distinct: 3, rows, bins: [] });
    assert.is(await hitsWith('2024-10-04T00:00:00.000Z'), 2);
    assert.is(await hitsWith('2024-10-04'), 0);
  }
  db.close();
});

test.run();
