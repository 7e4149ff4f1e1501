/**
 * `npm run bench -- link [--seconds 20] [--delay 50] [--loss 1]`: a collector on one machine and ClickHouse on another, two shards, with a link
 * between them that delays each packet and drops some. The machines are two network namespaces; ./link.py is the link. It needs root,
 * python3 and /dev/net/tun. Hits come at several rates. Afterwards each hit that was acknowledged must be in the answers once: their
 * count, the sum of their numbers and how many differ are compared.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { hasClickHouse } from '../test/cluster/servers.ts';
import { startCrowd } from '../test/faults/crowd.ts';
import { must } from '../test/tools/conditions.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { rounded } from '../test/tools/statistics.ts';
import { askCounting, type Nodes, untilThere, watchLag, withNodes } from './nodes.ts';

/** Hits a second that are sent; 0 is as many as are answered. */
const rates = [100, 500, 1000, 0];
const clients = 50;
const hitsPerVisitor = 3;
const shards = 2;
const namespace = `db${process.pid}`;

export const run = async (args: readonly string[]): Promise<void> => {
  const missing = whatIsMissing();
  if (missing !== '') throw new Error(`The link cannot be made here: ${missing}.`);
  const { seconds, delay, loss, isFull } = optionsOf(args, { seconds: 20, delay: 50, loss: 1 });
  const rows: (string | number)[][] = [];
  const link = await startLink(delay, loss / 100);
  try {
    const remote = { host: '10.99.0.1', listen: '10.98.0.2', wrapper: ['ip', 'netns', 'exec', namespace] };
    for (const rate of rates)
      rows.push(await withNodes({ shards, collectors: 1, remote }, nodes => measure(nodes, rate, seconds)));
  } finally {
    const { passed, dropped } = await link.close();
    console.error(`${passed} packets passed, ${dropped} dropped`);
  }
  const headings = ['hits a second sent', 'acknowledged a second', 'lag p50, ms', 'lag p99, ms', 'seconds to catch up'];
  const text = `${markdownTable([...headings, 'hits acknowledged', 'lost or twice'], rows)}

Each packet waits ${delay} ms in either direction, so an answer comes after ${2 * delay} ms, and ${loss} % of packets are dropped each way. ${seconds} s at each rate, ${hitsPerVisitor} hits to a visit. ${machine(Date.now())}`;
  publish('link', text, isFull);
};

const whatIsMissing = (): string => {
  if (process.getuid?.() !== 0) return 'only root may make network namespaces';
  if (!existsSync('/dev/net/tun')) return '/dev/net/tun is missing';
  const found = (program: string): boolean =>
    (process.env.PATH ?? '').split(':').some(dir => existsSync(`${dir}/${program}`));
  for (const program of ['python3', 'ip']) if (!found(program)) return `${program} is not installed`;
  return hasClickHouse() ? '' : 'clickhouse-server is not installed';
};

const startLink = async (delay: number, loss: number) => {
  const child = spawn('python3', ['bench/link.py', namespace, `${delay}`, `${loss}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  must((await nextLine(child, lines)) === 'ready', 'The link did not come about.');
  return {
    async close() {
      const line = nextLine(child, lines);
      child.stdin.end();
      const [passed, dropped] = (await line).split(' ').map(Number);
      if (child.exitCode === null) await once(child, 'exit');
      return { passed, dropped };
    },
  };
};

const nextLine = (child: ChildProcess, lines: Interface): Promise<string> =>
  Promise.race([once(lines, 'line').then(([line]) => line as string), once(child, 'exit').then(() => '')]);

const measure = async (
  { key, shards, collectors: [collector] }: Nodes,
  rate: number,
  seconds: number,
): Promise<(string | number)[]> => {
  let next = 0;
  const crowd = startCrowd({
    ...{ url: collector!.url, keys: [key], clients, next: () => next++ },
    addressOf: number => addressOf(Math.floor(number / hitsPerVisitor)),
    everyMs: rate === 0 ? 0 : (clients * 1000) / rate,
  });
  const began = performance.now();
  const lag = watchLag(shards, 1);
  await wait(seconds * 1000);
  const ages = await lag.stop();
  await crowd.stop();
  const took = (performance.now() - began) / 1000;
  const { acknowledged } = crowd;
  must(crowd.others.size === 0, `Other answers came: ${JSON.stringify([...crowd.others])}.`);
  const caughtUp = await untilThere(shards, acknowledged.length);
  const answers = await askCounting(shards, 'sum(prop_number[1]), uniqExact(prop_number[1])');
  const [sum, different] = [0, 1].map(i => answers.reduce((all, of) => all + Number(of[i]), 0));
  const expected = acknowledged.reduce((a, b) => a + b, 0);
  must(
    sum === expected && different === acknowledged.length,
    `The sum of ${different} different numbers is ${sum}, and not ${expected} of ${acknowledged.length}.`,
  );
  const ageAt = (share: number): number => Math.round(ages[Math.floor(ages.length * share)] ?? Number.NaN);
  const sent = rate === 0 ? 'as many as are answered' : rate.toLocaleString('en-US');
  return [
    ...[sent, Math.round(acknowledged.length / took), ageAt(0.5), ageAt(0.99)],
    ...[rounded(caughtUp), acknowledged.length, 0],
  ];
};

const addressOf = (visitor: number): string => `51.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
