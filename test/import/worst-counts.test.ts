/** Whatever counts a file tells, what reads those of all sites goes on. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countMax } from '../../src/model/past-hit.ts';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { openDatabase } from '../../src/store/database.ts';
import { outcomesSince } from '../../src/store/read/database-stats.ts';
import { countTableNames, countTables, recordReader } from '../../src/store/read/record-rows.ts';
import { importing } from './importing.ts';

const at = '2026-11-01T23:45:00Z';
const records = [
  { record: 'crawl', name: 'GPTBot', text: '/', status: 404 },
  { record: 'outcome', name: 'recorded' },
  { record: 'other_text', name: 'page', text: 'site' },
];

test('no lines together bring more than one may, and sums beyond 64 bits are answered', async () => {
  const { dir, run } = await importing();
  const lines = records.map(record => `${JSON.stringify({ at, ...record, count: countMax })}\n`).join('');
  const tooMuch = lines.replaceAll(`${countMax}`, `${countMax + 1}`);
  const ran = await run({ 'hits.ndjson': lines.repeat(5000) + tooMuch });
  assert.is(ran.code, 0, ran.stderr);
  assert.equal(ran.json().outcomes, { recorded: 15_000, 'import-malformed': 3 });

  const db = openDatabase(dir);
  const day = utcDayOf(Date.parse(at));
  const sums = () => recordReader(db, 0).sums(day, day);
  assert.equal(
    sums().map(({ table, rows, total }) => [table, rows, total]),
    countTableNames.map(table => [table, 1, BigInt(countMax)]),
  );

  // As many imports of the same might leave it.
  for (const name of countTableNames) {
    const { unitMs, count } = countTables[name];
    db.exec(`update ${name} set ${count} = ${2n ** 53n - 1n}`);
    const first = (day * dayMs) / unitMs;
    if (name !== 'crawl') continue;
    const others = Array.from({ length: 95 }, (_, i) => `(${first + i})`).join();
    db.exec(`with other (quarter) as (values ${others}) insert into crawl (site_id, quarter, name, path, status, crawls)
      select site_id, o.quarter, name, path, status, crawls from crawl c, other o where c.quarter = ${first + 95}`);
  }
  assert.equal(
    sums().map(({ table, rows }) => [table, rows]),
    countTableNames.map(table => [table, table === 'crawl' ? 96 : 1]),
  );
  assert.is(outcomesSince(db, Date.parse(at))[0]!.hits, Number.MAX_SAFE_INTEGER);
  db.close();
});

test.run();
