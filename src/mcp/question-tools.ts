/** The tools that are questions of the API. */
import { events } from '../api/events.ts';
import { explain } from '../api/explain.ts';
import { funnel } from '../api/funnel.ts';
import { goals } from '../api/goals.ts';
import { journey } from '../api/journey.ts';
import { metricSeries } from '../api/metric-series.ts';
import { realtime } from '../api/realtime.ts';
import { crawlers, vitals } from '../api/records.ts';
import { ParameterError } from '../api/request/parameters.ts';
import { stats } from '../api/stats.ts';
import { table } from '../api/table.ts';
import { visits } from '../api/visits.ts';
import { questionTool } from './question-tool.ts';
import type { Tool } from './tool.ts';

/** A model reads no more. */
const pointsMax = 400;

const refuseLong = (body: object): void => {
  if ((body as { data: unknown[] }).data.length > pointsMax)
    throw new ParameterError({
      ...{ error: `more than ${pointsMax} points`, parameter: 'interval' },
      allowed: ['day', 'week', 'month'],
    });
};

export const questionTools: readonly Tool[] = [
  questionTool({
    name: 'get_stats',
    title: 'Headline figures',
    description:
      'The nine headline figures of a site in a period (visitors, pageviews, visits, bounce rate, visit duration, events, revenue and others), the same in the window before, and the change in percent. Begin here.',
    endpoint: stats,
    page: '',
  }),
  questionTool({
    name: 'get_series',
    title: 'Figures over time',
    description: `Metrics by hour, day, week or month, with zeros where nothing was. At most ${pointsMax} points.`,
    endpoint: metricSeries,
    page: '',
    check: refuseLong,
  }),
  questionTool({
    name: 'get_table',
    title: 'Ranking by a dimension',
    description:
      'Rows of a dimension with any metrics: top pages, sources, countries, campaigns, devices, values of a property (prop:plan). Sorted, page by page, with the window before where compare says so.',
    endpoint: table,
    page: '',
    limits: { limit: { default: 10, maximum: 200 } },
  }),
  questionTool({
    name: 'get_events',
    title: 'Events and their properties',
    description:
      'Without event: all events with counts and visitors. With event: the keys of its properties, or with property the values, or with series that event over time.',
    endpoint: events,
    page: 'events',
    fields: ['event'],
  }),
  questionTool({
    name: 'get_goals',
    title: 'Conversions of goals',
    description:
      'How often each goal of the site was reached, by how many visitors, the conversion rate and the revenue. With conditions: of a goal that need not be saved.',
    endpoint: goals,
    page: 'events',
  }),
  questionTool({
    name: 'get_funnel',
    title: 'Funnel',
    description:
      'How many visits or visitors went through steps in their order, and how many were lost at each: a saved funnel by its name, or steps such as path=/pricing and event=Signup.',
    endpoint: funnel,
    page: 'funnels',
  }),
  questionTool({
    name: 'get_journey',
    title: 'Paths through the site',
    description: 'What visitors did after or before a page or an event, as levels of steps.',
    endpoint: journey,
    page: 'journeys',
  }),
  questionTool({
    name: 'get_realtime',
    title: 'Who is there now',
    description:
      'Visitors of the last minutes, their pages and sources, the last half hour by minute, and the last hit.',
    endpoint: realtime,
    page: 'realtime',
    isTimeless: true,
  }),
  questionTool({
    name: 'get_vitals',
    title: 'Web vitals',
    description:
      'How fast pages are for visitors: the 75th percentile of LCP, INP, CLS, FCP and TTFB, with the shares of good and poor.',
    endpoint: vitals,
    page: 'vitals',
  }),
  questionTool({
    name: 'get_crawlers',
    title: 'Crawlers and AI bots',
    description:
      'Crawls by crawler, path or status, such as what GPTBot or Googlebot read, and which pages they did not find.',
    endpoint: crawlers,
    page: 'crawlers',
    fields: ['name', 'path', 'status'],
  }),
  questionTool({
    name: 'explain_change',
    title: 'What changed, and where',
    description:
      'Which values of which dimensions account for the change of a metric between two windows: the largest risers and fallers with their share of the change, what is beyond chance, and notes on the days. Arithmetic, no guess of a cause. Ask it when somebody asks why a figure rose or fell.',
    endpoint: explain,
    page: '',
  }),
  questionTool({
    name: 'get_visits',
    title: 'Single visits',
    description:
      'Single visits, newest first. They may name persons: ask only where the question is about single visits.',
    endpoint: visits,
    page: 'visits',
    needs: 'visits',
    limits: { limit: { default: 10, maximum: 50 } },
  }),
];
