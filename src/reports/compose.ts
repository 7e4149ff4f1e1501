/**
 * Makes a report of what the API answers to one caller: the very questions of its endpoints, so
 * that each number is the API's, with what that caller may see.
 */

import { askAll, type Run } from '../api/ask.ts';
import type { Endpoint, ReadableSite } from '../api/endpoint.ts';
import { explain } from '../api/explain.ts';
import { goals } from '../api/goals.ts';
import { metricSeries } from '../api/metric-series.ts';
import { noteList } from '../api/notes.ts';
import { crawlers } from '../api/records.ts';
import { stats } from '../api/stats.ts';
import { table } from '../api/table.ts';
import { HttpError } from '../http/errors.ts';
import type { ReportEvent } from '../model/alerts/event.ts';
import { oneLine } from '../model/one-line.ts';
import { type ReportBlock, type ReportFigureName, reportFigureNames } from '../model/reports.ts';
import { directName } from '../model/visit-fields.ts';
import type { Formats } from './formats.ts';
import type { MailSection } from './render.ts';
import type { ReportPeriod } from './schedule.ts';
import type { ReportWords } from './words.ts';

export interface ComposeParts {
  /** What is asked, as the recipient may read it. */
  view: ReadableSite;
  run: Run;
  /** Other sites that the recipient may read, for the block of all sites. */
  others: () => { view: ReadableSite; run: Run }[];
  report: { blocks: readonly ReportBlock[]; filters: string; cadence: string };
  period: ReportPeriod;
  words: ReportWords;
  formats: Formats;
}

export interface Composed {
  visitors: number;
  /** In percent; null without a period before. */
  change: number | null;
  /** What is missing in the numbers, in sentences. */
  lacks: string[];
  sections: MailSection[];
  /** Those that there are. */
  figures: ReportEvent['data']['figures'];
  /** Of revenue. */
  currency: string;
  /** When it was asked, UTC milliseconds. */
  now: number;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API, whose schemas are tested there
type Body = any;
type Asks = Readonly<Record<string, readonly [Endpoint, Readonly<Record<string, string>>]>>;

const rowsMax = 10;
const notesShownMax = 20;
const sitesAskedMax = 200;
const sitesShownMax = 60;

const tableOf = (dimension: string, more: Record<string, string> = {}): Asks[string] => [
  table,
  { dimension, metrics: 'visitors', compare: 'previous', limit: String(rowsMax), ...more },
];

/** By name, what each block asks. */
const asksOf = ({ blocks, cadence }: ComposeParts['report']): Asks => {
  const isLong = cadence === 'month' || cadence === 'quarter';
  const byBlock: Partial<Record<ReportBlock, Asks>> = {
    figures: { ...(isLong && { yearBefore: [stats, { compare: 'year' }] }) },
    days: { days: [metricSeries, { metrics: 'visitors', interval: cadence === 'quarter' ? 'week' : 'day' }] },
    changes: { changes: [explain, { limit: '3', dimensions: 'referrer,utmCampaign,entryPath,country' }] },
    pages: { pages: tableOf('path') },
    sources: { sources: tableOf('referrer') },
    countries: { countries: tableOf('country') },
    goals: { goals: [goals, {}] },
    assistants: {
      assistants: tableOf('referrer', { channel: 'AI assistants' }),
      crawlers: [crawlers, { limit: '10' }],
    },
    missing: { missing: tableOf('path', { event: '404', limit: '50' }) },
    notes: { notes: [noteList, {}] },
  };
  return Object.assign({ now: [stats, { compare: 'previous' }] }, ...blocks.map(name => byBlock[name] ?? {})) as Asks;
};

/** Endpoints whose records have no field of hits. */
const unfiltered: readonly Endpoint[] = [crawlers, noteList];

/** Answers by name; those of what the caller may not see are missing. */
const answersTo = async (
  asks: Asks,
  { view, run, report, period }: Pick<ComposeParts, 'view' | 'run' | 'report' | 'period'>,
): Promise<Record<string, Body>> => {
  const names = Object.keys(asks);
  const plans = names.map(name => () => {
    const [endpoint, own] = asks[name]!;
    const search = new URLSearchParams({ ...own, ...period });
    if (!unfiltered.includes(endpoint))
      for (const [key, value] of new URLSearchParams(report.filters)) search.append(key, value);
    return endpoint.plan(search, view);
  });
  const answers: Record<string, Body> = {};
  for await (const settled of askAll(plans, run))
    for (const one of settled) {
      const name = names[one.position]!;
      if ('body' in one) answers[name] = one.body;
      else if (!isHidden(one.error) || name === 'now') throw one.error;
    }
  return answers;
};

/** Whether a question is about what is not shown to who asks. */
export const isHidden = (error: unknown): boolean => error instanceof HttpError && error.code.endsWith('-not-public');

/** Rejects as questions do; with ParameterError where the filters name what there no longer is. */
export const composeReport = async (parts: ComposeParts): Promise<Composed> => {
  const { report, words } = parts;
  const answers = await answersTo(asksOf(report), parts);
  const { now } = answers;
  const sections: MailSection[] = [];
  for (const name of report.blocks) {
    const made = name === 'sites' ? [await sitesSection(parts)] : sectionsOf(name, answers, parts);
    sections.push(...made.filter(section => section !== null));
  }
  const hasOutage = (answers.notes?.data ?? []).some(({ kind }: Body) => kind === 'outage');
  const lacks = [
    ...(hasOutage ? [words.outage] : []),
    ...(Object.values(answers).some(({ imported }) => imported === 'partly') ? [words.imported] : []),
    ...(now.limitedTo === undefined ? [] : [words.limited]),
  ];
  const figures = Object.fromEntries(
    figuresIn(now).map(name => [name, { value: now[name], previous: now.previous?.[name] ?? null }]),
  );
  const { currency } = parts.view.site;
  const [visitors, change] = [now.visitors ?? 0, now.delta?.visitors ?? null];
  return { visitors, change, lacks, sections, figures, currency, now: parts.view.now };
};

const sectionsOf = (
  name: Exclude<ReportBlock, 'sites'>,
  answers: Record<string, Body>,
  parts: ComposeParts,
): (MailSection | null)[] => {
  const { words, formats } = parts;
  const title = words.blocks[name];
  const answer = answers[name];
  const ranking = (rows: Body[] | undefined, nameOf: (value: string) => string): MailSection | null => {
    const section = listSection(title, rows, rankingRow(formats, nameOf));
    return section && { ...section, head: ['', words.figures.visitors, ''] };
  };
  const rowName = (value: string): string =>
    value === directName ? words.direct : value === '' ? words.none : oneLine(value);
  switch (name) {
    case 'figures':
      return [figuresSection(answers, parts)];
    case 'days':
      return [daysSection(answer, parts)];
    case 'changes':
      return [changesSection(answer, parts, rowName)];
    case 'countries':
      return [ranking(answer?.data, value => (value === '' ? words.none : formats.country(value)))];
    case 'goals':
      return [goalsSection(answer, parts)];
    case 'assistants':
      return [
        ranking(answer?.data, rowName),
        listSection(words.crawlers, answers.crawlers?.data, row => [oneLine(row.name), formats.number(row.crawls)]),
      ];
    case 'missing': {
      const fresh = (answer?.data ?? []).filter(({ previous }: Body) => previous?.visitors === 0).slice(0, rowsMax);
      return [ranking(fresh, rowName)];
    }
    case 'notes':
      return [
        listSection(title, answer?.data.slice(0, notesShownMax), row => [
          `${formats.day(row.date)}: ${oneLine(row.text, 200)}`,
        ]),
      ];
    default:
      return [ranking(answer?.data, rowName)];
  }
};

const rankingRow =
  (formats: Formats, nameOf: (value: string) => string) =>
  ({ name, visitors, delta }: Body): string[] => [
    nameOf(name),
    formats.number(visitors ?? 0),
    formats.change(delta?.visitors ?? null),
  ];

/** Without what an import does not tell, is hidden, or the site does not have. */
const figuresIn = (now: Body): ReportFigureName[] =>
  reportFigureNames.filter(
    name => typeof now[name] === 'number' && (now[name] !== 0 || (name !== 'revenue' && name !== 'events')),
  );

const figuresSection = (answers: Record<string, Body>, { words, formats, report }: ComposeParts): MailSection => {
  const { now, yearBefore } = answers;
  const written: Record<ReportFigureName, (value: number) => string> = {
    ...{ visitors: formats.number, visits: formats.number, pageviews: formats.number, events: formats.number },
    ...{ viewsPerVisit: formats.number, bounceRate: formats.percent, avgVisitSeconds: formats.seconds },
    revenue: value => formats.money(value, now.currency),
  };
  const names = figuresIn(now);
  const cell = (of: Body, name: ReportFigureName): string =>
    of === null || of === undefined || of[name] === null ? '' : written[name](of[name]);
  return {
    title: words.blocks.figures,
    head: ['', '', '', words.before, ...(yearBefore?.previous ? [words.yearBefore] : [])],
    rows: names.map(name => [
      words.figures[name],
      cell(now, name),
      formats.change(now.delta?.[name] ?? null),
      cell(now.previous, name),
      ...(yearBefore?.previous ? [cell(yearBefore.previous, name)] : []),
    ]),
    ...(report.blocks.length > 0 && now.visitors === 0 && { note: words.noVisitors }),
  };
};

const daysSection = (answer: Body, { words, formats }: ComposeParts): MailSection | null => {
  const points: { date: string; visitors: number | null }[] = answer.data;
  if (points.length < 2) return null;
  const most = Math.max(1, ...points.map(({ visitors }) => visitors ?? 0));
  return {
    title: words.blocks.days,
    rows: points.map(({ date, visitors }) => [formats.day(date), formats.number(visitors ?? 0)]),
    bars: points.map(({ visitors }) => (visitors ?? 0) / most),
  };
};

const changesShown = 3;

/** The largest changes that are more than chance, those that go the way of the whole first. */
const changesSection = (answer: Body, { words, formats }: ComposeParts, rowName: (value: string) => string) => {
  const all = (answer.data as Body[]).flatMap(({ dimension, rose, fell }) =>
    [...rose, ...fell].flatMap((row: Body) => (row.beyondChance === true ? [{ dimension, ...row }] : [])),
  );
  const way = Math.sign(answer.change ?? 0);
  const most = all
    .toSorted(
      (a, b) =>
        +(Math.sign(b.change) === way) - +(Math.sign(a.change) === way) || Math.abs(b.change) - Math.abs(a.change),
    )
    .slice(0, changesShown);
  const nameOf = ({ dimension, name }: Body): string =>
    dimension === 'country' && name !== '' ? formats.country(name) : rowName(name);
  return {
    title: words.blocks.changes,
    rows: most.map(row => [
      `${words.dimensions[row.dimension as 'referrer']}: ${nameOf(row)}`,
      formats.difference(row.change),
      formats.number(row.value ?? 0),
    ]),
    ...(most.length === 0 ? { note: words.nothingChanged } : { head: ['', '', words.figures.visitors] }),
  };
};

const goalsSection = (answer: Body, { words, formats }: ComposeParts): MailSection | null => {
  if (answer.data.length === 0) return null;
  const hasMoney = (answer.data as Body[]).some(({ revenue }) => revenue);
  return {
    title: words.blocks.goals,
    head: ['', words.conversions, words.rate, ...(hasMoney ? [words.figures.revenue] : [])],
    rows: (answer.data as Body[])
      .toSorted((a, b) => b.conversions - a.conversions)
      .slice(0, rowsMax)
      .map(({ name, conversions, conversionRate, revenue }) => [
        oneLine(name),
        formats.number(conversions),
        formats.percent(conversionRate),
        ...(hasMoney ? [formats.money(revenue ?? 0, answer.currency)] : []),
      ]),
  };
};

/** A row for each row of an answer; null where there is none, or it may not be seen. */
const listSection = (title: string, rows: Body[] | undefined, rowOf: (row: Body) => string[]): MailSection | null =>
  rows === undefined || rows.length === 0 ? null : { title, rows: rows.map(rowOf) };

const sitesSection = async ({ others, period, words, formats, report }: ComposeParts): Promise<MailSection | null> => {
  const rows: { name: string; visitors: number; change: number | null }[] = [];
  const all = others();
  for (const { view, run } of all.slice(0, sitesAskedMax)) {
    const asks: Asks = { now: [stats, { compare: 'previous' }] };
    const { now } = await answersTo(asks, { view, run, period, report: { ...report, filters: '' } });
    rows.push({ name: view.site.domain, visitors: now.visitors ?? 0, change: now.delta?.visitors ?? null });
  }
  if (rows.length === 0) return null;
  const shown = rows.toSorted((a, b) => b.visitors - a.visitors).slice(0, sitesShownMax);
  return {
    title: words.blocks.sites,
    head: ['', words.figures.visitors, ''],
    rows: shown.map(({ name, visitors, change }) => [oneLine(name), formats.number(visitors), formats.change(change)]),
    ...(all.length > shown.length && { note: words.more(formats.number(all.length - shown.length)) }),
  };
};
