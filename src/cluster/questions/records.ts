/** What is recorded besides hits: web vitals, crawls, and how hits ended. */
import { outcomes as allOutcomes, type Outcome } from '../../model/outcomes.ts';
import { hourMs } from '../../model/time.ts';
import { vitals as allVitals, vitalNames } from '../../model/vitals.ts';
import type { AnswerOf, QuestionOf } from '../../query/query.ts';
import type { CountTable } from '../../store/read/record-rows.ts';
import type { CrawlField, VitalField } from '../../store/read/records.ts';
import { VitalTally } from '../../store/read/vital-tally.ts';
import { crawlSlotMs } from '../../store/write/recorder.ts';
import { textCondition } from '../conditions.ts';
import { recordRows } from '../record-tables.ts';
import { addUp, byBucket, number, type ResultRow, type Scope, sumsOf } from '../run.ts';
import { all, float, list, rounded, text } from '../sql.ts';

const ofSites = ({ query }: Scope): string => `site in (${(query.rollup ?? [query.siteId]).join(', ')})`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What the filters on some fields select, each an expression. */
const conditionsOf = <Field extends string>(
  { filters }: { filters: readonly Parameters<typeof textCondition>[0][number][] },
  fields: Readonly<Record<Field, string>>,
): string =>
  all(
    (Object.entries(fields) as [Field, string][]).map(([field, column]) =>
      textCondition(
        filters.filter(filter => filter.field === field),
        column,
      ),
    ),
  );

export const vitals = async (scope: Scope, question: QuestionOf<'vitals'>): Promise<AnswerOf<'vitals'>> => {
  const { from, to, by, limit } = question;
  const fields: Record<VitalField, string> = { path: 'path', device: 'device' };
  const reports = recordRows('vital_report', from, to, ofSites(scope), conditionsOf(question, fields));
  const counts = addUp(await scope.run(`select ${by} as g, count() from ${reports} group by g`), 1);
  const first = counts
    .map(([name, count]) => ({ name: String(name), count: number(count) }))
    .filter(({ name }) => name !== '')
    .sort((a, b) => b.count - a.count || compare(a.name, b.name))
    .slice(0, limit);
  const [ofAll, ofGroups] = await Promise.all([
    valuesBy(scope, `''`, reports),
    first.length === 0 ? null : valuesBy(scope, by, `${reports} and ${by} in ${list(first.map(({ name }) => name))}`),
  ]);
  const total = counts.reduce((sum, [, count]) => sum + number(count), 0);
  return {
    kind: 'vitals',
    all: { name: '', ...summaryOf(ofAll, '', total) },
    groups: first.map(({ name, count }) => ({ name, ...summaryOf(ofGroups!, name, count) })),
  };
};

/** Of each metric its values by a key, those that share a step counted. */
const valuesBy = (scope: Scope, key: string, reports: string): Promise<ResultRow[][]> =>
  Promise.all(
    vitalNames.map(async name => {
      const { good, poor, steps } = allVitals[name];
      const step = rounded(`assumeNotNull(${name}) * ${float(steps)}`);
      const rated = `countIf(${name} <= ${float(good)}), countIf(${name} > ${float(poor)})`;
      const sql = `select ${key} as g, ${step} as step, count(), ${rated}
        from ${reports} and isNotNull(${name}) group by g, step`;
      return addUp(await scope.run(sql), 2);
    }),
  );

const summaryOf = (values: readonly ResultRow[][], name: string, reports: number) => {
  const tally = new VitalTally();
  tally.reports = reports;
  for (const [i, rows] of values.entries())
    for (const [of, ...cells] of rows) {
      if (of !== name) continue;
      const [step, count, good, poor] = cells.map(number) as [number, number, number, number];
      tally.addValues(vitalNames[i]!, { step, count, good, poor });
    }
  return tally.summary();
};

const ofTable = (table: CountTable): string => `kind = ${text(table)}`;

/** A slot's bucket, given the first slot of each: where several begin in one, the last has it. */
const bucketOf = (slot: string, firsts: readonly number[]): string =>
  `toUInt32(arrayCount(b -> b <= ${slot}, [${firsts.map(first => `toUInt32(${first})`).join(', ')}]) - 1)`;

export const crawls = async (scope: Scope, question: QuestionOf<'crawls'>): Promise<AnswerOf<'crawls'>> => {
  const { bounds, by, limit } = question;
  // A bound within a slot, as at the end of what is known, takes the whole slot.
  const slots = bounds.map((bound, i) => Math[i < bounds.length - 1 ? 'floor' : 'ceil'](bound / crawlSlotMs));
  const [begin, end] = [slots[0] ?? 0, slots.at(-1) ?? 0];
  const fields: Record<CrawlField, string> = {
    ...{ name: 'name', path: 'text', status: `if(status = 0, 'unknown', toString(status))` },
  };
  const found = recordRows(
    'record_count',
    begin * crawlSlotMs,
    end * crawlSlotMs,
    ...[ofSites(scope), ofTable('crawl'), conditionsOf(question, fields)],
  );
  const slot = `intDiv(at, ${crawlSlotMs / 1000})`;
  const [groups, buckets] = await Promise.all([
    scope.run(`select ${fields[by]} as g, max(${slot}), sum(count) from ${found} group by g`),
    scope.run(`select ${bucketOf(slot, slots.slice(0, -1))} as bucket, sum(count) from ${found} group by bucket`),
  ]);
  const series = byBucket(addUp(buckets, 1), 1, bounds);
  const ranked = groups
    .flat()
    .map(([name, last, count]) => ({ name: String(name), crawls: number(count), lastAt: number(last) * crawlSlotMs }))
    .filter(({ name }) => name !== '')
    .sort((a, b) => b.crawls - a.crawls || compare(a.name, b.name));
  return {
    kind: 'crawls',
    total: sumsOf([series.map(count => [count])])[0] ?? 0,
    groups: ranked.slice(0, limit),
    series,
  };
};

const outcomeNames = Object.keys(allOutcomes) as Outcome[];

export const outcomes = async (scope: Scope, { bounds }: QuestionOf<'outcomes'>): Promise<AnswerOf<'outcomes'>> => {
  /** Per bound, the first hour that begins at it or later. */
  const hours = bounds.map(bound => Math.ceil(bound / hourMs));
  const [begin, end] = [hours[0] ?? 0, hours.at(-1) ?? 0];
  const of = (table: CountTable): string =>
    recordRows('record_count', begin * hourMs, end * hourMs, ofSites(scope), ofTable(table));
  const hour = `intDiv(at, ${hourMs / 1000})`;
  const [counts, texts] = await Promise.all([
    scope.run(`select ${bucketOf(hour, hours.slice(0, -1))} as bucket, name, sum(count)
      from ${of('outcome')} group by bucket, name`),
    scope.run(`select name, text, sum(count) from ${of('other_text')} group by name, text`),
  ]);
  const found = addUp(counts, 2).map(([bucket, outcome, hits]) => {
    return { bucket: number(bucket), outcome: String(outcome) as Outcome, hits: number(hits) };
  });
  const place = ({ outcome }: { outcome: Outcome }): number => outcomeNames.indexOf(outcome);
  const otherTexts = addUp(texts, 2).map(([kind, bound, count]) => ({ kind, bound, texts: number(count) }));
  return {
    kind: 'outcomes',
    counts: found.sort((a, b) => a.bucket - b.bucket || place(a) - place(b)),
    otherTexts: otherTexts.sort(
      (a, b) =>
        b.texts - a.texts || compare(String(a.kind), String(b.kind)) || compare(String(a.bound), String(b.bound)),
    ) as AnswerOf<'outcomes'>['otherTexts'],
  };
};
