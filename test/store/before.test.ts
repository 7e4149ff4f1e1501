/**
 * A database that an earlier version made opens, with a copy kept, and answers as before, also what was taken out and comes back.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Answer, Query } from '../../src/query/query.ts';
import { type Database, databaseFile, openDatabase } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { migrations } from '../../src/store/migrations.ts';
import { putBack, removalOf } from '../../src/store/removal/put-back.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { days, firstDay } from '../query/random-site.ts';

/** What make-before.ts wrote. */
interface Made {
  database: string;
  removed: string;
  queries: Query[];
  before: Answer[][][];
  after: Answer[][][];
}

const asFile = (dir: string, name: string, content: string): string => {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), gunzipSync(Buffer.from(content, 'base64')), { mode: 0o600 });
  return join(dir, name);
};
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const answersOf = async (db: Database, queries: Query[]): Promise<unknown> => {
  const engine = createEngine(db, 1e6);
  const all: unknown[] = [];
  for (const query of queries) all.push(await engine.answer(query, alone));
  return plain(all);
};

const problemsOf = (db: Database): string[] => [...checkDatabase(db)].flatMap(({ problems }) => problems);

for (const name of readdirSync(import.meta.dirname).filter(file => file.endsWith('.json.gz'))) {
  test(`${name} answers as before`, async () => {
    const made = JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, name))).toString()) as Made;
    const dataDir = temporaryDir();
    asFile(dataDir, 'daybook.db', made.database);
    const removed = asFile(temporaryDir(), 'removed.db', made.removed);

    const db = openDatabase(dataDir);
    assert.ok(existsSync(`${databaseFile(dataDir)}.before-version-${1 + migrations.length}`), 'a copy is kept');
    assert.equal(problemsOf(db), []);
    assert.equal(await answersOf(db, made.queries), made.after);

    for (const _ of putBack(db, removalOf(db, removed), removed));
    assert.equal(problemsOf(db), []);
    assert.equal(await answersOf(db, made.queries), made.before);

    // What is kept since is unknown there, open days included.
    const [siteId, from, to] = [made.queries[0]!.siteId, firstDay * dayMs, (firstDay + days) * dayMs];
    const slice = { from, to, filters: [] };
    const dimensions = ['clickId', 'network', 'networkKind'] as const;
    const later: Query = {
      ...{ siteId, currency: 'EUR', minorRates: {} },
      slices: [
        { ...slice, questions: dimensions.map(dimension => ({ kind: 'breakdown', dimension, limit: 10 })) },
        {
          ...{ from, to, questions: [{ kind: 'totals' }] },
          filters: [{ field: 'network', operator: 'is', negated: false, values: [''] }],
        },
        { ...slice, questions: [{ kind: 'totals' }] },
      ],
    };
    const [rows, without, all] = ((await answersOf(db, [later])) as Answer[][][])[0]!;
    assert.equal(
      rows!.map(answer => answer.kind === 'breakdown' && answer.rows),
      [[], [], []],
    );
    assert.equal(without, all);

    // The open day goes on, and is sealed with what came before.
    const day = firstDay + days - 1;
    const record = recorder(db);
    const of = { siteId, day, visitId: record.nextVisitId(), at: (day + 1) * dayMs - 1 };
    const { visitId: id } = of;
    const visit = visitRecord({ siteId, day, id, network: 'AS24940 Hetzner Online GmbH', clickId: 'gclid' });
    record.write([recordedEntry(hitRecord({ ...of, scroll: 50 }), visit)]);
    for (const seal of [() => {}, () => sealAll(db, day + 1, 0)]) {
      seal();
      const [found] = ((await answersOf(db, [later])) as Answer[][][])[0]!;
      assert.equal(
        found!.map(answer => answer.kind === 'breakdown' && answer.rows),
        ['gclid', 'AS24940 Hetzner Online GmbH', 'hosting'].map(name => [{ name, value: 1, events: 1 }]),
      );
      assert.equal(problemsOf(db), []);
    }
    db.close();
  });
}

test.run();
