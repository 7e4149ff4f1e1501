import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import type { QueryContext } from '../../../src/query/context.ts';
import { alone } from '../../../src/query/pace.ts';
import type { AnswerOf, Filter, Question, QuestionOf } from '../../../src/query/query.ts';
import { planVisits } from '../../../src/query/questions/visits.ts';
import { ruledDays } from '../../../src/query/removal-rules/ruled-days.ts';
import type { StoredVisit } from '../../../src/query/rows/visit-row.ts';
import { createScanner } from '../../../src/query/scanner.ts';
import { createScratchPool } from '../../../src/query/scratch.ts';
import { openReader } from '../../../src/store/database.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { wholeDay } from '../../../src/store/day/part.ts';
import { sealAll } from '../../../src/store/day/seal.ts';
import { unitedDays } from '../../../src/store/day/united-days.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';
import { restless } from '../paces.ts';

const byRevenue: QuestionOf<'visits'> = {
  kind: 'visits',
  sort: 'revenue',
  descending: true,
  limit: 5,
  search: '',
  converted: false,
  bounced: false,
  paid: false,
  returning: false,
  after: null,
  form: 'json',
};

/** A visit of which no more is known. */
const plainVisit = (): Omit<StoredVisit, 'id'> => ({
  ...{ started: 0, ended: 0, visitor: '', texts: [], width: 0, height: 0, pageviews: 1, events: 0 },
  ...{ bounce: true, returning: false, revenue: 0, otherRevenue: {} },
});
const context = { query: { currency: 'EUR' }, text: () => null } as unknown as QueryContext;
const idsIn = (pieces: readonly string[]): string[] =>
  (JSON.parse(`[${pieces.join('')}]`) as { id: string }[]).map(({ id }) => id);

test('of visits without revenue, no more are looked at than the days that fill a page have', async () => {
  const visitsOfDay = 20;
  let looked = 0;
  const dayOf = (day: number) => ({
    day,
    part: wholeDay,
    visits: new Uint32Array(visitsOfDay),
    scores: new Float64Array(visitsOfDay),
    stored: Array.from({ length: visitsOfDay }, (_, i) => ({
      ...plainVisit(),
      get id() {
        looked++;
        return `${day}-${String(i).padStart(16, '0')}-${day * dayMs}`;
      },
    })),
  });
  // As texts, ids of day 10000 come before those of day 9990.
  const days = Array.from({ length: 40 }, (_, i) => dayOf(9990 + i));
  days[0]!.scores[3] = 100;

  const { answer } = await planVisits(byRevenue, context).merge(days, alone);
  const { pieces, next } = (await answer(alone)) as AnswerOf<'visits'>;
  const idOf = (day: number, i: number): string => `${day}-000000000000000${i}-${day * dayMs}`;
  const shown = [idOf(9990, 3), ...[0, 1, 2, 3].map(i => idOf(10_000, i))];
  assert.equal(idsIn(pieces), shown);
  assert.equal(next, { value: 0, id: shown.at(-1) });
  // Those that are written are looked at again, some by the engine itself.
  assert.ok(looked <= 1 + visitsOfDay + 2 * shown.length, `${looked} were looked at`);
});

test('to write a list of thousands of visits gives way again and again', async () => {
  const count = 5000;
  const numbers = Array.from({ length: count }, (_, i) => String(i).padStart(16, '0'));
  const day = {
    day: 1,
    part: wholeDay,
    visits: new Uint32Array(count),
    scores: new Float64Array(count),
    stored: numbers.map(number => ({ ...plainVisit(), id: `1-${number}-${dayMs}` })),
  };
  let turns = 0;
  const pace = restless(
    () => {},
    () => ++turns > 0,
  );
  const { answer } = await planVisits({ ...byRevenue, limit: count }, context).merge([day], pace);
  const { pieces } = (await answer(pace)) as AnswerOf<'visits'>;
  assert.equal(
    idsIn(pieces),
    numbers.map(number => `1-${number}-${dayMs}`),
  );
  assert.ok(turns >= 50, `${turns}`);
});

/** Ten sealed days of some visits each; asks about all of them, and tells which days were read. */
const tenDays = () => {
  const visitsOfDay = 8;
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const { write } = recorder(db);
  for (let day = 1; day <= 10; day++) {
    write(
      Array.from({ length: visitsOfDay }, (_, i) => {
        const of = { siteId, day, visitId: i + 1, at: day * dayMs + i * 60_000 };
        const visitor = Buffer.from([day, i, 0, 0, 0, 0, 0, 0]);
        const country = i === 0 ? 'DE' : 'FR';
        return recordedEntry(hitRecord(of), visitRecord({ siteId, day, id: i + 1, visitor, country }));
      }),
    );
  }
  sealAll(db, 11, 0);
  const reading = openReader(dataDir);
  const reader = ruledDays(reading, unitedDays(dayReader(reading, 1e8)));
  const read: number[] = [];
  const counted = {
    ...reader,
    day: (...args: Parameters<typeof reader.day>) => {
      read.push(args[1].day);
      return reader.day(...args);
    },
  };
  const scanner = createScanner(reading, counted, { keptBytesMax: 1e8, foundBytesMax: 1e9 }, createScratchPool());
  return async (question: Question, filters: Filter[] = []): Promise<number[]> => {
    read.length = 0;
    const slices = [{ from: 0, to: 11 * dayMs, filters, questions: [question] }];
    const prepared = await scanner.prepareQuery({ siteId, currency: 'EUR', minorRates: {}, slices }, alone);
    await scanner.contribute(prepared, prepared.days, alone);
    return read;
  };
};

test('the latest visits are read of no more days than they fill', async () => {
  const daysRead = tenDays();
  const latest = { ...byRevenue, sort: 'started' } as const;
  const earliest = { ...latest, descending: false };
  const ofCountry: Filter = { field: 'country', operator: 'is', negated: false, values: ['DE'] };
  const after = { value: 7 * dayMs + 60_000, id: `7-0701000000000000-${7 * dayMs + 60_000}` };
  const all = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
  const rows: [string, Question, Filter[], number[]][] = [
    ['a page that one day fills', latest, [], [10]],
    ['a page that one day fills, and whether there is a next one', { ...latest, limit: 8 }, [], [10, 9]],
    ['the earliest', { ...earliest, limit: 12 }, [], [1, 2]],
    ['fewer of each day', latest, [ofCountry], [10, 9, 8, 7, 6, 5]],
    ['fewer than a page', { ...latest, limit: 50 }, [ofCountry], all],
    ['a search', { ...latest, search: 'de' }, [], [10, 9, 8, 7, 6, 5]],
    ['behind a cursor', { ...latest, after }, [], [7, 6]],
    ['the earliest behind a cursor', { ...earliest, after }, [], [7]],
    ['another order', byRevenue, [], all],
    ['the last hit', { kind: 'lastHit' }, [], [10]],
  ];
  for (const [name, question, filters, want] of rows) assert.equal(await daysRead(question, filters), want, name);
});

test.run();
