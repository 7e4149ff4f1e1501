/**
 * A day on which nearly every hit is an attacker's, each with another path. The clock runs as fast as the hits come, from a quarter past
 * midnight to the evening; then the day ends, and is sealed.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { hourMs } from '../../src/model/time.ts';
import { openReader } from '../../src/store/database.ts';
import { must, until } from '../tools/conditions.ts';
import { type Answers, dayOfPaths, hitsOfBatch } from './attacks.ts';
import { send } from './requests.ts';
import { type Round, runRound } from './round.ts';
import { diskBytes, type Scene, watchMemory } from './scene.ts';

const hourAtFirst = 0.25;
const hourAtLast = 23;
const stepMs = 500;
const sealMs = 20 * 60_000;

/** `sentence` says how the day ended. */
export const runDay = async (
  hits: number,
  networks: number,
  dir: string,
): Promise<{ round: Round; sentence: string }> => {
  let attackMs = 0;
  let sealed = { seconds: 0, memory: 0, disk: 0, paths: 0, others: 0 };
  const began = performance.now();
  const round = await runRound({
    attack: dayOfPaths,
    networks,
    dir,
    hour: hourAtFirst,
    async last(server, answers) {
      let passedMs = 0;
      for (let sent = 0; sent < hits; sent = hitsOfBatch * taken(answers())) {
        must(server.alive(), 'The server went down.');
        const wantedMs = (sent / hits) * (hourAtLast - hourAtFirst) * hourMs - (performance.now() - began);
        const aheadMs = Math.max(0, Math.round(wantedMs - passedMs));
        server.advance(aheadMs);
        passedMs += aheadMs;
        await wait(stepMs);
      }
      attackMs = performance.now() - began;
    },
    async afterwards(scene) {
      sealed = await sealDay(scene);
    },
  });
  const { seconds, memory, disk, paths, others } = sealed;
  const million = (count: number): string => (count / 1e6).toLocaleString('en-US', { maximumFractionDigits: 2 });
  const sentence = `${million(hits)} million hits in ${Math.round(attackMs / 60_000)} minutes, within the budgets of their networks. Of the paths ${paths.toLocaleString('en-US')} were kept, and ${million(others)} million hits are shown under (other). The day was sealed in ${seconds} s, with at most ${memory} MB of memory; the files then took ${disk} MB.`;
  return { round, sentence };
};

/** Batches that were taken whole. */
const taken = (answers: Answers): number => answers[200] ?? 0;

/** Ends the day, and waits until it is sealed. */
const sealDay = async (scene: Scene) => {
  const { server, dataDir } = scene;
  const paths = await ask(scene, 'breakdown?dimension=path&range=today&limit=500');
  const others = paths.find(({ name }) => name === '(other)')?.events ?? 0;
  const reader = openReader(dataDir);
  const day = reader.prepare('select max(day) from visit').pluck().get() as number;
  const count = reader.prepare(
    `select count(*) from text where site_id = 1 and value glob '/????????????????????????'`,
  );
  const kept = count.pluck().get() as number;
  const sealedAt = reader
    .prepare('select 1 from day_part where site_id = 1 and day = ? and sealed_at is not null')
    .pluck();
  const watched = watchMemory(scene);
  const began = performance.now();
  server.advance(2 * hourMs);
  await until('the day is sealed', () => sealedAt.get(day) !== undefined, sealMs);
  const seconds = Math.round((performance.now() - began) / 1000);
  const memory = Math.round((await watched.stop()) / 1e6);
  reader.close();
  return { seconds, memory, disk: Math.round(diskBytes(dataDir) / 1e6), paths: kept, others };
};

const ask = async ({ server, target, ownerKey }: Scene, asked: string): Promise<{ name: string; events: number }[]> => {
  const path = `/api/v1/sites/${target.key}/${asked}`;
  const headers = { authorization: `Bearer ${ownerKey}` };
  const { status, text } = await send({ url: server.url, method: 'GET', path, headers });
  must(status === 200, `The owner’s question got ${status}: ${text.slice(0, 200)} ${server.log().slice(-1000)}`);
  return JSON.parse(text).data;
};
