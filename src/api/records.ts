/**
 * What is recorded besides hits (docs/api.md, "Beyond"): web vitals, crawlers, and how every hit
 * ended. Each filters by the few fields that its records have and refuses any other filter, which
 * it could not apply.
 */
import { breakdownLimitDefault, breakdownLimitMax } from '../model/limits.ts';
import { ratio } from '../model/metrics.ts';
import { type Outcome, outcomes as outcomeRows } from '../model/outcomes.ts';
import { textBounds, textKindNames } from '../model/text-kinds.ts';
import { hourMs, isoTime } from '../model/time.ts';
import { vitalNames, vitals as vitalRows } from '../model/vitals.ts';
import type { CrawlField, VitalField } from '../store/read/records.ts';
import type { VitalGroup, VitalSummary } from '../store/read/vital-tally.ts';
import { askOne, noTime, windowEndpoint, windowObject } from './endpoint.ts';
import { fieldsOf } from './numbers.ts';
import { bucketsOf } from './request/buckets.ts';
import { choice, rowLimit } from './request/parameters.ts';
import {
  count,
  described,
  instant,
  list,
  localTime,
  nullable,
  number,
  object,
  oneOf,
  percentage,
  text,
} from './schema.ts';

const limit = rowLimit(breakdownLimitDefault, breakdownLimitMax);

export const vitalFields = ['path', 'device'] as const satisfies VitalField[];
export const vitalSchema = object({
  reports: count,
  p75: described(number, 'Three of four reports are at or below this value'),
  good: percentage,
  needsImprovement: percentage,
  poor: percentage,
});
const vitalFieldsSchema = {
  reports: count,
  ...fieldsOf(vitalNames, name => {
    const { meaning, unit, good, poor } = vitalRows[name];
    const note = `${meaning}${unit === null ? '' : `, ${unit}`}; good up to ${good}, poor above ${poor}`;
    return described(nullable(vitalSchema), note);
  }),
};

export const vitals = windowEndpoint({
  part: 'vitals',
  summary: 'Web vitals by path or device: the 75th percentile, and the shares of good, middling and poor reports',
  own: { by: choice(vitalFields, 'path', 'What to group by'), limit },
  fields: vitalFields,
  response: windowObject({
    by: oneOf(vitalFields),
    all: object(vitalFieldsSchema),
    data: list(object({ name: text, ...vitalFieldsSchema }), breakdownLimitMax),
  }),
  plan: ({ window: { from, to }, filters, by, limit: rows }) =>
    askOne(noTime, [], { kind: 'vitals', from, to, by, filters, limit: rows }, ({ all, groups }) => ({
      by,
      all: vitalJson(all),
      data: groups.map(group => ({ name: group.name, ...vitalJson(group) })),
    })),
});

const vitalJson = ({ reports, metrics }: VitalGroup): object => ({
  reports,
  ...Object.fromEntries(vitalNames.map(name => [name, metrics[name] && summaryJson(metrics[name])])),
});

const summaryJson = ({ reports, p75, good, poor }: VitalSummary): object => ({
  reports,
  p75,
  good: ratio(good * 100, reports),
  needsImprovement: ratio((reports - good - poor) * 100, reports),
  poor: ratio(poor * 100, reports),
});

export const crawlFields = ['name', 'path', 'status'] as const satisfies CrawlField[];

export const crawlers = windowEndpoint({
  part: 'crawlers',
  summary: 'Crawlers and automated browsers, by name, path or HTTP status',
  own: { by: choice(crawlFields, 'name', 'What to group by'), limit },
  fields: crawlFields,
  response: windowObject({
    by: oneOf(crawlFields),
    total: described(count, 'Crawls in all, also of rows beyond the limit'),
    series: list(object({ date: localTime, crawls: count })),
    data: list(
      object({ name: text, crawls: count, lastSeen: described(instant, 'To the quarter of an hour') }),
      breakdownLimitMax,
    ),
  }),
  plan({ window, filters, by, limit: rows }, { zone }) {
    const { bounds, dates } = bucketsOf(window, zone);
    return askOne(noTime, [], { kind: 'crawls', bounds, by, filters, limit: rows }, ({ total, groups, series }) => ({
      by,
      total,
      series: series.map((crawls, i) => ({ date: dates[i], crawls })),
      data: groups.map(({ name, crawls, lastAt }) => ({ name, crawls, lastSeen: isoTime(lastAt) })),
    }));
  },
});

const outcomeNames = Object.keys(outcomeRows) as Outcome[];
export const outcomeSchema = described(
  oneOf(outcomeNames),
  outcomeNames.map(name => `${name}: ${outcomeRows[name].meaning}`).join('. '),
);
const boundSchema = described(
  oneOf(textBounds),
  'Whose allowance of new texts was used up, so that so many texts became (other). site: the site’s for the day. sender: one sender’s part of it',
);

export const outcomes = windowEndpoint({
  part: 'outcomes',
  summary: 'How every hit that arrived ended, in the buckets of the range',
  fields: [],
  response: windowObject({
    totals: list(object({ outcome: outcomeSchema, hits: count })),
    data: list(object({ date: localTime, outcome: outcomeSchema, hits: count })),
    otherTexts: list(object({ kind: oneOf(textKindNames), bound: boundSchema, texts: count })),
  }),
  plan({ window }, { zone }) {
    const { bounds, dates } = bucketsOf(window, zone);
    // All time begins with the first hit, inside an hour that counts whole.
    if (window.key === 'all') bounds[0] = Math.floor(bounds[0]! / hourMs) * hourMs;
    return askOne(noTime, [], { kind: 'outcomes', bounds }, ({ counts, otherTexts }) => {
      const totalOf = (name: Outcome): number =>
        counts.reduce((sum, { outcome, hits }) => (outcome === name ? sum + hits : sum), 0);
      return {
        totals: outcomeNames.map(outcome => ({ outcome, hits: totalOf(outcome) })).filter(({ hits }) => hits > 0),
        data: counts.map(({ bucket, outcome, hits }) => ({ date: dates[bucket], outcome, hits })),
        otherTexts,
      };
    });
  },
});
