/**
 * `npm run bench -- scale [--seconds 3600]`: how many collectors and shards a cluster needs, up to a million hits a second. The
 * costs of a hit are those that docs/benchmarks.md has from the other benches. A simulation sends hits through
 * collectors and shards, in queues, and adds machines until hits wait no longer than they may, or more machines do not help.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chanceFrom } from '../src/cli/demo/random.ts';
import { packageRoot } from '../src/package-root.ts';
import { optionsOf } from '../test/tools/options.ts';
import { markdownTable, publish } from '../test/tools/results.ts';
import { rounded } from '../test/tools/statistics.ts';

const rates = [1000, 10_000, 100_000, 200_000, 1_000_000];
/** Of one shard, and how much of them inserts may take: the rest is for questions and for the return of a replica. */
const [shardCores, insertShare] = [16, 0.5];
const replicas = 2;
/** One thread of a collector takes hits; it may be busy for this share of the time, on average. */
const collectorShare = 0.6;
/** 99 of 100 hits are in the answers within this time. */
const lagMaxMs = 2000;
/** From the beginning of a collector's turn to that of the next; one that takes longer puts the next one off. */
const turnMs = 1000;
/**
 * Processor time that ClickHouse 18.16 takes for an insert, whatever it holds, and how many a second a shard takes in before it refuses
 * them (“Too many parts”): 45 went through, 71 did not.
 */
const [insertMs, insertsMax] = [16, 45];
/** Inserts of vitals, crawls and outcomes that each collector sends, all into one shard. */
const recordsPerSecond = 2 / 5;
/**
 * How the rate goes up and down around its mean: slowly, as visitors come and go together, by this share and over so many seconds; and
 * in bursts of three times the rate, as after a newsletter, half a minute long and one every ten minutes.
 */
const waves = { share: 0.2, seconds: 60 };
const bursts = { times: 3, seconds: 30, everySeconds: 600 };
/** Of the simulation. */
const stepMs = 100;

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
  const { seconds, isFull } = optionsOf(args, { seconds: 3600 });
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
  /** The longest that 99 of 100 hits waited; null where no number of machines is enough. */
  lagMs: number | null;
}

/** Inserts a second into the shard that takes the records of all. */
const insertsInto = (collectors: number): number => collectors * (1000 / turnMs + recordsPerSecond);

/** The least of both that keep up. */
export const sizeFor = (rate: number, costs: Costs, seconds: number): Size => {
  let collectors = Math.ceil((rate * costs.takeUs) / 1e6 / collectorShare);
  let shards = 1;
  while (true) {
    if (insertsInto(collectors) > insertsMax) return { rate, collectors, shards, lagMs: null };
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

/** An insert that a shard works on, in its order. */
interface QueuedInsert {
  leftMs: number;
  done(): void;
}

/** What a shard does in a step: an insert has one thread. */
const work = (queue: QueuedInsert[]): void => {
  for (let left = stepMs; left > 0 && queue.length > 0; ) {
    const running = queue.slice(0, shardCores * insertShare);
    const slice = Math.min(left, ...running.map(({ leftMs }) => leftMs));
    left -= slice;
    for (const insert of running) {
      insert.leftMs -= slice;
      if (insert.leftMs > 1e-9) continue;
      queue.splice(queue.indexOf(insert), 1);
      insert.done();
    }
  }
};

/** Of each hit taken in a step, how long it waited, as a histogram of steps. */
const percentile = (counts: Map<number, number>, share: number): number => {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [steps, count] of [...counts].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= total * share) return steps * stepMs;
  }
  return 0;
};

/** The rate of each step: waves that last, and bursts. */
const ratesOf = (rate: number, seconds: number): Float64Array => {
  const { number } = chanceFrom(1);
  const steps = (seconds * 1000) / stepMs;
  const keeps = Math.exp(-stepMs / 1000 / waves.seconds);
  const rates = new Float64Array(steps);
  let [wave, burstUntil] = [0, 0];
  for (let step = 0; step < steps; step++) {
    const normal = number() + number() + number() + number() - 2;
    wave = wave * keeps + normal * waves.share * Math.sqrt(3 * (1 - keeps * keeps));
    if (number() < stepMs / 1000 / bursts.everySeconds) burstUntil = step + (bursts.seconds * 1000) / stepMs;
    rates[step] = rate * Math.max(0, 1 + wave) * (step < burstUntil ? bursts.times : 1);
  }
  return rates;
};

/** A collector: hits that came by step, those that it has taken, and its turn. */
class SimulatedCollector {
  /** Hits that wait for its thread, and since which step. */
  readonly coming: { step: number; hits: number }[] = [];
  /** Taken, and not on their way yet; then those of the turn under way. */
  taken: { step: number; hits: number }[] = [];
  sent: { step: number; hits: number }[] = [];
  inserts = 0;
  begunAt = Number.NEGATIVE_INFINITY;

  /** What its thread takes in a step; counts how long hits waited for it. */
  take(step: number, most: number, waits: Map<number, number>): void {
    let left = most;
    while (left > 0 && this.coming.length > 0) {
      const first = this.coming[0]!;
      const hits = Math.min(left, first.hits);
      add(waits, step - first.step, hits);
      this.taken.push({ step: first.step, hits });
      left -= hits;
      first.hits -= hits;
      if (first.hits <= 0) this.coming.shift();
    }
  }
}

const add = (counts: Map<number, number>, key: number, hits: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + hits);
};

/** What 99 of 100 hits wait at most: for their collector, and until they are in their shard. */
export const simulate = ({
  rate,
  collectors,
  shards,
  costs,
  seconds,
}: Simulated): { waitingMs: number; lagMs: number } => {
  const { number } = chanceFrom(2);
  // Addresses are hashed: no two collectors, and no two shards, get the same share.
  const sharesOf = (count: number): number[] => {
    const drawn = Array.from({ length: count }, () => 1 + 0.1 * (number() - 0.5));
    const sum = drawn.reduce((all, one) => all + one, 0);
    return drawn.map(one => one / sum);
  };
  const [ofCollector, ofShard] = [sharesOf(collectors), sharesOf(shards)];
  const all = ofCollector.map(() => new SimulatedCollector());
  for (const one of all) one.begunAt = -Math.floor((number() * turnMs) / stepMs);
  const queues = ofShard.map((): QueuedInsert[] => []);
  const [waits, lags] = [new Map<number, number>(), new Map<number, number>()];
  const takes = (stepMs * 1000) / costs.takeUs;
  let [records, now] = [0, 0];
  const arrived = (collector: SimulatedCollector): void => {
    if (--collector.inserts > 0) return;
    for (const { step, hits } of collector.sent) add(lags, now + 1 - step, hits);
  };

  for (const [step, coming] of ratesOf(rate, seconds).entries()) {
    now = step;
    for (const [i, collector] of all.entries()) {
      collector.coming.push({ step, hits: (coming * ofCollector[i]! * stepMs) / 1000 });
      collector.take(step, takes, waits);
      if (collector.inserts > 0 || step - collector.begunAt < turnMs / stepMs || collector.taken.length === 0) continue;
      [collector.sent, collector.taken, collector.begunAt] = [collector.taken, [], step];
      const hits = collector.sent.reduce((sum, one) => sum + one.hits, 0);
      // Of each hit, the closed day comes once more, at night.
      for (const [shard, share] of ofShard.entries()) {
        const rowsMs = (hits * share * costs.hitsPerVisit * costs.insertUs) / 1000;
        collector.inserts++;
        queues[shard]!.push({ leftMs: insertMs + rowsMs, done: () => arrived(collector) });
      }
    }
    for (records += (collectors * recordsPerSecond * stepMs) / 1000; records >= 1; records--)
      queues[0]!.push({ leftMs: insertMs, done: () => {} });
    for (const queue of queues) work(queue);
  }
  return { waitingMs: percentile(waits, 0.99), lagMs: percentile(lags, 0.99) };
};

const sizesTable = (sizes: readonly Size[], costs: Costs): string =>
  markdownTable(
    [
      ...['hits a second', 'collectors', `shards of ${replicas} × ${shardCores} cores`, 'lag, ms'],
      ...['inserts a second into a shard', 'to ClickHouse, Gbit/s', 'stored a year, TB'],
    ],
    sizes.map(({ rate, collectors, shards, lagMs }) => [
      ...[rate, collectors, lagMs === null ? '–' : shards, lagMs ?? 'refused', rounded(insertsInto(collectors))],
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
