/** Sends a visitor through the pages of one framework, and compares what was counted with what they saw. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../../src/model/site.ts';
import { linesOf, readStored } from '../browser/stored.ts';
import { addSite } from '../helpers.ts';
import type { TestServer } from '../start-server.ts';
import { type ApiHit, type ApiVisit, checkVisit } from './check.ts';
import type { Framework } from './frameworks.ts';
import { inHash, type Visit, visits } from './visits.ts';
import { openSite, type Respond } from './web.ts';

/** Opens an address in a browser that has not been there, and says how to leave it. Needs no more of the browser. */
export type Browse = (url: string) => Promise<() => Promise<void>>;

export interface House {
  server: TestServer;
  /** A key of the API. */
  key: string;
  /** Origin of the site before. */
  elsewhere: string;
  browse: Browse;
}

const ask = async <T>({ server, key }: House, path: string): Promise<T> => {
  const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: T }).data;
};

const pollMs = 50;
const quietMs = 1500;
const patienceMs = 60_000;
const visitMs = 120_000;

/** Waits until nothing has come for a while; what comes late is seen by what follows. */
const settled = async (read: () => number): Promise<void> => {
  let [count, quiet] = [0, 0];
  for (let ms = 0; ms < patienceMs && quiet < quietMs; ms += pollMs) {
    await sleep(pollMs);
    quiet = read() === count && count > 0 ? quiet + pollMs : 0;
    count = read();
  }
};

const makeVisit = async (house: House, framework: Framework, respond: Respond, visit: Visit): Promise<void> => {
  const { server, elsewhere, browse } = house;
  const { isHash = false } = framework;
  const placed = isHash ? inHash : String;
  const site: Site = addSite(server.db);
  const web = await openSite('127.0.0.2', respond, {
    collector: server.collectorUrl,
    key: site.publicKey,
    // An anchor in the hash would be a page.
    steps: isHash ? visit.steps.filter(step => !step.isAnchor) : visit.steps,
    isHash,
    elsewhere,
  });
  const leave = await browse(`${elsewhere}/?to=${encodeURIComponent(web.origin + placed(visit.landing))}`);
  const stored = readStored(server.db, site);
  try {
    const late = sleep(visitMs).then(() => Promise.reject(new Error('The visitor is gone.')));
    const { seen } = await Promise.race([web.told, late]);
    await settled(() => stored.hits().length);
    const path = `/api/ext/sites/${site.uuid}`;
    const counted = await ask<ApiVisit[]>(house, `${path}/visits?range=today&sort=started`);
    const hits = await ask<ApiHit[]>(house, `${path}/hits?visit=${counted[0]?.id}`);
    checkVisit(visit, framework, seen, counted, hits, stored.hits());
  } catch (error) {
    (error as Error).message += `\nStored:\n${linesOf(stored.hits()).join('\n')}`;
    throw error;
  } finally {
    await leave();
    await web.close();
  }
};

/** The visit of 13 pageviews, then the bounce. Throws where what was counted is not what was seen. */
export const visitFramework = async (house: House, framework: Framework, respond: Respond): Promise<void> => {
  for (const [name, visit] of Object.entries(visits)) {
    try {
      await makeVisit(house, framework, respond, visit);
    } catch (error) {
      (error as Error).message = `${name} visit: ${(error as Error).message}`;
      throw error;
    }
  }
};
