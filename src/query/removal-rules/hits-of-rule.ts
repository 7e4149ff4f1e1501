/** What a rule is about, and how many hits rules leave out. */
import { dayMs } from '../../model/time.ts';
import type { Rule, Rules } from '../../store/removal-rules.ts';
import type { Filter, Query, Report } from '../query.ts';
import { mostVisited } from '../usual-questions.ts';

/** The hits at `from <= at < to` that pass every filter; plain data. */
export interface HitsOfSite {
  siteId: number;
  from: number;
  to: number;
  filters: Filter[];
}

/** What is to be left out, and how people read it (store/removal-rules.ts). */
export interface RuleTask extends HitsOfSite {
  filtersText: string;
  period: string;
  madeBy: string | null;
  reason: string | null;
}

/** Makes the rule. Hits that come after `now` stay. Throws StoreError where there are too many. */
export const addRule = (table: Pick<Rules, 'add'>, task: RuleTask, now: number): Rule => {
  const { filters, filtersText, to, ...others } = task;
  const of = { ...others, filters: filtersText, selects: JSON.stringify(filters) };
  return table.add({ ...of, to: Math.min(to, now + 1), createdAt: now });
};

/** More than there are kinds of devices. */
const devicesMax = 100;

/** Asks how many hits there are. Each is of one device, so theirs are all. */
export const hitsQuestion = mostVisited('device', devicesMax);

/** How many hits each rule of a site leaves out, as if there was no other. */
export const leftOutQuery = (siteId: number, all: readonly Rule[]): Query => ({
  ...{ siteId, currency: '', minorRates: {}, withLeftOut: true },
  slices: all.map(({ from, to, imports, selects }) => ({
    ...{ from, to, imports, filters: JSON.parse(selects) as Filter[] },
    questions: [hitsQuestion],
  })),
});

/** By slice, the answer to its `hitsQuestion`. */
export const hitsIn = (report: Report): number[] =>
  report.map(([answer]) => (answer?.kind === 'table' ? answer.rows.reduce((sum, { hits }) => sum + hits, 0) : 0));

/** Of some rules, the ids of those that leave out hits of a day. */
export const touchedBy = async (
  run: (query: Query) => Promise<Report>,
  siteId: number,
  all: readonly Rule[],
  day: number,
): Promise<number[]> => {
  if (all.length === 0) return [];
  const [begin, end] = [day * dayMs, (day + 1) * dayMs];
  const ofDay = all.map(({ from, to, ...of }) => ({ ...of, from: Math.max(from, begin), to: Math.min(to, end) }));
  const hits = hitsIn(await run(leftOutQuery(siteId, ofDay)));
  return all.filter((_, i) => hits[i]! > 0).map(({ id }) => id);
};
