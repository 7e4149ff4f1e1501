/** A collector erases whom its primary has erased: while it runs, and at its next start the rest of what tells of them. */
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startErasing } from '../../src/roles/erasing.ts';
import { applyControl, control } from '../../src/store/control.ts';
import { type Database, databaseFile, openDatabase } from '../../src/store/database.ts';
import { hitIds } from '../../src/store/day/open/newest-rows.ts';
import { beginEpoch, epochs } from '../../src/store/epochs.ts';
import {
  clocksDifferMs,
  type ErasedVisitor,
  eraseAtStart,
  erasedStages,
  erasedVisitors,
} from '../../src/store/erased.ts';
import { noon, startCollector } from '../collect/start-collector.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { until } from '../tools/conditions.ts';

const { noted, rows, file } = erasedStages;
const day = 20_000;

/** The control state of one database, as another one that follows takes it. */
const follow = (from: Database, to: Database, role: 'collect' | 'answer' = 'collect'): number =>
  applyControl(to, JSON.parse(JSON.stringify(control(from).read(role, true))));

test('a collector hears once of each, and an answering server of nobody', () => {
  const [primary, collector, answer] = [temporaryDatabase(), temporaryDatabase(), temporaryDatabase()];
  const { id: siteId } = addSite(primary.db);
  const list = erasedVisitors(primary.db);
  const some: ErasedVisitor[] = [
    { siteId, visitor: 2n ** 64n - 1n, day: 0, before: 5 },
    { siteId, visitor: 7n, day, before: 5 },
  ];
  list.add(some);
  follow(primary.db, collector.db);
  follow(primary.db, answer.db, 'answer');
  const heard = erasedVisitors(collector.db);
  assert.equal(heard.upTo(noted), list.upTo(noted));
  assert.equal(erasedVisitors(answer.db).upTo(file), []);
  heard.set(some, file);
  // What the primary does on ClickHouse is not what a collector has done.
  list.set(some, rows);
  assert.is(follow(primary.db, collector.db), 0);
  assert.equal(heard.upTo(rows), []);
  list.add([{ ...some[0]!, before: 9 }]);
  assert.is(follow(primary.db, collector.db), 2);
  assert.equal(heard.upTo(noted), [{ ...some[0]!, before: 9 }]);
  for (const { db } of [primary, collector, answer]) db.close();
});

const mail = 'ann.person.to.erase@example.com';

test('rows of a visit under way are blanked, the next hit begins another, and later visits stay', async () => {
  const first = await startCollector({ site: { identityMode: 'cookie' } });
  const { db, site, clock, dataDir } = first;
  beginEpoch(db, 'a directory', count => new Uint8Array(count).fill(3));
  const send = async (id: string, hit: object = {}): Promise<void> => {
    clock.now += 1000;
    const { outcome } = await first.post({ s: site.publicKey, i: id.repeat(22), u: 'https://site1.example/a', ...hit });
    assert.is(outcome, 'recorded');
  };
  await send('a', { ti: `Page of ${mail}` });
  await send('a', { t: 'identify', p: { email: mail } });
  await send('b');
  const visits = () =>
    db
      .prepare(
        `select v.id, hex(v.visitor) as visitor, count(*) filter (where h.type <= 4) as hits
         from visit v join hit h on h.visit_id = v.id group by v.id order by v.id`,
      )
      .all() as { id: number; visitor: string; hits: number }[];
  const visitor = BigInt(`0x${visits()[0]!.visitor}`);
  // The clock here is ahead: by it, the visit began after the moment.
  const ofAnn = { siteId: site.id, visitor, day: 0, before: clock.now - 5000 };
  const list = erasedVisitors(db);
  list.add([ofAnn]);
  const erasing = startErasing(
    db,
    first.collector,
    () => clock.now,
    (_, fields) => assert.unreachable(JSON.stringify(fields)),
  );
  clock.now += clocksDifferMs;
  await until('the rows are blank', () => list.upTo(noted).length === 0);
  assert.equal(
    visits().map(({ hits }) => hits),
    [0, 1],
  );
  assert.is(visits()[0]!.visitor, '0'.repeat(16));
  // They count in no proof.
  const { ranges } = epochs(db);
  assert.equal(
    ranges({ siteId: site.id, day }).map(({ hits }) => hits),
    [1],
  );
  await send('a');
  await send('b');
  assert.equal(
    visits().map(({ hits }) => hits),
    [0, 2, 1],
  );
  assert.is(BigInt(`0x${visits()[2]!.visitor}`), visitor);
  // Heard of once more, as after a start on an old copy: a visit that began later stays.
  list.add([ofAnn]);
  await until('they are looked for again', () => list.upTo(noted).length === 0);
  assert.equal(
    visits().map(({ hits }) => hits),
    [0, 2, 1],
  );
  erasing.close();
  await first.close();
  const holds = (): boolean =>
    [databaseFile(dataDir), `${databaseFile(dataDir)}-wal`].some(
      of => existsSync(of) && readFileSync(of).includes('ann.person'),
    );
  assert.ok(holds());
  const again = openDatabase(dataDir);
  eraseAtStart(again, clock.now);
  assert.not.ok(holds());
  assert.equal(erasedVisitors(again).upTo(rows), []);
  assert.is(hitIds(again)({ siteId: site.id, day })[0], 1, 'rows keep their ids');
  again.close();
});

test('a collector that was off erases at its start', async () => {
  const { db, site, clock, post, close, dataDir } = await startCollector();
  clock.now = noon;
  await post({ s: site.publicKey, u: 'https://site1.example/a', ti: mail });
  const visitor = BigInt(`0x${db.prepare('select hex(visitor) from visit').pluck().get()}`);
  const of = { siteId: site.id, visitor, day, before: noon + 1 };
  erasedVisitors(db).add([of]);
  await close();
  const again = openDatabase(dataDir);
  eraseAtStart(again, noon);
  assert.equal(erasedVisitors(again).upTo(noted), [of], 'more of the visit may come');
  eraseAtStart(again, noon + 1 + clocksDifferMs);
  again.close();
  assert.not.ok(readFileSync(databaseFile(dataDir)).includes('ann.person'));
});

test.run();
