/**
 * `npm run bench -- collectors [--seconds 15]`: how many hits a second one, two and four collectors take that bring them into two shards, each a process
 * of its own and all on this machine, and how late the hits are in the answers. wrk sends to each collector. Afterwards as many hits must be in
 * the answers as the collectors have stored, and no fewer than were acknowledged.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../test/tools/conditions.ts';
import { withDirectory } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { rounded } from '../test/tools/statistics.ts';
import { makeTraffic } from '../test/tools/traffic.ts';
import { drive, loadScript } from './collect-load.ts';
import { type Nodes, untilQuiet, watchLag, withNodes } from './nodes.ts';

const counts = [1, 2, 4];
const shards = 2;
const connections = 64;
const requestsMade = 50_000;

export const run = async (args: readonly string[]): Promise<void> => {
  const { seconds, isFull } = optionsOf(args, { seconds: 15 });
  const rows: (string | number)[][] = [];
  for (const collectors of counts) rows.push(await withNodes({ shards, collectors }, nodes => measure(nodes, seconds)));
  const headings = ['collectors', 'hits acknowledged a second', 'µs of a collector’s main thread a hit'];
  const more = ['µs of ClickHouse’s processor a hit', 'lag p50, ms', 'lag p99, ms', 'seconds to catch up'];
  const text = `${markdownTable([...headings, ...more, 'hits acknowledged', 'in the answers'], rows)}

${seconds} s of wrk with ${connections} connections in all, which shares the cores with everything else. ${machine(Date.now())}`;
  publish('collectors', text, isFull);
};

const measure = (nodes: Nodes, seconds: number): Promise<(string | number)[]> =>
  withDirectory(async dir => {
    const { key, shards, servers, collectors } = nodes;
    const scriptFile = join(dir, 'load.lua');
    writeFileSync(scriptFile, loadScript);
    const trafficFile = join(dir, 'traffic');
    writeFileSync(trafficFile, makeTraffic(requestsMade, key, 1).requests.join('\0'));
    const used = (): [number, number] => [
      sumOf(collectors.map(({ process: { pid } }) => secondsOf(`${pid}/task/${pid}`))),
      sumOf(servers.programs.map(program => secondsOf(`${program.process().pid}`))),
    ];
    const before = used();
    const lag = watchLag(shards, collectors.length);
    const loads = await Promise.all(
      collectors.map(({ url }, i) => {
        // Addresses of collectors differ, as a load balancer's hash would have it.
        const load = { firstAddress: i * 60, seconds, connections: connections / collectors.length };
        return drive(url, { trafficFile, scriptFile, ...load });
      }),
    );
    const ages = await lag.stop();
    const acknowledged = sumOf(loads.map(({ requests }) => requests));
    must(
      loads.every(({ failed }) => failed === 0),
      'Requests failed.',
    );
    const { hits, seconds: caughtUp } = await untilQuiet(nodes, acknowledged);
    const after = used();
    const us = (i: 0 | 1): number => rounded(((after[i] - before[i]) / hits) * 1e6);
    const ageAt = (share: number): number => Math.round(ages[Math.floor(ages.length * share)] ?? Number.NaN);
    const perSecond = Math.round(sumOf(loads.map(load => load.perSecond)));
    return [
      ...[collectors.length, perSecond, us(0), us(1), ageAt(0.5), ageAt(0.99)],
      ...[rounded(caughtUp), acknowledged, hits],
    ];
  });

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Processor seconds of a process or thread. */
const secondsOf = (place: string): number => {
  const fields = readFileSync(`/proc/${place}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
