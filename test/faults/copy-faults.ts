/** What can go wrong with the copies that a server keeps, and with the disk that they are for. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dayMs } from '../../src/model/time.ts';
import { databaseFile } from '../../src/store/database.ts';
import { access, type BucketServer, type Mood, startBucketServer } from '../tools/bucket-server.ts';
import { builtProgram } from '../tools/build.ts';
import { must, until } from '../tools/conditions.ts';
import { type Fault, type Scene, served, setScene } from './fault.ts';
import { runProgram } from './server-process.ts';
import { problemsOf, storedNumbers } from './stored.ts';

const everyMs = 1000;
/** A copy that began after a hit was acknowledged is there after this long. */
const copiedMs = 5 * everyMs;

/** After a restore, copies go on within this time. */
const copiedAgainMs = 2 * 60_000;

const credentials = { AWS_ACCESS_KEY_ID: access.accessKeyId, AWS_SECRET_ACCESS_KEY: access.secretAccessKey };
/** The crowd is one network. */
const noBudget = { SENDER_HITS: '1000000', SENDER_BURST: '1000000' };
const settingsFor = (to: string): { env: Record<string, string> } => ({
  env: { BACKUP_TO: to, BACKUP_EVERY_S: String(everyMs / 1000), ...noBudget, ...credentials },
});

const restore = async (to: string, dataDir: string): Promise<void> => {
  const args = ['restore', '--from', to, '--data', dataDir];
  Object.assign(process.env, credentials);
  const { code, said } = await runProgram(builtProgram, args);
  must(code === 0, `restore said: ${said}`);
};

/** Throws unless a directory holds all of some numbers once, nothing that was never sent, and no damage. */
const verifyRestored = (dataDir: string, there: readonly number[], sent: ReadonlySet<number>): void => {
  const stored = storedNumbers(dataDir);
  const lost = there.filter(number => !stored.has(number));
  must(lost.length === 0, `${lost.length} hits are missing that were acknowledged long before.`);
  for (const [number, count] of stored)
    must(count === 1 && sent.has(number), `Hit ${number} is there ${count} times, or was never acknowledged.`);
  must(problemsOf(dataDir).length === 0, 'What was restored is damaged.');
};

/** Resolves when a copy was made that began after this was asked for, however busy the machine is. */
const copiedSince = async ({ server }: Scene): Promise<void> => {
  const copiedAt = async (): Promise<string | null> => {
    const detail = await (await fetch(`${server.url}/health?detail`)).json();
    return (detail as { backup: { copiedAt: string | null } }).backup.copiedAt;
  };
  // The next may have begun before.
  for (let copies = 0; copies < 2; copies++) {
    const last = await copiedAt();
    await until('a copy is made', async () => (await copiedAt()) !== last);
  }
};

/** Takes a disk away under load, again and again, and goes on with what was restored. */
const loseDisks = async (dir: string, to: string, rounds: number): Promise<void> => {
  const scene = await setScene(dir, settingsFor(to));
  /** What restored directories are known to hold, and what they may hold. */
  let kept: number[] = [];
  const sent = new Set<number>();
  let offsetMs = 0;
  for (let round = 0; round < rounds; round++) {
    const crowd = scene.crowd();
    await served(crowd);
    // A day is sealed in some of the rounds.
    const isMidnight = round % 5 === 2;
    if (isMidnight) await scene.server.advance(dayMs);
    await wait(500 + 100 * (round % 10));
    const before = [...crowd.acknowledged];
    await copiedSince(scene);
    await scene.server.kill();
    await crowd.stop();
    // The very last may be in the copy without having been answered.
    for (let number = 0; number <= Math.max(...crowd.acknowledged) + 1000; number++) sent.add(number);
    rmSync(scene.dataDir, { recursive: true });
    await restore(to, scene.dataDir);
    verifyRestored(scene.dataDir, [...kept, ...before], sent);
    kept = [...storedNumbers(scene.dataDir).keys()];
    if (isMidnight) offsetMs += dayMs;
    await scene.restart({ offsetMs });
    must(existsSync(databaseFile(scene.dataDir)), 'There is no database.');
    await until('what was restored is copied', () => scene.server.log().includes(' copied '), copiedAgainMs);
    must(!scene.server.log().includes('copy-failed'), 'A copy failed.');
  }
  await scene.server.stop();
};

const lostDisk: Fault = {
  name: 'lost disk',
  outcome:
    'With BACKUP_TO, daybook restore makes a data directory of the newest copy. It lacks at most the hits of the last minute (BACKUP_EVERY_S and the time that a copy takes), and all else is as it was. The server that starts on it goes on with the copies.',
  async run(dir, rounds) {
    await loseDisks(join(dir, 'one'), join(dir, 'copies'), Math.ceil(rounds / 2));
    const bucket = await startBucketServer();
    await loseDisks(join(dir, 'two'), bucket.url, Math.floor(rounds / 2));
    await bucket.close();
  },
};

/** A server that copies to a bucket in some mood while hits come, and then to one that is well. */
const inMood = async (dir: string, mood: Mood, during: (scene: Scene, bucket: BucketServer) => Promise<void>) => {
  const bucket = await startBucketServer();
  const scene = await setScene(dir, settingsFor(bucket.url));
  try {
    await until('a copy is made', () => scene.server.log().includes(' copied '));
    bucket.mood = mood;
    const crowd = scene.crowd();
    await served(crowd);
    await during(scene, bucket);
    await served(crowd);
    must((await scene.health()) === 200, 'The server is not well.');
    await crowd.stop();
    must(crowd.others.size === 0, `Hits were refused: ${[...crowd.others.keys()].join(', ')}.`);
    bucket.mood = 'well';
    const last = scene.crowd();
    await served(last);
    await last.stop();
    await wait(copiedMs);
    await scene.server.stop();
    const restored = join(dir, 'restored');
    await restore(bucket.url, restored);
    const all = scene.acknowledged();
    verifyRestored(restored, all, new Set(all));
  } finally {
    if (scene.server.alive()) await scene.server.kill();
    await bucket.close();
  }
};

const outlasts = (mood: Mood, name: string, outcome: string): Fault => ({
  name,
  outcome,
  run: dir => inMood(dir, mood, () => wait(3 * everyMs + copiedMs)),
});

/** Has a proof made of what was stored badly: proofs are a day apart. */
const isFound = async (scene: Scene, bucket: BucketServer): Promise<void> => {
  await wait(copiedMs);
  bucket.mood = 'well';
  await wait(2 * everyMs);
  await scene.server.advance(dayMs + 60_000);
  await until('the proof fails', () => / copy-failed what=verify /.test(scene.server.log()));
};

const found = (mood: Mood, name: string, outcome: string): Fault => ({
  name,
  outcome,
  run: dir => inMood(dir, mood, isFound),
});

const secondServer: Fault = {
  name: 'second server that copies to the same place',
  outcome:
    'It is refused, and its log and /health?detail say which server writes there. The copies stay those of the first. Hits go on at both.',
  async run(dir) {
    const to = join(dir, 'copies');
    const first = await setScene(join(dir, 'one'), settingsFor(to));
    await until('a copy is made', () => first.server.log().includes(' copied '));
    const second = await setScene(join(dir, 'two'), settingsFor(to));
    try {
      await until('it is refused', () => /copy-failed .*Another server writes/.test(second.server.log()));
      const crowds = [first.crowd(), second.crowd()];
      await Promise.all(crowds.map(crowd => served(crowd)));
      await Promise.all(crowds.map(crowd => crowd.stop()));
      await wait(copiedMs);
    } finally {
      await first.server.stop();
      await second.server.stop();
    }
    await restore(to, join(dir, 'restored'));
    const all = first.acknowledged();
    verifyRestored(join(dir, 'restored'), all, new Set(all));
  },
};

export const copyFaults: readonly Fault[] = [
  lostDisk,
  outlasts(
    'slow',
    'place of the copies that is slow',
    'Copies are older by as much. Hits and questions do not wait for them.',
  ),
  outlasts(
    'cuts',
    'place of the copies that breaks off, or cannot be reached',
    'The log says so, and so do /health?detail and /metrics. The next copy goes on where the last one stopped. Hits do not wait.',
  ),
  outlasts('full', 'place of the copies that is full', 'As if it could not be reached. Earlier copies stay whole.'),
  found(
    'lies',
    'place of the copies that loses what it said it stored',
    'The next proof finds out, the log says what is missing, and it is copied again.',
  ),
  found(
    'spoils',
    'wrong bytes in a copy',
    'The next proof finds them, and the pages in it are copied again. daybook restore never gives out a damaged copy: it says which is, and --at takes an earlier one.',
  ),
  secondServer,
];
