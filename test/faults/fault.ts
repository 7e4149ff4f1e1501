/** What a fault is, and the steps that trying one takes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { must, until } from '../tools/conditions.ts';
import { type Crowd, startCrowd } from './crowd.ts';
import { makeSites } from './kills.ts';
import { type Server, type ServerSettings, start } from './server-process.ts';

export interface Fault {
  name: string;
  /** What a server does about it: what docs/operations.md promises, and `run` proves. */
  outcome: string;
  /** Mounts file systems, which only root may. */
  needsRoot?: true;
  /** Throws when the outcome is another. `dir` is its own and goes away afterwards. Some try it `rounds` times. */
  run(dir: string, rounds: number): Promise<void>;
}

/** A server on data of its own, with sites that a crowd sends to and a key that reads them. */
export interface Scene {
  dataDir: string;
  key: string;
  server: Server;
  /** Every crowd's hits have other numbers. */
  crowd(): Crowd;
  /** What all crowds were promised. */
  acknowledged(): number[];
  /** Status of GET /health, and of a question about one of the sites; 0 for no answer. */
  health(): Promise<number>;
  ask(days?: number, site?: 0 | 1): Promise<number>;
  /** Starts the server anew, on the same data. */
  restart(settings?: Partial<ServerSettings>): Promise<void>;
}

const apiKey = `tk_live_${'f'.repeat(32)}`;
const clients = 16;
/** A thread takes long to start on a machine that is busy. */
const askTimeoutMs = 60_000;

export const setScene = async (dir: string, settings: Partial<ServerSettings> = {}): Promise<Scene> => {
  const dataDir = join(dir, 'data');
  mkdirSync(dataDir, { recursive: true });
  const keys = makeSites(dataDir, 2);
  const db = openDatabase(dataDir);
  apiKeys(db).add(accounts(db).named('default', 0).id, 'faults', apiKey, 0);
  db.close();
  const crowds: Crowd[] = [];
  let number = 0;
  const statusOf = async (path: string): Promise<number> => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const signal = AbortSignal.timeout(askTimeoutMs);
    return fetch(`${scene.server.url}${path}`, { headers, signal }).then(
      response => response.status,
      () => 0,
    );
  };
  const scene: Scene = {
    dataDir,
    key: keys[0]!,
    server: await start({ dataDir, ...settings }),
    crowd() {
      const crowd = startCrowd({ url: scene.server.url, keys, clients, next: () => number++ });
      crowds.push(crowd);
      return crowd;
    },
    acknowledged: () => crowds.flatMap(({ acknowledged }) => acknowledged),
    health: () => statusOf('/health'),
    ask: (days = 7, site = 0) => statusOf(`/api/v1/sites/${keys[site]}/stats?range=${days}d`),
    async restart(changed = {}) {
      if (scene.server.alive()) await scene.server.stop();
      scene.server = await start({ dataDir, ...settings, ...changed });
    },
  };
  return scene;
};

/** Resolves when the crowd was acknowledged some more hits. */
export const served = (crowd: Crowd, hits = 200): Promise<void> => {
  const before = crowd.acknowledged.length;
  return until('hits are acknowledged', () => crowd.acknowledged.length >= before + hits);
};

/** Throws when the crowd is acknowledged anything for some time. */
export const nothingServed = async (crowd: Crowd, forMs = 1500): Promise<void> => {
  const before = crowd.acknowledged.length;
  await wait(forMs);
  const more = crowd.acknowledged.length - before;
  must(more === 0, `${more} hits were acknowledged that could not be written.`);
};
