/** Questions of many kinds in a steady stream, whether or not the server keeps up. */
import { chanceFrom } from '../../src/cli/demo/random.ts';

const paths = [
  'stats?range=today',
  'stats?range=7d',
  'series?range=today',
  'series?range=30d',
  'realtime?range=today',
  'breakdown?dimension=path&range=7d',
  'breakdown?dimension=country&range=today',
  'breakdown?dimension=referrer&range=7d&country=DE',
  'breakdown?dimension=browser&range=30d&path*=how',
  'events?range=7d',
];

export interface Asking {
  /** Milliseconds from asked to answered, and how many were not answered with 200, since they were last taken. */
  take(): { times: number[]; others: number };
  stop(): Promise<void>;
}

export interface AskingOptions {
  url: string;
  site: string;
  /** An API key. */
  key: string;
  perSecond: number;
}

export const startAsking = ({ url, site, key, perSecond }: AskingOptions): Asking => {
  const chance = chanceFrom(1);
  const headers = { authorization: `Bearer ${key}` };
  let [times, others]: [number[], number] = [[], 0];
  const open = new Set<Promise<void>>();
  const ask = async (): Promise<void> => {
    const began = performance.now();
    // A connection that breaks is no answer, and no reason to end.
    const status = await fetch(`${url}/api/v1/sites/${site}/${chance.one(paths)}`, { headers }).then(
      response => response.text().then(() => response.status),
      () => 0,
    );
    times.push(performance.now() - began);
    if (status !== 200) others++;
  };
  const timer = setInterval(() => {
    const asked: Promise<void> = ask().finally(() => open.delete(asked));
    open.add(asked);
  }, 1000 / perSecond);
  return {
    take() {
      const taken = { times, others };
      [times, others] = [[], 0];
      return taken;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
};
