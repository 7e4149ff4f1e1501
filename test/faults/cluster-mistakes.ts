/** What operators get wrong while a cluster takes hits: each is done to a running one, and taken back. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Chance } from '../../src/cli/demo/random.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { freePorts } from '../cluster/servers.ts';
import { type Crowd, startCrowd } from './crowd.ts';
import { start } from './server-process.ts';

/** Something that can be killed, stopped and started again. */
export interface Part {
  kind: string;
  pid(): number | null;
  start(): Promise<void>;
  /** Moves its clock, where it runs and has one. */
  advance?(ms: number): Promise<void>;
}

/** One of Daybook's. */
export interface DaybookPart extends Part {
  dataDir: string;
  url: string;
}

export interface Stage {
  dir: string;
  /** Settings of all servers, and those of the primary. */
  shared: Record<string, string>;
  primaryEnv: Record<string, string>;
  primary: DaybookPart;
  collectors: DaybookPart[];
  /** All that ever sent hits, and who sends them to which collector now. */
  crowds: Crowd[];
  crowdOf: Map<DaybookPart, Crowd>;
  /** All that is running. */
  parts: Part[];
  keys: readonly string[];
  /** Hits that were sent. */
  sent: number;
  chance: Chance;
  comeBack(): Promise<void>;
}

export const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

const clients = 4;
/** Followers ask each second. */
const wrongMs = 5000;
/** For so long nothing may wait, as docs/cluster.md says, before a directory is emptied. */
const quietS = 10;
const sentMs = 60_000;

/** How far the clocks of all servers are ahead. */
let offsetMs = 0;
export const setClocks = async (parts: readonly Part[], aheadMs: number): Promise<void> => {
  const ms = aheadMs - offsetMs;
  offsetMs = aheadMs;
  await Promise.all(parts.map(part => part.advance?.(ms)));
};

export const daybook = async (kind: string, dataDir: string, env: Record<string, string>): Promise<DaybookPart> => {
  const begin = () => start({ dataDir, env, offsetMs }).catch(() => null);
  let server = await start({ dataDir, env, offsetMs });
  return {
    ...{ kind, dataDir, url: urlOf(Number(env.PORT)) },
    pid: () => (server.alive() ? server.pid : null),
    async advance(ms) {
      if (server.alive()) await Promise.race([server.advance(ms), wait(wrongMs)]);
    },
    async start() {
      if (!server.alive()) server = (await begin()) ?? server;
    },
  };
};

/** Starts a collector on a directory, with a crowd of its own. */
export const addCollector = async (stage: Stage, dataDir: string): Promise<void> => {
  const [port] = (await freePorts(1)) as [number];
  const env = { ...stage.shared, ROLE: 'collect', PRIMARY: stage.primary.url, PORT: `${port}` };
  const part = await daybook('collector', dataDir, env);
  stage.collectors.push(part);
  stage.parts.push(part);
  sendTo(stage, part);
};

const sendTo = (stage: Stage, part: DaybookPart): void => {
  const crowd = startCrowd({ url: part.url, keys: stage.keys, clients, next: () => stage.sent++ });
  stage.crowdOf.set(part, crowd);
  stage.crowds.push(crowd);
};

export const kill = (part: Part, signal: NodeJS.Signals): void => {
  const pid = part.pid();
  if (pid !== null) process.kill(pid, signal);
};

const end = async (part: Part): Promise<void> => {
  kill(part, 'SIGCONT');
  kill(part, 'SIGKILL');
  while (part.pid() !== null) await wait(20);
};

let places = 0;
const newPlace = ({ dir }: Stage, name: string): string => join(dir, `${name}-${places++}`);

/** Another primary for a while, on a directory of its own. */
const otherPrimary = async (stage: Stage, dataDir: string, port: string): Promise<void> => {
  // It ends by itself where ClickHouse says whose it is.
  const other = await start({ dataDir, offsetMs, env: { ...stage.primaryEnv, PORT: port } }).catch(() => null);
  await wait(wrongMs);
  if (other?.alive()) await other.kill();
};

const emptyPrimary = async (stage: Stage): Promise<void> => {
  await end(stage.primary);
  await otherPrimary(stage, newPlace(stage, 'empty'), new URL(stage.primary.url).port);
  await stage.primary.start();
};

const copyOf = async (stage: Stage, part: DaybookPart, name: string): Promise<string> => {
  const place = newPlace(stage, name);
  await end(part);
  cpSync(part.dataDir, place, { recursive: true });
  await part.start();
  return place;
};

const secondPrimary = async (stage: Stage): Promise<void> => {
  await otherPrimary(stage, await copyOf(stage, stage.primary, 'second'), '0');
};

const pickOf = ({ chance, collectors }: Stage): DaybookPart => collectors[chance.below(collectors.length)]!;

/** A collector whose hits were all sent is restored from a copy of before. What only a lost disk had is lost. */
const restored = async (stage: Stage): Promise<void> => {
  const part = pickOf(stage);
  const copy = await copyOf(stage, part, 'old');
  await wait(wrongMs);
  await stage.comeBack();
  await stage.crowdOf.get(part)!.stop();
  if (await hasSentAll(part)) {
    await end(part);
    rmSync(part.dataDir, { recursive: true });
    cpSync(copy, part.dataDir, { recursive: true });
    await part.start();
  }
  sendTo(stage, part);
};

const hasSentAll = async ({ url }: DaybookPart): Promise<boolean> => {
  const until = performance.now() + sentMs;
  let quiet = 0;
  while (performance.now() < until) {
    await wait(1000);
    const text = await fetch(`${url}/metrics`).then(
      response => response.text(),
      () => '',
    );
    const isEmpty = ['queue', 'failing', 'lag_seconds'].every(name => text.includes(`\ndaybook_forward_${name} 0\n`));
    quiet = isEmpty ? quiet + 1 : 0;
    if (quiet === quietS) return true;
  }
  return false;
};

/** A collector and a copy of its directory take hits at once, of the same visitors; then the copy's are sent, and it goes. */
const cloned = async (stage: Stage): Promise<void> => {
  const part = pickOf(stage);
  await addCollector(stage, await copyOf(stage, part, 'clone'));
  const clone = stage.collectors.at(-1)!;
  await wait(2 * wrongMs);
  await stage.comeBack();
  const crowd = stage.crowdOf.get(clone)!;
  await crowd.stop();
  // What only a lost disk had is lost: a copy that has not sent all runs on.
  if (!(await hasSentAll(clone))) return sendTo(stage, clone);
  await end(clone);
  for (const of of [stage.collectors, stage.parts] as Part[][]) of.splice(of.indexOf(clone), 1);
};

export const mistakes: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'primary on an empty directory': emptyPrimary,
  'two primaries': secondPrimary,
  'collector on a copy of a directory': cloned,
  'collector restored from an old copy': restored,
};

export interface Watch {
  /** Wrong answers with status 200. */
  wrong: string[];
  answered: number;
  refused: number;
  stop(): Promise<void>;
}

/**
 * Asks a server that knows all shards, and one that was forgotten when a shard was added: what that answers is wrong, and more hits than
 * were sent are.
 */
export const watchAnswers = async (stage: Stage, shards: string): Promise<Watch> => {
  const key = `tk_live_${'k'.repeat(32)}`;
  const db = openDatabase(stage.primary.dataDir);
  apiKeys(db).add(accounts(db).named('default', 0).id, 'faults', key, 0);
  db.close();
  const servers: DaybookPart[] = [];
  for (const [name, clickhouse] of [
    ['answer', shards],
    ['forgetful', shards.split(';')[0]!],
  ] as const) {
    const [port] = (await freePorts(1)) as [number];
    const env = {
      ...stage.shared,
      CLICKHOUSE: clickhouse,
      ROLE: 'answer',
      PRIMARY: stage.primary.url,
      PORT: `${port}`,
    };
    servers.push(await daybook(name, join(stage.dir, name), env));
  }
  stage.parts.push(...servers);
  const watch: Watch = { wrong: [], answered: 0, refused: 0, stop: async () => {} };
  let stopped = false;
  const ask = async ({ kind, url }: DaybookPart): Promise<void> => {
    for (const site of stage.keys) {
      const response = await fetch(`${url}/api/v1/sites/${site}/events?range=7d`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(60_000),
      });
      const body = (await response.json()) as { data?: { events: number }[] };
      if (response.status !== 200) watch.refused++;
      else {
        watch.answered++;
        const events = (body.data ?? []).reduce((sum, one) => sum + one.events, 0);
        if (kind === 'forgetful') watch.wrong.push(`The forgetful server answers ${events} with status 200.`);
        else if (events > stage.sent) watch.wrong.push(`${events} hits are answered, more than were sent.`);
      }
    }
  };
  const run = async (): Promise<void> => {
    while (!stopped) {
      // One that was killed, or ends for a refused token, is started again with all others.
      for (const server of servers) await ask(server).catch(() => {});
      await wait(1000);
    }
  };
  const running = run();
  watch.stop = async () => {
    stopped = true;
    await running;
  };
  return watch;
};
