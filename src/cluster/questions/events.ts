/** Events by name and in time, and goals. */
import { eventTypes } from '../../model/hit.ts';
import type { AnswerOf, GoalAsked, GoalCounts, QuestionOf } from '../../query/query.ts';
import { mostUsed } from '../../query/questions/events.ts';
import { compareText } from '../../query/rows/top-rows.ts';
import { conditionOf, isEvent } from '../conditions.ts';
import { addUp, byBucket, medianOf, number, type Scope, sumsOf, visitorsOf } from '../run.ts';
import { bucketOf } from '../selection.ts';
import { all, any } from '../sql.ts';
import { moneyBy } from './money.ts';

const byType = 'countIf(type = 2), countIf(type = 3), countIf(type = 4)';

export const events = async (scope: Scope, { limit, bounds }: QuestionOf<'events'>): Promise<AnswerOf<'events'>> => {
  const { run, selection } = scope;
  const where = all([selection.hits, isEvent]);
  const [counts, latest, buckets] = await Promise.all([
    run(
      `select event as g, count(), ${visitorsOf(scope)}, ${byType} from ${selection.table} where ${where} group by g`,
    ),
    run(`select event as g, max(at) from ${selection.table} where ${where} group by g`),
    bounds &&
      run(
        `select ${bucketOf(bounds)} as bucket, event as g, count() from ${selection.table} where ${where} group by bucket, g`,
      ),
  ]);
  const lastAt = new Map<string, number>();
  for (const [name, at] of latest.flat()) lastAt.set(String(name), Math.max(lastAt.get(String(name)) ?? 0, number(at)));
  const inTime = Map.groupBy(addUp(buckets ?? [], 2), ([, name]) => name);
  const rows = addUp(counts, 1).map(([cell, count, visitors, ...types]) => {
    const name = String(cell);
    return {
      ...{ name, type: mostUsed(types.map(number)), events: number(count), visitors: number(visitors) },
      lastAt: lastAt.get(name)!,
      spark: bounds === null ? [] : byBucket(inTime.get(cell) ?? [], 2, bounds),
    };
  });
  rows.sort((a, b) => b.events - a.events || compareText(a.name, b.name));
  return { kind: 'events', rows: rows.slice(0, limit) };
};

export const eventSeries = async (
  scope: Scope,
  { bounds }: QuestionOf<'eventSeries'>,
): Promise<AnswerOf<'eventSeries'>> => {
  const { run, selection } = scope;
  const where = all([selection.hits, isEvent]);
  const [buckets, whole, times, ofVisits] = await Promise.all([
    run(
      `select ${bucketOf(bounds)} as g, count(), ${visitorsOf(scope)} from ${selection.table} where ${where} group by g`,
    ),
    run(`select count(), ${visitorsOf(scope)}, ${byType} from ${selection.table} where ${where}`),
    run(`select count(), min(at), max(at) from ${selection.table} where ${where}`),
    run(
      `select c, count() from (select count() as c from ${selection.table} where ${where} group by visit) group by c`,
    ),
  ]);
  const rows = addUp(buckets, 1);
  const [count, visitors, ...types] = sumsOf(whole);
  const found = times.flat().filter(([hits]) => number(hits) > 0);
  const perVisit = addUp(ofVisits, 1).map(([hits, visits]) => [number(hits), number(visits)] as const);
  return {
    kind: 'eventSeries',
    events: byBucket(rows, 1, bounds),
    visitors: byBucket(rows, 2, bounds),
    total: {
      events: count ?? 0,
      visitors: visitors ?? 0,
      visits: perVisit.reduce((sum, [, visits]) => sum + visits, 0),
      medianPerVisit: medianOf(perVisit) ?? 0,
      type: found.length === 0 ? null : mostUsed(types.slice(0, eventTypes.length)),
      firstAt: found.length === 0 ? null : Math.min(...found.map(([, at]) => number(at))),
      lastAt: found.length === 0 ? null : Math.max(...found.map(([, , at]) => number(at))),
    },
  };
};

export const goals = async (scope: Scope, question: QuestionOf<'goals'>): Promise<AnswerOf<'goals'>> => {
  const { run, selection } = scope;
  const [visitors, ...counts] = await Promise.all([
    run(`select ${visitorsOf(scope)} from ${selection.table} where ${selection.hits}`),
    ...question.goals.map(goal => goalCounts(scope, goal)),
  ]);
  return { kind: 'goals', goals: counts, visitors: sumsOf(visitors)[0]! };
};

const goalCounts = async (scope: Scope, { conditions, ofVisits }: GoalAsked): Promise<GoalCounts> => {
  const { run, selection } = scope;
  const hits = all([selection.hits, any(conditions.map(list => conditionOf(list, selection)))]);
  const [shards, money] = await Promise.all([
    run(`select count(), uniqExact(visit), ${visitorsOf(scope)} from ${selection.table} where ${hits}`),
    moneyBy(scope, ['0'], hits),
  ]);
  const [count, visits, visitors] = sumsOf(shards) as [number, number, number];
  return { conversions: ofVisits ? visits : count, visits, visitors, ...money([0]) };
};
