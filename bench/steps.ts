/**
 * What each step of a hit costs the main thread, in microseconds of processor time:
 *
 *     npm run bench -- steps [--hits 50000] [--rounds 5]
 *
 * A step does all hits of a batch before the next step begins, as large a batch as a busy server
 * takes in one turn. So the clock is read once for many hits. The disk is left out: nothing here is
 * synced. A run with less than the defaults is printed alone.
 */
import { randomBytes } from 'node:crypto';
import { senderBudgets } from '../src/collect/budgets.ts';
import { type Geo, openGeo } from '../src/collect/geo.ts';
import { type Arrival, begin, type Passage, partsOf, steps } from '../src/collect/pipeline.ts';
import { ipv4Bits, senderNetwork } from '../src/model/address.ts';
import { makeKeyedHash } from '../src/model/keyed-hash.ts';
import { openDatabase } from '../src/store/database.ts';
import { salts } from '../src/store/salts.ts';
import { siteDirectory } from '../src/store/sites.ts';
import { type Recorder, recorder } from '../src/store/write/recorder.ts';
import { addSite } from '../test/helpers.ts';
import { withDirectory } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { median, rounded } from '../test/tools/statistics.ts';
import { addressMark, makeTraffic } from '../test/tools/traffic.ts';

const batch = 64;
const seed = 1;

export const run = (args: readonly string[]): Promise<void> => withDirectory(dir => measureIn(dir, args));

/** Microseconds of all hits of a round, by what took them. */
type Costs = Map<string, number>;

/** Adds the processor time of some work to a row. */
const spend = <T>(costs: Costs, name: string, work: () => T): T => {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  costs.set(name, (costs.get(name) ?? 0) + user + system);
  return result;
};

const measureIn = async (dir: string, args: readonly string[]): Promise<void> => {
  const { hits, rounds, isFull } = optionsOf(args, { hits: 50_000, rounds: 5 });
  const db = openDatabase(dir);
  const site = addSite(db);
  const records = recorder(db);
  const options = { geoDb: null, geoAsnDb: null, log: () => {} };
  const geo = await openGeo(options);
  const [cities, networks] = [
    await openGeo({ ...options, geoAsnDb: '/dev/null' }),
    await openGeo({ ...options, geoDb: '/dev/null' }),
  ];
  const startAt = Date.now();
  const parts = partsOf({
    ...{ recorder: records, salts: salts(db), directory: siteDirectory(db), geo, random: randomBytes, startAt },
    takeFromBudget: senderBudgets({ senderHits: 1e6, senderBurst: 1e6 }, makeKeyedHash(randomBytes)),
  });
  const { requests } = makeTraffic(hits, site.publicKey, seed);
  const trials: Costs[] = [];
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const costs: Costs = new Map();
    const arrived = requests.map(request => receivedOf(request, String(1 + round), startAt));
    for (let from = 0; from < arrived.length; from += batch)
      walkTogether(arrived.slice(from, from + batch), { parts, records, costs });
    lookUp('a place', cities, arrived, costs);
    lookUp('a network', networks, arrived, costs);
    if (round > 0) trials.push(costs);
  }
  for (const opened of [geo, cities, networks]) opened.close();
  db.close();
  const rows = [...trials[0]!.keys()].map((name): [string, number] => [
    name,
    rounded(median(trials.map(costs => costs.get(name)! / hits))),
  ]);
  publish('steps', `${markdownTable(['step', 'µs a hit'], rows)}\n\n${note(rounds)} ${machine(Date.now())}`, isFull);
};

const note = (rounds: number): string =>
  `Medians of ${rounds} rounds, each from other addresses, in batches of ${batch} hits. A look-up is made for each visit only; its rows are what one costs, of addresses of which hardly two are neighbours.`;

interface Received {
  body: string;
  arrival: Arrival;
}

/** What the listener hands on of a request on the wire. */
const receivedOf = (request: string, mark: string, at: number): Received => {
  const [head, body] = request.replace(addressMark, mark).split('\r\n\r\n') as [string, string];
  const headerOf = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(head)![1]!.trim();
  const address = canonical(headerOf('X-Forwarded-For'));
  return {
    body,
    arrival: { at, address, userAgent: headerOf('User-Agent'), body: undefined, network: senderNetwork(address) },
  };
};

/** As the URL standard writes it. */
const canonical = (address: string): string =>
  ipv4Bits(address) >= 0 ? address : new URL(`http://[${address}]`).hostname.slice(1, -1);

const walkTogether = (
  received: readonly Received[],
  { parts, records, costs }: { parts: ReturnType<typeof partsOf>; records: Recorder; costs: Costs },
): void => {
  spend(costs, 'JSON of the body', () => {
    for (const { arrival, body } of received) arrival.body = JSON.parse(body);
  });
  const passages = received.map(({ arrival }) => begin(arrival));
  let going: Passage[] = passages;
  for (const step of steps) {
    going = spend(costs, `\`${step.name}\``, () =>
      going.filter(passage => {
        const outcome = step(passage, parts);
        if (outcome !== undefined) passage.entry.outcome = outcome;
        return outcome === undefined;
      }),
    );
  }
  const lost = passages.find(({ entry }) => entry.outcome === 'rate-limited' || entry.outcome === 'unknown-site');
  if (lost !== undefined) throw new Error(`A hit ended as ${lost.entry.outcome}.`);
  spend(costs, `write, in a transaction of ${batch}`, () => records.write(passages.map(({ entry }) => entry)));
};

const lookUp = (name: string, geo: Geo, received: readonly Received[], costs: Costs): void => {
  spend(costs, `look-up of ${name}`, () => {
    for (const { arrival } of received) geo.place(arrival.address);
  });
};
