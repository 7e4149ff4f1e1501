/**
 * What the Data API of Google Analytics 4 answers, as it is: a report with headers and rows
 * (`runReport`), or several (`batchRunReports`).
 * https://developers.google.com/analytics/devguides/reporting/data/v1/rest/v1beta/RunReportResponse
 */
import { isRecord } from '../../model/record.ts';
import { isKnownCount } from './sums.ts';

/** Whether a file begins as such an answer does. Other JSON is read line by line. */
export const isDataApiAnswer = (head: string): boolean =>
  /^\uFEFF?\s*\{\s*"(dimensionHeaders|metricHeaders|reports)"\s*:\s*\[/.test(head);

/** The reports of an answer that have rows, as rows by name. Throws SyntaxError without JSON. */
export const reportsIn = (text: string): Record<string, string>[][] => {
  const answer: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  const reports = isRecord(answer) && Array.isArray(answer.reports) ? answer.reports : [answer];
  return reports.map(rowsOf).filter(rows => rows.length > 0);
};

/** Of metrics, only those that are read: what others divide by is known to be nothing. */
const rowsOf = (report: unknown): Record<string, string>[] => {
  if (!isRecord(report)) return [];
  const [dimensions, metrics] = [namesOf(report.dimensionHeaders), namesOf(report.metricHeaders)];
  return listOf(report.rows).map(row => {
    const [values, counts] = [listOf(row.dimensionValues), listOf(row.metricValues)];
    const cells = [
      ...dimensions.map((name, i) => [name, cellText(values[i])] as const),
      ...metrics.flatMap((name, i) => (isKnownCount(name) ? [[name, cellText(counts[i])] as const] : [])),
    ];
    return Object.fromEntries(cells);
  });
};

const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const namesOf = (headers: unknown): string[] => listOf(headers).map(({ name }) => String(name));
const cellText = (cell: Record<string, unknown> | undefined): string => String(cell?.value ?? '');
