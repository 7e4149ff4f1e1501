/**
 * `/api/export/:id`: what the dashboard shows as one flat CSV file, or the visits behind it
 * (docs/api.md, "CSV export"). The whole report is at hand before the first line goes out, so a
 * slow client holds up no query.
 */
import type { Reply } from '../http/reply.ts';
import { localName } from '../model/calendar.ts';
import { csvComment, csvLine, withoutFormula } from '../model/csv.ts';
import { majorUnits } from '../model/currency.ts';
import { type DimensionName, dimensions, exportSections } from '../model/dimensions.ts';
import { type FilterOn, filterFields } from '../model/filters.ts';
import { exportRowsMax, exportTableRowsMax, exportVisitsMax } from '../model/limits.ts';
import { type Metric, metricNames, metrics, rounded } from '../model/metrics.ts';
import type { Note } from '../model/notes.ts';
import { inPieces } from '../model/pieces.ts';
import { partOfField } from '../model/public-parts.ts';
import type { Site } from '../model/site.ts';
import type { Answer, AnswerOf, Question } from '../query/query.ts';
import { visitCsvHeader } from '../query/rows/visit-csv-json.ts';
import { headline, headlineOf, topRowsOf, topValues } from '../query/usual-questions.ts';
import type { Actor, Caller } from './auth.ts';
import {
  askedOf,
  askOne,
  importedIn,
  inWindow,
  type QueryStep,
  type ReadableSite,
  refuseHidden,
  refuseHiddenMetrics,
} from './endpoint.ts';
import { type FunnelRow, funnelOf, funnelParameters, funnelRows } from './funnel.ts';
import { notesWithin } from './notes.ts';
import { type Buckets, bucketsOf } from './request/buckets.ts';
import { choice, filtersText, flag, freeText } from './request/parameters.ts';
import type { Window } from './request/window.ts';
import { tableCsv, tableParameters, tableQuestion } from './table.ts';
import { visitChoice, visitParameters } from './visits.ts';

const ofAll = {
  mode: choice(
    ['breakdown', 'sessions', 'table', 'funnel'],
    'breakdown',
    'The breakdowns, one row per visit, any metrics of each value of a dimension, or one row per step of a funnel',
  ),
  raw: flag('Leaves cells that begin like a formula as they are. For API keys, and pages of the same host'),
  share: freeText('Token of a public page, in place of the header'),
};
const ofVisits = { ...ofAll, ...visitParameters };
const ofTable = { ...ofAll, ...tableParameters };
const ofFunnel = { ...ofAll, ...funnelParameters };
/** `sort`, `dir` and `step` are those of the mode. */
export const exportParameters = { ...ofTable, ...ofVisits, ...ofFunnel };

/** What left the server, and to whom. */
export interface Exported {
  by: Actor;
  site: Site;
  what: 'visits' | 'numbers';
}

/**
 * Whether an export is one that the audit tells of: single visits, and what programs took. Of
 * numbers that people see on the page it does not.
 */
export const exportedBy = ({ by, byKey }: Caller, site: Site, search: URLSearchParams): Exported | undefined => {
  const isOfVisits = search.getAll('mode').includes('sessions');
  if (by === undefined || !(isOfVisits || byKey)) return undefined;
  return { by, site, what: isOfVisits ? 'visits' : 'numbers' };
};

/** Whether an export leaves formulas in: only who asks for it on purpose gets such a file. */
export const exportsFormulas = (search: URLSearchParams): boolean => search.has('raw');

export type Csv = Reply & { body: Iterable<string> };

/** Throws ParameterError. */
export const planExport = (search: URLSearchParams, view: ReadableSite): QueryStep<Csv> => {
  const modes = search.getAll('mode');
  if (modes.includes('sessions')) return planVisits(search, view);
  if (modes.includes('table')) return planTable(search, view);
  return (modes.includes('funnel') ? planFunnel : planBreakdowns)(search, view);
};

const planBreakdowns = (search: URLSearchParams, view: ReadableSite): QueryStep<Csv> => {
  const { period, filters, written, raw } = askedOf(search, view, ofAll, filterFields);
  return inWindow(period, view, window => {
    const { from, to } = window;
    const buckets = bucketsOf(window, view.zone);
    return {
      slices: [{ from, to, filters, questions: breakdownQuestions(buckets, view) }],
      render([answers]) {
        const noted = view.hidden.has('notes') ? [] : notesWithin(window, view);
        const lines = breakdownLines({ view, window, written, buckets, answers: answers!, noted, raw });
        return csvReply(inPieces(lines), [window.key], view);
      },
    };
  });
};

const planVisits = (search: URLSearchParams, view: ReadableSite): QueryStep<Csv> => {
  refuseHidden(view, 'visits');
  const asked = askedOf(search, view, ofVisits, filterFields);
  const { period, filters, raw } = asked;
  return inWindow(period, view, window => {
    const form = raw ? 'raw csv' : 'csv';
    const question = { ...visitChoice(asked, view), limit: exportVisitsMax, after: null, form } as const;
    return askOne(window, filters, question, ({ pieces }) =>
      csvReply([visitCsvHeader, ...pieces], ['visits', window.key], view),
    );
  });
};

const planTable = (search: URLSearchParams, view: ReadableSite): QueryStep<Csv> => {
  const asked = askedOf(search, view, ofTable, filterFields);
  refuseHidden(view, partOfField(asked.dimension));
  refuseHiddenMetrics(view, [...asked.metrics, asked.sort]);
  const { period, filters, raw, metrics } = asked;
  return inWindow(period, view, window =>
    askOne(window, filters, tableQuestion(asked, view, exportTableRowsMax, null), ({ rows }) => {
      const lines = tableCsv(metrics, rows, view.site.currency, raw);
      return csvReply(inPieces(lines), [asked.dimension, window.key], view);
    }),
  );
};

const planFunnel = (search: URLSearchParams, view: ReadableSite): QueryStep<Csv> => {
  const { period, filters, raw, ...asked } = askedOf(search, view, ofFunnel, filterFields);
  const { steps, scope } = funnelOf(asked, view);
  return inWindow(period, view, window => {
    const question = { kind: 'funnel', steps: steps.map(step => step.filters), scope } as const;
    return askOne(window, filters, question, answer => {
      const lines = [funnelHeadings, ...funnelRows(answer, steps, scope).map(row => funnelCells(row, raw))];
      return csvReply(inPieces(lines.map(csvLine)), ['funnel', window.key], view);
    });
  });
};

const funnelHeadings = [
  'Step',
  'Visits',
  'Visitors',
  'Lost',
  'Lost %',
  'Of the step before %',
  'Of the first step %',
  'Median seconds to the next',
];

const funnelCells = ({ step, medianSeconds, ...row }: FunnelRow, raw: boolean): (string | number)[] => [
  raw ? step : withoutFormula(step),
  ...[row.visits, row.visitors, row.lost, row.lostRate, row.stepRate, row.totalRate],
  medianSeconds ?? '',
];

const csvReply = (body: Iterable<string>, name: string[], { site, zone, now }: ReadableSite): Csv => {
  const file = [site.domain, ...name, localName(zone.local(now)).slice(0, 10)].join('-');
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${file.replace(/[^\w.-]/g, '_')}.csv"`,
    },
    body,
  };
};

const breakdownQuestions = ({ bounds }: Buckets, view: ReadableSite): Question[] => [
  headline,
  { kind: 'metricSeries', metrics: ['visitors', 'pageviews'], bounds },
  ...sectionsOf(view).map(dimension => topValues(dimension, exportRowsMax)),
];

/** The dimensions that have a section of their own: without what a public page does not show. */
const sectionsOf = ({ hidden }: ReadableSite): DimensionName[] =>
  exportSections.filter(dimension => {
    const part = partOfField(dimension);
    return part === undefined || !hidden.has(part);
  });

interface Breakdowns {
  view: ReadableSite;
  window: Window;
  written: FilterOn<string>[];
  buckets: Buckets;
  answers: Answer[];
  /** Notes on days of the window. */
  noted: readonly Note[];
  raw: boolean;
}

function* breakdownLines(of: Breakdowns): Generator<string> {
  const { view, window, written, buckets, answers, noted, raw } = of;
  const { site } = view;
  yield csvComment(`Site: ${site.domain}, Range: ${window.label}, Timezone: ${site.timezone}`);
  yield csvComment(`Filters: ${filtersText(written)}`);
  const imported = importedIn([answers]);
  if (imported !== undefined) yield csvComment(`Imported days: ${imported}`);
  for (const { date, text } of noted) yield csvComment(`Note: ${date} ${text}`);
  yield csvLine(['Section', 'Name', 'Value']);
  const [summary, series, ...sections] = answers as AnswersOfBreakdowns;
  yield* summaryLines(summary, view);

  for (const [metric, section] of ['Series', 'Series pageviews'].entries())
    for (const [i, date] of buckets.dates.entries())
      yield csvLine([section, date, series.rows[i]!.values[metric] ?? '']);

  for (const [i, dimension] of sectionsOf(view).entries()) {
    for (const { name, value } of topRowsOf(sections[i]!)) {
      yield csvLine([dimensions[dimension].section, raw ? name : withoutFormula(name), value]);
    }
  }
}

/** In the order of the questions. */
type AnswersOfBreakdowns = [AnswerOf<'metricSeries'>, AnswerOf<'metricSeries'>, ...AnswerOf<'table'>[]];

/** What imported days do not tell is empty. */
function* summaryLines(
  answer: AnswerOf<'metricSeries'>,
  { site: { currency }, hidden }: ReadableSite,
): Generator<string> {
  for (const name of metricNames) {
    const { label, isNotInSummary }: Metric = metrics[name];
    const value = headlineOf(answer)[name];
    if (isNotInSummary || (name === 'revenue' && hidden.has('revenue'))) continue;
    const title = name === 'revenue' ? `${label} ${currency}` : label;
    const shown = value === null ? '' : name === 'revenue' ? majorUnits(value, currency) : rounded(value);
    yield csvLine(['Summary', title, shown]);
  }
}
