/**
 * What is recorded besides hits (docs/api.md, "Beyond"): web vitals, crawlers, and how every hit ended. They filter by the few fields
 * that such records have; a filter on anything else is refused, because it could not be applied.
 */
import { breakdownLimitDefault, breakdownLimitMax } from '../model/limits.ts';
import { ratio } from '../model/metrics.ts';
import { type Outcome, outcomes as outcomeRows } from '../model/outcomes.ts';
import { hourMs } from '../model/time.ts';
import { vitalNames, vitals as vitalRows } from '../model/vitals.ts';
import type { CrawlField, VitalField, VitalGroup, VitalSummary } from '../store/read/records.ts';
import { endpoint, limitNote } from './endpoint.ts';
import { isoTime } from './numbers.ts';
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

const limit = limitNote(breakdownLimitDefault, breakdownLimitMax);

const vitalFields = ['path', 'device'] as const satisfies VitalField[];
const metricSchema = object({
  reports: count,
  p75: described(number, 'The value that three reports of four do not exceed'),
  good: percentage,
  needsImprovement: percentage,
  poor: percentage,
});
const vitalFieldsSchema = {
  reports: count,
  ...Object.fromEntries(
    vitalNames.map(name => {
      const { meaning, unit, good, poor } = vitalRows[name];
      const note = `${meaning}${unit === null ? '' : `, ${unit}`}; good up to ${good}, poor above ${poor}`;
      return [name, described(nullable(metricSchema), note)];
    }),
  ),
};

export const vitals = endpoint({
  summary: 'Web vitals by path or device: the 75th percentile, and the shares of good, middling and poor reports',
  own: { by: { schema: { ...oneOf(vitalFields), default: 'path' }, meaning: 'What to group by' }, limit },
  fields: vitalFields,
  response: object({
    by: oneOf(vitalFields),
    all: object(vitalFieldsSchema),
    data: list(object({ name: text, ...vitalFieldsSchema }), breakdownLimitMax),
  }),
  async answer({ site, ...reader }, parameters) {
    const by = parameters.choice('by', vitalFields, 'path');
    const rows = parameters.limit(breakdownLimitDefault, breakdownLimitMax);
    const { from, to } = await reader.window(parameters.period);
    const { all, groups } = await reader.perform({
      kind: 'vitals',
      siteId: site.id,
      from,
      to,
      by,
      filters: parameters.filters,
      limit: rows,
    });
    return { by, all: vitalJson(all), data: groups.map(group => ({ name: group.name, ...vitalJson(group) })) };
  },
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

const crawlFields = ['name', 'path', 'status'] as const satisfies CrawlField[];

export const crawlers = endpoint({
  summary: 'Crawlers and automated browsers, by name, path or HTTP status',
  own: { by: { schema: { ...oneOf(crawlFields), default: 'name' }, meaning: 'What to group by' }, limit },
  fields: crawlFields,
  response: object({
    by: oneOf(crawlFields),
    total: described(count, 'Crawls in all, also of rows beyond the limit'),
    data: list(
      object({ name: text, crawls: count, lastSeen: described(instant, 'To the quarter of an hour') }),
      breakdownLimitMax,
    ),
  }),
  async answer({ site, ...reader }, parameters) {
    const by = parameters.choice('by', crawlFields, 'name');
    const rows = parameters.limit(breakdownLimitDefault, breakdownLimitMax);
    const { from, to } = await reader.window(parameters.period);
    const { total, groups } = await reader.perform({
      kind: 'crawls',
      siteId: site.id,
      from,
      to,
      by,
      filters: parameters.filters,
      limit: rows,
    });
    return { by, total, data: groups.map(({ name, crawls, lastAt }) => ({ name, crawls, lastSeen: isoTime(lastAt) })) };
  },
});

const outcomeNames = Object.keys(outcomeRows) as Outcome[];
const outcomeSchema = described(
  oneOf(outcomeNames),
  outcomeNames.map(name => `${name}: ${outcomeRows[name].meaning}`).join('. '),
);

export const outcomes = endpoint({
  summary: 'How every hit that arrived ended, by reason and by hour (or day, or month, as the range has its buckets)',
  fields: [],
  response: object({
    totals: list(object({ outcome: outcomeSchema, hits: count })),
    data: list(object({ date: localTime, outcome: outcomeSchema, hits: count })),
  }),
  async answer({ site, ...reader }, { period }) {
    const window = await reader.window(period);
    const { bounds, dates } = reader.buckets(window);
    // All time begins with the first hit, inside an hour that counts whole.
    if (window.key === 'all') bounds[0] = Math.floor(bounds[0]! / hourMs) * hourMs;
    const counts = await reader.perform({ kind: 'outcomes', siteId: site.id, bounds });
    const totalOf = (name: Outcome): number =>
      counts.reduce((sum, { outcome, hits }) => (outcome === name ? sum + hits : sum), 0);
    return {
      totals: outcomeNames.map(outcome => ({ outcome, hits: totalOf(outcome) })).filter(({ hits }) => hits > 0),
      data: counts.map(({ bucket, outcome, hits }) => ({ date: dates[bucket], outcome, hits })),
    };
  },
});
