/**
 * `npm run attack`: strangers who know a site's public key, and an account with sites of its own, do what they can, while visitors come to
 * the site, its owner and a neighbour look at their numbers, and the owner signs in.
 *
 *     npm run attack [-- --seconds 20] [--networks 1000] [--only NAME] [--hits 10000000]
 *
 * Each attack comes from one network first, and then from many. The attacker's process has the lowest priority, since in truth it has a
 * machine of its own. The last, `a day of random paths`, lasts until so many hits were sent. A whole run puts its figures into
 * docs/benchmarks.md.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { withDirectory } from '../tools/directories.ts';
import { chosen, optionsOf } from '../tools/options.ts';
import { machine, markdownTable, publish } from '../tools/results.ts';
import { type Attack, attacks, dayOfPaths } from './attacks.ts';
import { runDay } from './day.ts';
import { type Round, runRound } from './round.ts';

const run = async (): Promise<void> => {
  const { seconds, networks, hits, only, isFull } = optionsOf(
    process.argv.slice(2),
    { seconds: 20, networks: 1000, hits: 10_000_000 },
    { only: '' },
  );
  const parts = chosen([...attacks, dayOfPaths], only);
  const rows: (string | number)[][] = [];
  let failed = 0;
  for (const attack of parts) {
    if (attack === dayOfPaths) continue;
    for (const from of [1, networks]) {
      try {
        const round = await withDirectory(dir =>
          runRound({ attack, networks: from, dir, last: () => wait(seconds * 1000) }),
        );
        console.log(JSON.stringify({ attack: attack.name, networks: from, ...round }));
        rows.push(rowOf(attack, from, round));
      } catch (error) {
        failed++;
        console.log(`FAILED    ${attack.name}, ${from} networks: ${(error as Error).message}`);
      }
    }
  }
  const table = markdownTable(columns, rows);
  const said = attacks.map(({ name, does }) => `* **${name}**: ${does}.`).join('\n');
  publish('attack', `${table}\n\n${said}\n\n${machine(Date.now())}`, isFull && only === '' && failed === 0);
  if (parts.includes(dayOfPaths)) {
    const { round, sentence } = await withDirectory(dir => runDay(hits, networks, dir));
    const row = markdownTable(columns, [rowOf(dayOfPaths, networks, round)]);
    publish('attack-day', `${row}\n\n${sentence} ${machine(Date.now())}`, isFull);
  }
  process.exit(failed === 0 ? 0 : 1);
};

const columns = [
  'attack',
  'networks',
  'answers to the attacker',
  'honest hits taken, on repeat',
  'p99 ms',
  'worst ms',
  'of it busy: p99, worst',
  "main thread's ms a hit",
  "owner's p99 ms",
  "neighbour's p99 ms",
  'refused',
  'memory MB',
  'disk MB',
  'sales shown',
];

const rowOf = ({ name }: Attack, networks: number, round: Round): (string | number)[] => {
  const { atOnce, onRepeat, lost, owner, neighbour, signIns } = round;
  const answered = Object.entries(round.answers)
    .map(([status, count]) => `${count.toLocaleString('en-US')} × ${status === '0' ? 'none' : status}`)
    .join(', ');
  const share = ((100 * (atOnce + onRepeat)) / (atOnce + onRepeat + lost)).toFixed(lost === 0 ? 0 : 2);
  return [
    name,
    networks,
    answered,
    `${share} %, ${onRepeat}`,
    round.hitP99,
    round.hitMax,
    `${round.busyP99}, ${round.busyMax}`,
    round.mainThreadMs,
    owner.p99,
    neighbour.p99,
    `${owner.refused + neighbour.refused} of ${owner.count + neighbour.count}, sign-ins ${signIns.refused} of ${signIns.count}`,
    round.memory,
    round.disk,
    `${round.salesShown.toLocaleString('en-US')} of ${round.sales.toLocaleString('en-US')}`,
  ];
};

await run();
