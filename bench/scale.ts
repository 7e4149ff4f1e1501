/**
 * `npm run bench -- scale [--seconds 600]`: how many collectors and shards a cluster needs, up to a million hits a second. The
 * costs of a hit are those that docs/benchmarks.md has from the other benches. A simulation sends hits through
 * collectors and shards, and adds machines until hits wait no longer than they may.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chanceFrom } from '../src/cli/demo/random.ts';
import { packageRoot } from '../src/package-root.ts';
import { optionsOf } from '../test/tools/options.ts';
import { markdownTable, publish } from '../test/tools/results.ts';
import { rounded } from '../test/tools/statistics.ts';

const rates = [1000, 10_000, 100_000, 1_000_000];
/** Of one shard, and how much of them inserts may take: the rest is for questions and for the return of a replica. */
const [shardCores, insertShare] = [16, 0.5];
const replicas = 2;
/** One thread of a collector takes hits; it may be busy for this share of the time, in a usual second of the day's busiest hour. */
const collectorShare = 0.6;
/** A hit is in the answers within this time. */
const lagMaxMs = 2000;
const turnMs = 1000;
/** Visitors come and go together: the rate of a second varies by this share around its mean. */
const waves = 0.3;

export interface Costs {
  /** Microseconds of a collector's main thread, for taking a hit. */
  takeUs: number;
  /** Microseconds of a processor, for writing a row for ClickHouse, and for taking it there. */
  writeUs: number;
  insertUs: number;
  /** Bytes of a hit in ClickHouse's tables. */
  storedBytes: number;
  hitsPerVisit: number;
  /** How many hits a second were brought into one shard, and on how many cores. */
  measuredPerSecond: number;
  cores: number;
}

/** Bytes of a row on the way to ClickHouse: bench/query-data.ts's hits in RowBinary. */
const rowBytes = 300;

export const run = async (args: readonly string[]): Promise<void> => {
  const { seconds, isFull } = optionsOf(args, { seconds: 600 });
  const costs = costsIn(readFileSync(join(packageRoot, 'docs/benchmarks.md'), 'utf8'));
  const sizes = rates.map(rate => sizeFor(rate, costs, seconds));
  publish('scale', `${sizesTable(sizes, costs)}\n\n${smallEnd(costs)}`, isFull, join(packageRoot, 'docs/scale.md'));
};

/** Reads the tables of the page. Throws when one is not there. */
export const costsIn = (page: string): Costs => {
  const section = (name: string): string => {
    const text = page.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0]?.trim();
    if (!text) throw new Error(`docs/benchmarks.md has no table ${name}: run its bench first.`);
    return text;
  };
  const cells = (name: string, row: string): string[] => {
    const line = section(name)
      .split('\n')
      .find(text => text.startsWith(`| ${row} |`));
    if (line === undefined) throw new Error(`The table ${name} has no row ${row}.`);
    return line.split('|').map(cell => cell.trim());
  };
  const number = (text: string | undefined): number => Number(text?.replaceAll(',', ''));
  const [, , hits, perSecond, writeUs, insertUs, storedBytes] = cells('cluster-import', '1 shard');
  const [, allHits, visits] = /([\d,]+) hits in ([\d,]+) visits/.exec(section('query'))!;
  const costs = {
    takeUs: number(cells('collect', 'Daybook')[5]),
    ...{ writeUs: number(writeUs), insertUs: number(insertUs), storedBytes: number(storedBytes) },
    hitsPerVisit: number(allHits) / number(visits),
    measuredPerSecond: number(perSecond),
    cores: number(/(\d+) cores/.exec(section('cluster-import'))?.[1]),
  };
  if (Object.values({ ...costs, hits: number(hits) }).some(Number.isNaN)) throw new Error('A cost is no number.');
  return costs;
};

/**
 * How often a hit is sent: a visit of n hits that are further apart than a turn is sent n times, with n(n + 1)/2 rows. Where each
 * hit is the last of its visit with the same chance, that is as many rows a hit as a visit has hits. The closed day comes once more.
 */
export const rowsPerHit = ({ hitsPerVisit }: Costs): number => hitsPerVisit + 1;

interface Size {
  rate: number;
  collectors: number;
  shards: number;
  /** The longest that 99 of 100 hits waited. */
  lagMs: number;
}

/** The least of both that keep up. */
const sizeFor = (rate: number, costs: Costs, seconds: number): Size => {
  let collectors = Math.ceil((rate * costs.takeUs) / 1e6 / collectorShare);
  let shards = Math.ceil((rate * rowsPerHit(costs) * costs.insertUs) / 1e6 / (shardCores * insertShare));
  while (true) {
    const { waitingMs, lagMs } = simulate({ rate, collectors, shards, costs, seconds });
    if (waitingMs > lagMaxMs - turnMs) collectors++;
    else if (lagMs > lagMaxMs) shards++;
    else return { rate, collectors, shards, lagMs };
  }
};

interface Simulated extends Omit<Size, 'lagMs'> {
  costs: Costs;
  seconds: number;
}

/** What 99 of 100 seconds' hits wait at most: at their collector, and until they are in their shard. */
export const simulate = ({
  rate,
  collectors,
  shards,
  costs,
  seconds,
}: Simulated): { waitingMs: number; lagMs: number } => {
  const { number } = chanceFrom(1);
  // Addresses are hashed: no two collectors, and no two shards, get the same share.
  const sharesOf = (count: number): number[] => {
    const drawn = Array.from({ length: count }, () => 1 + 0.1 * (number() - 0.5));
    const sum = drawn.reduce((all, one) => all + one, 0);
    return drawn.map(one => one / sum);
  };
  const [ofCollector, ofShard] = [sharesOf(collectors), sharesOf(shards)];
  const takes = 1e6 / costs.takeUs;
  const inserts = (shardCores * insertShare * 1e6) / costs.insertUs;
  const [taking, inserting] = [new Float64Array(collectors), new Float64Array(shards)];
  const [waits, lags]: [number[], number[]] = [[], []];
  for (let second = 0; second < seconds; second++) {
    const coming = rate * (1 + waves * (2 * number() - 1));
    let [taken, waitingMs, insertMs] = [0, 0, 0];
    for (const [i, share] of ofCollector.entries()) {
      const there = taking[i]! + coming * share;
      const done = Math.min(there, takes);
      taking[i] = there - done;
      taken += done;
      waitingMs = Math.max(waitingMs, (taking[i]! / takes) * 1000);
    }
    for (const [i, share] of ofShard.entries()) {
      const there = inserting[i]! + taken * share * rowsPerHit(costs);
      insertMs = Math.max(insertMs, (there / inserts) * 1000);
      inserting[i] = Math.max(0, there - inserts);
    }
    waits.push(waitingMs);
    lags.push(waitingMs + turnMs + insertMs);
  }
  const high = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length * 0.99)]!;
  return { waitingMs: high(waits), lagMs: high(lags) };
};

const sizesTable = (sizes: readonly Size[], costs: Costs): string =>
  markdownTable(
    [
      ...['hits a second', 'collectors', `shards of ${replicas} × ${shardCores} cores`, 'lag, ms'],
      ...['inserts a second into a shard', 'to ClickHouse, Gbit/s', 'stored a year, TB'],
    ],
    sizes.map(({ rate, collectors, shards, lagMs }) => [
      ...[rate, collectors, shards, Math.round(lagMs), rounded((collectors * 1000) / turnMs)],
      rounded((rate * rowsPerHit(costs) * rowBytes * 8) / 1e9),
      rounded((rate * 86_400 * 365 * costs.storedBytes * replicas) / 1e12),
    ]),
  );

/** What the costs say of the import that was measured, beside what it took. */
const smallEnd = ({ writeUs, insertUs, measuredPerSecond, cores }: Costs): string => {
  const expected = Math.min(1e6 / Math.max(writeUs, insertUs), (cores * 1e6) / (writeUs + insertUs));
  const text = (value: number): string => Math.round(value).toLocaleString('en-US');
  return `With these costs, an import into one shard takes in ${text(expected)} hits a second, on ${cores} cores. It took in ${text(measuredPerSecond)}, ${(measuredPerSecond / expected).toFixed(2)} times that.`;
};
