/** Copies of a database that changes: each point is restored and compared with what the database held. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../../src/cli/demo/random.ts';
import { type Copier, createCopier, type Round } from '../../../src/store/copies/copier.ts';
import { pointsToDrop } from '../../../src/store/copies/keep.ts';
import { pointsIn } from '../../../src/store/copies/learn.ts';
import { noncesOf, type Objects, objects } from '../../../src/store/copies/objects.ts';
import { openPlace } from '../../../src/store/copies/open-place.ts';
import { predecessorIn, readOwner } from '../../../src/store/copies/owner.ts';
import { makeChangedPages, type PageWatch, watchPages } from '../../../src/store/copies/page-watch.ts';
import type { Place } from '../../../src/store/copies/place.ts';
import type { PointName } from '../../../src/store/copies/points.ts';
import { notePredecessor } from '../../../src/store/copies/predecessor.ts';
import { openPoint, writeDatabase } from '../../../src/store/copies/restore.ts';
import { verifyNewest } from '../../../src/store/copies/verify.ts';
import {
  type Checkpointer,
  type Database,
  databaseFile,
  openCheckpointer,
  openCopy,
  openReader,
} from '../../../src/store/database.ts';
import { damageIn } from '../../../src/store/maintenance/check.ts';
import { temporaryDatabase, temporaryDir } from '../../helpers.ts';

const keepAll = { minutes: 1e6, hours: 0, days: 0, months: 0 };
const key = randomBytes(32);

interface TestCopier extends Copier {
  /** Fails where it waits. */
  round(now: number): Promise<Round>;
  /** Whether it waits. */
  waits(now: number): Promise<boolean>;
}

interface Scene {
  db: Database;
  dataDir: string;
  to: string;
  place: Place;
  sealed: Objects;
  watch: PageWatch;
  checkpointer: Checkpointer;
  copier(process?: string, id?: string, place?: Place, keep?: typeof keepAll): TestCopier;
  /** As restore leaves a data directory: what it saw of the place is noted in it. */
  restore(): Promise<void>;
  /** What a point holds, all tables. */
  restored(point: PointName): Promise<string>;
  close(): void;
}

const setScene = (encrypt = false): Scene => {
  const { db, dataDir } = temporaryDatabase();
  db.exec(`create table words (site, id, value, primary key (site, id)) without rowid;
    create table blobs (site, day, data, unique (site, day));`);
  const to = temporaryDir();
  const place = openPlace({ to, key: null, access: null });
  // Fewer than a server has, as each round looks at all.
  const changed = makeChangedPages(2 ** 20);
  const sealed = objects(encrypt ? key : null, noncesOf(randomBytes(8)));
  const checkpointer = openCheckpointer(dataDir);
  const watch = watchPages(openReader(dataDir), changed);
  const copiers = new Set<Copier>();
  return {
    ...{ db, dataDir, to, place, sealed, watch, checkpointer },
    copier(process = randomBytes(8).toString('hex'), id = 'one', other = place, keep = keepAll) {
      const owner = { id, process, host: 'here' };
      const copier = createCopier({ dataDir, place: other, sealed, keep, changed, owner, version: '1' });
      const close = (): void => {
        if (copiers.delete(copier)) copier.close();
      };
      copiers.add(copier);
      return {
        async round(now) {
          const round = await copier.round(now);
          assert.ok(round !== null, 'it waits');
          return round;
        },
        waits: async now => (await copier.round(now)) === null,
        renew: () => copier.renew(),
        distrust: packs => copier.distrust(packs),
        close,
      };
    },
    restore: async () => notePredecessor(dataDir, (await predecessorIn(place, sealed))!),
    async restored(name) {
      const file = join(temporaryDir(), 'restored.db');
      const point = await openPoint(place, sealed, name);
      await writeDatabase(place, sealed, point, file, { onBad: fail, onStep: () => {} });
      assert.equal(await damageIn(file), []);
      const copy = openCopy(file);
      const content = contentOf(copy);
      copy.close();
      return content;
    },
    close() {
      watch.close();
      checkpointer.close();
      for (const copier of copiers) copier.close();
      db.close();
    },
  };
};

const fail = (_: number, problem: string): never => {
  throw new Error(problem);
};

/** A digest of every row of every table; the salt is not copied. */
const contentOf = (db: Database): string => {
  const tables = db.prepare(`select name from sqlite_schema where type = 'table' and name <> 'salt' order by name`);
  const hash = createHash('sha1');
  for (const name of tables.pluck().all() as string[]) {
    hash.update(`${name}\n`);
    for (const row of db.prepare(`select * from "${name}"`).raw().iterate() as Iterable<unknown[]>)
      for (const value of row) hash.update(value instanceof Buffer ? value : `${value}|`);
  }
  return hash.digest('hex');
};

/** Random writes of all kinds: rows, large values, deletions, rolled back work, a table that comes and goes. */
const change = (db: Database, chance: ReturnType<typeof chanceFrom>): void => {
  const site = chance.below(4);
  const works: (() => void)[] = [
    () => {
      const add = db.prepare('insert or ignore into words (site, id, value) values (?, ?, ?)');
      for (let i = 0; i < 200; i++) add.run(site, 1 + chance.below(100_000), 'x'.repeat(chance.below(900)));
    },
    () =>
      db
        .prepare('insert or replace into blobs (site, day, data) values (?, ?, ?)')
        .run(site, chance.below(9), randomBytes(chance.below(300_000))),
    () => db.prepare('delete from words where site = ? and id % 3 = ?').run(site, chance.below(3)),
    () => db.prepare('delete from blobs where site = ?').run(site),
    () =>
      db
        .prepare('insert or replace into salt (one, day, salt) values (1, ?, ?)')
        .run(chance.below(1e6), randomBytes(32)),
    () => db.exec('create table if not exists extra (a)'),
    () => db.exec('drop table if exists extra'),
  ];
  const work = db.transaction(() => {
    works[chance.below(works.length)]!();
    if (chance.below(5) === 0) throw new Error('taken back');
  });
  try {
    work();
  } catch (error) {
    assert.is((error as Error).message, 'taken back');
  }
};

for (const encrypt of [false, true]) {
  test(`each point is the database as it was, ${encrypt ? 'encrypted' : 'plain'}`, async () => {
    const scene = setScene(encrypt);
    const { db, watch, checkpointer } = scene;
    const chance = chanceFrom(encrypt ? 2 : 1);
    let copier = scene.copier();
    const points: [PointName, string][] = [];
    for (let step = 0; step < 80; step++) {
      change(db, chance);
      if (chance.below(3) === 0) watch.around(() => checkpointer.run(false));
      if (chance.below(8) === 0) {
        watch.around(() => checkpointer.run(false));
        checkpointer.run(true);
      }
      if (chance.below(20) === 0) {
        // A restart: sometimes in order, sometimes as after kill -9.
        if (chance.below(2) === 0) copier.close();
        copier = scene.copier();
      }
      if (chance.below(6) !== 0) continue;
      const { at } = await copier.round(1000 * step);
      const newest = (await pointsIn(scene.place)).at(-1)!;
      assert.ok(newest.at <= at);
      points.push([newest, contentOf(db)]);
    }
    assert.ok(points.length > 5);
    for (const [point, content] of points)
      assert.ok((await scene.restored(point)) === content, `the point of ${point.at}`);
    scene.close();
  });
}

test('a page that did not change is sent once, over a restart too', async () => {
  const scene = setScene();
  const fill = scene.db.prepare('insert into blobs (site, day, data) values (1, ?, ?)');
  for (let day = 0; day < 50; day++) fill.run(day, randomBytes(100_000));
  const first = scene.copier();
  const whole = await first.round(1);
  assert.ok(whole.pages > 1200);
  fill.run(50, randomBytes(100_000));
  assert.ok((await first.round(2)).pages < 40);
  assert.is((await first.round(3)).pages, 0);
  first.close();
  assert.is((await scene.copier().round(4)).pages, 0);
  scene.close();
});

test('a large database is copied in passes, while it changes', async () => {
  const scene = setScene();
  const fill = scene.db.prepare('insert or replace into blobs (site, day, data) values (1, ?, ?)');
  const data = Buffer.alloc(1_000_000, 'much the same');
  for (let day = 0; day < 90; day++) fill.run(day, data);
  let puts = 0;
  const changing: Place = {
    ...scene.place,
    async put(name, object) {
      await scene.place.put(name, object);
      if (puts++ < 5) fill.run(puts, randomBytes(1_000_000));
      scene.watch.around(() => scene.checkpointer.run(false));
    },
  };
  await scene.copier(undefined, undefined, changing).round(1);
  assert.ok(puts > 6);
  assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(scene.db));
  scene.close();
});

test('no salt is copied, and a copy can be started with', async () => {
  const scene = setScene();
  const salt = randomBytes(32);
  scene.db.prepare('insert into salt (one, day, salt) values (1, 5, ?)').run(salt);
  await scene.copier().round(7);
  const [point] = await pointsIn(scene.place);
  const file = join(temporaryDir(), 'restored.db');
  await writeDatabase(scene.place, scene.sealed, await openPoint(scene.place, scene.sealed, point!), file, {
    onBad: fail,
    onStep: () => {},
  });
  assert.not.ok(readFileSync(file).includes(salt));
  const copy = openCopy(file);
  assert.is(copy.prepare('select count(*) from salt').pluck().get(), 0);
  copy.close();
  scene.close();
});

test('a round that fails loses nothing: the next goes on', async () => {
  const scene = setScene();
  const chance = chanceFrom(9);
  let broken = 0;
  const flaky: Place = {
    ...scene.place,
    async put(name, object) {
      if (broken-- > 0) throw new Error('the place is full');
      await scene.place.put(name, object);
    },
  };
  const copier = scene.copier(undefined, undefined, flaky);
  for (let step = 0; step < 30; step++) {
    change(scene.db, chance);
    scene.watch.around(() => scene.checkpointer.run(false));
    broken = chance.below(3);
    const round = await copier.round(step).catch(() => null);
    broken = 0;
    if (round === null) continue;
    assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(scene.db));
  }
  await copier.round(1000);
  assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(scene.db));
  scene.close();
});

test('wrong and missing bytes are found, and copied again', async () => {
  const scene = setScene();
  const chance = chanceFrom(3);
  const copier = scene.copier();
  for (let step = 0; step < 8; step++) {
    change(scene.db, chance);
    await copier.round(step);
  }
  const packs = readdirSync(join(scene.to, 'packs')).map(name => join(scene.to, 'packs', name));
  const [flipped, cut] = [packs[0]!, packs.at(-1)!];
  const bytes = readFileSync(flipped);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(flipped, bytes);
  truncateSync(cut, 20);
  const verdict = await verifyNewest(scene.place, scene.sealed, scene.dataDir, 100);
  assert.ok(verdict.bad.length >= 1);
  assert.match(verdict.problems[0]!, /is damaged/);
  copier.distrust(verdict.bad);
  await copier.round(101);
  const mended = await verifyNewest(scene.place, scene.sealed, scene.dataDir, 102);
  const { at: point } = (await pointsIn(scene.place)).at(-1)!;
  assert.equal(mended, { verified: { point, at: 102 }, bad: [], problems: [] });
  assert.not.ok(existsSync(join(scene.dataDir, 'backup-check.db')));
  scene.close();
});

test('a second server is refused, until the first was silent for an hour; then the first is', async () => {
  const scene = setScene();
  const [first, second] = [scene.copier('aa', 'one'), scene.copier('bb', 'two')];
  await first.round(0);
  const refused = await second.round(1000).catch(error => error as Error);
  assert.match((refused as Error).message, /^Another server writes to BACKUP_TO: here/);
  await first.round(2000);
  const hours = 2 * 60 * 60_000;
  await second.round(hours);
  scene.db.exec('create table extra (a)');
  const late = await first.round(hours + 1).catch(error => error as Error);
  assert.match((late as Error).message, /^Another server writes/);
  await second.round(hours + 2);
  assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(scene.db));
  scene.close();
});

test('of two servers with one id, as after a directory was copied, the later stays', async () => {
  const scene = setScene();
  const [first, second] = [scene.copier('aa'), scene.copier('bb')];
  await first.round(0);
  await second.round(1000);
  const refused = await first.round(2000).catch(error => error as Error);
  assert.match((refused as Error).message, /^Another server writes/);
  await second.round(3000);
  scene.close();
});

const refusalOf = async (round: Promise<Round>): Promise<string> =>
  round.then(
    () => '',
    (error: Error) => error.message,
  );

/** Looks every 10 s from some moment on until it copies, and gives how many seconds that took. */
const secondsOfWaiting = async (copier: TestCopier, from: number): Promise<number> => {
  for (let s = 0; s < 300; s += 10) if (!(await copier.waits(from + 1000 * s))) return s;
  throw new Error('it waits for five minutes');
};

test('a server on what was restored goes on after 100 s of silence, and one that came back is told', async () => {
  const scene = setScene();
  const lost = scene.copier('aa', 'one');
  await lost.round(0);
  await scene.restore();
  const next = scene.copier('bb', 'two');
  const late = scene.copier('cc', 'three');
  assert.ok(await late.waits(1000));
  assert.is(await secondsOfWaiting(next, 1000), 100);
  assert.match(await refusalOf(lost.round(200_000)), /^Another server writes/);
  await lost.renew();
  // Of two on what was restored, the second comes too late.
  assert.match(await refusalOf(late.round(201_000)), /^Another server writes/);
  await next.round(202_000);
  scene.close();
});

test('a server that lives and has nothing to copy keeps its place from one that was restored', async () => {
  const scene = setScene();
  const first = scene.copier('aa', 'one');
  await first.round(0);
  for (let begun = 0; begun < 45; begun += 5) {
    await scene.restore();
    const next = scene.copier('bb', 'two');
    for (let s = begun; s < 45; s += 10) assert.ok(await next.waits(1000 * s));
    // The next renewal, 45 s after the last.
    await wait(2);
    await first.renew();
    assert.match(await refusalOf(next.round(51_000)), /^Another server writes/);
  }
  await first.round(60_000);
  scene.close();
});

test('a clock that steps ahead does not make the owner of a place silent', async () => {
  const scene = setScene();
  const first = scene.copier('aa', 'one');
  await first.round(0);
  await scene.restore();
  const next = scene.copier('bb', 'two');
  assert.ok(await next.waits(1000));
  assert.ok(await next.waits(30 * 60_000));
  assert.ok(await next.waits(0));
  await wait(2);
  await first.renew();
  assert.match(await refusalOf(next.round(5000)), /^Another server writes/);
  scene.close();
});

test('a server on what was restored is refused where the one that was copied goes on', async () => {
  const scene = setScene();
  const first = scene.copier('aa', 'one');
  await first.round(0);
  await scene.restore();
  scene.db.exec('create table extra (a)');
  await first.round(1000);
  assert.match(await refusalOf(scene.copier('bb', 'two').round(2000)), /^Another server writes/);
  scene.close();
});

test('of two servers that take a silent place over at once, one goes on, and what it copies is whole', async () => {
  const scene = setScene();
  await scene.copier('aa', 'one').round(0);
  const hours = 2 * 60 * 60_000;
  const later = scene.copier('cc', 'three');
  let isFirst = true;
  const crossed: Place = {
    ...scene.place,
    async put(name, object) {
      await scene.place.put(name, object);
      // Both have seen that nobody is there. The first has written its pages when the later one comes.
      if (!name.startsWith('packs/') || !isFirst) return;
      isFirst = false;
      rmSync(join(scene.to, 'owner'));
      await later.round(hours);
    },
  };
  scene.db.exec('create table extra (a)');
  const earlier = scene.copier('bb', 'two', crossed);
  for (const at of [hours, hours + 1]) {
    const refused = await earlier.round(at).catch(error => error as Error);
    assert.match((refused as Error).message, /Another server/);
  }
  scene.db.exec('create table more (a)');
  await later.round(hours + 2);
  const points = await pointsIn(scene.place);
  assert.equal(
    points.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.ok((await scene.restored(points.at(-1)!)) === contentOf(scene.db));
  scene.close();
});

test('an owner that cannot be read does not stop the one who wrote it, and stops others', async () => {
  const scene = setScene(true);
  const copier = scene.copier('aa');
  await copier.round(0);
  writeFileSync(join(scene.to, 'owner'), 'wrong bytes');
  const other = await scene
    .copier('bb')
    .round(1000)
    .catch(error => error as Error);
  assert.match((other as Error).message, /^The object owner is damaged/);
  await copier.round(2000);
  assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(scene.db));
  scene.close();
});

test('a point is of the moment that it holds, however long copying took', async () => {
  const scene = setScene();
  const slow: Place = {
    ...scene.place,
    async put(name, object) {
      // The first object is the owner: the moment comes after it.
      if (name === 'owner') await wait(10);
      await scene.place.put(name, object);
    },
  };
  const { at } = await scene.copier(undefined, undefined, slow).round(10_000);
  assert.ok(at >= 10_009, `${at}`);
  assert.equal(await pointsIn(scene.place), [{ number: 1, at }]);
  scene.close();
});

test('a database that became smaller and grows again lacks nothing', async () => {
  const scene = setScene();
  const { db } = scene;
  const hour = 60 * 60_000;
  const copier = scene.copier(undefined, undefined, scene.place, { minutes: 0, hours: 0, days: 0, months: 0 });
  const data = randomBytes(400_000);
  const fill = (): void => void db.prepare('insert into blobs (site, day, data) values (1, 1, ?)').run(data);
  fill();
  await copier.round(0);
  db.exec('delete from blobs');
  db.exec('vacuum');
  await copier.round(2 * hour);
  await copier.round(4 * hour);
  fill();
  await copier.round(4 * hour + 1000);
  assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(db));
  scene.close();
});

test('packs that vanish are noticed within the hour and at a start, and copied again', async () => {
  const scene = setScene();
  const hour = 60 * 60_000;
  const copier = scene.copier();
  for (let i = 0; i < 9; i++) change(scene.db, chanceFrom(i));
  await copier.round(0);
  const lose = (): void => {
    for (const name of readdirSync(join(scene.to, 'packs'))) rmSync(join(scene.to, 'packs', name));
  };
  const whole = async (): Promise<void> =>
    assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(scene.db));
  lose();
  await copier.round(2 * hour);
  await copier.round(2 * hour + 1000);
  await whole();
  copier.close();
  lose();
  await scene.copier().round(2 * hour + 2000);
  await whole();
  scene.close();
});

test('a commit between two checkpoints of one call stays in the log', async () => {
  const scene = setScene();
  const { db, watch, checkpointer } = scene;
  const copier = scene.copier();
  await copier.round(0);
  change(db, chanceFrom(1));
  watch.around(() => checkpointer.run(false));
  assert.ok(watch.around(() => checkpointer.run(true)) !== null);
  db.exec('create table extra (a)');
  watch.around(() => {
    db.exec('create table more (a)');
    assert.is(checkpointer.run(true), null);
  });
  await copier.round(1000);
  assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(db));
  scene.close();
});

test('another program that copied the log is noticed', async () => {
  const scene = setScene();
  const copier = scene.copier();
  await copier.round(0);
  scene.watch.around(() => null);
  for (let i = 0; i < 3; i++) {
    change(scene.db, chanceFrom(i));
    scene.db.pragma('wal_checkpoint(truncate)');
  }
  scene.db.exec('create table extra (a)');
  scene.watch.around(() => null);
  await copier.round(1);
  assert.ok((await scene.restored((await pointsIn(scene.place)).at(-1)!)) === contentOf(scene.db));
  scene.close();
});

test('a database that another program put in order is copied whole', async () => {
  const scene = setScene();
  const { db, dataDir, watch, checkpointer } = scene;
  const chance = chanceFrom(8);
  const copier = scene.copier();
  for (let step = 0; step < 40; step++) change(db, chance);
  watch.around(() => checkpointer.run(false));
  await copier.round(0);
  const shell = openCopy(databaseFile(dataDir));
  shell.exec('vacuum');
  shell.pragma('wal_checkpoint(passive)');
  shell.close();
  db.exec('create table extra (a)');
  await copier.round(1);
  const newest = async (): Promise<string> => scene.restored((await pointsIn(scene.place)).at(-1)!);
  assert.ok((await newest()) === contentOf(db));
  watch.around(() => null);
  await copier.round(2);
  assert.ok((await newest()) === contentOf(db));
  scene.close();
});

test('old points go, and packs that none needs; small remains of packs are put together', async () => {
  const scene = setScene();
  const chance = chanceFrom(5);
  const keep = { minutes: 30, hours: 3, days: 0, months: 0 };
  const copier = scene.copier(undefined, undefined, scene.place, keep);
  const rounds: Round[] = [];
  const minute = 60_000;
  for (let step = 0; step < 60 * 5; step += 5) {
    if (chance.below(2) === 0) change(scene.db, chance);
    rounds.push(await copier.round(step * minute));
  }
  const points = await pointsIn(scene.place);
  assert.ok(points.length <= 60 + 3, `${points.length} points`);
  for (const point of points.slice(-3)) await scene.restored(point);
  assert.ok((await scene.restored(points.at(-1)!)) === contentOf(scene.db));
  const packs = (await scene.place.list('packs/')).length;
  assert.ok(packs < rounds.filter(({ pages }) => pages > 0).length, `${packs} packs`);
  scene.close();
});

test('a clock that was years ahead leaves the newest copy the newest, and old ones go on thinning out', async () => {
  const scene = setScene();
  const [minute, year] = [60_000, 365 * 24 * 60 * 60_000];
  const copier = scene.copier(undefined, undefined, scene.place, { minutes: 30, hours: 3, days: 2, months: 0 });
  let tables = 0;
  const copyFor = async (from: number, minutes: number): Promise<void> => {
    for (let at = from; at < from + minutes * minute; at += 10 * minute) {
      scene.db.exec(`create table extra${tables++} (a)`);
      await copier.round(at);
    }
  };
  await copyFor(year, 120);
  await copyFor(5 * year, 240);
  await copyFor(year + 120 * minute, 240);
  const points = await pointsIn(scene.place);
  const newest = points.at(-1)!;
  assert.is(newest.at, Math.max(...points.map(({ at }) => at).filter(at => at < 2 * year)));
  assert.ok((await scene.restored(newest)) === contentOf(scene.db));
  const ahead = points.filter(({ at }) => at > 2 * year);
  assert.ok(ahead.length > 0 && ahead.length <= 9, `${ahead.length} points ahead`);
  assert.ok(points.length - ahead.length <= 15, `${points.length} points`);
  for (const point of points) await scene.restored(point);
  scene.close();
});

test('a clock that is years behind takes no copies away', () => {
  const day = 24 * 60 * 60_000;
  const points = Array.from({ length: 10 }, (_, i) => ({ number: i + 1, at: 20_000 * day + i * day }));
  const late = { number: 11, at: 0 };
  assert.equal(pointsToDrop([...points, late], 1, { minutes: 0, hours: 0, days: 9, months: 0 }), [points[0]!]);
});

test('a wrong key, and no key, say so', async () => {
  const scene = setScene(true);
  await scene.copier().round(1);
  const [point] = await pointsIn(scene.place);
  for (const [other, said] of [
    [objects(null), /^The copies are encrypted: set BACKUP_KEY\.$/],
    [objects(randomBytes(32)), /^The object \S+ is damaged, or BACKUP_KEY is another than it was written with\.$/],
  ] as const) {
    for (const read of [() => openPoint(scene.place, other, point!), () => readOwner(scene.place, other)]) {
      const problem = await read().catch(error => error as Error);
      assert.match((problem as Error).message, said);
    }
  }
  rmSync(scene.to, { recursive: true });
  scene.close();
});

test('a server with a key is told what to do about copies without', async () => {
  const scene = setScene();
  await scene.copier().round(1);
  const problem = await readOwner(scene.place, objects(key)).catch(error => error as Error);
  assert.match(
    (problem as Error).message,
    /^The copies are not encrypted, and BACKUP_KEY is set\. A server with a key/,
  );
  scene.close();
});

test('with a key, an object that is not encrypted is refused', async () => {
  const forged = objects(null).encode('owner', Buffer.from('{}'));
  assert.throws(
    () => objects(key).decode('owner', forged),
    (error: Error) => /^owner is not encrypted, and BACKUP_KEY is set/.test(error.message),
  );
});

test.run();
