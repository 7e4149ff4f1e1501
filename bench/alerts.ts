/**
 * What alerts find in simulated years, and how often they fire for nothing:
 *
 *     npm run bench -- alerts [--sites 12] [--events 4]
 *
 * For each size there are so many sites, each with a year of visits of its own. In it are so many
 * spikes to the threefold, drops to a quarter, and silences. The same functions judge as live.
 */

import { sensitivities } from '../src/model/alerts/kinds.ts';
import { expectationsIn, type Firing, replay, type SlotRule } from '../src/model/alerts/replay.ts';
import { hourMs } from '../src/model/time.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { quantile, tenths } from '../test/tools/statistics.ts';
import { firstJudged, makeWorld, type Planted, type World } from './alert-worlds.ts';

const sizes = [10, 30, 100, 1000, 10_000];
/** A window that still holds an event may end so much later. */
const tailMs = 24 * hourMs;

export interface Found {
  planted: number;
  found: number;
  /** Firings outside of what was planted. */
  wrong: number;
  delayHours: number[];
}

/** What of the events of a kind was found. */
export const compare = (kind: Planted['kind'], { planted }: World, firings: readonly Firing[]): Found => {
  const own = planted.filter(one => one.kind === kind);
  const within = ({ from, to }: Planted, { at }: Firing): boolean => from < at && at <= to + tailMs;
  const firsts = own.flatMap(event => {
    const first = firings.find(firing => within(event, firing));
    return first === undefined ? [] : [(first.at - event.from) / hourMs];
  });
  // In a drop to a quarter visits fail to come, and a silence is a drop, too.
  const known = kind === 'spike' ? own : planted.filter(one => one.kind !== 'spike');
  const wrong = firings.filter(firing => !known.some(event => within(event, firing))).length;
  return { planted: own.length, found: firsts.length, wrong, delayHours: firsts };
};

const band = (direction: 'spike' | 'drop', k: number): SlotRule => ({
  kind: 'band',
  direction,
  k,
  floor: 10,
  windowHours: null,
});

const rules: [string, Planted['kind'], SlotRule][] = [
  ...Object.entries(sensitivities).map(([name, k]): [string, Planted['kind'], SlotRule] => [
    `threefold spike, ${name}`,
    'spike',
    band('spike', k),
  ]),
  ['drop to a quarter, usual', 'drop', band('drop', sensitivities.usual)],
  ['silence', 'silence', { kind: 'silent', hours: 24 }],
];

const hours = (delays: readonly number[], part: number): number | string =>
  delays.length === 0 ? '–' : tenths(quantile(delays, part));

export const run = async (args: readonly string[]): Promise<void> => {
  const { sites, events, isFull } = optionsOf(args, { sites: 12, events: 4 });
  const rows: (string | number)[][] = [];
  for (const visitsPerDay of sizes) {
    const worlds = Array.from({ length: sites }, (_, i) => makeWorld({ seed: i + 1, visitsPerDay, events }));
    // What is expected does not depend on how far from it is out.
    const expected = worlds.map(({ slots, local }) => ({
      spike: expectationsIn(band('spike', sensitivities.usual), slots, local),
      drop: expectationsIn(band('drop', sensitivities.usual), slots, local),
      silence: expectationsIn({ kind: 'silent', hours: 24 }, slots, local),
    }));
    for (const [name, kind, rule] of rules) {
      const found = worlds.map((world, i) =>
        compare(kind, world, replay(rule, world.slots, firstJudged, world.local, expected[i]![kind])),
      );
      const sum = (of: (one: Found) => number): number => found.reduce((all, one) => all + of(one), 0);
      const delays = found.flatMap(one => one.delayHours);
      rows.push([
        ...[name, visitsPerDay, `${tenths((100 * sum(one => one.found)) / sum(one => one.planted))} %`],
        ...[Math.round((100 * sum(one => one.wrong)) / sites / 4) / 100],
        ...[hours(delays, 0.5), hours(delays, 0.95)],
      ]);
      console.log(JSON.stringify(rows.at(-1)));
    }
  }
  const headings = ['alert', 'visits a day', 'found', 'wrong a site and quarter', 'hours, median', 'hours, 95 %'];
  const text = `${sites} sites of each size, a year each, with ${events} events of each kind. Spikes and drops last 3 to 12 hours on sites with 1,000 visits a day or more, 12 to 30 hours with 100, 36 to 72 with 30 and 3 to 5 days with 10; silences last 18 hours, on small sites three days.`;
  publish('alerts', `${markdownTable(headings, rows)}\n\n${text} ${machine(Date.now())}`, isFull);
};
