/** One attack on a server of its own, and how the honest fare meanwhile. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { lazy } from '../../src/model/remember.ts';
import type { Server } from '../faults/server-process.ts';
import { verify } from '../faults/stored.ts';
import { bundled } from '../tools/build.ts';
import { must } from '../tools/conditions.ts';
import { quantile, rounded, tenths } from '../tools/statistics.ts';
import type { Order, Report } from './attacker.ts';
import type { Answers, Attack } from './attacks.ts';
import { type Answered, startAsking, startSigningIn, startVisitors } from './honest.ts';
import { send } from './requests.ts';
import { diskBytes, mainThreadMs, type Scene, setScene, watchMemory } from './scene.ts';

export interface Round {
  answers: Answers;
  /** Honest hits that were taken at once, taken when sent again, and not taken. */
  atOnce: number;
  onRepeat: number;
  lost: number;
  /** Milliseconds. */
  hitP99: number;
  hitMax: number;
  /** How much of that the thread that takes hits ran, for whomever. */
  busyP99: number;
  busyMax: number;
  /** What a hit of the attacker, or a request that is none, took of the thread that takes hits, with what the honest took meanwhile. */
  mainThreadMs: number;
  owner: Asked;
  neighbour: Asked;
  signIns: Asked;
  /** Megabytes: the most memory, and how much the files grew. */
  memory: number;
  disk: number;
  /** Sales on the shop's pages that the API shows afterwards, of those that were acknowledged. */
  salesShown: number;
  sales: number;
}

interface Asked {
  p99: number;
  refused: number;
  count: number;
}

const hitsPerSecond = 50;
const settleMsDefault = 1500;
const attackerProgram = lazy(() => bundled('test/attack/attacker.ts'));

export interface RoundPlan {
  attack: Attack;
  networks: number;
  dir: string;
  /** When it begins; noon if missing. */
  hour?: number;
  /** Hits of each site on each day of its past; 5,000 if missing. */
  pastHits?: number;
  /** How long the honest have been there before anything is measured. */
  settleMs?: number;
  /** Resolves when the attack is to end. `answers` so far. */
  last(server: Server, answers: () => Answers): Promise<unknown>;
  /** Looks at what is left before the server stops. */
  afterwards?(scene: Scene): Promise<unknown>;
}

/** Throws when a hit that was acknowledged is lost or stored twice, or the server went down. */
export const runRound = async (plan: RoundPlan): Promise<Round> => {
  const { attack, networks, dir, settleMs = settleMsDefault, last, afterwards } = plan;
  const scene = await setScene(dir, plan);
  const { server, target } = scene;
  try {
    let number = 0;
    const visitors = startVisitors({
      ...{ url: server.url, key: target.key, perSecond: hitsPerSecond },
      ...{ next: () => number++, busyMs: () => mainThreadMs(scene) },
    });
    // The first questions start threads, and the first hits compile code.
    await ask(scene, 'stats?range=7d');
    await wait(settleMs);
    const diskBefore = diskBytes(scene.dataDir);
    const asking = askAll(scene);
    const memory = watchMemory(scene);
    const order = { name: attack.name, target: { ...target, networks } };
    const mainBefore = mainThreadMs(scene);
    const answers = await attackWhile(order, answered => last(server, answered));
    const mainMs = mainThreadMs(scene) - mainBefore;
    const [owner, neighbour, signIns] = await asking.stop();
    const honest = await visitors.stop();
    const most = await memory.stop();
    must(server.alive(), `The server went down: ${server.log().slice(-500)}`);
    const shown = await ask(scene, 'stats?range=today&event=Sold&path^=/shop/');
    await afterwards?.(scene);
    await server.stop();
    verify(scene.dataDir, honest.taken);
    return {
      answers,
      atOnce: honest.atOnce,
      onRepeat: honest.onRepeat,
      lost: honest.lost,
      hitP99: tenths(quantile(honest.hitTimes, 0.99)),
      hitMax: tenths(Math.max(...honest.hitTimes)),
      busyP99: tenths(quantile(honest.busyTimes, 0.99)),
      busyMax: tenths(Math.max(...honest.busyTimes)),
      mainThreadMs: rounded(
        mainMs / ((attack.hits ?? 1) * Object.values(answers).reduce((sum, count) => sum + count, 0)),
      ),
      owner: shownOf(owner),
      neighbour: shownOf(neighbour),
      signIns: shownOf(signIns),
      memory: Math.round(most / 1e6),
      disk: Math.round((diskBytes(scene.dataDir) - diskBefore) / 1e6),
      salesShown: shown.events ?? Number.NaN,
      sales: honest.taken.length,
    };
  } finally {
    await server.kill();
  }
};

const ask = async ({ server, target, ownerKey }: Scene, asked: string): Promise<{ events?: number }> => {
  const path = `/api/v1/sites/${target.key}/${asked}`;
  const headers = { authorization: `Bearer ${ownerKey}` };
  const { status, text } = await send({ url: server.url, method: 'GET', path, headers });
  must(status === 200, `The owner’s question got ${status}: ${text.slice(0, 200)} ${server.log().slice(-1000)}`);
  return JSON.parse(text) as { events?: number };
};

/** The owner and a neighbour look at their numbers, each time with another filter, and the owner signs in. */
const askAll = (scene: Scene): { stop(): Promise<[Answered, Answered, Answered]> } => {
  const { server, target, ownerKey, neighbourKey, neighbourSite, owner } = scene;
  const stats = (site: string) => (turn: number) =>
    `/api/v1/sites/${site}/stats?range=7d&path=/shop/${turn % 20}&browser!=Browser${turn}`;
  const all = [
    startAsking(server.url, `Bearer ${ownerKey}`, 4, stats(target.key)),
    startAsking(server.url, `Bearer ${neighbourKey}`, 4, stats(neighbourSite)),
    startSigningIn(server.url, 0.4, owner),
  ] as const;
  return {
    stop: async () => [await all[0].stop(), await all[1].stop(), await all[2].stop()],
  };
};

/** Resolves to how the attacker's requests were answered. */
const attackWhile = async (order: Order, last: (answers: () => Answers) => Promise<unknown>): Promise<Answers> => {
  const attacker = fork(attackerProgram());
  let answers: Answers = {};
  const told = new Promise<void>(resolve => {
    attacker.on('message', (report: Report) => {
      answers = report.answers;
      if (report.isLast) resolve();
    });
  });
  const ended = once(attacker, 'exit').then(() => {
    throw new Error('The attacker went down.');
  });
  ended.catch(() => {});
  attacker.send(order);
  await Promise.race([last(() => answers), ended]);
  attacker.send('stop');
  await Promise.race([told, ended]);
  return answers;
};

const shownOf = ({ times, others }: Answered): Asked => ({
  p99: tenths(quantile(times, 0.99) || 0),
  refused: others,
  count: times.length,
});
