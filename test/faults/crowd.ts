/**
 * Many clients that send hits as fast as they are answered, each hit with a number of its own, and keep a list of the numbers whose hits
 * were acknowledged: what must be stored, whatever happens to the server.
 */
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export interface Crowd {
  url: string;
  /** Numbers of the hits that were answered with 202 and a mode. */
  acknowledged: number[];
  /** How often each other answer came, by its status; `cut` is no answer. */
  others: Map<string, number>;
  /** Stops sending and waits for the answers under way. */
  stop(): Promise<void>;
}

export interface CrowdOptions {
  url: string;
  /** Public keys of the sites that are sent to. */
  keys: readonly string[];
  clients: number;
  /** Gives each hit its number. */
  next: () => number;
  /** The address that each number comes from; else two hundred take turns. */
  addressOf?: (number: number) => string;
  /** Each client waits so long from one hit to the next; else it goes on when it is answered. */
  everyMs?: number;
}

/** How long a client waits after it was not served. */
const pauseMs = 25;
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export const startCrowd = ({
  url,
  keys,
  clients,
  next,
  addressOf = ofTwoHundred,
  everyMs = 0,
}: CrowdOptions): Crowd => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const acknowledged: number[] = [];
  const others = new Map<string, number>();
  let stopped = false;

  const client = async (): Promise<void> => {
    while (!stopped) {
      const number = next();
      const pause = everyMs === 0 ? null : wait(everyMs);
      const answer = await send(agent, { url, key: keys[number % keys.length]!, number, address: addressOf(number) });
      await pause;
      if (answer === '202 {"m":"hash"}') {
        acknowledged.push(number);
        continue;
      }
      const status = answer.split(' ')[0]!;
      others.set(status, (others.get(status) ?? 0) + 1);
      await wait(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    url,
    acknowledged,
    others,
    async stop() {
      stopped = true;
      await all;
      agent.destroy();
    },
  };
};

const ofTwoHundred = (number: number): string => `198.51.100.${number % 200}`;

interface Hit {
  url: string;
  key: string;
  number: number;
  address: string;
}

/** The status and body of the answer to one hit; `cut` when the connection broke. Never rejects. */
const send = (agent: Agent, { url, key, number, address }: Hit): Promise<string> =>
  new Promise(resolve => {
    const body = JSON.stringify({
      s: key,
      t: 'custom',
      u: `https://a.example/${number % 50}`,
      n: 'Beat',
      p: { n: number },
    });
    const headers = {
      'content-length': Buffer.byteLength(body),
      'user-agent': userAgent,
      'x-forwarded-for': address,
    };
    const sent = request(`${url}/e`, { method: 'POST', headers, agent }, response => {
      let text = '';
      response.on('data', chunk => (text += chunk));
      response.on('end', () => resolve(`${response.statusCode} ${text}`));
      response.on('error', () => resolve('cut'));
      response.on('aborted', () => resolve('cut'));
    });
    sent.on('error', () => resolve('cut'));
    sent.end(body);
  });
