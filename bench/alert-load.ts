/**
 * What alerts cost a server of many sites:
 *
 *     npm run bench -- alert-load [--sites 1000] [--hits 100]
 *
 * Each site has seven weeks of sealed days with so many hits, and three alerts: silence, a spike and
 * a threshold; the evaluator gives it the one of refused hits besides. The real evaluator judges them
 * by a clock that is set from minute to minute, with the query threads of a server. Processor time is
 * that of the whole process, all threads together.
 */
import { randomBytes } from 'node:crypto';
import { createEvaluator } from '../src/alerts/evaluator.ts';
import type { AlertRule } from '../src/model/alerts/kinds.ts';
import { dayMs, hourMs, minuteMs } from '../src/model/time.ts';
import { createQueryPool } from '../src/query/threads/pool.ts';
import { alerts as alertStore } from '../src/store/alerts/alerts.ts';
import { openDatabase } from '../src/store/database.ts';
import { encoded, sealer } from '../src/store/day/seal.ts';
import { siteDirectory } from '../src/store/sites.ts';
import { textWriter } from '../src/store/texts.ts';
import { addSite } from '../test/helpers.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { generateDays } from './generate.ts';
import { converted, kept } from './query-data.ts';

const days = 49;
const firstDay = Date.UTC(2026, 0, 5) / dayMs;
/** Turns without a new quarter of an hour, and with one, that are measured. */
const [idleTurns, slotTurns] = [5, 4];

const rules: readonly AlertRule[] = [
  { kind: 'silent', params: { hours: 24 } },
  { kind: 'spike', params: { metric: 'visits', k: 4.5, hours: null, floor: 10 } },
  { kind: 'threshold', params: { metric: 'visitors', comparison: 'above', number: 1e6, minutes: 60 } },
];

const fill = (dir: string, sites: number, hits: number): void => {
  const db = openDatabase(dir);
  const [seal, alerts] = [sealer(db), alertStore(db)];
  db.exec('begin immediate');
  for (let i = 0; i < sites; i++) {
    const { id: siteId } = addSite(db, { uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}` });
    const texts = textWriter(db);
    const plan = { hits: hits * days, days, firstDay, seed: i + 1, cookies: 0, pages: 20 };
    for (const day of generateDays(plan, siteId, text => texts.id(siteId, text))) {
      const sealing = seal.begin(day);
      for (const _ of sealing.write(encoded(day)));
      sealing.finish(0);
    }
    const told = { filters: '', channelIds: [], mailOwners: false, enabled: true, madeBy: 'bench', createdAt: 0 };
    for (const rule of rules)
      alerts.add({ ...told, siteId, rule, name: rule.kind, muteToken: `${siteId} ${rule.kind}` });
  }
  db.exec('commit');
  db.close();
};

export const run = async (args: readonly string[]): Promise<void> => {
  const { sites, hits, isFull } = optionsOf(args, { sites: 1000, hits: 100 });
  const programs = ['bench/alert-load.ts', 'bench/query-data.ts', 'src/store/day/column-codec.ts'];
  const dataDir = converted(kept(`alerts-${sites}-${hits}`, programs, dir => fill(dir, sites, hits)));
  const db = openDatabase(dataDir);
  const directory = siteDirectory(db);
  const engine = createQueryPool({ dataDir, workers: 2, cacheBytesMax: 2 ** 28, deadlineMs: 60_000, waitingMax: 100 });
  const begin = (firstDay + days) * dayMs;
  const clock = { now: begin + 2 * minuteMs };
  const evaluator = createEvaluator({
    ...{
      db,
      directory,
      engine,
      now: () => clock.now,
      random: randomBytes,
      baseUrl: null,
      sendsMail: false,
      down: null,
    },
    wake: () => {},
    log: (event, facts) => console.error(event, JSON.stringify(facts)),
  });
  /** Processor seconds of a turn at an instant. */
  const turnAt = async (at: number): Promise<number> => {
    clock.now = at;
    const before = process.cpuUsage();
    await evaluator.turn();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  db.exec('delete from alert_state');
  const day = await turnAt(begin + 2 * minuteMs);
  let [slot, idle] = [0, 0];
  for (let i = 1; i <= slotTurns; i++) slot += (await turnAt(begin + i * 15 * minuteMs + 2 * minuteMs)) / slotTurns;
  const from = begin + hourMs + 2 * minuteMs;
  for (let i = 1; i <= idleTurns; i++) idle += (await turnAt(from + i * minuteMs)) / idleTurns;
  await engine.close();
  db.close();
  const turns = { day: 1, slot: 95, idle: 24 * 60 - 96 };
  const seconds = { day, slot, idle };
  const names = { day: 'the first of a day, with six weeks of past', slot: 'each quarter of an hour', idle: 'between' };
  const rows = (Object.keys(turns) as (keyof typeof turns)[]).map(name => [
    ...[names[name], turns[name], Math.round(seconds[name] * 1000), Math.round(seconds[name] * turns[name])],
  ]);
  const percent = (100 * rows.reduce((sum, row) => sum + Number(row[3]), 0)) / (dayMs / 1000);
  const table = markdownTable(['turn', 'a day', 'processor ms', 'processor s a day'], rows);
  const text = `${sites.toLocaleString('en-US')} sites, each with three alerts and ${hits} hits a day: ${percent.toFixed(1)} % of a core.`;
  publish('alert-load', `${table}\n\n${text} ${machine(Date.now())}`, isFull);
};
