/** What an import counts beside hits: written and taken back in short steps, whenever it is interrupted. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../../src/store/database.ts';
import { hitWriter } from '../../../src/store/imports/hit-words.ts';
import { type Import, imports } from '../../../src/store/imports/imports.ts';
import { takeOutKnown } from '../../../src/store/imports/known-rows.ts';
import { gatherHits } from '../../../src/store/imports/read-hits.ts';
import { undoImport, writeImport } from '../../../src/store/imports/write-import.ts';
import { addSite, temporaryDatabase } from '../../helpers.ts';

const [rows, days, firstDay] = [1200, 2, 20_000];
const noVitals = { lcp: null, inp: null, cls: null, fcp: null, ttfb: null };

/** As many crawls and vitals of each of two days. */
const gathered = (db: Database) => {
  const all = gatherHits(db);
  const writer = hitWriter();
  const name = writer.textId('Googlebot');
  const crawls = Array.from({ length: rows * days }, (_, i) => ({
    quarter: (firstDay + (i % days)) * 96,
    ...{ name, path: writer.textId(`/${i}`), status: 200, crawls: 1 + (i % 3), outcome: 'crawler' as const, lines: 1 },
  }));
  const vitals = crawls.map(({ path }, i) => ({
    ...{ ...noVitals, at: (firstDay + (i % days)) * 86_400_000 + i, path, device: writer.textId('mobile'), lcp: i },
  }));
  const outcomes = [{ hour: firstDay * 24, outcome: 'crawler' as const, hits: rows }];
  all.add({ hits: writer.take(), crawls, vitals, outcomes, told: [] });
  return all;
};

const begun = (db: Database, siteId: number): Import =>
  imports(db).begin(
    {
      ...{ siteId, kind: 'hits', format: 'combined', source: 'a.log', digest: Buffer.alloc(32), lines: 1 },
      ...{ outcomes: {}, totals: { visitors: null, visits: null, pageviews: null, events: null } },
      ...{ firstAt: 0, lastAt: 0 },
    },
    0,
  );

/** A site with a crawl, a vital and an outcome of its own, in the slots that the import counts in. */
const prepared = () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  db.exec(`insert into text (site_id, id, value) values (${siteId}, 1, 'Googlebot'), (${siteId}, 2, '/0'), (${siteId}, 3, 'mobile');
    insert into crawl (site_id, quarter, name, path, status, crawls) values (${siteId}, ${firstDay * 96}, 1, 2, 200, 5);
    insert into outcome (site_id, hour, outcome, hits) values (${siteId}, ${firstDay * 24}, 'crawler', 7);
    insert into vital (site_id, at, path, device, lcp) values (${siteId}, ${firstDay * 86_400_000}, 2, 3, 9)`);
  const stored = () => ({
    crawls: db
      .prepare(
        'select value, sum(crawls) as crawls from crawl c join text t on t.id = c.path group by value order by value',
      )
      .all(),
    vitals: db.prepare('select at, lcp from vital order by at, id').all(),
    outcomes: db.prepare('select outcome, hits from outcome').all(),
    noted: db.prepare('select count(*) from import_count').pluck().get(),
  });
  return { db, siteId, stored };
};

const countsOf = ({ crawls, vitals, outcomes }: ReturnType<ReturnType<typeof prepared>['stored']>) => ({
  crawls,
  vitals,
  outcomes,
});

/** Runs steps, at most so many; gives how many rows the longest of them changed. */
const run = (
  db: Database,
  steps: Iterable<unknown>,
  max = Number.POSITIVE_INFINITY,
): { changed: number; steps: number } => {
  const changes = db.prepare('select total_changes()').pluck();
  let [before, changed, count] = [changes.get() as number, 0, 0];
  for (const _ of steps) {
    const now = changes.get() as number;
    changed = Math.max(changed, now - before);
    before = now;
    if (++count === max) break;
  }
  return { changed, steps: count };
};

test('no step of an import or of its undoing writes more than some hundred rows', () => {
  const { db, siteId, stored } = prepared();
  const before = stored();
  const of = begun(db, siteId);
  const written = run(
    db,
    writeImport(db, of, gathered(db), () => 1),
  );
  // 500 texts, or 500 records and their note.
  assert.ok(written.changed <= 501, `${written.changed}`);
  assert.is(stored().vitals.length, rows * days + 1);
  assert.equal(stored().crawls[0], { value: '/0', crawls: 6 });
  const undone = run(db, undoImport(db, of));
  assert.ok(undone.changed <= 1001, `${undone.changed}`);
  assert.equal(stored(), before);
});

test('what was interrupted counts once, and is taken back as a whole', () => {
  const whole = prepared();
  const { steps } = run(
    whole.db,
    writeImport(whole.db, begun(whole.db, whole.siteId), gathered(whole.db), () => 1),
  );
  const want = countsOf(whole.stored());
  for (let at = 1; at < steps; at += 5) {
    const { db, siteId, stored } = prepared();
    const before = stored();
    const of = begun(db, siteId);
    run(
      db,
      writeImport(db, of, gathered(db), () => 1),
      at,
    );
    if (at % 2 === 0) run(db, undoImport(db, of), at / 2);
    else
      run(
        db,
        writeImport(db, of, gathered(db), () => 1),
        at,
      );
    const again = at % 2 === 0 ? undoImport(db, of) : writeImport(db, of, gathered(db), () => 1);
    run(db, again);
    assert.equal(at % 2 === 0 ? stored() : countsOf(stored()), at % 2 === 0 ? before : want, `step ${at}`);
  }
});

test('no step of an import holds the file for more than some rows', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const changes = db.prepare('select total_changes()').pluck();
  const all = gathered(db);
  const of = begun(db, siteId);
  let [before, most] = [changes.get() as number, 0];
  for (const _ of writeImport(db, of, all, () => 1)) {
    const now = changes.get() as number;
    [before, most] = [now, Math.max(most, now - before)];
  }
  assert.ok(most <= 200, `${most}`);
  all.close();
  db.close();
});

test('web vitals that an import brought are known moment by moment, and twins one by one', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const gatherVitals = (moments: readonly number[]) => {
    const [all, writer] = [gatherHits(db), hitWriter()];
    const [path, device] = [writer.textId('/a'), writer.textId('mobile')];
    const vitals = moments.map(ms => ({ ...noVitals, at: firstDay * 86_400_000 + ms, path, device, lcp: ms % 4 }));
    const outcomes = [{ hour: firstDay * 24, outcome: 'recorded' as const, hits: moments.length }];
    all.add({ hits: writer.take(), crawls: [], vitals, outcomes, told: [] });
    return all;
  };
  for (const _ of writeImport(db, begun(db, siteId), gatherVitals([5, 9, 5, 3, 20]), () => 1));
  const again = gatherVitals([9, 5, 7, 3, 5, 1, 5, 30]);
  const took = takeOutKnown(db, again, { siteId, format: 'combined', now: firstDay * 86_400_000 });
  let step = took.next();
  while (!step.done) step = took.next();
  const found = step.value;
  assert.equal(
    found.map(({ rows }) => rows),
    [4],
  );
  const left: number[] = [];
  again.dropVitals(firstDay, ({ at }) => left.push(at - firstDay * 86_400_000) < 0);
  assert.equal(left, [1, 5, 7, 30]);
  assert.equal(again.outcomes(firstDay), [{ hour: firstDay * 24, outcome: 'recorded', hits: 4 }]);
  again.close();
  db.close();
});

test('crawls whose texts are gone are known by nobody, as after a prune that was stopped', () => {
  const { db, siteId } = prepared();
  for (const _ of writeImport(db, begun(db, siteId), gathered(db), () => 1));
  const ofText = db.prepare('select id from text where value = ?').pluck();
  const gone = ofText.get('/1') as number;
  db.prepare('delete from text where id = ?').run(gone);
  db.prepare('delete from vital where path = ?').run(gone);
  const again = gathered(db);
  const took = takeOutKnown(db, again, { siteId, format: 'combined', now: (firstDay + days + 1) * 86_400_000 });
  let step = took.next();
  while (!step.done) step = took.next();
  const left = again.recordDays().flatMap(day => [...again.records(day, 1e6)].flatMap(({ crawls }) => crawls));
  assert.is(left.length, 1);
  again.close();
  db.close();
});

test.run();
