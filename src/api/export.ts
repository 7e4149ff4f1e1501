/**
 * `/api/export/:id`: what the dashboard shows as one flat CSV file, or the visits behind it (docs/api.md, "CSV export"). The whole answer of the engine is at hand before the first line goes out, so a slow client holds up nobody.
 */
import { majorUnits } from '../model/currency.ts';
import { dimensions, exportSections } from '../model/dimensions.ts';
import { filterFields } from '../model/filters.ts';
import { exportRowsMax, exportVisitsMax } from '../model/limits.ts';
import { metricNames, metrics, rounded, type Totals } from '../model/metrics.ts';
import { visitFieldNames, visitHeadings } from '../model/visit-fields.ts';
import type { Answer, Question, VisitRow } from '../query/query.ts';
import { type Cell, csvComment, csvLine, inPieces, withoutFormula } from './csv.ts';
import { answerOf, type ParameterNote, type Reader } from './endpoint.ts';
import { isoTime } from './numbers.ts';
import type { Reply } from './reply.ts';
import { filtersText, type Parameters, parseParameters } from './request/parameters.ts';
import type { Buckets, Window } from './request/window.ts';
import { localName } from './request/zone.ts';
import { oneOf, text } from './schema.ts';
import { visitParameters, visitScreen, visitSeconds, visitsAsk } from './visits.ts';

const anyMode: Record<string, ParameterNote> = {
  mode: { schema: oneOf(['sessions']), meaning: 'One row per visit, in the place of the breakdowns' },
  raw: { schema: oneOf(['1', '0']), meaning: 'Cells that begin like a formula are left as they are' },
  share: { schema: text, meaning: 'Token of a shared dashboard, in the place of the header' },
};
export const exportParameters: Record<string, ParameterNote> = { ...anyMode, ...visitParameters };

/** Throws ParameterError before anything is asked. */
export const exportCsv = async (
  reader: Reader,
  search: URLSearchParams,
): Promise<Reply & { body: Iterable<string> }> => {
  const ofVisits = search.has('mode');
  const own = Object.keys(ofVisits ? exportParameters : anyMode);
  const parameters = parseParameters(search, { own, fields: filterFields });
  if (ofVisits) parameters.choice('mode', ['sessions'], 'sessions');
  const guard: Guard = parameters.flag('raw') ? value => value : value => value && withoutFormula(value);

  const lines = ofVisits ? visitLines : breakdownLines;
  const question = ofVisits ? visitsAsk(parameters, exportVisitsMax, null) : null;
  const window = await reader.window(parameters.period);
  const buckets = reader.buckets(window);
  const { from, to } = window;
  const questions = question === null ? breakdownAsks(buckets) : [question];
  const [answers] = await reader.run([{ from, to, filters: parameters.filters, questions }]);

  const name = [reader.site.domain, ...(ofVisits ? ['visits'] : []), window.key, today(reader)].join('-');
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}.csv"`,
    },
    body: inPieces(lines({ reader, parameters, window, buckets, answers: answers!, guard })),
  };
};

const today = ({ zone, now }: Reader): string => localName(zone.local(now)).slice(0, 10);

/** What becomes of a text that a visitor may have chosen. */
type Guard = (value: string | null) => string | null;

interface Export {
  reader: Reader;
  parameters: Parameters;
  window: Window;
  buckets: Buckets;
  answers: Answer[];
  guard: Guard;
}

const breakdownAsks = ({ bounds }: Buckets): Question[] => [
  { kind: 'totals' },
  { kind: 'series', bounds },
  ...exportSections.map((dimension): Question => ({ kind: 'breakdown', dimension, limit: exportRowsMax })),
];

function* breakdownLines({ reader, parameters, window, buckets, answers, guard }: Export): Generator<string> {
  const { site } = reader;
  yield csvComment(`Site: ${site.domain}, Range: ${window.label}, Timezone: ${site.timezone}`);
  yield csvComment(`Filters: ${filtersText(parameters.filters)}`);
  yield csvLine(['Section', 'Name', 'Value']);
  yield* summaryLines(answerOf(answers, 'totals').totals, site.currency);

  const { visitors, pageviews } = answerOf(answers, 'series');
  for (const [i, date] of buckets.dates.entries()) yield csvLine(['Series', date, visitors[i]!]);
  for (const [i, date] of buckets.dates.entries()) yield csvLine(['Series pageviews', date, pageviews[i]!]);

  const breakdowns = answers.filter(answer => answer.kind === 'breakdown');
  for (const [i, dimension] of exportSections.entries()) {
    for (const { name, value } of breakdowns[i]!.rows) {
      yield csvLine([dimensions[dimension].section, guard(name), value]);
    }
  }
}

function* summaryLines(totals: Totals, currency: string): Generator<string> {
  for (const name of metricNames) {
    const { label, value } = metrics[name];
    if (label === null) continue;
    const [title, shown] =
      name === 'revenue'
        ? [`${label} ${currency}`, majorUnits(value(totals), currency)]
        : [label, rounded(value(totals))];
    yield csvLine(['Summary', title, shown]);
  }
}

interface VisitColumn {
  name: string;
  cell: (row: VisitRow, currency: string) => Cell;
}

/** A column that a visitor may have filled, so that it is guarded. */
interface TextColumn {
  name: string;
  text: (row: VisitRow) => string | null;
}

/** The 23 columns, in their order. */
const visitColumns: readonly (VisitColumn | TextColumn)[] = [
  { name: 'Started', cell: row => isoTime(row.started) },
  { name: 'Ended', cell: row => isoTime(row.ended) },
  { name: 'Visitor', cell: row => row.visitor },
  ...visitFieldNames.map(name => ({ name: visitHeadings[name], text: (row: VisitRow) => row[name] })),
  { name: 'Screen', cell: visitScreen },
  { name: 'Pageviews', cell: row => row.pageviews },
  { name: 'Events', cell: row => row.events },
  { name: 'Bounce', cell: row => (row.bounce ? 'yes' : 'no') },
  { name: 'Seconds', cell: visitSeconds },
  { name: 'Revenue', cell: (row, currency) => majorUnits(row.revenue, currency) },
  { name: 'Session id', cell: row => row.id },
];

function* visitLines({ reader, answers, guard }: Export): Generator<string> {
  yield csvLine(visitColumns.map(column => column.name));
  for (const row of answerOf(answers, 'visits').rows) {
    yield csvLine(
      visitColumns.map(column => ('text' in column ? guard(column.text(row)) : column.cell(row, reader.site.currency))),
    );
  }
}
