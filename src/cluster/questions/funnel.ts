/**
 * Steps in their order: of a run of hits, which is a visit or a visitor's day, the first hit that
 * serves the first step, then the first one behind it that serves the second, and so on. A hit
 * serves one step at most.
 */
import type { AnswerOf, Filter, FunnelScope, QuestionOf } from '../../query/query.ts';
import { conditionOf } from '../conditions.ts';
import { addUp, medianOf, number, type Scope, sumsOf, visitorsOf } from '../run.ts';
import type { RowSelection } from '../selection.ts';
import { all } from '../sql.ts';

export const funnel = async (
  scope: Scope,
  { steps, scope: within }: QuestionOf<'funnel'>,
): Promise<AnswerOf<'funnel'>> => {
  const { run, selection } = scope;
  const runs = runsThrough(selection, steps, within);
  const reached = steps.map((_, i) => `countIf(t${i + 1} > 0), ${visitorsOf(scope, 'visitor', `t${i + 1} > 0`)}`);
  const spans = steps.slice(1).map((_, i) => `(toUInt8(${i}), t${i + 1}, t${i + 2})`);
  const [all, through, times] = await Promise.all([
    run(`select uniqExact(visit), ${visitorsOf(scope)} from ${selection.table} where ${selection.hits}`),
    run(`select ${reached.join(', ')} from (${runs})`),
    spans.length === 0
      ? []
      : run(`select s.1 as step, toInt64(intDiv(s.3, 1048576)) - toInt64(intDiv(s.2, 1048576)) as ms, count()
             from (select arrayJoin([${spans.join(', ')}]) as s from (${runs})) where s.3 > 0 group by step, ms`),
  ]);
  const [visits, visitors] = sumsOf(all) as [number, number];
  const counts = sumsOf(through);
  const rows = addUp(times, 2).map(row => row.map(number));
  return {
    kind: 'funnel',
    visits: [visits, ...steps.map((_, i) => counts[2 * i]!)],
    visitors: [visitors, ...steps.map((_, i) => counts[2 * i + 1]!)],
    medianMs: steps
      .slice(1)
      .map((_, i) => medianOf(rows.flatMap(([step, ms, count]) => (step === i ? [[ms!, count!] as const] : [])))),
  };
};

/**
 * A table with a row for each run that has a selected hit: `visitor`, `visit` (of the first hit),
 * and `t1`, `t2` … the id of the hit that serves each step, or 0.
 */
export const runsThrough = (selection: RowSelection, steps: readonly Filter[][], scope: FunnelScope): string => {
  const marks = steps.map((step, i) => `${conditionOf(step, selection)} as m${i + 1}`);
  const marked = `select day, visitor, visit, id, ${marks.join(', ')} from ${selection.table} where ${hitsOf(selection, scope)}`;
  const serving = steps.map((_, i) => `arraySort(groupArrayIf(id, m${i + 1})) as a${i + 1}`);
  const by = scope === 'visit' ? 'day, visitor, visit' : 'day, visitor';
  const first = scope === 'visit' ? 'visit' : 'toUInt64(0) as visit';
  const start = `select visitor, ${first}, ${serving.join(', ')} from (${marked}) group by ${by}`;
  return steps.reduce((runs, _, i) => {
    const done = steps.slice(0, i).map((_, step) => `t${step + 1}`);
    const rest = steps.slice(i + 1).map((_, step) => `a${step + i + 2}`);
    const next =
      i === 0 ? 'a1[1] as t1' : `if(t${i} = 0, toUInt64(0), arrayFilter(x -> x > t${i}, a${i + 1})[1]) as t${i + 1}`;
    return `select ${['visitor', 'visit', ...done, next, ...rest].join(', ')} from (${runs})`;
  }, start);
};

/** The hits of all runs with a selected hit. */
const hitsOf = ({ table, days, hits, visits }: RowSelection, scope: FunnelScope): string =>
  scope === 'visit' ? visits : all([days, `(day, visitor) in (select day, visitor from ${table} where ${hits})`]);
