/** What a disk can do to a server. */
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { utcDayOf } from '../../src/model/time.ts';
import { databaseFile, openDatabase } from '../../src/store/database.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, visitRecord } from '../helpers.ts';
import { must, until } from '../tools/conditions.ts';
import { type Fault, nothingServed, served, setScene } from './fault.ts';
import { makeDisk, makeReadOnly } from './mounts.ts';
import { NotStarted } from './server-process.ts';
import { verify } from './stored.ts';

const diskBytes = 64 * 2 ** 20;

const fullDisk: Fault = {
  name: 'full disk',
  outcome:
    'Hits get 503, and so does /health, until there is space again. Then the server goes on by itself within seconds. Questions are answered all the while.',
  needsRoot: true,
  async run(dir) {
    const disk = makeDisk(dir, diskBytes);
    const scene = await setScene(disk.dir);
    try {
      const crowd = scene.crowd();
      await served(crowd);
      disk.fill(0);
      await until('hits are refused', () => (crowd.others.get('503') ?? 0) > 20);
      await until('health tells', async () => (await scene.health()) === 503);
      await nothingServed(crowd, 3000);
      must((await scene.ask()) === 200, 'A question was not answered.');
      disk.free();
      await served(crowd);
      must((await scene.health()) === 200, 'It is still not well.');
      await crowd.stop();
      must(scene.server.alive() && !crowd.others.has('cut'), 'The server went down.');
      await scene.server.stop();
      verify(scene.dataDir, scene.acknowledged());
    } finally {
      await scene.server.kill();
      disk.remove();
    }
  },
};

const largeDayBytes = 512 * 2 ** 20;
const largeDayVisits = 52_000;
const hitsOfVisit = 10;

/** Gives the second site more hits today than are read at once. */
const addLargeDay = (dataDir: string): void => {
  const db = openDatabase(dataDir);
  const { write } = recorder(db);
  const at = Date.now();
  const day = utcDayOf(at);
  for (let id = 1; id <= largeDayVisits; id++) {
    const of = { siteId: 2, day, visitId: id, at };
    const visitor = Buffer.alloc(8);
    visitor.writeUInt32BE(Math.imul(id, 0x9e3779b1) >>> 0);
    if (id % 1000 === 1) db.exec('begin');
    write([
      recordedEntry(hitRecord(of), visitRecord({ ...of, id, visitor })),
      ...Array.from({ length: hitsOfVisit - 1 }, () => recordedEntry(hitRecord(of))),
    ]);
    if (id % 1000 === 0) db.exec('commit');
  }
  db.close();
};

const fullDiskLargeDay: Fault = {
  name: 'full disk while a large day is read',
  outcome:
    'A question about an open day of more than half a million hits gets 500 if it has to read the day anew, and the log says why. Once there is space again, it is answered. Other questions are answered all the while.',
  needsRoot: true,
  async run(dir) {
    const disk = makeDisk(dir, largeDayBytes);
    const scene = await setScene(disk.dir);
    try {
      await scene.server.stop();
      addLargeDay(scene.dataDir);
      await scene.restart();
      await until('the large day is read', async () => (await scene.ask(7, 1)) === 200);
      await scene.restart();
      // No space for all of the file, and for none of it.
      for (const leftBytes of [2 ** 20, 0]) {
        disk.free();
        disk.fill(leftBytes);
        const status = await scene.ask(7, 1);
        must(status === 500, `The large day was read on a full disk: ${status}.`);
        must((await scene.ask(7, 0)) === 200, 'Another question was not answered.');
      }
      must(
        /query-failed .*temporary file /i.test(scene.server.log()),
        `The log does not say why: ${scene.server.log()}`,
      );
      disk.free();
      await until('it is read when there is space again', async () => (await scene.ask(7, 1)) === 200);
      await scene.server.stop();
    } finally {
      await scene.server.kill();
      disk.remove();
    }
  },
};

const hangingDisk: Fault = {
  name: 'disk that hangs',
  outcome:
    'Nothing is acknowledged while it hangs. When it answers again, everything that waited is written and acknowledged.',
  needsRoot: true,
  async run(dir) {
    const disk = makeDisk(dir, diskBytes);
    const scene = await setScene(disk.dir);
    try {
      const crowd = scene.crowd();
      await served(crowd);
      disk.freeze();
      try {
        await wait(500);
        await nothingServed(crowd, 3000);
      } finally {
        disk.thaw();
      }
      await served(crowd);
      await crowd.stop();
      await scene.server.stop();
      verify(scene.dataDir, scene.acknowledged());
    } finally {
      await scene.server.kill();
      disk.remove();
    }
  },
};

/** One is not enough: a disk that fails in the middle of a sync seldom says that the sync was done. */
const failures = 12;

const failingDisk: Fault = {
  name: 'disk that fails and becomes read-only',
  outcome:
    'As with a full disk. Repair and remount the file system and restart Daybook: every acknowledged hit is there.',
  needsRoot: true,
  async run(dir) {
    const disk = makeDisk(dir, diskBytes);
    const scene = await setScene(disk.dir);
    try {
      for (let failure = 0; failure < failures; failure++) {
        const crowd = scene.crowd();
        await served(crowd);
        disk.breakDown();
        await until('hits are refused', () => (crowd.others.get('503') ?? 0) > 20);
        await until('health tells', async () => (await scene.health()) === 503);
        await nothingServed(crowd, 500);
        must((await scene.ask()) === 200, 'A question was not answered.');
        await crowd.stop();
        must(scene.server.alive(), 'The server went down.');
        await scene.server.kill();
        disk.repair();
        await scene.restart();
        verify(scene.dataDir, scene.acknowledged());
      }
    } finally {
      await scene.server.kill();
      disk.remove();
    }
  },
};

const readOnlyFile: Fault = {
  name: 'data directory that cannot be written',
  outcome: 'The server does not start, says why in one sentence, and exits with code 1.',
  needsRoot: true,
  async run(dir) {
    const scene = await setScene(dir);
    await scene.server.stop();
    const undo = makeReadOnly(scene.dataDir);
    try {
      const said = await scene.restart().then(
        () => null,
        (error: unknown) => (error instanceof NotStarted ? error.message : null),
      );
      must(said !== null, 'It started.');
      must(/read-?only|cannot be written|not writable/i.test(said) && !said.includes('\n'), `It said: ${said}`);
    } finally {
      undo();
    }
    await scene.restart();
    const crowd = scene.crowd();
    await served(crowd);
    await crowd.stop();
    await scene.server.stop();
  },
};

const lockedFile: Fault = {
  name: 'another program that locks the database',
  outcome: 'Hits get 503 until it lets go. A second later hits are written again. Nothing else waits for it.',
  async run(dir) {
    const scene = await setScene(dir);
    const crowd = scene.crowd();
    await served(crowd);
    const other = new Sqlite(databaseFile(scene.dataDir));
    other.exec('begin immediate');
    await until('hits are refused', () => (crowd.others.get('503') ?? 0) > 20);
    must((await scene.health()) === 503, 'Health does not tell.');
    must((await scene.ask()) === 200, 'A question was not answered.');
    await nothingServed(crowd, 3000);
    other.exec('rollback');
    other.close();
    await served(crowd);
    await crowd.stop();
    await scene.server.stop();
    verify(scene.dataDir, scene.acknowledged());
  },
};

export const diskFaults: readonly Fault[] = [
  fullDisk,
  fullDiskLargeDay,
  hangingDisk,
  failingDisk,
  readOnlyFile,
  lockedFile,
];
