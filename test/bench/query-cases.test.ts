/** The questions of the benchmarks, about the same hits as sealed days and as the rows of an open one. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TrafficPlan } from '../../bench/generate.ts';
import { arrivals, fillOpen } from '../../bench/open-day.ts';
import { casesFor } from '../../bench/query-cases.ts';
import { fillSealed } from '../../bench/query-data.ts';
import { type Engine, openEngine } from '../../bench/query-engines.ts';
import { dayMs } from '../../src/model/time.ts';
import { temporaryDir } from '../helpers.ts';

const plan: TrafficPlan = { seed: 3, hits: 2000, days: 1, firstDay: 20_000, cookies: 0.3, pages: 5000 };
const window = { from: plan.firstDay * dayMs, to: (plan.firstDay + 1) * dayMs };
const cases = casesFor(window, { country: 'BK', path: '/blog/page-5' });

const askAll = async (engine: Engine): Promise<Map<string, unknown[]>> => {
  const answers = new Map<string, unknown[]>();
  for (const question of cases) {
    const { rows } = await engine.ask(question);
    assert.equal((await engine.askAgain!(question)).rows, rows, question.name);
    answers.set(question.name, rows);
  }
  return answers;
};

test('sealed days and open rows give the same answers, also the second time', async () => {
  const [sealed, open] = [temporaryDir(), temporaryDir()];
  fillSealed(sealed, plan);
  fillOpen(open, plan);
  const engines = await Promise.all(
    [sealed, open].map(data => openEngine('daybook', { data, competitors: '', packages: '' })),
  );
  try {
    const [ofSealed, ofOpen] = [await askAll(engines[0]!), await askAll(engines[1]!)];
    for (const { name } of cases) {
      assert.ok(ofSealed.get(name)!.length > 0, `${name} has rows`);
      assert.equal(ofOpen.get(name), ofSealed.get(name), name);
    }
    const totals = cases.find(({ name }) => name === 'totals')!;
    const [[before] = []] = ofOpen.get('totals') as [number[]];
    arrivals(open, plan.firstDay)(7);
    const [[after] = []] = (await engines[1]!.ask(totals)).rows;
    assert.is(after, before! + 7);
  } finally {
    for (const engine of engines) await engine.close();
  }
});

test('a question to other databases names its window and has a statement per section', () => {
  const dialect = {
    distinct: (column: string) => `distinct(${column})`,
    countIf: (condition: string) => `countIf(${condition})`,
    any: (column: string) => `any(${column})`,
    div: (a: string, b: number) => `div(${a}, ${b})`,
    contains: (column: string, text: string) => `contains(${column}, '${text}')`,
    stepsReached: (conditions: readonly string[], where: string) => `reached(${conditions}, ${where})`,
  };
  for (const { name, statements } of cases) {
    const asked = statements(dialect);
    assert.is(asked.length, name === 'breakdown CSV' ? 18 : 1, name);
    for (const { sql } of asked) assert.match(sql, /instant >= \d+ and instant < \d+/, name);
  }
});

test.run();
